"""Which headings of its links all limits of a chain with absolute joints allow together.

Each limit bounds one heading, or the difference of two that follow each other. So ranges are
enough, carried from link to link. Where whole turns of a bend do not count, they repeat with every
turn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik2d_ros.kinematics.kernel.linkage import Link

ROUNDING = 1e-10  # rad; ranges that miss each other by no more touch.
EVERY = (-math.inf, math.inf)

Range = tuple[float, float]


def with_turns(links: Sequence[Link]) -> list[Link]:
    """Return links whose limits of bends bound the difference of two headings.

    Where the positions bound that difference, it counts itself, or a whole number of turns aside if
    none of it is within the limits of the bend. Where a joint on the way is continuous, whole turns
    do not count.
    """
    found, low, high = [], 0.0, 0.0
    for link in links:
        bends, any_turn = link.bends, False
        if bends:
            least, most = link.lower - high, link.upper - low
            any_turn = math.isinf(most - least)
            if not any_turn:
                above = (bends[0] - most - ROUNDING) / math.tau
                below = (least - bends[-1] - ROUNDING) / math.tau
                turns = max(0, math.ceil(above)) - max(0, math.ceil(below))
                bends = tuple(bend - turns * math.tau for bend in bends)
        found.append(link._replace(bends=bends, any_turn=any_turn))
        own = (link.fixed, link.fixed) if link.slides else (link.lower, link.upper)
        low, high = own if link.absolute else (low + own[0], high + own[1])
    return found


class Headings:
    """The headings of each link from which the joints behind it can keep to their limits.

    Attributes:
        blocked: a joint for which the others leave no position; None where there is none.
    """

    def __init__(self, links: Sequence[Link]) -> None:
        self.links = links
        parts, repeat = [EVERY], False
        self.rows: list[tuple[list[Range], bool]] = []
        self.blocked: int | None = None
        for j in range(len(links) - 1, -1, -1):
            parts, repeat = _within(parts, repeat, links[j])
            if not parts:
                self.blocked = j
                return
            self.rows.insert(0, (parts, repeat))
            parts, repeat = _carried(parts, repeat, links[j], -1)
        ground = _near(parts, repeat, 0.0)
        if not any(low <= ROUNDING and high >= -ROUNDING for low, high in ground):
            self.blocked = 0

    def allow(self, numbers: Sequence[float]) -> bool:
        """Tell whether a pose within the limits of positions is within the limits of bends, too."""
        heading = 0.0
        for link, number in zip(self.links, numbers):
            if link.bends:
                (least, most), *_ = _near([_bends(link)], link.any_turn, number - heading)
                if not least - ROUNDING <= number - heading <= most + ROUNDING:
                    return False
            heading = _heading(link, heading, number)
        return True

    def settled(self, numbers: Sequence[float]) -> list[float]:
        """Return a pose that keeps to all limits; the same if it does so itself."""
        if self.allow(numbers):
            return list(numbers)
        before, result = 0.0, []
        for link, number, (parts, repeat) in zip(self.links, numbers, self.rows):
            least, most = _bends(link)
            wanted = _heading(link, before, number)
            allowed = [
                min(max(wanted, low, begin), high, end)
                for low, high in _near(parts, repeat, wanted)
                for begin, end in _near(
                    [(before + least, before + most)],
                    link.any_turn,
                    min(max(wanted, low), high),
                )
                if max(low, begin) <= min(high, end) + ROUNDING
            ]
            before = min(allowed, key=lambda each: abs(each - wanted))
            result.append(number if link.slides else number + before - wanted)
        return result


def ends_of_last(links: Sequence[Link]) -> list[float]:
    """Return the ends of the ranges of headings that all limits leave the last link."""
    parts, repeat = [(0.0, 0.0)], False
    for link in links:
        parts, repeat = _within(*_carried(parts, repeat, link, 1), link)
    return sorted({end for part in parts for end in part if math.isfinite(end)})


def _carried(parts: list[Range], repeat: bool, link: Link, sense: int) -> tuple[list[Range], bool]:
    """Return the ranges of a link's heading from those of the link before, or (-1) the latter."""
    least, most = _bends(link) if sense > 0 else (-end for end in reversed(_bends(link)))
    repeat = link.any_turn or (repeat and not link.absolute)
    found = [(low + least, high + most) for low, high in parts]
    if repeat and any(high - low >= math.tau for low, high in found):
        return [EVERY], repeat
    if repeat:
        turns = [math.tau * math.floor(low / math.tau) for low, _ in found]
        found = [(low - turn, high - turn) for (low, high), turn in zip(found, turns)]
    merged = found[:1]
    for low, high in sorted(found):
        if low > merged[-1][1]:
            merged.append((low, high))
        elif high > merged[-1][1]:
            merged[-1] = (merged[-1][0], high)
    return merged, repeat


def _within(parts: list[Range], repeat: bool, link: Link) -> tuple[list[Range], bool]:
    """Return the parts of ranges within an absolute joint's limits."""
    if not link.absolute or math.isinf(link.lower):
        return parts, repeat
    found = []
    for low, high in parts:
        first = last = 0
        if repeat and math.isfinite(low):
            first = math.ceil((link.lower - high - ROUNDING) / math.tau)
            last = math.floor((link.upper - low + ROUNDING) / math.tau)
        for turn in range(first, last + 1):
            begin = max(low + math.tau * turn, link.lower)
            end = min(high + math.tau * turn, link.upper)
            if begin <= end + ROUNDING:
                found.append((begin, end))
    return found, False


def _near(parts: list[Range], repeat: bool, wanted: float) -> list[Range]:
    """Return ranges; if they repeat, those about a heading."""
    if not repeat or math.isinf(parts[0][0]):
        return parts
    near = []
    for low, high in parts:
        nearest = round((wanted - 0.5 * (low + high)) / math.tau)
        turns = (math.tau * turn for turn in (nearest, nearest - 1, nearest + 1))
        near += [(low + turn, high + turn) for turn in turns]
    return near


def _bends(link: Link) -> Range:
    """Return how far a link may be turned from the one before."""
    if link.slides:
        return link.fixed, link.fixed
    if not link.absolute:
        return link.lower, link.upper
    return (link.bends[0], link.bends[-1]) if link.bends else EVERY


def _heading(link: Link, before: float, number: float) -> float:
    if link.absolute:
        return number
    return before + (link.fixed if link.slides else number)

"""The poses that all limits of a chain with absolute joints allow together."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik2d_ros.kinematics.arguments import ChainError, shown
from ik2d_ros.kinematics.kernel.linkage import Link

_ROUNDING = 1e-12  # rad

Range = tuple[float, float]


class Headings:
    """Which headings of each link let the joints behind it keep to their limits.

    Each limit bounds one heading, or the difference of two that follow each other; so ranges are
    enough, found from the tip to the base. Whole turns of a bend do not count: before a joint with
    limits of its bend, ranges repeat with every turn.
    """

    def __init__(self, links: Sequence[Link], names: Sequence[str]) -> None:
        """Find the ranges.

        Raises:
            ChainError: there is a joint for which the others leave no position.
        """
        self.links = links
        ranges, repeat = [(-math.inf, math.inf)], False
        rows = []
        for link, name in zip(reversed(links), reversed(names)):
            if link.absolute and math.isfinite(link.lower):
                ranges = _within(ranges, repeat, link)
                repeat = False
                if not ranges:
                    raise ChainError(_no_pose(name))
            rows.append((ranges, repeat))
            least, most = _turned(link)
            ranges = [(low - most, high - least) for low, high in ranges]
            repeat = bool(link.bends) or (repeat and not link.absolute)
        # The ground's heading is 0.
        if not any(
            low <= _ROUNDING and high >= -_ROUNDING for _, low, high in _images(ranges, 0.0, repeat)
        ):
            raise ChainError(_no_pose(names[0]))
        self.rows = rows[::-1]

    def allow(self, numbers: Sequence[float]) -> bool:
        """Tell whether a pose within the limits of positions is within the limits of bends, too."""
        heading = 0.0
        for link, number in zip(self.links, numbers):
            if link.absolute and link.bends:
                bend = number - heading
                bend -= math.tau * math.floor((bend - link.bends[0] + _ROUNDING) / math.tau)
                if bend > link.bends[-1] + _ROUNDING:
                    return False
            heading = _heading(link, heading, number)
        return True

    def settled(self, numbers: Sequence[float]) -> list[float]:
        """Return a pose that keeps to all limits; the same if it does so itself."""
        if self.allow(numbers):
            return list(numbers)
        before, result = 0.0, []
        for link, number, (ranges, repeat) in zip(self.links, numbers, self.rows):
            least, most = _turned(link)
            wanted = _heading(link, before, number)
            allowed = [
                (abs(turn) + abs(other), min(max(wanted, low, begin), high, end))
                for turn, low, high in _images(ranges, wanted, repeat)
                for other, begin, end in _images(
                    [(before + least, before + most)],
                    min(max(wanted, low), high),
                    bool(link.bends),
                )
                if max(low, begin) <= min(high, end) + _ROUNDING
            ]
            _, before = min(allowed, key=lambda each: (each[0], abs(each[1] - wanted)))
            result.append(number if link.slides else number + before - wanted)
        return result


def _no_pose(name: str) -> str:
    return (
        f'joint {shown(name)}: its limits and those of the joints beside it leave no pose; '
        'widen its limits, or min_bend and max_bend'
    )


def _within(ranges: list[Range], repeat: bool, link: Link) -> list[Range]:
    """Return the parts of ranges within a joint's limits."""
    parts = []
    for low, high in ranges:
        turns = range(1)
        if repeat and math.isfinite(low):
            first = math.ceil((link.lower - high - _ROUNDING) / math.tau)
            turns = range(first, math.floor((link.upper - low + _ROUNDING) / math.tau) + 1)
        for turn in turns:
            begin = max(low + math.tau * turn, link.lower)
            end = min(high + math.tau * turn, link.upper)
            if begin <= end + _ROUNDING:
                parts.append((begin, end))
    return parts


def _images(ranges: list[Range], wanted: float, repeat: bool) -> list[tuple[int, float, float]]:
    """Return ranges after whole turns: after none, and if they repeat, after those near by."""
    images = []
    for low, high in ranges:
        turns = {0}
        if repeat and math.isfinite(low):
            nearest = round((wanted - 0.5 * (low + high)) / math.tau)
            turns |= {nearest - 1, nearest, nearest + 1}
        images += [(turn, low + math.tau * turn, high + math.tau * turn) for turn in turns]
    return images


def _turned(link: Link) -> Range:
    """Return how far a link may be turned from the one before."""
    if link.slides:
        return link.fixed, link.fixed
    if not link.absolute:
        return link.lower, link.upper
    return (link.bends[0], link.bends[-1]) if link.bends else (-math.inf, math.inf)


def _heading(link: Link, before: float, number: float) -> float:
    if link.absolute:
        return number
    return before + (link.fixed if link.slides else number)

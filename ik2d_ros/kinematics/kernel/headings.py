"""Which headings of its links all limits of a chain with absolute joints allow together.

A limit bounds one heading (:attr:`.Link.heading_range`) or the difference of two that follow each
other (:attr:`.Link.bend_range`). So the headings of a link that leave some for all others are a few
ranges, passed on from link to link. Where whole turns of a bend do not count, the ranges repeat
with every turn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ik2d_ros.kinematics.kernel.joint_table import EVERY, Link, Range

RANGE_SLACK = 1e-10  # rad; ranges that miss each other by no more touch.


class Ranges(NamedTuple):
    """Headings that are allowed: intervals in rad, which repeat where whole turns do not count."""

    intervals: list[Range]
    repeat: bool

    def near(self, wanted: float) -> list[Range]:
        """Return the intervals; if they repeat, those about a heading."""
        if not self.repeat or math.isinf(self.intervals[0][0]):
            return self.intervals
        near = []
        for low, high in self.intervals:
            nearest = round((wanted - 0.5 * (low + high)) / math.tau)
            turns = (math.tau * turn for turn in (nearest, nearest - 1, nearest + 1))
            near += [(low + turn, high + turn) for turn in turns]
        return near

    def across(self, link: Link, sense: int) -> Ranges:
        """Return the headings on one side of a joint from those on the other.

        The sense is +1 from the link before to the link of the joint, -1 back.
        """
        least, most = link.bend_range if sense > 0 else (-end for end in reversed(link.bend_range))
        repeat = link.any_turn or (self.repeat and not link.absolute)
        found = [(low + least, high + most) for low, high in self.intervals]
        if repeat and any(high - low >= math.tau for low, high in found):
            return Ranges([EVERY], repeat)
        if repeat:
            turns = [math.tau * math.floor(low / math.tau) for low, _ in found]
            found = [(low - turn, high - turn) for (low, high), turn in zip(found, turns)]
        merged = found[:1]
        for low, high in sorted(found):
            if low > merged[-1][1]:
                merged.append((low, high))
            elif high > merged[-1][1]:
                merged[-1] = (merged[-1][0], high)
        return Ranges(merged, repeat)

    def within(self, link: Link) -> Ranges:
        """Return those within the limits of a link's own heading."""
        lower, upper = link.heading_range
        if math.isinf(lower):
            return self
        found = []
        for low, high in self.intervals:
            first = last = 0
            if self.repeat and math.isfinite(low):
                first = math.ceil((lower - high - RANGE_SLACK) / math.tau)
                last = math.floor((upper - low + RANGE_SLACK) / math.tau)
            for turn in range(first, last + 1):
                begin = max(low + math.tau * turn, lower)
                end = min(high + math.tau * turn, upper)
                if begin <= end + RANGE_SLACK:
                    found.append((begin, end))
        return Ranges(found, False)


def counting_turns(links: Sequence[Link]) -> list[Link]:
    """Return links whose limits of bends count whole turns, or do not.

    Positions may bound that difference: it counts, a whole number of turns aside if none of it is
    within the limits of the bend. Where a joint on the way is continuous, whole turns do not count.
    """
    found, low, high = [], 0.0, 0.0
    for link in links:
        turned = link
        if link.bends != EVERY:
            (begin, end), least, most = link.bends, link.lower - high, link.upper - low
            if math.isinf(most - least):
                turned = link._replace(any_turn=True)
            else:
                above = math.ceil((begin - most - RANGE_SLACK) / math.tau)
                below = math.ceil((least - end - RANGE_SLACK) / math.tau)
                turn = math.tau * (max(0, above) - max(0, below))
                turned = link._replace(bends=(begin - turn, end - turn))
        found.append(turned)
        own = (link.fixed, link.fixed) if link.slides else (link.lower, link.upper)
        low, high = own if link.absolute else (low + own[0], high + own[1])
    return found


class Headings:
    """The headings of each link that leave some within all limits for the links after it.

    ``blocked`` is a joint for which the others leave no position, or None.
    """

    def __init__(self, links: Sequence[Link]) -> None:
        self.links = links
        ranges = Ranges([EVERY], False)
        self.ranges: list[Ranges] = []
        self.blocked: int | None = None
        for j in range(len(links) - 1, -1, -1):
            ranges = ranges.within(links[j])
            if not ranges.intervals:
                self.blocked = j
                return
            self.ranges.insert(0, ranges)
            ranges = ranges.across(links[j], -1)
        ground = ranges.near(0.0)
        if not any(low <= RANGE_SLACK and high >= -RANGE_SLACK for low, high in ground):
            self.blocked = 0

    def allow(self, values: Sequence[float]) -> bool:
        """Tell whether a pose within the limits of positions is within those of bends, too."""
        heading = 0.0
        for link, value in zip(self.links, values):
            before, heading = heading, link.heading(heading, value)
            if link.bends != EVERY:
                bend = heading - before
                (least, most), *_ = Ranges([link.bends], link.any_turn).near(bend)
                if not least - RANGE_SLACK <= bend <= most + RANGE_SLACK:
                    return False
        return True

    def clamp(self, values: Sequence[float]) -> list[float]:
        """Return a pose within all limits; the same if it is itself.

        Link by link from the base it is the nearest: a start, of which nothing is proven.
        """
        if self.allow(values):
            return list(values)
        before, result = 0.0, []
        for link, value, ranges in zip(self.links, values, self.ranges):
            least, most = link.bend_range
            carried = Ranges([(before + least, before + most)], link.any_turn)
            wanted = link.heading(before, value)
            allowed = [
                min(max(wanted, low, begin), high, end)
                for low, high in ranges.near(wanted)
                for begin, end in carried.near(min(max(wanted, low), high))
                if max(low, begin) <= min(high, end) + RANGE_SLACK
            ]
            before = min(allowed, key=lambda each: abs(each - wanted))
            result.append(value if link.slides else value + before - wanted)
        return result


def bounds_of_last(links: Sequence[Link]) -> list[float]:
    """Return the ends of the ranges of headings that all limits leave the last link."""
    ranges = Ranges([(0.0, 0.0)], False)
    for link in links:
        ranges = ranges.across(link, 1).within(link)
    return sorted({end for interval in ranges.intervals for end in interval if math.isfinite(end)})

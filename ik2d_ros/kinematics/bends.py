"""The limits of a chain with absolute joints together: the poses that all of them leave."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik2d_ros.kinematics.arguments import shown
from ik2d_ros.kinematics.errors import ChainError
from ik2d_ros.kinematics.kernel.linkage import Link

_ROUNDING = 1e-12  # rad


class Headings:
    """Which headings of each link let the joints behind it keep to their limits.

    Each limit bounds one heading, or the difference of two that follow each other; so ranges are
    enough, found from the tip to the base.
    """

    def __init__(self, links: Sequence[Link], names: Sequence[str]) -> None:
        """Find the ranges.

        Raises:
            ChainError: there is a joint for which the others leave no position.
        """
        self.links = links
        low, high = -math.inf, math.inf
        ranges = []
        for link, name in zip(reversed(links), reversed(names)):
            least, most = _turned(link)
            if link.absolute:
                low, high = max(low, link.lower), min(high, link.upper)
                if low > high + _ROUNDING:
                    raise ChainError(
                        f'joint {shown(name)}: its limits and those of the joints beside it leave '
                        'no pose; widen its limits, or min_bend and max_bend'
                    )
            ranges.append((low, high))
            low, high = low - most, high - least
        self.ranges = ranges[::-1]

    def allow(self, numbers: Sequence[float]) -> bool:
        """Tell whether a pose within the limits of positions keeps to those of bends, too."""
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
        heading, result = 0.0, []
        for link, number, (low, high) in zip(self.links, numbers, self.ranges):
            least, most = _turned(link)
            wanted = _heading(link, heading, number)
            onward = min(max(wanted, low, heading + least), high, heading + most)
            result.append(number if link.slides else number + onward - wanted)
            heading = onward
        return result


def _turned(link: Link) -> tuple[float, float]:
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

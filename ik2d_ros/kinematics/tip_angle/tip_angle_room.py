"""What three joints of which one slides can span within limits, so that most need no closing.

Derived in ``docs/solvers.md``, section 11. Lengths are in reaches, angles in rad.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN, Limits
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray

TINY = 1e-6  # Reaches; what comes as near to a point has any direction from there.


class Room(NamedTuple):
    """Where what is to be spanned has to be, an element per closure; limits are kept there.

    Where the slide is before the two revolute joints or behind them: the point that it and the
    shape between these span. Where it is between them: what they and the slide span.

    Attributes:
        least: (2, e) the point as the slide's direction has it, along and across it, in reaches;
            or how far off it is, and in which direction, as the heading before has that.
        most: (2, e) the same.
    """

    least: FloatArray
    most: FloatArray

    @classmethod
    def anywhere(cls, count: int) -> Room:
        """Return what leaves all room."""
        return cls(np.full((2, count), -np.inf), np.full((2, count), np.inf))

    def at(self, some: Flags) -> Room:
        """Return some of them."""
        return Room(self.least[:, some], self.most[:, some])


def room(
    kinds: tuple[bool, bool, bool],
    limits: Limits,
    between: ComplexArray,
    ways: ComplexArray,
    leads: FloatArray,
) -> Room:
    """Return the room that three joints have.

    Args:
        kinds: which of them are revolute.
        limits: of these three, in rad or reaches; infinite for the tip.
        between: as for closures, and
        ways: as well, and
        leads: as well.
    """
    if sum(kinds) < 2:
        return Room.anywhere(len(between))
    slide = kinds.index(False)
    lower, upper = limits[slide]
    if slide == 1:
        return _beyond(limits, between, ways[1], leads[0])
    # The bend next to the slide bounds the direction of the shape behind it, or before.
    direction = np.angle(between) - np.angle(ways[slide])
    if slide == 0:
        begin, end = limits[1]
        direction = direction + leads[0]
    else:
        end, begin = (-each for each in limits[1])
        direction = direction - leads[1] - leads[2]
    length = np.abs(between)
    along = _cosines(direction + begin, direction + end)
    across = _cosines(direction + begin - 0.25 * TURN, direction + end - 0.25 * TURN)
    return Room(
        np.stack([lower + length * along[0], length * across[0]]),
        np.stack([upper + length * along[1], length * across[1]]),
    )


def _beyond(limits: Limits, between: ComplexArray, way: ComplexArray, lead: FloatArray) -> Room:
    """Return the room of two joints that turn with a slide between them."""
    (begin, end), (lower, upper) = limits[:2]
    if not np.isfinite(upper - lower):
        return Room.anywhere(len(between))
    ends = between + lower * way, between + upper * way
    nearest = between + np.clip(-(between * way.conj()).real, lower, upper) * way
    near, far = np.abs(nearest), np.maximum(*np.abs(ends))
    # It passes at one side, so that it is less than half a turn wide.
    width = np.angle(ends[1] * ends[0].conj())
    first = lead + np.angle(ends[0])
    free = near <= TINY
    least = np.where(free, -np.inf, first + np.minimum(width, 0.0) + begin)
    most = np.where(free, np.inf, first + np.maximum(width, 0.0) + end)
    return Room(np.stack([near, least]), np.stack([far, most]))


def _cosines(begin: FloatArray, end: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest cosine of angles from one to another one, in rad."""
    whole = ~(end - begin < TURN)
    begin, end = np.where(whole, 0.0, begin), np.where(whole, TURN, end)
    at_ends = np.cos(begin), np.cos(end)
    most = np.where(np.floor(end / TURN) >= begin / TURN, 1.0, np.maximum(*at_ends))
    folded = np.floor(end / TURN - 0.5) >= begin / TURN - 0.5
    return np.where(folded, -1.0, np.minimum(*at_ends)), most

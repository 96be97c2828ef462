"""Rigid shapes of parts of a chain, for targets with a tip angle.

Where limits allow a pose with its tip on a target at some angle, they allow one in which at most
three joints are neither at a limit nor in line with others; the rest of the chain is rigid. There
are finitely many, and none depends on the target. Derived in ``docs/solvers.md``, section 11.

Lengths are in reaches, angles are bends (see :mod:`.chain`), points are complex.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import TURN, Limits
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.corners import SLACK, corners, limit_ends

Ends = list[list[tuple[float, float]]]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]


class Shapes(NamedTuple):
    """Rigid shapes of the links from one joint up to another, an element each.

    Attributes:
        vector: (k,) from end to end, in reaches, the first link pointing along x.
        bends: (k, w) of all joints but the first in rad; that one's is 0.
        heading: (k,) of the last link in rad: the sum of the bends.
    """

    vector: ComplexArray
    bends: FloatArray
    heading: FloatArray

    def at(self, chosen: Flags) -> Shapes:
        """Return some of them."""
        return Shapes(self.vector[chosen], self.bends[chosen], self.heading[chosen])


class _InLine(NamedTuple):
    """Shapes with joints in line between their ends, and to which side those at limits push.

    Attributes:
        shapes: the shapes.
        ways: (k,) of the joints at limits, which way they leave it times the side of the line that
            they are on: 1 or -1 where that is the same for all of them, else 0.
    """

    shapes: Shapes
    ways: FloatArray


def ends_of(limits: Limits) -> Ends:
    """Return where each joint is held, and which way it may leave that.

    A joint that turns fully is held at no limit; for it any bend will do, for all bends are within
    half a turn of it to either side.
    """
    return [
        given or [(lower if lower > -np.inf else 0.0, 0.0)]
        for given, (lower, _) in zip(limit_ends(limits), limits, strict=True)
    ]


class Parts:
    """Shapes of all parts of a chain, made when asked for."""

    def __init__(self, lengths: FloatArray, limits: Limits) -> None:
        self.lengths = lengths
        self.limits = limits
        self.ends = ends_of(limits)
        self.moves = [lower < upper for lower, upper in limits]
        self._in_line: dict[tuple[int, int], _InLine] = {}

    def before(self, joint: int) -> Shapes:
        """Return the shapes from the base to a joint, all joints held."""
        shapes = corners(self.lengths[:joint], self.ends[:joint])
        vector = shapes.spans[:, 0] if joint else np.zeros(1, dtype=complex)
        return Shapes(vector, shapes.bends, shapes.heading)

    def held(self, first: int, last: int) -> Shapes:
        """Return the shapes between two joints, all joints between them held."""
        inside = self.ends[first + 1 : last]
        shapes = corners(self.lengths[first:last], [[(0.0, 0.0)], *inside])
        return Shapes(shapes.spans[:, 0], shapes.bends, shapes.heading)

    def _held_in_line(self, first: int, last: int) -> _InLine:
        inside = self.ends[first + 1 : last]
        found = corners(self.lengths[first:last], [[(0.0, 0.0)], *inside])
        span = found.spans[:, :1]
        along = span / np.maximum(np.abs(span), SLACK)
        # Each joint's place, seen across the line between the ends.
        across = -(found.spans * along.conj()).imag
        push = found.inward * across
        up, down = (push > SLACK).any(axis=1), (push < -SLACK).any(axis=1)
        ways = np.where(up & down, np.nan, up * 1.0 - down * 1.0)
        return _InLine(Shapes(found.spans[:, 0], found.bends, found.heading), ways)

    def in_line(self, first: int, last: int) -> Shapes:
        """Return the shapes between two joints, each between them held or in line with both."""
        held, lined = self.held(first, last), self._lined(first, last).shapes
        return Shapes(
            np.concatenate([held.vector, lined.vector]),
            np.concatenate([held.bends, lined.bends]),
            np.concatenate([held.heading, lined.heading]),
        )

    def _lined(self, first: int, last: int) -> _InLine:
        """Return those with one joint in line at least."""
        key = first, last
        if key not in self._in_line:
            found: list[_InLine] = []
            for joint in range(first + 1, last):
                if self.moves[joint]:
                    begin = self._held_in_line(first, joint)
                    for end in (self._held_in_line(joint, last), self._lined(joint, last)):
                        found += self._joined(joint, begin, end)
            width = last - first
            self._in_line[key] = _InLine(
                Shapes(
                    np.concatenate([np.zeros(0, complex), *(each.shapes.vector for each in found)]),
                    np.concatenate([np.zeros((0, width)), *(each.shapes.bends for each in found)]),
                    np.concatenate([np.zeros(0), *(each.shapes.heading for each in found)]),
                ),
                np.concatenate([np.zeros(0), *(each.ways for each in found)]),
            )
        return self._in_line[key]

    def _joined(self, joint: int, begin: _InLine, end: _InLine) -> list[_InLine]:
        """Return two kinds of shapes on one line, pointing the same way and opposite ways."""
        one, two = begin.shapes, end.shapes
        joined = []
        for turned in (0.0, np.pi):
            direction = np.angle(one.vector)[:, None]
            bend = (direction - one.heading[:, None]) - np.angle(two.vector) + turned
            bend, good = _within(bend, self.limits[joint])
            good &= (np.abs(one.vector) > SLACK)[:, None] & (np.abs(two.vector) > SLACK)
            # A line has two sides; what points back along it sees them the other way round.
            ways = begin.ways[:, None], end.ways * (-1.0 if turned else 1.0)
            good &= ~np.isnan(ways[0]) & ~np.isnan(ways[1]) & (ways[0] * ways[1] >= 0.0)
            i, k = np.nonzero(good)
            vector = one.vector[i] + np.abs(two.vector[k]) * np.exp(
                1j * (np.angle(one.vector[i]) + turned)
            )
            way = begin.ways[i] + ways[1][k]
            # The line keeps its direction unless the second part is the longer one.
            flipped = bool(turned) & (np.abs(two.vector[k]) > np.abs(one.vector[i]))
            way = np.sign(way) * np.where(flipped, -1.0, 1.0)
            at = bend[i, k]
            bends = np.column_stack([one.bends[i], at, two.bends[k][:, 1:]])
            heading = one.heading[i] + at + two.heading[k]
            joined.append(_InLine(Shapes(vector, bends, heading), way))
        return joined


def _within(bend: FloatArray, limits: tuple[float, float]) -> tuple[FloatArray, Flags]:
    """Return a turn of each bend that is within the limits, and which have one."""
    lower, upper = limits
    if lower == -np.inf:
        return bend, np.ones(bend.shape, dtype=np.bool_)
    above = lower + (bend - lower + SLACK) % TURN - SLACK
    return np.clip(above, lower, upper), above <= upper + SLACK

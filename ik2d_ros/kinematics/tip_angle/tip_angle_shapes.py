"""Rigid shapes of parts of a chain, for targets with a tip angle.

Where limits allow a pose with its tip on a target at some angle, they allow one in which at most
three joints are neither at a limit nor in line with others; the rest of the chain is rigid. There
are finitely many, and none depends on the target. Derived in ``docs/solvers.md``, section 11.

Lengths are in reaches, angles are bends (see :mod:`.chain`), points are complex. Prismatic joints
are given by their fixed bends (:func:`.columns.fixed_array`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN, Limits
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.proof.corners import SLACK, Corners, LimitedLinks, limit_ends

Ends = list[list[tuple[float, float]]]


class Shapes(NamedTuple):
    """Rigid shapes of the links from one joint up to another, an element each.

    The first joint is at 0: a revolute one points its link along x, and a prismatic one has a link
    of no length at its fixed bend from there.

    Attributes:
        vector: (k,) from end to end, in reaches.
        bends: (k, w) of all joints but the first in rad, of prismatic ones in reaches; that one's
            is 0.
        heading: (k,) of the last link in rad.
    """

    vector: ComplexArray
    bends: FloatArray
    heading: FloatArray

    def at(self, chosen: Flags | Indices) -> Shapes:
        """Return some of them."""
        return Shapes(self.vector[chosen], self.bends[chosen], self.heading[chosen])

    @classmethod
    def joined(cls, several: list[Shapes], width: int) -> Shapes:
        """Return several as one, of so many joints."""
        return cls(
            np.concatenate([np.zeros(0, complex), *(each.vector for each in several)]),
            np.concatenate([np.zeros((0, width)), *(each.bends for each in several)]),
            np.concatenate([np.zeros(0), *(each.heading for each in several)]),
        )


class _InLine(NamedTuple):
    """Shapes with joints in line between their ends, and to which side those at limits push.

    Attributes:
        shapes: the shapes.
        ways: (k,) of the joints at limits, which way they leave it times the side of the line that
            they are on: 1 or -1 where that is the same for all of them, else 0.
        slid: (k,) whether a slide stands where it brings two joints in line closest.
    """

    shapes: Shapes
    ways: FloatArray
    slid: Flags


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

    def __init__(self, lengths: FloatArray, limits: Limits, fixed: FloatArray | None) -> None:
        self.lengths = lengths
        self.limits = limits
        self.fixed = fixed
        self.links = LimitedLinks(lengths, limits, fixed, ends_of(limits))
        self.moves = [lower < upper for lower, upper in limits]
        self.turns = [True] * len(limits) if fixed is None else np.isnan(fixed).tolist()
        self._in_line: dict[tuple[int, int], _InLine] = {}

    def before(self, joint: int) -> Shapes:
        """Return the shapes from the base to a joint, all joints held."""
        shapes = self.links.held(0, joint)
        vector = shapes.spans[:, 0] if joint else np.zeros(1, dtype=complex)
        return Shapes(vector, shapes.bends, shapes.heading)

    def held(self, first: int, last: int) -> Shapes:
        """Return the shapes between two joints, all joints between them held."""
        shapes = self.links.held_after(first, last)
        return Shapes(shapes.spans[:, 0], shapes.bends, shapes.heading)

    def _held_in_line(self, first: int, last: int) -> _InLine:
        several = [self.links.held_after(first, last), *self.links.feet_after(first, last)]
        shapes = [Shapes(each.spans[:, 0], each.bends, each.heading) for each in several]
        return _InLine(
            Shapes.joined(shapes, last - first),
            np.concatenate([ways_of(each) for each in several]),
            np.repeat([False, *[True] * (len(several) - 1)], [len(each.bends) for each in several]),
        )

    def in_line(self, first: int, last: int) -> Shapes:
        """Return the shapes between two revolute joints, each joint between held or in line.

        Or, of one slide, where it brings those in line closest to each other.
        """
        held, lined = self._held_in_line(first, last), self._lined(first, last).shapes
        apart = np.abs(held.shapes.vector) > SLACK
        slid = held.shapes.at(held.slid & ~np.isnan(held.ways) & apart)
        return Shapes.joined([self.held(first, last), slid, lined], last - first)

    def across_after(self, slide: int, last: int) -> Shapes:
        """Return the shapes from a slide to a revolute joint that end in a line across the slide.

        A revolute joint between them turns the part from there on so.
        """
        found = []
        for joint in range(slide + 1, last):
            if self.links.turns_freely(joint):
                begin, end = self.held(slide, joint), self._rigid_line(joint, last)
                way = np.full(len(begin.vector), self.way(slide))
                found += self._turned(joint, begin, end, way, _angles(end.vector))
        return Shapes.joined(found, last - slide)

    def across_before(self, first: int, slide: int) -> Shapes:
        """Return the shapes from a revolute joint to a slide that begin in a line across it."""
        found = []
        for joint in range(first + 1, slide):
            if self.links.turns_freely(joint):
                begin, end = self._rigid_line(first, joint), self.held(joint, slide)
                way = end.heading + self.way(slide)
                found += self._turned(joint, begin, end, _angles(begin.vector), way)
        return Shapes.joined(found, slide - first)

    def way(self, slide: int) -> float:
        """Return the bend of a prismatic joint in rad: in which direction it slides."""
        return 0.0 if self.fixed is None else float(self.fixed[slide])

    def _rigid_line(self, first: int, last: int) -> Shapes:
        """Return the shapes between two revolute joints, each joint between held or in line."""
        held, lined = self.held(first, last), self._lined(first, last)
        both = Shapes.joined([held, lined.shapes.at(~lined.slid)], last - first)
        return both.at(np.abs(both.vector) > SLACK)

    def _turned(
        self, joint: int, begin: Shapes, end: Shapes, way: FloatArray, other: FloatArray
    ) -> list[Shapes]:
        """Return two kinds of shapes with a direction of one across a direction of the other.

        Args:
            joint: revolute, where the second kind begins.
            begin: up to there.
            end: from there on.
            way: direction in each of the first kind, in rad.
            other: direction in each of the second kind, in rad.
        """
        found = []
        for side in (0.5 * np.pi, -0.5 * np.pi):
            bend = (way - begin.heading)[:, None] - other + side
            bend, good = within(bend, self.limits[joint])
            i, k = np.nonzero(good)
            at = bend[i, k]
            rotated = begin.heading[i] + at
            found.append(
                Shapes(
                    begin.vector[i] + end.vector[k] * np.exp(1j * rotated),
                    np.column_stack([begin.bends[i], at, end.bends[k][:, 1:]]),
                    rotated + end.heading[k],
                )
            )
        return found

    def _lined(self, first: int, last: int) -> _InLine:
        """Return those with one joint in line at least."""
        key = first, last
        if key not in self._in_line:
            found: list[_InLine] = []
            for joint in range(first + 1, last):
                if self.links.turns_freely(joint):
                    begin = self._held_in_line(first, joint)
                    for end in (self._held_in_line(joint, last), self._lined(joint, last)):
                        found += self._joined(joint, begin, end)
            self._in_line[key] = _InLine(
                Shapes.joined([each.shapes for each in found], last - first),
                np.concatenate([np.zeros(0), *(each.ways for each in found)]),
                np.concatenate([np.zeros(0, np.bool_), *(each.slid for each in found)]),
            )
        return self._in_line[key]

    def _joined(self, joint: int, begin: _InLine, end: _InLine) -> list[_InLine]:
        """Return two kinds of shapes on one line, pointing the same way and opposite ways."""
        one, two = begin.shapes, end.shapes
        joined = []
        for turned in (0.0, np.pi):
            direction = np.angle(one.vector)[:, None]
            bend = (direction - one.heading[:, None]) - np.angle(two.vector) + turned
            bend, good = within(bend, self.limits[joint])
            good &= (np.abs(one.vector) > SLACK)[:, None] & (np.abs(two.vector) > SLACK)
            # A line has two sides; what points back along it sees them the other way round.
            ways = begin.ways[:, None], end.ways * (-1.0 if turned else 1.0)
            good &= ~np.isnan(ways[0]) & ~np.isnan(ways[1]) & (ways[0] * ways[1] >= 0.0)
            good &= ~(begin.slid[:, None] & end.slid)
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
            slid = begin.slid[i] | end.slid[k]
            joined.append(_InLine(Shapes(vector, bends, heading), way, slid))
        return joined


def _angles(vectors: ComplexArray) -> FloatArray:
    """Return the directions of vectors in rad."""
    return np.arctan2(vectors.imag, vectors.real)


def ways_of(shapes: Corners) -> FloatArray:
    """Return to which side of the line between the ends the joints at limits push; NaN for both."""
    span = shapes.spans[:, :1]
    along = span / np.maximum(np.abs(span), SLACK)
    # For a joint that turns: its place, seen across the line.
    push = shapes.inward * (shapes.columns * along.conj()).real
    up, down = (push > SLACK).any(axis=1), (push < -SLACK).any(axis=1)
    return np.where(up & down, np.nan, up * 1.0 - down * 1.0)


def within(bend: FloatArray, limits: tuple[float, float]) -> tuple[FloatArray, Flags]:
    """Return a turn of each bend that is within the limits, and which have one."""
    lower, upper = limits
    if lower == -np.inf:
        return bend, np.ones(bend.shape, dtype=np.bool_)
    above = lower + (bend - lower + SLACK) % TURN - SLACK
    return np.clip(above, lower, upper), above <= upper + SLACK

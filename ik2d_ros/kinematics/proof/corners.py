"""Rigid shapes of a part of a chain: all its joints at a limit, and how that blocks it.

Lengths are in reaches, angles are bends (see :mod:`.chain`), points are complex. Prismatic joints
are given by their fixed bends (:func:`.columns.fixed_array`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import TURN, Limits
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.columns import columns_many, links_many

SLACK = 1e-12  # What only rounding tells from nothing: reaches, or rad.


class Corners(NamedTuple):
    """Shapes of the links between two joints, those between them each at a limit.

    Attributes:
        bends: (k, w) rad; the first is 0 where that joint's bend is not part of the shape.
        inward: (k, w) +1 at a lower limit, -1 at an upper one, where the joint can only move up or
            only down; 0 where it does not move at all.
        spans: (k, w) from each joint to the end of the part, the first link pointing along x.
        columns: (k, w) how the end moves per unit of each joint's number.
        heading: (k,) of the last link in rad.
    """

    bends: FloatArray
    inward: FloatArray
    spans: ComplexArray
    columns: ComplexArray
    heading: FloatArray

    def at(self, chosen: NDArray[np.bool_]) -> Corners:
        """Return some of the shapes."""
        return Corners(
            self.bends[chosen],
            self.inward[chosen],
            self.spans[chosen],
            self.columns[chosen],
            self.heading[chosen],
        )


class LimitedLinks(NamedTuple):
    """The links of a chain within its limits, and the shapes of parts of it.

    Attributes:
        lengths: (n,) of the links, in reaches.
        limits: (n,) pairs (lower, upper) of each bend in rad, infinite for a continuous joint.
        fixed: (n,) bends of prismatic joints, or None.
        ends: (n,) for each joint the bends in which it is held, as :func:`corners` takes them.
    """

    lengths: FloatArray
    limits: Limits
    fixed: FloatArray | None
    ends: Sequence[Sequence[tuple[float, float]]]

    def turns_freely(self, joint: int) -> bool:
        """Whether a joint is revolute and can move."""
        return self._moves(joint) and not self._slides(joint)

    def slides_freely(self, joint: int) -> bool:
        """Whether a joint is prismatic and can move."""
        return self._moves(joint) and self._slides(joint)

    def _moves(self, joint: int) -> bool:
        lower, upper = self.limits[joint]
        return lower < upper

    def _slides(self, joint: int) -> bool:
        return self.fixed is not None and not np.isnan(self.fixed[joint])

    def held(self, first: int, last: int) -> Corners:
        """Return the shapes from a joint to another, that one not among them, all of them held."""
        part = slice(first, last)
        return corners(self.lengths[part], self.ends[part], self._fixed(part))

    def held_after(self, first: int, last: int) -> Corners:
        """Do what :meth:`held` does, but leave the bend of the first joint out of the shapes."""
        part = slice(first, last)
        return corners(self.lengths[part], self._ends_after(first, last), self._fixed(part))

    def feet_after(self, first: int, last: int) -> list[Corners]:
        """Do what :meth:`held_after` does, for each slide that can move as :func:`feet` has it."""
        if self.fixed is None:
            return []
        part, ends = slice(first, last), self._ends_after(first, last)
        return [
            feet(self.lengths[part], self.fixed[part], ends, self.limits[part], slide - first)
            for slide in range(first + 1, last)
            if self.slides_freely(slide)
        ]

    def _ends_after(self, first: int, last: int) -> list[Sequence[tuple[float, float]]]:
        return [[(0.0, 0.0)], *self.ends[first + 1 : last]]

    def _fixed(self, part: slice) -> FloatArray | None:
        return None if self.fixed is None else self.fixed[part]


def turns_fully(limits: tuple[float, float]) -> bool:
    """Whether a joint can point anywhere, so that no limit holds it."""
    return limits[1] - limits[0] >= TURN - SLACK


def corners(
    lengths: FloatArray,
    ends: Sequence[Sequence[tuple[float, float]]],
    fixed: FloatArray | None = None,
) -> Corners:
    """Return all shapes of some links.

    Args:
        lengths: (w,) of the links, in reaches.
        ends: (w,) for each joint the bends that it may have in rad, each with which way it may
            leave it: +1, -1 or 0.
        fixed: (w,) bends of prismatic joints, or None.
    """
    bends, inward = np.zeros((1, 0)), np.zeros((1, 0))
    for options in ends:
        values, ways = np.array(options).reshape(-1, 2).T
        count = len(bends)
        bends = np.column_stack([np.repeat(bends, len(values), axis=0), np.tile(values, count)])
        inward = np.column_stack([np.repeat(inward, len(ways), axis=0), np.tile(ways, count)])
    return _shaped(lengths, fixed, bends, inward)


def _shaped(
    lengths: FloatArray, fixed: FloatArray | None, bends: FloatArray, inward: FloatArray
) -> Corners:
    sizes, turns = links_many(fixed, lengths, bends)
    angles = np.cumsum(turns, axis=1)
    links = sizes * np.exp(1j * angles)
    spans = np.cumsum(links[:, ::-1], axis=1)[:, ::-1]
    heading = angles[:, -1] if bends.shape[1] else np.zeros(1)
    return Corners(bends, inward, spans, columns_many(fixed, spans, angles), heading)


def feet(
    lengths: FloatArray,
    fixed: FloatArray,
    ends: Sequence[Sequence[tuple[float, float]]],
    limits: Limits,
    slide: int,
) -> Corners:
    """Return the shapes of some links at which one slide stands where it makes them shortest.

    Their ends are then on a line across the direction of that slide.

    Args:
        lengths: (w,) of the links, in reaches.
        fixed: (w,) bends of prismatic joints.
        ends: (w,) as for :func:`corners`; those of the slide do not matter.
        limits: (w,) pairs (lower, upper).
        slide: which one it is.
    """
    free = [[(0.0, 0.0)] if joint == slide else options for joint, options in enumerate(ends)]
    shapes = corners(lengths, free, fixed)
    along = shapes.columns[:, slide]
    places = -(shapes.spans[:, 0] * along.conj()).real
    lower, upper = limits[slide]
    allowed = (lower - SLACK <= places) & (places <= upper + SLACK)
    bends = shapes.bends[allowed]
    bends[:, slide] = np.clip(places[allowed], lower, upper)
    return _shaped(lengths, fixed, bends, shapes.inward[allowed])


def limit_ends(limits: Limits) -> list[list[tuple[float, float]]]:
    """Return what :func:`corners` takes for each joint; nothing where it is never at a limit."""
    ends: list[list[tuple[float, float]]] = []
    for lower, upper in limits:
        if turns_fully((lower, upper)):
            ends.append([])
        elif lower == upper:
            ends.append([(lower, 0.0)])
        else:
            ends.append([(lower, 1.0), (upper, -1.0)])
    return ends


def longest_and_shortest(
    shapes: Corners,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return (k,) which shapes no small move makes longer, and (k,) which none makes shorter.

    To first order: where a joint is in line with the ends, both hold as far as it goes.
    """
    span = shapes.spans[:, :1]
    along = span / np.maximum(np.abs(span), SLACK)
    shorter = -shapes.inward * (shapes.columns * along.conj()).real
    return (shorter >= -SLACK).all(axis=1), (shorter <= SLACK).all(axis=1)

"""Which triangles are worth solving for targets at tip angles, by two cosines.

The angles of a triangle at both ends tell the bend of its first joint and the direction of its
second shape, all but exactly: most triangles that span what they have to are dropped by that, and
of the others those are solved first that turn the tip closest. Derived in ``docs/solvers.md``,
section 11. Lengths are in reaches, angles in rad.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.tip_angle.tip_angle_sought import Poses, Sought
from ik2d_ros.kinematics.tip_angle.tip_angle_triangles import Triangles
from ik2d_ros.kinematics.tuning import CLOSEST_ROUNDS

UNSURE = 1e-4  # rad; an arc cosine next to stretched or folded is not that far off
_SHORT = 1e-2  # unless a side is shorter than this, in reaches.


class Met(NamedTuple):
    """Which triangles span what they have to for which targets, an element each, by targets.

    Attributes:
        which: (c,) the targets.
        e: (c,) the triangles.
        span: (c,) from the first joint to where the second shape is to end, in reaches.
    """

    which: Indices
    e: Indices
    span: ComplexArray

    def at(self, some: Indices) -> Met:
        """Return some of them."""
        return Met(self.which.take(some), self.e.take(some), self.span.take(some))


# Poses of triangles, and which of them are exact.
Solve = Callable[[Met], tuple[Poses, Flags]]


def sifted(
    table: Triangles, limits: tuple[FloatArray, FloatArray], met: Met, asked: Sought
) -> tuple[Met, FloatArray]:
    """Return those of which the first joint may be within its limits, and the third, about.

    Args:
        table: of the triangles.
        limits: (n + 1,) the smallest bends, and the largest.
        met: those that span what they have to.
        asked: for which targets.

    Returns:
        They, and (c,) by how much the last link would have to turn, about, where any angle will do;
        NaN where that is not sure.
    """
    which, e, span = met
    distance, a, b = np.abs(span), table.sides[0].take(e), table.sides[1].take(e)
    square, toward, way = distance * distance, np.angle(span), table.way.take(e)
    unsure = np.minimum(np.minimum(a, b), distance) <= _SHORT
    finite = np.isfinite(limits[0])
    lower, upper = (np.where(finite, each, 0.0) for each in limits)
    middle = 0.5 * (lower + upper)
    half = np.where(finite, 0.5 * (upper - lower) + (UNSURE + asked.loose), np.inf)
    joint = table.joints[0].take(e)
    if (half.take(joint) < np.pi).any():
        bend = toward - way * _angle_between(square + a * a - b * b, distance * a)
        bend += table.lead[0].take(e) - middle.take(joint)
        if asked.begun is not None:
            before = asked.begun.before
            bend -= before[:, 0].take(joint) if before.shape[1] == 1 else before[joint, which]
        some = np.flatnonzero(unsure | (np.abs(wrapped(bend)) <= half.take(joint)))
        met = met.at(some)
        which, e, unsure = met.which, met.e, unsure.take(some)
        distance, a, b, square = distance.take(some), a.take(some), b.take(some), square.take(some)
        toward, way = toward.take(some), way.take(some)
    ends = way * _angle_between(square + b * b - a * a, distance * b)
    ends += toward
    ends += table.turn.take(e)
    off = wrapped(asked.headings.take(which) - ends)
    if asked.begun is None:
        return met, np.where(unsure, np.nan, np.abs(off))
    joint = table.joints[2].take(e)
    off = np.abs(wrapped(off - middle.take(joint)))
    some = np.flatnonzero(unsure | (off <= half.take(joint)))
    return met.at(some), off.take(some)


def _angle_between(product: FloatArray, sides: FloatArray) -> FloatArray:
    """Return the angle of two sides from twice the product of both with its cosine, and without."""
    with np.errstate(divide='ignore', invalid='ignore'):
        cosine = product / (2.0 * sides)
    angle: FloatArray = np.arccos(np.maximum(np.minimum(cosine, 1.0), -1.0))
    return angle


def best_first(solve: Solve, met: Met, off: FloatArray, margin: float) -> list[Poses]:
    """Return poses of the triangles, but few of those that turn the tip less close than others.

    All that turn it as close as the best, but for a margin in rad: limits may count as missed.
    """
    unsure = np.isnan(off)
    found: list[Poses] = []
    if unsure.any():
        found.append(solve(met.at(np.flatnonzero(unsure)))[0])
        some = np.flatnonzero(~unsure)
        met, off = met.at(some), off.take(some)
    for number in range(CLOSEST_ROUNDS + 1):
        if not len(off):
            break
        if number == CLOSEST_ROUNDS:
            found.append(solve(met)[0])
            break
        begin = _first(met.which)
        least = np.minimum.reduceat(off, begin)
        least = np.repeat(least, np.diff(begin, append=len(off)))
        close = off <= least + margin
        some = np.flatnonzero(close)
        poses, sure = solve(met.at(some))
        found.append(poses)
        done = np.zeros(met.which[-1] + 1, dtype=np.bool_)
        done[poses[0][sure]] = True
        left = np.flatnonzero(~close & ~done.take(met.which))
        met, off = met.at(left), off.take(left)
    return found


def first_of_each(solve: Solve, met: Met) -> list[Poses]:
    """Return the pose of the first triangle for each target, or all where that has none."""
    found: list[Poses] = []
    if len(met.which):
        begin = _first(met.which)
        poses, _ = solve(met.at(begin))
        had = np.zeros(met.which[-1] + 1, dtype=np.bool_)
        had[poses[0]] = True
        left = ~had.take(met.which)
        left[begin] = False
        found = [poses, solve(met.at(np.flatnonzero(left)))[0]]
    return found


def _first(which: Indices) -> Indices:
    """Return where another target begins."""
    return np.concatenate([[0], np.flatnonzero(which[1:] != which[:-1]) + 1])

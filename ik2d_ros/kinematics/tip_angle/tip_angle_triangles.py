"""The triangles that rigid shapes of a chain make, for targets with a tip angle.

Derived in ``docs/solvers.md``, section 11. Lengths are in reaches, angles are bends (see
:mod:`.chain`), points are complex.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray, Indices
from ik2d_ros.kinematics.proof.corners import SLACK
from ik2d_ros.kinematics.tip_angle.tip_angle_shapes import Shapes

LOOSE = 1e-6  # rad; next to straight or folded, rounding may lead that far from a limit.
FLAT = 1e-9  # Reaches; a side of a triangle as short as this has no direction.


class Triangles(NamedTuple):
    """Triangles of two rigid shapes between two points, an element each.

    The first shape turns about its first joint, the second about the joint between them. The tip,
    or the joint where the tip's own shape begins, is at the end.

    Attributes:
        joints: (3, e) indices of these three; the last is n where the second shape ends at the tip.
        start: (e,) where the first joint is, in reaches; 0 where that depends on the chain's start.
        tail: (e,) from the third joint to the tip, in reaches, if the last link points along x.
        near: (e,) the smallest distance between the ends that the joint between allows, in reaches,
        far: (e,) and the largest.
        sides: (2, e) lengths of both shapes.
        way: (e,) the side that the joint between is bent to, +1 or -1.
        lead: (2, e) what is to be added in rad to the direction of the first shape, less the
            heading before it, for the first joint's bend; and to the bend of the triangle for that
            of the joint between.
        bends: (e, n) of all joints in rad, of prismatic ones in reaches; 0 for these three, and for
            those before the first one where they depend on the chain's start.
        rest: (e,) what the joints from the first one on turn the last link by in rad, but these.
    """

    joints: Indices
    start: ComplexArray
    tail: ComplexArray
    near: FloatArray
    far: FloatArray
    sides: FloatArray
    way: FloatArray
    lead: FloatArray
    bends: FloatArray
    rest: FloatArray


def triangles(blocks: list[Triangles], n: int) -> Triangles:
    """Return blocks of triangles as one."""
    empty = Triangles(
        np.zeros((3, 0), dtype=np.intp), np.zeros(0, complex), np.zeros(0, complex),
        np.zeros(0), np.zeros(0), np.zeros((2, 0)), np.zeros(0), np.zeros((2, 0)),
        np.zeros((0, n)), np.zeros(0),
    )  # fmt: skip
    if not blocks:
        return empty
    # A column for each triangle, but for the bends, that have a row.
    joined = [
        np.concatenate(values, axis=0 if name == 'bends' else -1)
        for name, values in zip(Triangles._fields, zip(*blocks, strict=True), strict=True)
    ]
    return Triangles(*joined)


def block(
    joints: tuple[int, int, int],
    before: Shapes,
    first: Shapes,
    second: Shapes,
    tail: Shapes,
    limits: tuple[float, float],
    known: bool,
) -> Triangles:
    """Return all triangles of some shapes.

    Args:
        joints: where the shapes begin, and where the second ends.
        before: up to the first joint; a single one of zeros where it depends on the start.
        first: from there to the joint between.
        second: from there on.
        tail: behind the second; a single one without bends where there is none.
        limits: (lower, upper) bend in rad of the joint between.
        known: whether ``before`` is what comes before the first joint.
    """
    counts = [len(each.vector) for each in (before, first, second, tail)]
    a, b = np.abs(first.vector), np.abs(second.vector)
    turn = np.angle(first.vector) - first.heading
    lead = turn[:, None] - np.angle(second.vector)
    made: list[Triangles] = []
    for way in (1.0, -1.0):
        near, far = _distances(a[:, None], b, lead, way, limits)
        p, f, s, t = np.nonzero(np.broadcast_to((near <= far)[None, :, :, None], counts))
        one, two = before.bends[p], first.bends[f]
        bends = np.concatenate([one, two, second.bends[s], tail.bends[t]], axis=1)
        heading = before.heading[p] if known else np.zeros(len(p))
        made.append(
            Triangles(
                np.repeat(np.array(joints)[:, None], len(p), axis=1),
                before.vector[p],
                (tail.vector * np.exp(-1j * tail.heading))[t],
                near[f, s],
                far[f, s],
                np.stack([a[f], b[s]]),
                np.full(len(p), way),
                np.stack([-np.angle(first.vector)[f] - heading, lead[f, s]]),
                bends,
                first.heading[f] + second.heading[s] + tail.heading[t],
            )
        )
    return triangles(made, bends.shape[1])


def _distances(
    a: FloatArray, b: FloatArray, lead: FloatArray, way: float, limits: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and the largest distance between the ends of two shapes.

    Args:
        a: lengths of the first.
        b: lengths of the second.
        lead: what is added in rad to the bend of the triangle for that of the joint.
        way: the side that the triangle is bent to.
        limits: of the joint in rad.

    Returns:
        Both in reaches; the smallest is above the largest where there is none.
    """
    lower, upper = limits
    if upper - lower >= TURN:
        return np.abs(a - b) - SLACK, a + b + SLACK
    # The bend of the triangle to its side, from 0 to half a turn.
    begin = ((lower - lead if way > 0.0 else lead - upper) - LOOSE) % TURN
    end = begin + (upper - lower) + 2.0 * LOOSE
    again, early = end >= TURN, begin <= np.pi  # From straight on once more, and before folded.
    small = np.where(again, 0.0, begin)
    large = np.minimum(np.where(early, np.where(again, np.pi, end), end - TURN), np.pi)
    none = ~again & ~early
    near, far = _span(a, b, large) - SLACK, _span(a, b, np.minimum(small, np.pi)) + SLACK
    return np.where(none, 1.0, near), np.where(none, 0.0, far)


def _span(a: FloatArray, b: FloatArray, bend: FloatArray) -> FloatArray:
    """Return the distance between the ends of two shapes in reaches, bent by some rad."""
    distance: FloatArray = np.abs(a + b * np.exp(1j * bend))
    return distance

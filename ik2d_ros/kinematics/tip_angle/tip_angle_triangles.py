"""The triangles that rigid shapes of a chain make, for targets with a tip angle.

Derived in ``docs/solvers.md``, section 11. Lengths are in reaches, angles are bends (see
:mod:`.chain`), points are complex.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.proof.corners import SLACK
from ik2d_ros.kinematics.tip_angle.tip_angle_lines import FLAT, LEANS, Beside, OnLine

LOOSE = 1e-6  # rad; next to straight or folded, rounding may lead that far from a limit.


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
        turn: (e,) what is to be added in rad to the direction of the second shape for the heading
            of the last link, less the bend of the third joint.
        toward: (e,) the direction of the line of the free joints for which all that is held before
            the first joint, or behind the third, is on the right side, in rad, or that as the last
            link has it; and
        spread: (e,) how far it may lean to either side, in rad.
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
    turn: FloatArray
    toward: FloatArray
    spread: FloatArray


class Origins(NamedTuple):
    """What the distances that triangles span depend on: far fewer than there are triangles.

    Attributes:
        of: (e,) which one a triangle has.
        joint: (o,) the first joint.
        start: (o,) as for triangles, and
        tail: (o,) as well.
        sided: whether any triangle has to be on one side of a line.
    """

    of: Indices
    joint: Indices
    start: ComplexArray
    tail: ComplexArray
    sided: bool


def origins(table: Triangles) -> Origins:
    """Return the origins of triangles."""
    keys = np.stack([table.start.real, table.start.imag, table.tail.real, table.tail.imag])
    keys = np.vstack([table.joints[0], keys])
    _, some, which = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    sided = bool((table.spread < np.pi).any())
    return Origins(
        which.reshape(-1), table.joints[0, some], table.start[some], table.tail[some], sided
    )


def triangles(blocks: list[Triangles], n: int) -> Triangles:
    """Return blocks of triangles as one."""
    empty = Triangles(
        np.zeros((3, 0), dtype=np.intp), np.zeros(0, complex), np.zeros(0, complex),
        np.zeros(0), np.zeros(0), np.zeros((2, 0)), np.zeros(0), np.zeros((2, 0)),
        np.zeros((0, n)), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0),
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
    before: Beside,
    first: OnLine | Beside,
    second: OnLine | Beside,
    tail: Beside,
    limits: tuple[float, float],
) -> Triangles:
    """Return all triangles of some shapes.

    Either the first or the second of the two that close is on the line of the free joints. All that
    is held has to be on one side of it, or at its other limit on the other: both are tried.

    Args:
        joints: where the shapes begin, and where the second ends.
        before: up to the first joint; a single one of zeros where it depends on the start.
        first: from there to the joint between.
        second: from there on.
        tail: behind the second; a single one without bends where there is none.
        limits: (lower, upper) bend in rad of the joint between.
    """
    parts = before.shapes, first.shapes, second.shapes, tail.shapes
    counts = [len(each.vector) for each in parts]
    a, b = np.abs(parts[1].vector)[:, None], np.abs(parts[2].vector)
    headings = np.angle(parts[1].vector)[:, None], np.angle(parts[2].vector)
    lead = headings[0] - parts[1].heading[:, None] - headings[1]
    made: list[Triangles] = []
    for sided in (_Sided.of(before, first, second, tail, side) for side in (1.0, -1.0)):
        # Where a side has no length, it has no direction either.
        spread = np.where(np.minimum(a, b) <= FLAT, np.pi, sided.spread)
        middle = sided.middle - headings[0] if sided.second else headings[1] - sided.middle
        for way in (1.0, -1.0):
            bent = _bent(way, limits[0] - lead, limits[1] - lead, LOOSE)
            leant = _bent(way, middle - spread, middle + spread, LEANS)
            small, large = np.maximum(bent[0], leant[0]), np.minimum(bent[1], leant[1])
            far, near = _span(a, b, small) + SLACK, _span(a, b, large) - SLACK
            good = sided.can & (small <= large)[:, :, None]
            p, f, s, t = np.nonzero(np.broadcast_to(good, counts))
            one, two, three, four = several = [
                each.at(k) for each, k in zip(parts, (p, f, s, t), strict=True)
            ]
            k = t if sided.second else p
            made.append(
                Triangles(
                    np.repeat(np.array(joints)[:, None], len(p), axis=1),
                    one.vector,
                    four.vector * np.exp(-1j * four.heading),
                    near[f, s],
                    far[f, s],
                    np.stack([a[f, 0], b[s]]),
                    np.full(len(p), way),
                    np.stack([-np.angle(two.vector) - one.heading, lead[f, s]]),
                    np.concatenate([each.bends for each in several], axis=1),
                    two.heading + three.heading + four.heading,
                    three.heading + four.heading - headings[1][s],
                    sided.toward[k],
                    np.where(np.minimum(a, b)[f, s] <= FLAT, np.pi, sided.leaning[k]),
                )
            )
    return triangles(made, made[0].bends.shape[1])


class _Sided(NamedTuple):
    """What is asked of shapes for all that is held to be on one side of the line.

    Attributes:
        second: whether the second shape is on the line, not the first.
        can: which combinations are worth a try on this side: (p, f, s, t), or what broadcasts.
        middle: the direction of the line for the other one of these shapes, as that has it, and
        spread: how far it may lean to either side, in rad; (f, 1) or (s,).
        toward: (p,) or (t,) the same for what is before the first joint, or behind the third,
        leaning: if the line is in the second shape.
    """

    second: bool
    can: Flags
    middle: FloatArray
    spread: FloatArray
    toward: FloatArray
    leaning: FloatArray

    @classmethod
    def of(
        cls,
        before: Beside,
        first: OnLine | Beside,
        second: OnLine | Beside,
        tail: Beside,
        side: float,
    ) -> _Sided:
        """Return it for the side."""
        turn = 0.0 if side > 0.0 else np.pi
        if isinstance(second, OnLine) and isinstance(first, Beside):
            ways, spread = side * second.side[:, None], first.spread[:, None]
            free = (spread >= np.pi)[:, :, None] & (tail.spread >= np.pi)
            # What may be on both sides is tried on either only where that makes a difference.
            can = (ways > 0.0) | ((ways == 0.0) & ((side > 0.0) | ~free))
            toward = tail.middle + turn - tail.shapes.heading
            middle = (first.middle + turn)[:, None]
            return cls(True, can[None], middle, spread, toward, tail.spread)
        if isinstance(first, OnLine) and isinstance(second, Beside):
            ways, spread = side * first.side[:, None], second.spread
            free = (spread >= np.pi) & (before.spread >= np.pi)[:, None, None]
            can = (ways > 0.0) | ((ways == 0.0) & ((side > 0.0) | ~free))
            middle, toward = second.middle + turn, before.middle + turn
            return cls(False, can[..., None], middle, spread, toward, before.spread)
        raise TypeError('one shape of both is on the line')


def _bent(
    way: float, lower: FloatArray, upper: FloatArray, rounding: float
) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and the largest bend of triangles to a side that are within limits.

    Args:
        way: the side that the joint between is bent to.
        lower: limits of that bend in rad, which count in any turn; infinite for none.
        upper: the same.
        rounding: by how much they may be passed, in rad.

    Returns:
        Both from 0 to half a turn; the smallest is above the largest where there is none.
    """
    width = upper - lower
    begin = np.where(width < TURN, lower if way > 0.0 else -upper, rounding)
    begin = (begin - rounding) % TURN
    end = begin + width + 2.0 * rounding
    again, early = end >= TURN, begin <= np.pi  # From straight on once more, and before folded.
    small = np.where(again, 0.0, begin)
    large = np.minimum(np.where(early, np.where(again, np.pi, end), end - TURN), np.pi)
    none = ~again & ~early
    return np.where(none, 1.0, small), np.where(none, 0.0, large)


def _span(a: FloatArray, b: FloatArray, bend: FloatArray) -> FloatArray:
    """Return the distance between the ends of two shapes in reaches, bent by some rad."""
    distance: FloatArray = np.abs(a + b * np.exp(1j * bend))
    return distance

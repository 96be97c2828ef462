"""Angles that cannot be had even without limits: the closest ones, on the edge of an annulus.

The last joint is on a circle about the target. Where the angle asked for brings it outside the
annulus of the joints before, the closest angle is where it is on the annulus' edge; within limits,
too, if they allow that pose. Derived in ``docs/solvers.md``, section 11. Units are those of
:mod:`.pose`.
"""

from __future__ import annotations

import math
from cmath import rect
from collections.abc import Sequence
from functools import lru_cache
from math import atan2, cos, sin
from typing import overload

from ik2d_ros.kinematics.angles import SAME_MOVE, TURN, Limits, into_range
from ik2d_ros.kinematics.arrays import Flags, FloatArray
from ik2d_ros.kinematics.reach import Annulus, annulus, elbow_bend, folded

EDGE = 1e-13  # Reaches; a target this near to an edge of the annulus is on it.


@overload
def can_be_had(
    lengths: Sequence[float], distance: float, tolerances: tuple[float, float]
) -> bool: ...


@overload
def can_be_had(
    lengths: Sequence[float], distance: FloatArray, tolerances: tuple[float, float]
) -> Flags: ...


def can_be_had(
    lengths: Sequence[float], distance: float | FloatArray, tolerances: tuple[float, float]
) -> bool | Flags:
    """Return whether an angle can be had without limits: the last joint is in its annulus.

    Args:
        lengths: (n,) of the links of a chain without slides, in reaches.
        distance: from the base to where the last joint has to be, in reaches.
        tolerances: distance in reaches and angle in rad that the tip may be off.
    """
    inner, outer = annulus_before(tuple(lengths))
    loose = EDGE + tolerances[0] + lengths[-1] * tolerances[1]
    return (inner - loose <= distance) & (distance <= outer + loose)


@lru_cache(maxsize=64)
def annulus_before(lengths: tuple[float, ...]) -> Annulus:
    """Return the annulus of the links before the last."""
    return annulus(lengths[:-1], [0.0] * len(lengths[:-1]), [None] * len(lengths[:-1]))


def headings_on_edge(target: complex, last: float, edge: float) -> list[tuple[float, float]]:
    """Return the headings of the last link at which its joint is on a circle about the base.

    Two, each with the direction in which the joint is then, in rad; none where the link cannot
    reach from there to the target.
    """
    distance = abs(target)
    if not abs(edge - last) - EDGE <= distance <= edge + last + EDGE or not last:
        return []
    elbow = elbow_bend(edge, last, distance)
    lead = atan2(last * sin(elbow), edge + last * cos(elbow))
    toward = atan2(target.imag, target.real)
    return [(toward - lead + elbow, toward - lead), (toward + lead - elbow, toward + lead)]


def shape_on_edge(lengths: Sequence[float], stretched: bool) -> list[float]:
    """Return the bends (n - 1,) in rad of all joints but the last, stretched along x or folded."""
    return [0.0] * (len(lengths) - 1) if stretched else folded(lengths[:-1])


def closest_on_edge(
    lengths: Sequence[float],
    limits: Limits,
    target: complex,
    heading: float,
    start: Sequence[float],
) -> list[float] | None:
    """Return the pose with the closest angle there is without limits, if limits allow it.

    For an angle that cannot be had without limits. Of two that are as close, the one that moves
    least from the start.
    """
    inner, outer = annulus_before(tuple(lengths))
    stretched = abs(target - rect(lengths[-1], heading)) > outer
    sides = headings_on_edge(target, lengths[-1], outer if stretched else inner)
    if not sides:
        return None
    offs = [abs(math.remainder(heading - each, TURN)) for each, _ in sides]
    best, least = None, math.inf
    for off, (ends, direction) in zip(offs, sides, strict=True):
        if off > min(offs) + SAME_MOVE:
            continue
        bends = shape_on_edge(lengths, stretched)
        bends[0] += direction
        bends.append(ends - math.fsum(bends))
        allowed = [
            bend
            for each, (lower, upper), begin in zip(bends, limits, start, strict=True)
            if (bend := into_range(each, lower, upper, begin)) is not None
        ]
        if len(allowed) == len(bends):
            move = max(abs(bend - begin) for bend, begin in zip(allowed, start, strict=True))
            if move < least - SAME_MOVE:
                best, least = allowed, move
    return best

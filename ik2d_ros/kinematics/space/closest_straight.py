"""The closest pose of an arm on a turntable to a target beyond its reach: straight towards it.

Seen in the half-plane of distance from the axis and height along it, what a chain reaches about an
axis parallel to its plane is a convex set, but for the hole about its base. So where the distance
from the target stops changing along the edge, and the target is on the outer side of it there,
nothing is closer. Derived in ``docs/solvers.md``, section 10. Lengths are in m.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import cosines_and_sines
from ik2d_ros.kinematics.arrays import Flags, FloatArray
from ik2d_ros.kinematics.sweep import Goal, Sweep
from ik2d_ros.kinematics.tuning import STRAIGHT_SETTLED, STRAIGHT_STEPS

_ON_AXIS = 1e-6  # Reaches; a base nearer to the axis, but not on it, nearly has two answers.


class Straight(NamedTuple):
    """Where the straight chain points.

    Attributes:
        turn: position of the turntable in rad, but for whole turns.
        direction: of the chain in the plane, in rad.
    """

    turn: float
    direction: float


class StraightMany(NamedTuple):
    """The same for many targets, an element each; of no meaning where it is not known.

    Attributes:
        turn: (m,) rad.
        direction: (m,) rad.
        known: (m,) whether no pose of the chain, limits ignored, is closer.
    """

    turn: FloatArray
    direction: FloatArray
    known: Flags


def sides_of(sweep: Sweep, reach: float) -> tuple[float, ...]:
    """Return the sides of the axis, 1.0 and -1.0, to which a chain points at what is beyond reach.

    None where the set is not known to be convex, or where two poses are nearly as close.
    """
    out = abs(sweep.base[0])
    if sweep.e or 0.0 < out < _ON_AXIS * reach:
        return ()
    return (1.0, -1.0) if out == 0.0 else (1.0,) if sweep.base[0] > 0.0 else (-1.0,)


def straight(sweep: Sweep, reach: float, goal: Goal) -> list[Straight]:
    """Return how a chain comes closest to a target beyond its reach; nothing where that is unclear.

    Args:
        sweep: of the plane.
        reach: of the chain.
        goal: the target, which is not on the axis.
    """
    base, d, (radius, angle, height) = abs(sweep.base[0]), sweep.d, goal
    sides, up = sides_of(sweep, reach), height - sweep.base[1]
    if not sides:
        return []
    # From the answer in the plane, which is the same where the plane contains the axis.
    at = atan2(up, sqrt(max(radius * radius - d * d, 0.0)) - base)
    for _ in range(STRAIGHT_STEPS):
        out, along = reach * cos(at), reach * sin(at)
        s = base + out
        if s <= 0.0:
            return []
        away = sqrt(s * s + d * d)
        x, y = away - radius, along - up
        away_1 = -s * along / away
        away_2 = (along * along - s * out - away_1 * away_1) / away
        bend = away_1 * away_1 + x * away_2 + out * out - y * along
        if bend <= 0.0:
            return []
        step = -(x * away_1 + y * out) / bend
        at += step
        if abs(step) <= STRAIGHT_SETTLED:
            break
    else:
        return []
    if x * out * away / s + y * along >= 0.0:
        return []
    out, along = cos(at), sin(at)
    s = base + reach * out
    (xs, ys), (xk, yk) = sweep.s_of, sweep.k_of
    return [
        Straight(
            angle - atan2(d, side * s),
            atan2(ys * side * out + yk * along, xs * side * out + xk * along),
        )
        for side in sides
    ]


def straight_many(sweep: Sweep, reach: float, goals: FloatArray) -> list[StraightMany]:
    """Do what :func:`straight` does, for targets (m, 3); one for each side, if there is any."""
    base, d, (radius, angle, height) = abs(sweep.base[0]), sweep.d, goals.T
    sides, up = sides_of(sweep, reach), height - sweep.base[1]
    if not sides:
        return []
    at = np.arctan2(up, np.sqrt(np.maximum(radius * radius - d * d, 0.0)) - base)
    known: Flags = np.ones(len(goals), dtype=np.bool_)
    for _ in range(STRAIGHT_STEPS):
        cosines, sines = cosines_and_sines(at)
        out, along = reach * cosines, reach * sines
        s = base + out
        away = np.sqrt(s * s + d * d)
        x, y = away - radius, along - up
        away_1 = -s * along / away
        square = away_1 * away_1
        away_2 = (along * along - s * out - square) / away
        bend = square + x * away_2 + out * out - y * along
        step = (x * away_1 + y * out) / bend
        at = at - step
        settled = np.abs(step) <= STRAIGHT_SETTLED
        known &= (s > 0.0) & (bend > 0.0)
        if (settled | ~known).all():
            break
    known &= settled & (x * out * away / s + y * along < 0.0)
    out, along = cosines_and_sines(at)
    s = base + reach * out
    (xs, ys), (xk, yk) = sweep.s_of, sweep.k_of
    return [
        StraightMany(
            angle - np.arctan2(d, side * s),
            np.arctan2(ys * side * out + yk * along, xs * side * out + xk * along),
            known,
        )
        for side in sides
    ]

"""Where a turntable brings many targets into the plane that it turns, as :mod:`.places` for one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE, cosines_and_sines, into_range_many
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import Flags, FloatArray, hypotenuses
from ik2d_ros.kinematics.space.distances import distances_of
from ik2d_ros.kinematics.space.places import FARTHEST, OUTSIDE, ROUNDING
from ik2d_ros.kinematics.sweep import Sweep


class ManyPlaces(NamedTuple):
    """One turn for each target at which it is in the plane, as arrays (m,).

    Attributes:
        turn: position of the turntable in rad, inside its limits.
        allowed: whether the limits allow it.
        spots: (m, 2) where the target is in the plane then, in m.
        away: how far that is from the chain's base, in m.
    """

    turn: FloatArray
    allowed: Flags
    spots: FloatArray
    away: FloatArray


def seen_from_axis_many(
    arm: Arm, sweep: Sweep, points: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return targets (m, 3) about the axis, as in a Goal, and (m,) m that are rounding."""
    scale = arm.size + sweep.scale
    far = np.abs(points).max(axis=1, initial=0.0)
    beyond = far > FARTHEST * scale
    if beyond.any() and scale > 0.0:
        share = np.where(beyond, FARTHEST * scale / np.where(beyond, far, 1.0), 1.0)
        points, far = points * share[:, None], far * share
    out, across, height = ((points - sweep.origin) @ np.array(sweep.frame).T).T
    goals = np.column_stack([hypotenuses(out, across), np.arctan2(across, out), height])
    return goals, ROUNDING * (scale + far)


def places_of_many(
    arm: Arm, sweep: Sweep, goals: FloatArray, rounding: FloatArray, now: FloatArray
) -> tuple[tuple[ManyPlaces, ManyPlaces], Flags]:
    """Return the two answers for each target, the one that turns less first.

    Also which are nearer to the axis than the plane stands beside it. Those, and targets on the
    axis, have one answer only.
    """
    radius, angle, height = goals.T
    across = sweep.across_at(height)
    outward = (radius - np.abs(across)) * (radius + np.abs(across))
    on_axis = radius <= rounding
    out = np.sqrt(np.where(on_axis, 0.0, np.maximum(outward, 0.0)))
    across = np.where(outward > 0.0, across, np.copysign(np.where(on_axis, 0.0, radius), across))
    lead = np.arctan2(across, out)
    front, can_front = into_range_many(np.where(on_axis, now, angle - lead), *arm.limits[0], now)
    back, can_back = into_range_many(angle + lead - np.pi, *arm.limits[0], now)
    can_back &= out > 0.0
    swap = can_back & (~can_front | (np.abs(back - now) < np.abs(front - now) - SAME_MOVE))
    first, second = front, back
    if swap.any():
        first, second = np.where(swap, back, front), np.where(swap, front, back)
        can_front, can_back = can_front | swap, np.where(swap, can_front, can_back)
        out = np.where(swap, -out, out)
    one, other = (
        ManyPlaces(turn, can, np.stack(spot, axis=1), hypotenuses(*spot))
        for turn, can, spot in (
            (first, can_front, sweep.flatten(out, across, height)),
            (second, can_back, sweep.flatten(-out, across, height)),
        )
    )
    return (one, other), outward < -rounding * radius


def beside_plane_many(
    sweep: Sweep, goals: FloatArray, turns: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Do what :func:`.places.beside_plane` does, for targets (m, 3) and turns (m,)."""
    radius, angle, height = goals.T
    out, across = radius * cosines_and_sines(angle - turns)
    away: FloatArray = np.abs(sweep.beside(across, height))
    return away, np.stack(sweep.flatten(out, across, height), axis=1)


def swapped(one: ManyPlaces, other: ManyPlaces, swap: Flags) -> tuple[ManyPlaces, ManyPlaces]:
    """Return both places of each target, exchanged where they are to be."""
    if not swap.any():
        return one, other
    both = one, other
    places = []
    for here, there in (both, both[::-1]):
        columns = swap[:, None]
        places.append(
            ManyPlaces(
                np.where(swap, there.turn, here.turn),
                np.where(swap, there.allowed, here.allowed),
                np.where(columns, there.spots, here.spots),
                np.where(swap, there.away, here.away),
            )
        )
    return places[0], places[1]


def are_inside(arm: Arm, away: FloatArray, tolerance: float) -> Flags:
    """Return (k,) which distances (k,) from the chain's base in m are in the annulus.

    What is outside by no more than the tolerance counts as reached.
    """
    return _are_between(arm, arm.chain.reach, away, tolerance)


def are_within(arm: Arm, away: FloatArray, tolerance: float) -> Flags:
    """Return (k,) which distances (k,) from the chain's base in m its limits may allow."""
    return _are_between(arm, distances_of(arm.chain), away, tolerance)


def _are_between(arm: Arm, ends: tuple[float, float], away: FloatArray, tolerance: float) -> Flags:
    slack = tolerance + 1e-9 * arm.size
    between: Flags = (away <= ends[1] + slack) & (away >= ends[0] - slack)
    return between


def are_outside(
    arm: Arm, sweep: Sweep, goals: FloatArray, rounding: FloatArray, tolerance: float
) -> Flags:
    """Return (m,) which targets are farther than the chain reaches, wherever the plane meets them.

    What only rounding or the tolerance keeps within reach is not among them, nor is what is on the
    axis.

    Args:
        arm: an arm with a turntable.
        sweep: of its plane.
        goals: (m, 3) the targets about its axis, as in a Goal.
        rounding: (m,) of their coordinates in m.
        tolerance: distance in m that counts as reached.
    """
    radius, _, height = goals.T
    across: float | FloatArray = sweep.d
    up = height - sweep.base[1]
    if sweep.e:
        across = sweep.across_at(height)
        # Projected into the plane, where that does not meet them.
        met = np.clip(across, -radius, radius)
        up = sweep.along(met, height) - sweep.base[1]
    out = np.sqrt(np.maximum((radius - np.abs(across)) * (radius + np.abs(across)), 0.0))
    out -= abs(sweep.base[0])
    least = arm.size + max(tolerance, OUTSIDE * (arm.size + sweep.scale))
    outside: Flags = out * out + up * up > least * least
    outside &= radius > rounding
    return outside

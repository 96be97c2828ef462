"""Inverse kinematics of two joints in closed form, limits included.

Lengths are in units of the chain's reach, angles are bends (see :mod:`.chain`).
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator, Sequence
from math import atan2, cos, remainder, sin

from ik2d_ros.kinematics.angles import (
    ANGLE_ROUNDING,
    HALF,
    SAME_MOVE,
    TURN,
    Limits,
    into_range,
    phase,
)
from ik2d_ros.kinematics.reach import elbow_bend

BendPair = tuple[float, float]

# Distances in reaches that only rounding tells apart.
SAME_DISTANCE = 1e-14


def two_bone(
    lengths: Sequence[float], limits: Limits | None, target: complex, start: BendPair, bend: str
) -> BendPair:
    """Return the bends of two joints with the tip on the target, or as close as limits allow.

    The shoulder turns the base-to-tip vector, whose angle is ``arg(l1 + l2 exp(i elbow))``, onto
    the target's direction; the elbow follows from :func:`.elbow_bend`, with either sign.

    Args:
        lengths: (2,) lengths of the links.
        limits: (2,) pairs (lower, upper) of each bend in rad, infinite for a continuous joint; or
            None where both are continuous, which is faster.
        target: where the tip is to go, x + iy.
        start: (2,) bends in rad to move from, inside the limits.
        bend: ``positive`` or ``negative``: the wanted sign of the elbow's bend; ``nearest``: the
            one with the smallest largest joint move; of equal ones that with the smaller other
            move, and of poses where that is equal, too, the positive bend. Moves that differ by
            less than 1e-9 rad are equal. What limits forbid gives way to the other.

    Returns:
        (2,) bends in rad, inside the limits: exact where a solution exists, else a closest pose.
    """
    sides = sides_of(lengths, target, start, bend)
    if limits is None:
        return _wanted(sides, start, bend)
    return allowed(sides, limits, start, bend) or closest(lengths, limits, target, start)


def sides_of(
    lengths: Sequence[float], target: complex, start: BendPair, bend: str
) -> list[BendPair]:
    """Return the poses on the target, limits and whole turns ignored: the wanted bend first."""
    if 0.0 in lengths:
        # The elbow changes nothing but the shoulder's zero.
        return [(_shoulder(lengths, target, start[1], start), start[1])]
    first, second = lengths
    elbow = elbow_bend(first, second, abs(target))
    if target:
        direction = atan2(target.imag, target.real)
        lead = atan2(second * sin(elbow), first + second * cos(elbow))
    else:
        direction, lead = start[0], 0.0  # At the base every direction is as good: stay.
    # The positive bend first, which a tie leaves as it is.
    if bend == 'negative':
        return [(direction + lead, -elbow), (direction - lead, elbow)]
    return [(direction - lead, elbow), (direction + lead, -elbow)]


def may_fit(sides: Sequence[BendPair], limits: Limits, rounding: float) -> bool:
    """Return whether the limits may allow one of the poses: in a fraction of :func:`allowed`.

    Args:
        sides: (2,) bends in rad each, whole turns ignored.
        limits: (2,) pairs (lower, upper) of each bend in rad.
        rounding: how far outside of a limit in rad still counts as at it.
    """
    (low, high), (least, most) = limits
    wide, spread = 0.5 * (high - low), 0.5 * (most - least)
    for shoulder, elbow in sides:
        if spread < math.pi:
            beyond = abs(remainder(elbow - least - spread, TURN)) - spread
            if beyond > rounding:
                continue
        if wide >= math.pi or abs(remainder(shoulder - low - wide, TURN)) <= wide + rounding:
            return True
    return False


def _wanted(sides: Sequence[BendPair], start: BendPair, bend: str) -> BendPair:
    """Return the wanted one of the poses in the turns nearest to the start, without limits."""
    first, second = start
    best: BendPair | None = None
    for shoulder, elbow in sides:
        # By :func:`.near`, written out: this is a good part of the time of a solve.
        pose = (
            first + (remainder(shoulder - first - HALF, TURN) + HALF),
            second + (remainder(elbow - second - HALF, TURN) + HALF),
        )
        if bend != 'nearest':
            return pose
        if best is None or moves_less(pose, best, start):
            best = pose
    return best or start  # There is always one.


def allowed(
    sides: Sequence[BendPair],
    limits: Limits | None,
    start: BendPair,
    bend: str,
    rounding: float = ANGLE_ROUNDING,
) -> BendPair | None:
    """Return the wanted one of the poses that the limits allow, or None.

    What is outside of a limit by no more than the rounding, in rad, is at it.
    """
    if limits is None:
        return _wanted(sides, start, bend)
    best: BendPair | None = None
    for shoulder, elbow in sides:
        pose = _fit(shoulder, elbow, limits, start, rounding)
        if pose is None:
            continue
        if bend != 'nearest':
            return pose
        if best is None or moves_less(pose, best, start):
            best = pose
    return best


def _shoulder(lengths: Sequence[float], target: complex, elbow: float, start: BendPair) -> float:
    span = lengths[0] + cmath.rect(lengths[1], elbow)
    if target == 0.0 or span == 0.0:
        return start[0]  # Every direction is as good: stay.
    return phase(target) - phase(span)


def _fit(
    shoulder: float,
    elbow: float,
    limits: Limits,
    start: BendPair,
    rounding: float = ANGLE_ROUNDING,
) -> BendPair | None:
    """Return the pose in the turns nearest to the start, or None if the limits forbid it."""
    (lower, upper), (least, most) = limits
    first = into_range(shoulder, lower, upper, start[0], rounding)
    if first is None:
        return None
    second = into_range(elbow, least, most, start[1], rounding)
    return None if second is None else (first, second)


def moves_less(pose: BendPair, other: BendPair, start: BendPair) -> bool:
    """Return whether a pose moves the joints less than another one, by more than rounding."""
    # Not by `sorted`, which takes twice as long.
    small, large = abs(pose[0] - start[0]), abs(pose[1] - start[1])
    if small > large:
        small, large = large, small
    other_small, other_large = abs(other[0] - start[0]), abs(other[1] - start[1])
    if other_small > other_large:
        other_small, other_large = other_large, other_small
    if abs(large - other_large) > SAME_MOVE:
        return large < other_large
    return small < other_small - SAME_MOVE


def closest(lengths: Sequence[float], limits: Limits, target: complex, start: BendPair) -> BendPair:
    """Return the closest pose where no pose within the limits reaches the target.

    At a pose that cannot come closer each joint is either at a limit or turns the tip straight
    towards the target. That leaves the handful of poses that :func:`_candidates` lists. Of those
    whose distances only rounding tells apart, the one that moves the joints least is taken.
    """
    best, closest = start, math.inf
    for pose in _candidates(lengths, limits, target, start):
        tip = cmath.rect(lengths[0], pose[0]) + cmath.rect(lengths[1], pose[0] + pose[1])
        distance = abs(tip - target)
        if distance < closest - SAME_DISTANCE or (
            distance <= closest + SAME_DISTANCE and moves_less(pose, best, start)
        ):
            best, closest = pose, distance
    return best


def _candidates(
    lengths: Sequence[float], limits: Limits, target: complex, start: BendPair
) -> Iterator[BendPair]:
    shoulders = [end for end in limits[0] if math.isfinite(end)]
    elbows = [end for end in limits[1] if math.isfinite(end)]
    # Both joints free: stretched or folded. The elbow at a limit and the shoulder free.
    for elbow in (*elbows, 0.0, math.pi):
        pose = _fit(_shoulder(lengths, target, elbow, start), elbow, limits, start)
        if pose is not None:
            yield pose
    for shoulder in shoulders:
        # The shoulder at a limit and the elbow free; then both at a limit.
        to_target = target - cmath.rect(lengths[0], shoulder)
        elbow = phase(to_target) - shoulder if to_target else start[1]
        pose = _fit(shoulder, elbow, limits, start)
        if pose is not None:
            yield pose
        for elbow in elbows:
            yield shoulder, elbow
    yield start

"""Cyclic coordinate descent: sweeps over the joints from the tip to the base, again and again.

Each joint in turn brings the tip as close to the target as it alone can. Sweeps move the arm for as
long as they get on. Near the edge of reach they need hundreds of passes, though, and a pose in line
with the target they never leave; where they creep, what follows finishes (:mod:`.stages`).

Units are those of :mod:`.pose`.
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import atan2, cos
from operator import mul, truediv
from typing import NamedTuple

from ik2d_ros.kinematics.angles import LEAST, into_range
from ik2d_ros.kinematics.columns import slide_ways
from ik2d_ros.kinematics.pose import LENGTH_ROUNDING, Pose, Problem, at
from ik2d_ros.kinematics.tuning import FEWEST_SWEEPS, LATE, MOST_SWEEPS

# Reaches, times one: a joint is under the tip or the target, but for rounding.
UNDER = 1e-14
_STILL = 1.0 + 0j  # The turn of a joint that does not turn.


class Pace(NamedTuple):
    """How quickly sweeps must get on, or they creep.

    Attributes:
        share: what a sweep may leave of the error.
        patience: how many sweeps may do so.
        late: what each one after them may leave.
    """

    share: float
    patience: int
    late: float


@lru_cache(maxsize=256)
def pace(joints: int) -> Pace:
    """Return the pace for so many joints: the more there are, the less a sweep does at first."""
    share = max(0.5, 1.0 - 1.5 / joints)
    return Pace(share, min(max(FEWEST_SWEEPS, 2 * joints - 4), MOST_SWEEPS), min(share, LATE))


def sweep_on(
    problem: Problem, start: Sequence[float], tolerance: float, budget: int
) -> tuple[Pose, int]:
    """Sweep until the tip is on the target, or a sweep has crept.

    Returns:
        The last pose and the number of sweeps made.
    """
    if problem.limits is None and min(problem.lengths) > LENGTH_ROUNDING:
        quicker = _FREE_SWEEPS.get(len(start))
        if quicker is not None:
            try:
                return quicker(problem, start, tolerance, budget)
            except ZeroDivisionError:
                pass  # A joint is under the tip or the target.
        return _sweep_freely(problem, start, tolerance, budget)
    pose, sweeps = at(problem, start), 0
    share, patience, late = pace(len(start))
    while pose.error > tolerance and sweeps < budget:
        before = pose.error
        pose = sweep(problem, pose)
        sweeps += 1
        if pose.error > share * before:
            break
        if sweeps == patience:
            share = late
    return pose, sweeps


def _sweep_freely(
    problem: Problem, start: Sequence[float], tolerance: float, budget: int
) -> tuple[Pose, int]:
    """Do what :func:`sweep_on` does, without limits: turns are unit numbers, angles for the end.

    From joint to joint, the vector to the tip and that to the target grow by the same link.

    """
    target = problem.target
    begun = list(map(rect, problem.lengths, accumulate(start)))
    tip = sum(begun)
    links, sweeps, error = begun, 0, abs(target - tip)
    share, patience, late = pace(len(links))
    while error > tolerance and sweeps < budget:
        goal, tip, turns = target - tip, 0j, []
        for link in reversed(links):
            goal += link
            tip += link
            reach = abs(tip)
            distance = abs(goal)
            if reach * distance <= UNDER:
                turns.append(_STILL)
                continue  # The joint is under the tip or the target: every angle is as good.
            ahead = goal * (reach / distance)
            turns.append(ahead / tip)
            tip = ahead
        turns.reverse()
        links = list(map(mul, links, accumulate(turns, mul)))
        sweeps += 1
        before, error = error, abs(target - tip)
        if error > share * before:
            break
        if sweeps == patience:
            share = late
    return _swept(problem, start, begun, links, error, tolerance), sweeps


def _sweep_three_freely(
    problem: Problem, start: Sequence[float], tolerance: float, budget: int
) -> tuple[Pose, int]:
    """Do what :func:`_sweep_freely` does, for three joints: the same, with no loop over them."""
    target = problem.target
    first, second, third = begun = list(map(rect, problem.lengths, accumulate(start)))
    away, hand = abs(target), problem.lengths[2]
    ahead = target / away
    tip = sum(begun)
    sweeps, error = 0, abs(target - tip)
    share, patience, late = pace(3)
    while error > tolerance and sweeps < budget:
        from_elbow = target - first
        goal = from_elbow - second
        left = abs(goal)
        third = goal * (hand / left)
        tip = second + third
        reach = abs(tip)
        distance = abs(from_elbow)
        elbow = from_elbow * (reach / distance) / tip
        tip = first + tip * elbow
        span = abs(tip)
        shoulder = ahead * span / tip
        if left * distance * reach * span <= UNDER:
            raise ZeroDivisionError
        first *= shoulder
        shoulder *= elbow
        second *= shoulder
        third *= shoulder
        sweeps += 1
        before, error = error, abs(away - span)
        if error > share * before:
            break
        if sweeps == patience:
            share = late
    links = [first, second, third]
    return _swept(problem, start, begun, links, error, tolerance), sweeps


def _swept(
    problem: Problem,
    start: Sequence[float],
    begun: Sequence[complex],
    links: Sequence[complex],
    error: float,
    tolerance: float,
) -> Pose:
    """Return the pose whose links (n,) sweeps have brought from where they were begun."""
    turned = list(map(truediv, links, begun))
    turns = map(truediv, turned, [1.0 + 0j, *turned])
    bends = [bend + atan2(turn.imag, turn.real) for bend, turn in zip(start, turns)]
    if error <= tolerance:
        return at(problem, bends)
    return Pose(bends, [0j, *accumulate(links)], error)


def _sweep_two_freely(
    problem: Problem, start: Sequence[float], tolerance: float, budget: int
) -> tuple[Pose, int]:
    """Do what :func:`_sweep_freely` does, for two joints, in half of the time."""
    target, (first, second) = problem.target, problem.lengths
    upper = begun = rect(first, start[0])
    fore = begun_fore = rect(second, start[0] + start[1])
    sweeps, error, distance = 0, abs(target - upper - fore), abs(target)
    share, patience, late = pace(2)
    while error > tolerance and sweeps < budget:
        goal = target - upper
        from_elbow = abs(goal)
        fore = goal * (second / from_elbow)
        tip = upper + fore
        span = abs(tip)
        turn = target * (span / distance) / tip
        if from_elbow * span <= UNDER:
            raise ZeroDivisionError
        upper *= turn
        fore *= turn
        sweeps += 1
        before, error = error, abs(distance - span)
        if error > share * before:
            break
        if sweeps == patience:
            share = late
    shoulder = upper / begun
    elbow = fore / (begun_fore * shoulder)
    bends = [
        start[0] + atan2(shoulder.imag, shoulder.real),
        start[1] + atan2(elbow.imag, elbow.real),
    ]
    if error <= tolerance:
        return at(problem, bends), sweeps
    return Pose(bends, [0j, upper, upper + fore], error), sweeps


_FREE_SWEEPS = {2: _sweep_two_freely, 3: _sweep_three_freely}


def sweep(problem: Problem, pose: Pose) -> Pose:
    """Move each joint, from the last to the first, as close as it alone can bring the tip."""
    target, limits = problem.target, problem.limits
    bends, points = pose.bends[:], pose.points
    tip = points[-1]
    along = None if problem.fixed is None else slide_ways(problem.fixed, bends)
    for i in range(len(bends) - 1, -1, -1):
        if along and i in along and limits is not None:
            lower, upper = limits[i]
            way = along[i]
            slid = bends[i] + ((target - tip) * way.conjugate()).real
            slid = min(max(slid, lower), upper)
            tip += (slid - bends[i]) * way
            bends[i] = slid
            continue
        pivot = points[i]
        span = tip - pivot
        turn = (target - pivot) * span.conjugate()
        size = abs(turn)
        if size <= UNDER:
            continue  # The joint is under the tip or the target: every angle is as good.
        bent = atan2(turn.imag, turn.real)
        if limits is None:
            tip = pivot + span * (turn / size)
            bends[i] += bent
            continue
        now, (lower, upper) = bends[i], limits[i]
        angle = now + bent
        if not lower <= angle <= upper or bent < LEAST:
            angle = _closest_allowed(angle, lower, upper, now)
        tip = pivot + span * rect(1.0, angle - now)
        bends[i] = angle
    return at(problem, bends)


def _closest_allowed(angle: float, lower: float, upper: float, now: float) -> float:
    allowed = into_range(angle, lower, upper, now)
    if allowed is None:
        # The tip's distance grows with the angle from the best one, on either side of it.
        allowed = upper if cos(upper - angle) > cos(lower - angle) else lower
    return allowed

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
from math import atan2, sin
from operator import mul
from typing import NamedTuple

from ik2d_ros.kinematics.angles import LEAST, into_range
from ik2d_ros.kinematics.columns import slide_ways
from ik2d_ros.kinematics.pose import Pose, Problem, at
from ik2d_ros.kinematics.tuning import FEWEST_SWEEPS, LATE, MOST_SWEEPS

# Reaches, times one: a joint is under the tip or the target, but for rounding.
UNDER = 1e-14
_STILL = 1.0 + 0j  # The turn of a joint that does not turn.
_new = tuple.__new__  # The same as to call a named tuple, in half of the time.


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
    if problem.limits is None:
        quickest = _FREE_SWEEPS.get(len(start), _sweep_freely)
        try:
            return quickest(problem, start, tolerance, budget)
        except ZeroDivisionError:
            pass  # A link has no length, and so no direction.
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

    From joint to joint, the vector to the tip and that to the target grow by the same link. A joint
    that is under the tip or the target, but for rounding, stands still: every angle is as good.
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
            turn = goal * tip.conjugate()
            size = abs(turn)
            if size > UNDER:
                turn /= size
                tip *= turn
                turns.append(turn)
            else:
                turns.append(_STILL)
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
    target, hand = problem.target, problem.lengths[2]
    first, second, third = begun = list(map(rect, problem.lengths, accumulate(start)))
    tip = first + second + third
    sweeps, error, away = 0, abs(target - tip), abs(target)
    share, patience, late = pace(3)
    while error > tolerance and sweeps < budget:
        to_target = target - first
        goal = to_target - second
        left = abs(goal)
        if left * hand > UNDER:
            third = goal * (hand / left)
        tip = second + third
        reach = abs(tip)
        distance = abs(to_target)
        if reach * distance > UNDER:
            span, tip = tip, to_target * (reach / distance)
            turn = tip / span
            second *= turn
            third *= turn
        tip += first
        reach = abs(tip)
        before = error
        if reach * away > UNDER:
            turn = target * (reach / away) / tip
            first *= turn
            second *= turn
            third *= turn
            error = abs(away - reach)
        else:
            error = abs(target - tip)
        sweeps += 1
        if error > share * before:
            break
        if sweeps == patience:
            share = late
    return _swept(problem, start, begun, [first, second, third], error, tolerance), sweeps


def _sweep_two_freely(
    problem: Problem, start: Sequence[float], tolerance: float, budget: int
) -> tuple[Pose, int]:
    """Do what :func:`_sweep_freely` does, for two joints, in half of the time."""
    target, (arm, hand), (shoulder, elbow) = problem.target, problem.lengths, start
    first = begun = rect(arm, shoulder)
    second = begun_second = rect(hand, shoulder + elbow)
    sweeps, error, away = 0, abs(target - first - second), abs(target)
    share, patience, late = pace(2)
    while error > tolerance and sweeps < budget:
        goal = target - first
        left = abs(goal)
        if left * hand > UNDER:
            second = goal * (hand / left)
        tip = first + second
        reach = abs(tip)
        before = error
        if reach * away > UNDER:
            turn = target * (reach / away) / tip
            first *= turn
            second *= turn
            error = abs(away - reach)
        else:
            error = abs(target - tip)
        sweeps += 1
        if error > share * before:
            break
        if sweeps == patience:
            share = late
    upper = first / begun
    fore = second / begun_second / upper
    bends = [shoulder + atan2(upper.imag, upper.real), elbow + atan2(fore.imag, fore.real)]
    if error <= tolerance:
        return at(problem, bends), sweeps
    return _new(Pose, (bends, [0j, first, first + second], error)), sweeps


def _swept(
    problem: Problem,
    start: Sequence[float],
    begun: Sequence[complex],
    links: Sequence[complex],
    error: float,
    tolerance: float,
) -> Pose:
    """Return the pose whose links (n,) sweeps have brought from where they were begun."""
    bends, before = [], _STILL
    for bend, link, first in zip(start, links, begun):
        turned = link / first
        turn = turned / before
        before = turned
        bends.append(bend + atan2(turn.imag, turn.real))
    if error <= tolerance:
        return at(problem, bends)
    return _new(Pose, (bends, [0j, *accumulate(links)], error))


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
        # The tip's distance grows with the angle from the best one, on either side of it. Not by
        # the cosines of both ends, which are the same for all small angles.
        allowed = upper if sin(angle - 0.5 * (lower + upper)) > 0.0 else lower
    return allowed

"""Targets at a tip angle for an arm with a turntable: the chain's answers at both turns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.places import is_inside, places_about, seen_from_axis
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.solution import Solution, Status
from ik2d_ros.kinematics.sweep import Sweep
from ik2d_ros.kinematics.tip_angle import Wanted
from ik2d_ros.kinematics.tip_angle_in_plane import AnswerAtAngle, in_plane_at_angle

_SAME_ANGLE = 1e-9  # rad; angles that differ by less are equally close.


def solve_on_turntable_at_angle(
    arm: Arm,
    sweep: Sweep,
    target: Vector,
    wanted: Wanted,
    start: Sequence[float],
    tolerance: float,
    solver: str,
    max_iterations: int,
    without: Callable[[], Solution],
) -> Solution:
    """Return the pose that brings the tip of an arm onto a target at an angle, or comes closest.

    Args:
        arm: an arm with a turntable.
        sweep: of its plane.
        target: in m, in the base frame.
        wanted: the angle in the plane.
        start: (m,) positions in rad, inside the limits.
        tolerance: distance in m that counts as reached.
        solver: for the chain.
        max_iterations: passes over the chain at each turn.
        without: solves without the angle, where the point cannot be reached.
    """
    goal, rounding = seen_from_axis(arm, sweep, target)
    places, beyond = places_about(arm, sweep, goal, rounding, start[0])
    found: list[tuple[float, AnswerAtAngle]] = []
    passes, stopped = 0, False
    for turn, spot in places:
        if turn is None or beyond or not is_inside(arm, spot, tolerance):
            continue
        answer = in_plane_at_angle(
            arm.chain, *spot, wanted, start[1:], solver, tolerance, max_iterations
        )
        passes += answer.passes
        stopped |= answer.status is Status.NOT_CONVERGED
        if answer.error <= tolerance:
            found.append((turn, answer))
    if not found:
        solution = without()
        off = abs(math.remainder(solution.angle - wanted.angle, 2.0 * math.pi))
        status, proven = solution.status, solution.proven
        if status is Status.REACHED and off > wanted.tolerance:
            status, proven = Status.TIP_ANGLE, False
        return solution._replace(angle_error=off, status=status, proven=proven)
    met = [each for each in found if each[1].status is Status.REACHED]
    if not met:
        least = min(answer.angle_error for _, answer in found) + _SAME_ANGLE
        found = [each for each in found if each[1].angle_error <= least]
    turn, answer = _least_move(met or found, start)
    tip = sweep.point(sweep.raised(answer.tip.real, answer.tip.imag), turn)
    error = math.dist(tip, target)
    status, proven = answer.status, answer.proven and not (stopped and not met)
    if error > tolerance:
        status, proven = Status.NOT_CONVERGED, False
    return Solution(
        np.array((turn, *answer.q)),
        np.array(tip),
        error,
        status,
        solver,
        passes,
        proven,
        answer.angle,
        answer.angle_error,
    )


def _least_move(
    found: Sequence[tuple[float, AnswerAtAngle]], start: Sequence[float]
) -> tuple[float, AnswerAtAngle]:
    """Return what moves least, the first of those that move the same."""
    best, least = found[0], math.inf
    for turn, answer in found:
        move = max(abs(q - now) for q, now in zip((turn, *answer.q), start, strict=True))
        if move < least - SAME_MOVE:
            best, least = (turn, answer), move
    return best

"""Targets at a tip angle for an arm with a turntable: the chain's answers at both turns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE, TURN
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.solution import Solution, Status
from ik2d_ros.kinematics.space.moves import largest_move, least_move
from ik2d_ros.kinematics.space.places import (
    Place,
    beside_plane,
    is_inside,
    nearest_of,
    places_about,
    seen_from_axis,
)
from ik2d_ros.kinematics.sweep import Goal, Sweep
from ik2d_ros.kinematics.tip_angle.tip_angle import Wanted
from ik2d_ros.kinematics.tip_angle.tip_angle_in_plane import AnswerAtAngle, in_plane_at_angle

SAME_ANGLE = 1e-9  # rad; angles that differ by less are equally close.
NO_ANGLE = 0.5 * math.pi  # rad; whatever is in the plane is so far from its normal.

# Takes a turn in rad; gives the angle that is asked for in the plane as it is then, in rad, or None
# where there is none.
AngleAt = Callable[[float], float | None]


def solve_on_turntable_at_angle(
    arm: Arm,
    sweep: Sweep,
    target: Vector,
    angle_at: AngleAt,
    angle_tolerance: float,
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
        angle_at: the angle asked for; a turn at which there is none does not count.
        angle_tolerance: distance from it in rad that counts as reached.
        start: (m,) positions in rad, inside the limits.
        tolerance: distance in m that counts as reached.
        solver: for the chain.
        max_iterations: passes over the chain at each turn.
        without: solves without the angle, where the point cannot be reached.
    """
    goal, rounding = seen_from_axis(arm, sweep, target)
    places, beyond = places_about(arm, sweep, goal, rounding, start[0])
    found: list[tuple[float, AnswerAtAngle]] = []
    passes, stopped, least = 0, False, math.inf

    def ask(turn: float, spot: tuple[float, float], near: float) -> AnswerAtAngle | None:
        nonlocal passes, stopped
        angle = angle_at(turn) if is_inside(arm, spot, tolerance) else None
        if angle is None:
            return None
        wanted = Wanted(angle, angle_tolerance)
        answer = in_plane_at_angle(
            arm.chain, *spot, wanted, start[1:], solver, near, max_iterations
        )
        passes += answer.passes
        stopped |= answer.status is Status.NOT_CONVERGED
        return answer

    for turn, spot in places:
        # Where the turntable alone turns farther than any joint for the other answer, that is it.
        if turn is None or beyond or abs(turn - start[0]) > least - SAME_MOVE:
            continue
        answer = ask(turn, spot, tolerance)
        if answer is None:
            continue
        if answer.error <= tolerance:
            found.append((turn, answer))
        if answer.status is Status.REACHED:
            least = largest_move(arm.chain, turn, answer.q, start)
    if least == math.inf:
        found += _almost(arm, sweep, goal, almost_at(arm, places, beyond), tolerance, ask)
    if not found:
        return _judged(without(), angle_at, angle_tolerance)
    met = [each for each in found if each[1].status is Status.REACHED]
    if not met:
        enough = min(answer.angle_error for _, answer in found) + SAME_ANGLE
        found = [each for each in found if each[1].angle_error <= enough]
    best = met or found
    turn, answer = best[least_move(arm.chain, [(turn, each.q) for turn, each in best], start)]
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


def almost_at(arm: Arm, places: Sequence[Place], beyond: bool) -> list[float]:
    """Return turns in rad at which a target may be beside the plane by less than matters.

    Where the turntable's limits end, if it is not in the plane there; and if no turn brings it into
    the plane, where it is next to it.

    Args:
        arm: an arm with a turntable.
        places: where the target is in the plane.
        beyond: whether it never is.
    """
    turns = [turn for turn, _ in places if turn is not None]
    ends = [end for end in arm.limits[0] if math.isfinite(end)]
    away = [end for end in ends if all(abs(end - turn) > SAME_MOVE for turn in turns)]
    return [*(turns if beyond else ()), *away]


def _almost(
    arm: Arm,
    sweep: Sweep,
    goal: Goal,
    turns: Sequence[float],
    tolerance: float,
    ask: Callable[[float, tuple[float, float], float], AnswerAtAngle | None],
) -> list[tuple[float, AnswerAtAngle]]:
    """Return the answers at turns where the target is beside the plane by less than matters.

    Args:
        arm: an arm with a turntable.
        sweep: of its plane.
        goal: the target.
        turns: in rad.
        tolerance: distance in m that counts as reached.
        ask: gives the answer at a turn for a place in the plane in m, within a distance in m.
    """
    found = []
    nearest = nearest_of(arm, tolerance)
    for turn in turns:
        away, spot = beside_plane(sweep, goal, turn)
        answer = ask(turn, spot, nearest) if away <= tolerance else None
        if answer is not None and math.hypot(away, answer.error) <= tolerance:
            found.append((turn, answer._replace(proven=answer.status is Status.REACHED)))
    return found


def _judged(solution: Solution, angle_at: AngleAt, tolerance: float) -> Solution:
    """Return a solution for the target alone with what it misses of the angle."""
    angle = angle_at(float(solution.q[0]))
    off = NO_ANGLE if angle is None else abs(math.remainder(solution.angle - angle, TURN))
    solution = solution._replace(angle_error=off)
    if solution.status is Status.REACHED and off > tolerance:
        return solution._replace(status=Status.TIP_ANGLE, proven=False)
    return solution

"""Inverse kinematics of an arm in space, by that of its chain in the plane.

A layer over any planar solver: it finds where turntable or lift bring the plane, hands the target
in the plane to the solver, and chooses among the answers. With a turntable, there are two turns at
which a target is in the plane: in front, and over the back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import sub
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE, into_range
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.closest_turns import closest_turns
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.solution import Solution, Status
from ik2d_ros.kinematics.sweep import Goal, Sweep

# Solves in the plane: where the tip is to go, in m, and the chain's start (n,) in rad.
PlanarSolver = Callable[[tuple[float, float], Sequence[float]], Solution]

_ROUNDING = 1e-15  # Of coordinates, as a share of their size.
_OUTSIDE = 1e-13  # Reaches; how far outside the annulus rounding may bring a target.
_SAME_DISTANCE = 1e-8  # Reaches; poses that differ by less are equally close.
_FARTHEST = 1e5  # Sizes of the arm; from there on the closest pose does not depend on the distance.


class Answer(NamedTuple):
    """A turn at which the target is in the plane, and where it is there.

    Attributes:
        turn: position of the turntable in rad, inside its limits; None where they forbid it.
        x: of the target in the plane, in m.
        y: the same along the plane's y-axis.
    """

    turn: float | None
    x: float
    y: float


class _Pose(NamedTuple):
    """A turn, and what the chain does there.

    Attributes:
        turn: position of the turntable in rad.
        planar: of the chain; its target need not be the one of the arm.
        distance: from the tip to the target in space, in m.
    """

    turn: float
    planar: Solution
    distance: float


def solve_in_space(
    arm: Arm, target: Vector, start: Sequence[float], tolerance: float, planar: PlanarSolver
) -> Solution:
    """Return the pose that brings the tip of an arm onto a target, or as close as it can come.

    Args:
        arm: chain, plane and what carries it.
        target: in m, in the base frame.
        start: (m,) positions inside the limits, in rad (that of a lift in m).
        tolerance: distance in m that counts as reached.
        planar: the planar solver.
    """
    if arm.sweep is None:
        return _solve_on_lift(arm, target, start, tolerance, planar)
    return _solve_on_turntable(arm, arm.sweep, target, start, tolerance, planar)


def _solve_on_lift(
    arm: Arm, target: Vector, start: Sequence[float], tolerance: float, planar: PlanarSolver
) -> Solution:
    """The lift and the chain know nothing of each other: each comes as close as it can."""
    x, y, away = arm.plane.locate(target)
    if arm.lift is None:
        solution, shift = planar((x, y), start), 0.0
    else:
        lower, upper = arm.limits[0]
        height = min(max(arm.lift.axis * away, lower), upper)
        solution, shift = planar((x, y), start[1:]), arm.lift.axis * height
        solution = solution._replace(q=np.array((height, *solution.q.tolist())))
    tip_x, tip_y = solution.tip.tolist()
    tip = arm.plane.point(tip_x, tip_y, shift)
    error = math.dist(tip, target)
    status = solution.status
    if error <= tolerance:
        status = Status.REACHED
    elif abs(away - shift) > tolerance:
        if arm.lift is None:
            status = Status.TOO_FAR
        elif status not in (Status.TOO_FAR, Status.TOO_NEAR):
            status = Status.JOINT_LIMIT
    elif status is Status.REACHED:
        status = Status.NOT_CONVERGED
    return solution._replace(tip=np.array(tip), error=error, status=status)


def answers(sweep: Sweep, goal: Goal, limits: tuple[float, float], now: float) -> list[Answer]:
    """Return the turns at which a target is in the plane, or nearest to it where there is none.

    Args:
        sweep: the plane about the axis.
        goal: the target about the axis.
        limits: (lower, upper) of the turntable in rad.
        now: position of the turntable in rad, inside the limits: the nearest turns are returned.
    """
    # How far across the target must be for the plane to meet it.
    across = (sweep.d - sweep.e * goal.height) / sweep.c
    outward = (goal.radius - abs(across)) * (goal.radius + abs(across))
    if outward > 0.0:
        root = math.sqrt(outward)
        places = [(root, across), (-root, across)]
    else:
        places = [(0.0, math.copysign(goal.radius, across))]
    return [
        Answer(
            into_range(goal.angle - math.atan2(across, out), *limits, now),
            *sweep.flatten(out, across, goal.height),
        )
        for out, across in places
    ]


def _solve_on_turntable(
    arm: Arm,
    sweep: Sweep,
    target: Vector,
    start: Sequence[float],
    tolerance: float,
    planar: PlanarSolver,
) -> Solution:
    now, limits = start[0], arm.limits[0]
    x, y, z = target
    far = max(abs(x), abs(y), abs(z))
    scale = arm.size + sweep.scale
    if far > _FARTHEST * scale > 0.0:
        share = _FARTHEST * scale / far
        x, y, z, far = x * share, y * share, z * share, far * share
    out, across, height = sweep.locate((x, y, z))
    goal = Goal(math.hypot(out, across), math.atan2(across, out), height)
    rounding = _ROUNDING * (scale + far)
    on_axis = goal.radius <= rounding
    if on_axis:
        # Here one turn is as good as another, so the turntable stays.
        places = [Answer(now, *sweep.flatten(0.0, 0.0, height))]
    else:
        places = answers(sweep, goal, limits, now)
        if _turned(places[-1], now) < _turned(places[0], now) - SAME_MOVE:
            places.reverse()
    tried: list[_Pose] = []
    best, least = None, math.inf
    for place in places:
        # Where the turntable alone turns farther than any joint for the other answer, that is it.
        if place.turn is None or abs(place.turn - now) > least - SAME_MOVE:
            continue
        pose = _posed(sweep, goal, place.turn, planar((place.x, place.y), start[1:]))
        tried.append(pose)
        if pose.distance <= tolerance:
            move = _largest_move(pose, start)
            if move < least - SAME_MOVE:
                best, least = pose, move
    if best is None:
        forbidden = any(place.turn is None for place in places)
        if on_axis or (sweep.d == 0.0 == sweep.e and not forbidden):
            # Seen along the axis, the tips are as far from it in space as in the plane.
            found = tried
        else:
            found = _closest(arm, sweep, goal, start, tried, planar)
        best = _choose(found, start, arm.size)
    passes = sum(pose.planar.iterations for pose in tried)
    tip_x, tip_y = best.planar.tip.tolist()
    tip = sweep.point(sweep.raised(tip_x, tip_y), best.turn)
    error = math.dist(tip, target)
    status = Status.REACHED
    if error > tolerance:
        too_near = goal.radius < abs(sweep.d - sweep.e * height) / sweep.c - rounding
        status = _why_not(arm, places, tried, error, too_near)
    return best.planar._replace(
        q=np.array((best.turn, *best.planar.q.tolist())),
        tip=np.array(tip),
        error=error,
        status=status,
        iterations=passes,
    )


def _turned(place: Answer, now: float) -> float:
    return math.inf if place.turn is None else abs(place.turn - now)


def _posed(sweep: Sweep, goal: Goal, turn: float, planar: Solution) -> _Pose:
    """Return a turn and what the chain does there, with its distance from the target."""
    x, y = planar.tip.tolist()
    out, across, height = sweep.raised(x, y)
    apart = goal.angle - turn
    return _Pose(
        turn,
        planar,
        math.hypot(
            goal.radius * math.cos(apart) - out,
            goal.radius * math.sin(apart) - across,
            goal.height - height,
        ),
    )


def _largest_move(pose: _Pose, start: Sequence[float]) -> float:
    moved: float = max(map(abs, map(sub, (pose.turn, *pose.planar.q.tolist()), start)))
    return moved


def _choose(found: Sequence[_Pose], start: Sequence[float], size: float) -> _Pose:
    """Return the closest pose, and of those that are equally close the one that moves least."""
    enough = min(pose.distance for pose in found) + _SAME_DISTANCE * size
    best, least = found[0], math.inf
    for pose in found:
        if pose.distance <= enough:
            move = _largest_move(pose, start)
            if move < least - SAME_MOVE:
                best, least = pose, move
    return best


def _closest(
    arm: Arm,
    sweep: Sweep,
    goal: Goal,
    start: Sequence[float],
    tried: Sequence[_Pose],
    planar: PlanarSolver,
) -> list[_Pose]:
    """Return poses among which the closest is, where limits or the plane's place forbid the target.

    Those tried are among them.
    """
    chain, limits = arm.chain, arm.limits[0]
    begun = np.array([pose.planar.q for pose in tried]).reshape(-1, len(chain))
    turns = closest_turns(
        chain,
        sweep,
        goal,
        limits,
        np.array([pose.turn for pose in tried]),
        (begun * chain.signs + chain.shifts).T,
    )
    found = list(tried)
    for some_turn in turns.tolist():
        nearest = into_range(some_turn, *limits, start[0])
        turn = some_turn if nearest is None else nearest
        apart = goal.angle - turn
        place = sweep.flatten(
            goal.radius * math.cos(apart), goal.radius * math.sin(apart), goal.height
        )
        found.append(_posed(sweep, goal, turn, planar(place, start[1:])))
    return found


def _why_not(
    arm: Arm, places: Sequence[Answer], tried: Sequence[_Pose], error: float, too_near: bool
) -> Status:
    """Return why a target is not reached.

    Args:
        arm: the arm.
        places: where the target is in the plane.
        tried: what the chain does there, where the turntable may turn so.
        error: what is missing, in m.
        too_near: whether the plane stands farther beside the axis than the target.
    """
    inner, outer = arm.chain.reach
    rounding = _OUTSIDE * (outer + (arm.sweep.scale if arm.sweep else 0.0))
    away = [math.hypot(place.x, place.y) for place in places]
    missing = [max(distance - outer, inner - distance) for distance in away]
    nearest = away[missing.index(min(missing))]
    if min(missing) > rounding:
        return Status.TOO_FAR if nearest > outer else Status.TOO_NEAR
    if too_near:
        return Status.TOO_NEAR
    stopped = any(pose.planar.status is Status.NOT_CONVERGED for pose in tried)
    if stopped or not arm.limited or error <= _OUTSIDE * outer:
        return Status.NOT_CONVERGED
    return Status.JOINT_LIMIT

"""Reaching a target with the tip in a direction of space, where the plane is carried or is not.

What a direction is in the plane depends on how the plane lies. A turntable brings the plane to a
target by two turns, in front and over the back, each with its own tip angle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypedDict

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.errors import ArgumentError
from ik2d_ros.kinematics.options import check_angle
from ik2d_ros.kinematics.places import places_of
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.kinematics.solution import Solution, Status
from ik2d_ros.kinematics.solve import solve

# The projection of a unit vector into the plane that is shorter has no direction: that of a
# quaternion in single precision is as uncertain.
SHORTEST = 1e-6

# Tip angles that differ by less are equally close, in rad.
_SAME_ANGLE = 1e-9


class Options(TypedDict):
    """The keywords of :func:`solve`, but for the angle itself."""

    solver: str
    start: Sequence[float]
    bend: str
    tolerance: float
    max_iterations: int
    angle_tolerance: float


def angle_refusal(chain: Chain) -> str:
    """Return why a chain cannot reach points at a tip angle; empty if it can."""
    try:
        check_angle(chain, 0.0, 1.0)
    except ArgumentError as error:
        return f'a tip {error}'
    return ''


def angle_in(plane: Plane, direction: Vector) -> float | None:
    """Return the angle of a direction in a plane, projected into it, in rad.

    Args:
        plane: the plane.
        direction: unit vector in the surrounding frame.

    Returns:
        The angle, from the plane's x-axis; None for a direction along the plane's normal.
    """
    x, y = (sum(a * b for a, b in zip(axis, direction, strict=True)) for axis in plane.axes[:2])
    return math.atan2(y, x) if math.hypot(x, y) > SHORTEST else None


def has_direction(arm: Arm, target: Vector, direction: Vector, start: Sequence[float]) -> bool:
    """Return whether a direction is one in the plane, wherever that meets the target.

    Args:
        arm: the arm.
        target: in m, in the base frame.
        direction: unit vector in the base frame.
        start: (m,) positions to move from, inside the limits.
    """
    if arm.sweep is None:
        return angle_in(arm.plane, direction) is not None
    places, _ = places_of(arm, arm.sweep, target, start[0])
    turns = [turn for turn, _ in places if turn is not None]
    planes = map(arm.sweep.plane, turns)
    return not turns or any(angle_in(plane, direction) is not None for plane in planes)


def solve_pointing(arm: Arm, target: Vector, direction: Vector, options: Options) -> Solution:
    """Bring the tip of an arm with a turntable onto a target, pointing in a direction.

    Args:
        arm: an arm with a turntable; three joints or more in the plane.
        target: in m, in the base frame.
        direction: unit vector in the base frame; projected into the plane, as the turntable
            carries it, it is where the last link frame's x-axis is to point.
        options: as for :func:`solve`, with a start inside the limits.

    Returns:
        Of the turns that bring the target into the plane, the one is taken at which the tip reaches
        it in the direction, else at the closest angle, else whose largest joint move is smaller.
        Where the target is out of reach, the pose is the closest one, at any angle.
    """
    sweep, start = arm.sweep, options['start']
    if sweep is None:
        return solve(arm, target, angle=angle_in(arm.plane, direction), **options)
    places, is_beside = places_of(arm, sweep, target, start[0])
    found: list[Solution] = []
    for turn, spot in places:
        angle = None if turn is None else angle_in(sweep.plane(turn), direction)
        if turn is None or angle is None or is_beside:
            continue
        in_plane: Options = {**options, 'start': start[1:]}
        flat = solve(arm.chain, spot, angle=angle, **in_plane)
        if flat.status not in (Status.REACHED, Status.TIP_ANGLE):
            continue
        x, y = flat.tip.tolist()
        tip = sweep.point(sweep.raised(x, y), turn)
        q = np.array((turn, *flat.q.tolist()))
        found.append(flat._replace(q=q, tip=np.array(tip), error=math.dist(tip, target)))
    if found:
        return _best(found, start)
    return _judged(solve(arm, target, **options), arm, direction, options['angle_tolerance'])


def _best(found: Sequence[Solution], start: Sequence[float]) -> Solution:
    """Return the solution that reaches the angle, else the closest one, else the least move."""
    reached = [solution for solution in found if solution.status is Status.REACHED]
    least = 0.0 if reached else min(solution.angle_error for solution in found)
    close = reached or [one for one in found if one.angle_error <= least + _SAME_ANGLE]
    best, moved = close[0], math.inf
    for solution in close:
        move = max(abs(q - at) for q, at in zip(solution.q.tolist(), start, strict=True))
        if move < moved - SAME_MOVE:
            best, moved = solution, move
    return best


def _judged(solution: Solution, arm: Arm, direction: Vector, tolerance: float) -> Solution:
    """Return a solution for the target alone with what it misses of the direction."""
    turn = float(solution.q[0])
    angle = angle_in(arm.carried_plane(turn), direction)
    # A direction along the normal is at right angles to whatever is in the plane.
    error = 0.5 * math.pi
    if angle is not None:
        error = abs(math.remainder(solution.angle - angle, 2.0 * math.pi))
    solution = solution._replace(angle_error=error)
    if solution.status is Status.REACHED and error > tolerance:
        return solution._replace(status=Status.TIP_ANGLE, proven=False)
    return solution

"""Inverse kinematics of an arm with a lift, or with nothing before its plane."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.solution import Solution, Status


def solve_on_lift(
    arm: Arm,
    target: Vector,
    start: Sequence[float],
    tolerance: float,
    planar: Callable[[tuple[float, float], Sequence[float]], Solution],
) -> Solution:
    """Return the pose that brings the tip of an arm onto a target, or as close as it can come.

    Lift and chain know nothing of each other: each comes as close as it can.

    Args:
        arm: an arm with a lift, or with nothing before its plane.
        target: in m, in the base frame.
        start: positions inside the limits, that of the lift in m, the others in rad.
        tolerance: distance in m that counts as reached.
        planar: solves for the chain, from a target in the plane and a start.
    """
    x, y, away = arm.plane.locate(target)
    if arm.lift is None:
        solution, shift = planar((x, y), start), 0.0
    else:
        lower, upper = arm.travel
        height = min(max(arm.lift.axis * away, lower), upper)
        solution, shift = planar((x, y), start[1:]), arm.lift.axis * height
        solution = solution._replace(q=np.array((height, *solution.q.tolist())))
    tip_x, tip_y = solution.tip.tolist()
    tip = arm.plane.point(tip_x, tip_y, shift)
    error = math.dist(tip, target)
    status, proven = solution.status, solution.proven
    # Where the chain reaches the point and yet stops, it is at the angle that it does.
    at_angle = status is Status.NOT_CONVERGED and solution.error <= tolerance
    if error <= tolerance:
        if status is not Status.TIP_ANGLE and not at_angle:
            status, proven = Status.REACHED, True
    elif abs(away - shift) > tolerance:
        proven = True  # Along the normal, it is the plane or the lift that does not get there.
        if arm.lift is None or arm.lift.lower is None:
            status = Status.TOO_FAR
        elif status not in (Status.TOO_FAR, Status.TOO_NEAR):
            status = Status.JOINT_LIMIT
    elif status in (Status.REACHED, Status.TIP_ANGLE):
        status, proven = Status.NOT_CONVERGED, False
    return solution._replace(tip=np.array(tip), error=error, status=status, proven=proven)

"""The errors of a solution at a pose that the solver did not return."""

from __future__ import annotations

import math

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Solution
from ik2d_ros.kinematics.orientation import Orientation
from ik2d_ros.kinematics.plane import Vector


def with_errors_at(
    kept: Solution,
    arm: ArmDescription,
    target: Vector,
    asked: Orientation | float | None,
    roll: float = math.nan,
) -> Solution:
    """Return a solution with the tip and the errors at its pose.

    Args:
        kept: the solution.
        arm: the arm that it is for.
        target: in m in the base frame.
        asked: the tip angle in rad, or an orientation; None for any.
        roll: that is asked for in rad, NaN for any.
    """
    pose = tuple(kept.q.tolist())
    plane, tip = arm.plane_at(pose), arm.kinematics.forward(pose)
    error = math.dist(tip, target)
    if arm.carrier is None:
        tip = np.array(arm.kinematics.points(pose)[-1][:2])
        error = math.dist(tip, plane.locate(target)[:2])
    angle = arm.chain.tip_angle(arm.in_plane(pose))
    if isinstance(asked, Orientation):
        off, roll_off = asked.errors(arm.kinematics, pose, angle)
    else:
        off, roll_off = plane.angle_off(angle, asked), 0.0
        if arm.roll is not None and not math.isnan(roll):
            roll_off = abs(math.remainder(pose[-1] - roll, math.tau))
    return kept._replace(tip=tip, error=error, angle=angle, angle_error=off, roll_error=roll_off)

"""An arm that cannot reach its target stays where it is while noise decides which pose is closest.

Behind its limits, or in its inner hole, a target has two closest poses about as good.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.joints import reaches
from ik2d_ros.kinematics import Solution, Status
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.pointing import angle_in

BETTER = 0.05
"""The share of its error by which a far pose must be closer. Noise of a quarter of that is none."""

FOLLOWING = 4.0
"""The largest joint move, in targets' moves by reaches, that counts as following the target."""


def steady(
    solution: Solution,
    arm: ArmDescription,
    targets: tuple[Vector, Vector],
    pose: Sequence[float],
    asked: Vector | float | None,
) -> Solution:
    """Return the closest pose, or the one before if that is far and hardly closer.

    Args:
        solution: the closest pose, or one that reaches the target.
        arm: the arm that it is for.
        targets: the target before and this one, in m in the base frame.
        pose: (m,) positions for the target before.
        asked: the tip angle asked for in rad, or its direction in the base frame; None for any.
    """
    before, target = targets
    if solution.status in (Status.REACHED, Status.TIP_ANGLE) or arm.clamped(pose) != tuple(pose):
        return solution
    if not arm.kinematics.is_clear(pose):
        return solution
    moves = (abs(b - a) / unit for a, b, unit in zip(pose, solution.q, reaches(arm), strict=True))
    if max(moves) * arm.chain.size <= FOLLOWING * math.dist(before, target):
        return solution
    plane, tip = arm.plane_at(pose), arm.kinematics.forward(pose)
    error = math.dist(tip, target)
    if arm.carrier is None:
        tip = arm.chain.forward(pose)[-1]
        error = math.dist(tip, plane.locate(target)[:2])
    if error > (1.0 + BETTER) * solution.error:
        return solution
    angle = arm.chain.tip_angle(arm.in_plane(pose))
    wish = angle_in(plane, asked) if isinstance(asked, tuple) else asked
    off = 0.0 if wish is None else abs(math.remainder(angle - wish, math.tau))
    return solution._replace(q=np.array(pose), tip=tip, error=error, angle=angle, angle_error=off)

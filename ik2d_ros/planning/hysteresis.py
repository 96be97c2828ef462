"""An arm that cannot reach its target stays where it is while noise decides which pose is closest.

Behind its limits, or in its inner hole, a target has two closest poses about as good; so has a
point that is reached, whose tip angle is missed as far to either side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Solution, Status
from ik2d_ros.kinematics.orientation import Orientation
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.planning.pose_errors import with_errors_at
from ik2d_ros.planning.settings import Settings

BETTER = 0.05
"""The share of its error by which a far pose must be closer. Noise of a quarter of that is none."""

FOLLOWING = 4.0
"""The largest joint move, in targets' moves by reaches, that counts as following the target."""


def apply_hysteresis(
    solution: Solution,
    arm: ArmDescription,
    settings: Settings,
    targets: tuple[Vector, Vector],
    pose: Sequence[float],
    orientation: Orientation | None,
) -> Solution:
    """Return the closest pose, or one next to the one before if that is far and hardly closer.

    Args:
        solution: the closest pose, or one that reaches the target.
        arm: the arm that it is for.
        settings: how it was found.
        targets: the target before and this one, in m in the base frame.
        pose: (m,) positions for the target before.
        orientation: as of :meth:`.Settings.solve`.
    """
    before, target = targets
    if solution.status is Status.REACHED or arm.clamped(pose) != tuple(pose):
        return solution
    if not arm.kinematics.is_clear(pose):
        return solution
    move = arm.kinematics.largest_move
    if move(pose, solution.q) * arm.chain.size <= FOLLOWING * math.dist(before, target):
        return solution
    stays = np.array(pose)
    if solution.status is Status.TIP_ANGLE:
        # The point is reached, with the angle of the pose before if that can be kept.
        turned = replace(settings, tip_angle=arm.chain.tip_angle(arm.in_plane(tuple(pose))))
        stays = turned.solve(arm, target, pose).q
    kept = with_errors_at(
        solution._replace(q=stays), arm, target, orientation or settings.angle, settings.roll
    )
    if solution.status is Status.TIP_ANGLE:
        is_as_good = kept.error <= settings.tolerance
        errors = (each.angle_error + each.roll_error for each in (kept, solution))
        is_as_good &= next(errors) <= (1.0 + BETTER) * next(errors)
        is_as_good &= move(pose, stays) < move(pose, solution.q)
    else:
        is_as_good = kept.error <= (1.0 + BETTER) * solution.error
    return kept if is_as_good else solution

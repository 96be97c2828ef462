"""Keeps the IK branch: by a start that leads the solver to a side, then by hysteresis.

An arm that was stretched comes back on the side that it left. One that cannot reach its target
stays where it is while noise decides which pose is closest: behind its limits, or in its inner
hole, a target has two closest poses about as good; so has a point that is reached, whose tip angle
is missed as far to either side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Solution, Status
from ik2d_ros.kinematics.options import BENDING
from ik2d_ros.kinematics.orientation import Orientation
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.motion.state import Positions
from ik2d_ros.planning.settings import Settings

STRAIGHT = 1e-3  # rad, the largest bend of an arm that is stretched
BIAS = 1e-2  # rad, the bend that gives a solver the side, where it has no option for that

BETTER = 0.05  # of its error, by which a far pose must be closer: more than noise of 0.01 makes
MOVE_RATIO = 4.0  # largest joint move over that of the target in reaches: beyond, it is a flip


def side_of(arm: ArmDescription, pose: Sequence[float]) -> int:
    """Return the sign of the widest bend of an arm at (m,) positions; 0 if it is stretched."""
    points = arm.chain.pivots(arm.in_plane(tuple(pose)))
    if any(arm.chain.tool):  # it is a part of the last link
        del points[-2]
    links = [(x - a, y - b) for (a, b), (x, y) in pairwise(points)]
    bends = [math.atan2(a * d - b * c, a * c + b * d) for (a, b), (c, d) in pairwise(links)]
    widest = max(bends, key=abs, default=0.0)
    return 0 if abs(widest) <= STRAIGHT else 1 if widest > 0.0 else -1


def bias_start(
    settings: Settings, arm: ArmDescription, start: Sequence[float], side: int
) -> tuple[Settings, Positions]:
    """Return settings and (m,) positions from which a solver finds a pose on a side.

    They are those given if the arm is bent there, or no side is known: 0.
    """
    pose, joints = tuple(start), arm.chain.joints
    if side == 0 or side_of(arm, pose) != 0:
        return settings, pose
    if len(joints) == 2 and settings.solver in BENDING:
        bend = 'positive' if side > 0 else 'negative'
        return replace(settings, bend=bend) if settings.bend == 'nearest' else settings, pose
    bent = {each.name: side * each.axis * BIAS for each in joints[1:] if not each.absolute}
    return settings, tuple(q + bent.get(name, 0.0) for name, q in zip(arm.names, pose, strict=True))


def apply_hysteresis(
    solution: Solution,
    arm: ArmDescription,
    settings: Settings,
    targets: tuple[Vector, Vector],
    pose: Sequence[float],
    orientation: Orientation | None,
) -> Solution:
    """Return the closest pose; if it is far off and hardly closer, one next to the one before.

    ``targets`` are the one before, to which (m,) positions ``pose`` belong, and that of the
    solution, in m in the base frame; settings and orientation are as of :meth:`.Settings.solve`.
    """
    before, target = targets
    if solution.status is Status.REACHED or arm.clamped(pose) != tuple(pose):
        return solution
    if not arm.kinematics.is_clear(pose):
        return solution
    move = arm.kinematics.largest_move
    if move(pose, solution.q) * arm.chain.size <= MOVE_RATIO * math.dist(before, target):
        return solution
    kept_pose = np.array(pose)
    if solution.status is Status.TIP_ANGLE:
        # The point is reached, with the angle of the pose before if that can be kept.
        turned = replace(settings, tip_angle=arm.chain.tip_angle(arm.in_plane(tuple(pose))))
        kept_pose = turned.solve(arm, target, pose).q
    asked = orientation or settings.angle
    kept = with_errors_at(solution._replace(q=kept_pose), arm, target, asked, settings.roll)
    if solution.status is Status.TIP_ANGLE:
        off, least = (each.angle_error + each.roll_error for each in (kept, solution))
        is_as_good = kept.error <= settings.tolerance and off <= (1.0 + BETTER) * least
        is_as_good &= move(pose, kept_pose) < move(pose, solution.q)
    else:
        is_as_good = kept.error <= (1.0 + BETTER) * solution.error
    return kept if is_as_good else solution


def with_errors_at(
    kept: Solution,
    arm: ArmDescription,
    target: Vector,
    asked: Orientation | float | None,
    roll: float = math.nan,
) -> Solution:
    """Return a solution with tip and errors computed for its pose, which no solver returned.

    The target is in m in the base frame. The tip angle in rad or the orientation that is ``asked``
    is None for any, the roll in rad NaN for any.
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

"""The arm as points in space, and a ball around its reachable points; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Plane, Vector

LIFTED = 0.5  # range to either side of home of a lift without limits, in reaches


def skeleton(arm: ArmDescription, positions: Sequence[float]) -> list[Vector]:
    """Return the points that (m,) positions of all joints connect, in m in the base frame.

    They are every joint of the chain, the end of the last link if there is a tool, and the tip. A
    turntable adds two points before them: the given point on its axis and the one beside the
    chain's first joint. A lift adds the place of that joint with the lift at 0.
    """
    plane, turning = arm.plane_at(positions), arm.kinematics.turning_plane
    before = [] if arm.lift is None else [arm.base_xyz]
    if turning is not None:
        _, _, height = turning.frame.locate(plane.origin)
        before = [turning.frame.origin, turning.frame.point(0.0, 0.0, height)]
    return [*before, *(plane.point(*point) for point in arm.kinematics.points(positions))]


def ball_around(arm: ArmDescription) -> tuple[Vector, float]:
    """Return center and radius in m of a ball around all that the tip reaches, limits ignored."""
    frame, (_, *heights) = carrier_axis(arm)
    half = 0.5 * (max(heights) - min(heights))
    x, y, _ = frame.locate(arm.kinematics.plane.origin)
    radius = arm.reach.outer + math.hypot(x, y, half)
    return frame.point(0.0, 0.0, min(heights) + half), radius or 1.0


def carrier_axis(arm: ArmDescription) -> tuple[Plane, list[float]]:
    """Return a frame whose z-axis is the axis of turntable or lift, and heights along it, in m.

    Its x-axis points to the front of a turntable at 0. First comes the base frame, then where the
    plane may be.
    """
    turning, plane = arm.kinematics.turning_plane, arm.kinematics.plane
    frame = plane if turning is None else turning.frame
    base = frame.locate((0.0, 0.0, 0.0)).out_of_plane
    if arm.lift is None:
        return frame, [base, frame.locate(plane.origin).out_of_plane]
    ends = arm.limits[0]
    if not math.isfinite(ends[0]):
        far = LIFTED * (arm.chain.reach.outer or 1.0)
        ends = arm.home[0] - far, arm.home[0] + far
    return frame, [base, *(arm.lift.axis * end for end in ends)]

"""The arm as points in space, and a ball around its reachable points; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ik2d_ros.arm.area import reach_area
from ik2d_ros.arm.body import carried
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Vector

CELLS = 40  # of the area's grid; the edge is exact in a coarse grid, too
LIFTED = 0.5  # range to either side of home of a lift without limits, in reaches


def skeleton(arm: ArmDescription, positions: Sequence[float]) -> list[Vector]:
    """Return the points that a pose connects, in m in the base frame.

    They are every joint of the chain, the end of the last link if there is a tool, and the tip. A
    turntable adds two points before them: the given point on its axis and the one beside the
    chain's first joint. A lift adds the place of that joint with the lift at 0.

    Args:
        arm: the arm.
        positions: (m,) of all joints.
    """
    plane = arm.plane_at(positions)
    points = arm.chain.forward(arm.in_plane(positions)).tolist()
    if any(arm.chain.tool):
        (x, y), (along, across) = points[-1], arm.chain.tool
        points.insert(-1, [x - along, y - across])
    chain = [plane.point(x, y) for x, y in points]
    return [*_carrier_points(arm, plane.origin), *chain]


def _carrier_points(arm: ArmDescription, first: Vector) -> list[Vector]:
    if arm.lift is not None:
        return [arm.base_xyz]
    sweep, turntable = arm.kinematics.sweep, arm.turntable
    if sweep is None or turntable is None:
        return []
    _, _, height = sweep.frame.locate(first)
    return [turntable.xyz, sweep.frame.point(0.0, 0.0, height)]


def bounding_ball(arm: ArmDescription) -> tuple[Vector, float]:
    """Return a ball around all points that the tip can reach, and around the arm at home.

    Args:
        arm: the arm. Its turntable counts as if it could turn all around.

    Returns:
        Centre in m in the base frame, and radius in m; 1 m for an arm that is a point.
    """
    home, flat = skeleton(arm, arm.home), reach_area(arm.chain, CELLS).points
    sweep = arm.kinematics.sweep
    if sweep is not None:
        out, across, heights = sweep.plane.point(flat[:, 0], flat[:, 1])
        middle = 0.5 * float(heights.min() + heights.max())
        center = sweep.frame.point(0.0, 0.0, middle)
        radius = float(np.sqrt(out**2 + across**2 + (heights - middle) ** 2).max())
        return center, max(radius, *(math.dist(center, point) for point in home)) or 1.0
    ends = (0.0,) if arm.lift is None else lift_ends(arm)
    points = np.concatenate([home, *(carried(arm.kinematics, flat, end) for end in ends)])
    middles = 0.5 * (points.min(axis=0) + points.max(axis=0))
    radius = float(np.linalg.norm(points - middles, axis=1).max())
    x, y, z = middles.tolist()
    return (x, y, z), radius or 1.0


def lift_ends(arm: ArmDescription) -> tuple[float, float]:
    """Return from where to where a lift is shown, in m: its limits, or some way about home."""
    lower, upper = arm.limits[0]
    if math.isfinite(lower):
        return lower, upper
    far = LIFTED * (arm.chain.reach.outer or 1.0)
    return arm.home[0] - far, arm.home[0] + far

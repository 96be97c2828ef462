"""The outermost points of an arm, for cameras; no ROS imports."""

from __future__ import annotations

import math
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.drawing.bounding_ball import LIFTED, carrier_axis, skeleton
from ik2d_ros.kinematics import solve_batch

DIRECTIONS, TURNS = 16, 13  # in the plane; of a turntable
MOST_JOINTS = 5  # of a chain whose limits count: longer ones take long
FAR = 1e3  # reaches: the closest pose to a target there is the extreme one in its direction


def extent(arm: ArmDescription) -> NDArray[np.float64]:
    """Return the outermost points (k, 3) of an arm in m in the base frame.

    They are those that the tip reaches in each direction, wherever a turntable or lift is, on this
    side of walls; its pivots meanwhile; the arm at home, and the place where it is mounted.
    """
    reach, carrier = arm.chain.reach.outer or 1.0, arm.carrier
    angles = np.arange(DIRECTIONS) * math.tau / DIRECTIONS
    around = reach * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if len(arm.chain) > MOST_JOINTS and carrier is None:
        return np.array([*map(arm.kinematics.plane.point, *around.T), arm.base_xyz])
    still, begin = arm.at_home_roll, int(carrier is not None)
    poses = solve_batch(still.chain, FAR * around, tolerance=1e-3 * reach).q
    home, end = arm.home, begin + len(arm.chain)
    shapes = [skeleton(arm, (*home[:begin], *pose, *home[end:])) for pose in poses.tolist()]
    if carrier is not None:
        lower, upper = arm.limits[0]
        if not math.isfinite(lower):
            half = math.pi if arm.turntable else LIFTED * reach
            lower, upper = arm.home[0] - half, arm.home[0] + half
        ways = np.repeat(np.linspace(lower, upper, TURNS), DIRECTIONS)
        poses = np.column_stack([ways, np.tile(poses, (TURNS, 1))])
    tips = still.forward(poses)
    for wall in arm.walls:
        depths = np.minimum(wall.height(*tips.T), 0.0)
        tips = tips - depths[:, None] * wall.normal
    frame, heights = carrier_axis(arm)
    base = frame.point(0.0, 0.0, heights[0]) if carrier else arm.base_xyz
    return np.array([*tips, *chain(*shapes), *skeleton(arm, arm.home), base])

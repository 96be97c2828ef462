"""The arm as points in space, its outermost points and a ball around them; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import solve_batch
from ik2d_ros.kinematics.plane import Plane, Vector

DIRECTIONS, TURNS = 16, 13  # in the plane; of a turntable
FAR = 1e3  # reaches: the closest pose to a target there is the extreme one in its direction
TURNED = math.radians(60.0)  # range to either side of a turntable, at most
LIFTED = 0.5  # the same of a lift without limits, in reaches


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


def extent(arm: ArmDescription, positions: Sequence[float]) -> NDArray[np.float64]:
    """Return the outermost points (k, 3) of an arm at (m,) positions, in m in the base frame.

    They are those that the tip reaches in each direction with the turntable or lift about where it
    is, on this side of walls; its pivots meanwhile; the arm, and the place where it is mounted.
    """
    reach, carrier = arm.chain.reach.outer or 1.0, arm.carrier
    angles = np.arange(DIRECTIONS) * math.tau / DIRECTIONS
    around = reach * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    still, begin = arm.at_home_roll, int(carrier is not None)
    poses = solve_batch(still.chain, FAR * around, tolerance=1e-3 * reach).q
    end = begin + len(arm.chain)
    shapes = [skeleton(arm, (*positions[:begin], *q, *positions[end:])) for q in poses.tolist()]
    if carrier is not None:
        lower, upper = arm.limits[0]
        if arm.turntable or not math.isfinite(lower):
            half = TURNED if arm.turntable else LIFTED * reach
            lower, upper = max(lower, positions[0] - half), min(upper, positions[0] + half)
        ways = np.repeat(np.linspace(lower, upper, TURNS), DIRECTIONS)
        poses = np.column_stack([ways, np.tile(poses, (TURNS, 1))])
    tips = still.forward(poses)
    for wall in arm.walls:
        depths = np.minimum(wall.height(*tips.T), 0.0)
        tips = tips - depths[:, None] * wall.normal
    frame, heights = carrier_axis(arm)
    base = frame.point(0.0, 0.0, heights[0]) if carrier else arm.base_xyz
    return np.array([*tips, *chain(*shapes), *skeleton(arm, positions), base])

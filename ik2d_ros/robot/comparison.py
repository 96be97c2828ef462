"""Compares the forward kinematics of an arm and of its robot."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.arm import MOST_LEAN
from ik2d_ros.kinematics.options import angle_refusal
from ik2d_ros.kinematics.orientation import Orientation
from ik2d_ros.parameters.checks import ConfigError, listed
from ik2d_ros.robot.find import NEAR
from ik2d_ros.robot.model import Robot, all_positions, find_route, place
from ik2d_ros.robot.options import ImportOptions

WITHIN = 1e-4  # m; largest difference between an arm and its robot
WITHIN_ANGLE = MOST_LEAN  # rad; largest difference of their tip angles and rolls
STROKE = 1.0  # m; range of joints that slide without limits, to either side
FAR = 1e3  # rad or m; limits beyond it mean none, and poses there suffer from rounding


class Difference(NamedTuple):
    """The largest differences between an arm and its robot in some poses.

    Attributes:
        distance: in m, between their tips.
        turn: in rad, between tip angle and roll of the arm and those for the orientation of the
            robot's tip link; 0 without a tip angle to request, NaN if that link's x-axis leans
            out of the plane.
    """

    distance: float
    turn: float


def compare(
    arm: ArmDescription, robot: Robot, tip: str, options: ImportOptions, count: int
) -> Difference:
    """Return the largest differences between an arm and its robot in random poses.

    The robot's is a product of matrices, one for each of its joints; it shares no code with the
    arm's. The poses are inside the arm's limits.

    Args:
        arm: the arm.
        robot: the robot.
        tip: name of the robot's link.
        options: where the robot's other joints are held, and where in the tip link the tip is.
        count: number of poses.

    Raises:
        ConfigError: the robot does not have the base, the joints or the tip of the arm.
    """
    robot.check_link(arm.base_frame, "parameter 'base_frame'")
    route = find_route(robot, arm.base_frame, robot.check_link(tip, '--tip'))
    on_the_way = {joint.name for joint in route.joints}
    beside = [name for name in arm.names if name not in on_the_way]
    if beside:
        raise ConfigError(
            f"the robot has no joint {listed(beside)} between '{arm.base_frame}' and '{tip}'"
        )
    poses = random_poses(arm, count)
    space = arm.kinematics
    tips, angles = space.forward(poses), space.tip_angles(poses)
    largest, turn = 0.0, 0.0
    for positions, reached, angle in zip(poses.tolist(), tips, angles.tolist(), strict=True):
        given = {**options.hold, **dict(zip(arm.names, positions, strict=True))}
        _, end = place(route, all_positions(robot, given))
        there = end[:3, 3] + end[:3, :3] @ np.array(options.tip)
        largest = max(largest, float(np.linalg.norm(there - reached)))
        x, y, _ = map(tuple, end[:3, :3].T.tolist())
        asked = Orientation.of_tip(space, x, y)
        is_leaning = arm.roll is None and asked.lean(space, positions) > NEAR
        turn = math.nan if is_leaning else max(turn, *asked.errors(space, positions, angle))
    return Difference(largest, 0.0 if angle_refusal(arm.chain) else turn)


def random_poses(arm: ArmDescription, count: int) -> FloatArray:
    """Return poses (count, m) inside an arm's limits, in rad or m, always the same ones."""
    lower, upper = np.array(arm.limits).T
    span = np.where(np.array(arm.units) == 'm', STROKE, math.pi)
    lower = np.where(np.abs(lower) < FAR, lower, -span)
    upper = np.where(np.abs(upper) < FAR, upper, span)
    return np.random.default_rng(0).uniform(lower, upper, (count, len(lower)))

"""Compares the forward kinematics of an arm and of its robot."""

from __future__ import annotations

import math

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.parameters.checks import ConfigError, listed
from ik2d_ros.robot.model import Robot, all_positions, check_link, find_route, place
from ik2d_ros.robot.options import ImportOptions

WITHIN = 1e-4  # m; largest difference between an arm and its robot
STROKE = 1.0  # m; range of joints that slide without limits, to either side
FAR = 1e3  # rad or m; limits beyond it mean none, and poses there suffer from rounding


def compare(
    arm: ArmDescription, robot: Robot, tip: str, options: ImportOptions, count: int
) -> float:
    """Return the largest distance in m of the tips of an arm and its robot in random poses.

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
    names = arm.names
    check_link(robot, arm.base_frame, "parameter 'base_frame'")
    missing = [name for name in names if name not in robot.by_name]
    if missing:
        raise ConfigError(f'the robot has no joint {listed(missing)}')
    route = find_route(robot, arm.base_frame, check_link(robot, tip, '--tip'))
    on_the_way = {joint.name for joint in route.joints}
    beside = [name for name in names if name not in on_the_way]
    if beside:
        raise ConfigError(
            f"not on the way from '{arm.base_frame}' to '{tip}': "
            f'{listed(beside)}; choose another --tip'
        )
    poses = random_poses(arm, count)
    tips = arm.kinematics.forward(poses)
    largest = 0.0
    for positions, reached in zip(poses.tolist(), tips, strict=True):
        given = {**options.hold, **dict(zip(names, positions, strict=True))}
        _, end = place(route, all_positions(robot, given))
        there = end[:3, 3] + end[:3, :3] @ np.array(options.tip)
        largest = max(largest, float(np.linalg.norm(there - reached)))
    return largest


def random_poses(arm: ArmDescription, count: int) -> FloatArray:
    """Return poses (count, m) inside an arm's limits, in rad or m, always the same ones."""
    lower, upper = np.array(arm.limits).T
    span = np.where(np.array(arm.units) == 'm', STROKE, math.pi)
    lower = np.where(np.abs(lower) < FAR, lower, -span)
    upper = np.where(np.abs(upper) < FAR, upper, span)
    return np.random.default_rng(0).uniform(lower, upper, (count, len(lower)))

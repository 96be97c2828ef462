"""The way from the base to the tip of a robot, and where its joints are: products of matrices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.parameters.checks import ConfigError, closest, listed
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.model import Robot, RobotJoint

MOST_FOLLOWED = 50  # how many joints may follow one another


@dataclass(frozen=True, eq=False)
class Route:
    """The joints from a base link to a tip link.

    Attributes:
        base: name of the link.
        tip: name of the link.
        start: (4, 4) pose, in the base link, of the link where ``joints`` start.
        joints: from there down to the tip.
    """

    base: str
    tip: str
    start: FloatArray
    joints: tuple[RobotJoint, ...]


@dataclass(frozen=True, eq=False)
class Placed:
    """A joint with its axis in the base link.

    Attributes:
        joint: the joint.
        point: (3,) m, on the axis.
        axis: (3,) unit vector.
    """

    joint: RobotJoint
    point: FloatArray
    axis: FloatArray


def quoted(placed: Placed) -> str:
    """Return the name of a joint for a message."""
    return f"'{printable(placed.joint.name)}'"


def angle_between(a: FloatArray, b: FloatArray) -> float:
    """Return the angle in rad between two axes, whatever their sense: 0 to pi / 2."""
    return math.atan2(float(np.linalg.norm(np.cross(a, b))), abs(float(a @ b)))


def check_link(robot: Robot, link: str, option: str) -> str:
    """Return the name of a link.

    Raises:
        ConfigError: the robot has none of that name.
    """
    if link in robot.links:
        return link
    raise ConfigError(
        f"{option}: there is no link '{printable(link)}'; links are {listed(robot.links)}"
        f'{closest(link, robot.links)}'
    )


def find_route(robot: Robot, base: str, tip: str) -> Route:
    """Return the way from a base link to a tip link.

    Raises:
        ConfigError: the base is behind a joint that moves and the tip is not.
    """
    above_tip = list(robot.upwards(tip))
    over_tip = {tip, *(joint.parent for joint in above_tip)}
    start, link = np.eye(4), base
    for joint in robot.upwards(base):
        if link in over_tip:
            break
        if joint.moves:
            raise ConfigError(
                f"the tip '{printable(tip)}' is not behind the base '{printable(base)}', which is "
                f"itself behind the joint '{printable(joint.name)}'; choose a base before both, "
                f"such as '{printable(robot.root)}'"
            )
        start, link = start @ np.linalg.inv(placing(joint)), joint.parent
    joints = []
    for joint in above_tip:
        if joint.child == link:
            break
        joints.append(joint)
    return Route(base, tip, start, tuple(reversed(joints)))


def placing(joint: RobotJoint) -> FloatArray:
    """Return the (4, 4) pose of a joint in its parent link at position 0."""
    (cr, cp, cy), (sr, sp, sy) = ([f(angle) for angle in joint.rpy] for f in (math.cos, math.sin))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, joint.xyz[0]],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, joint.xyz[1]],
            [-sp, cp * sr, cp * cr, joint.xyz[2]],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def moving(joint: RobotJoint, position: float) -> FloatArray:
    """Return the (4, 4) motion of a joint at a position in rad or m."""
    motion = np.eye(4)
    if joint.turns:
        x, y, z = joint.axis
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        motion[:3, :3] += math.sin(position) * cross + (1.0 - math.cos(position)) * cross @ cross
    elif joint.kind == 'prismatic':
        motion[:3, 3] = position * np.array(joint.axis)
    return motion


def place(route: Route, positions: Mapping[str, float]) -> tuple[list[Placed], FloatArray]:
    """Return where the moving joints and the tip are.

    Args:
        route: the way to the tip.
        positions: of joints in rad or m; 0 for those not given.

    Returns:
        The joints on the way that move, and the (4, 4) pose of the tip link; all in the base link.
    """
    pose, placed = route.start, []
    for joint in route.joints:
        pose = pose @ placing(joint)
        if joint.moves:
            placed.append(Placed(joint, pose[:3, 3], pose[:3, :3] @ np.array(joint.axis)))
            pose = pose @ moving(joint, positions.get(joint.name, 0.0))
    return placed, pose


def followed(robot: Robot, joint: RobotJoint) -> tuple[RobotJoint, float, float]:
    """Return what a joint follows in the end: ``position = multiplier * that of joint + offset``.

    Raises:
        ConfigError: the joints follow one another in a circle.
    """
    multiplier, offset, seen = 1.0, 0.0, {joint.name}
    while joint.mimic is not None:
        offset += multiplier * joint.mimic.offset
        multiplier *= joint.mimic.multiplier
        joint = robot.by_name[joint.mimic.joint]
        if joint.name in seen or len(seen) > MOST_FOLLOWED:
            what = 'itself' if joint.name in seen else 'too many others, one after another'
            raise ConfigError(f"joint '{printable(joint.name)}' mimics {what}")
        seen.add(joint.name)
    return joint, multiplier, offset


def all_positions(robot: Robot, given: Mapping[str, float]) -> dict[str, float]:
    """Return positions with those of the joints that follow others; 0 for those not given."""
    found = dict(given)
    for joint in robot.joints:
        if joint.mimic is not None and joint.name not in given:
            first, multiplier, offset = followed(robot, joint)
            found[joint.name] = multiplier * given.get(first.name, 0.0) + offset
    return found

"""The plane of an arm and the link vectors in it, from where its joints are at position 0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.axes import STILL, angle_between, lean, quoted
from ik2d_ros.robot.choice import Choice
from ik2d_ros.robot.model import Robot, Vector
from ik2d_ros.robot.roles import Roles
from ik2d_ros.robot.route import Placed, followed
from ik2d_ros.robot.wording import Wording

ROUNDING = 1e-12  # m or rad; smaller numbers are what is left of sums that are 0


@dataclass(frozen=True)
class Geometry:
    """An arm as its plane and the link vectors in it.

    Attributes:
        xyz: origin of the plane in the base link, in m.
        rpy: how it is turned there, in rad (URDF convention).
        links: (n,) link vectors in m, at position 0.
        axes: (n,) senses of rotation, +1 or -1.
        lift_axis: that of the lift, +1 or -1; 0 without a lift.
        worst: largest angle in rad between an axis and what the plane wants.
        worst_joint: the joint that has it; empty for none.
        bound: how far, in m, the tip of this arm may be from that of the robot.
    """

    xyz: Vector
    rpy: Vector
    links: tuple[tuple[float, float], ...]
    axes: tuple[int, ...]
    lift_axis: int
    worst: float
    worst_joint: str
    bound: float


def flatten(robot: Robot, roles: Roles, tip: FloatArray, choice: Choice) -> Geometry:
    """Return the plane and the link vectors of an arm.

    The plane's normal is the axis of its first joint. Its x-axis is that of the base link,
    projected into the plane, or the base link's z where x is the normal.

    Args:
        robot: the robot.
        roles: what its joints do; all at position 0, the held ones where they are held.
        tip: (3,) m in the base link.
        choice: what the user says.

    Raises:
        ConfigError: a joint that follows others turns the tip in a way that no single link does.
    """
    normal = roles.planar[0].axis
    x, y = in_plane(normal)
    members = sorted((*roles.planar, *roles.followers), key=roles.order.index)
    members = [one for one in members if one.joint.name not in roles.held]
    points = [*(one.point for one in members), tip]
    steps = [np.array([(after - one) @ x, (after - one) @ y]) for one, after in pairwise(points)]
    links = _links(robot, roles, members, steps, choice.wording)
    first = roles.planar[0].point
    origin = first + ((tip - first) @ normal) * normal + links[0][0] * x + links[0][1] * y
    worst, bound = _tolerances(roles, members, normal, tip, choice)
    return Geometry(
        xyz=_rounded(origin),
        rpy=_angles(np.column_stack([x, y, normal])),
        links=tuple((_zero(a), _zero(b)) for a, b in links[1:]),
        axes=tuple(_sense(one, normal) for one in roles.planar),
        lift_axis=0 if roles.lift is None else _sense(roles.lift, normal),
        worst=worst[0],
        worst_joint=worst[1],
        bound=bound,
    )


def in_plane(normal: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the x and y of a plane, (3,) unit vectors, by its normal."""
    for axis in np.eye(3)[[0, 2]]:
        x = axis - (axis @ normal) * normal
        length = float(np.linalg.norm(x))
        if length > 0.1:
            x = x / length
            x = (x - (x @ normal) * normal) / np.linalg.norm(x)
            return x, np.cross(normal, x)
    raise AssertionError  # two of the axes cannot both be the normal


def _sense(one: Placed, normal: FloatArray) -> int:
    return 1 if one.axis @ normal > 0.0 else -1


def _links(
    robot: Robot,
    roles: Roles,
    members: Sequence[Placed],
    steps: Sequence[FloatArray],
    wording: Wording,
) -> list[FloatArray]:
    """Sum the steps by the joint with which they turn; the first sum turns with none."""
    order = [one.joint.name for one in roles.planar]
    normal = roles.planar[0].axis
    senses = [_sense(one, normal) for one in roles.planar]
    # Row i is how the frame of link i turns: with each of the first i joints.
    patterns = np.tril(np.ones((len(order) + 1, len(order))), -1) * senses
    sums: list[FloatArray] = [np.zeros(2) for _ in patterns]
    turned = np.zeros(len(order))  # how the frame turns with the position of each joint
    for one, step in zip(members, steps, strict=True):
        first, multiplier, _ = followed(robot, one.joint)
        if first.name not in order:  # it follows one elsewhere, and counts as free itself
            first, multiplier = one.joint, 1.0
        turned[order.index(first.name)] += _sense(one, normal) * multiplier
        (matching,) = np.nonzero(np.abs(patterns - turned).max(axis=1) < 1e-9)
        if len(matching):
            sums[matching[0]] += step
        elif float(np.linalg.norm(step)) > STILL:
            raise ConfigError(
                f"behind joint {quoted(one)}, which follows '{printable(first.name)}' (mimic), the "
                'tip turns as no single link does: such a linkage is not supported; choose a tip '
                f'before it: {wording.set_tip(one.joint.parent)}'
            )
    return sums


def _tolerances(
    roles: Roles, members: Sequence[Placed], normal: FloatArray, tip: FloatArray, choice: Choice
) -> tuple[tuple[float, str], float]:
    """Return the worst angle with its joint, and what all angles add up to at the tip."""
    angles: list[tuple[float, str]] = []
    points = [*(one.point for one in members), tip]
    spans = [float(np.linalg.norm(after - one)) for one, after in pairwise(points)]
    bound = 0.0
    for i, one in enumerate(members):
        angle = angle_between(one.axis, normal)
        # A rotation about an axis that is off by an angle is itself off by twice that at most.
        bound += 2.0 * angle * sum(spans[i:])
        angles.append((angle, one.joint.name))
    if roles.lift is not None:
        joint, angle = roles.lift.joint, angle_between(roles.lift.axis, normal)
        ends = choice.limits.get(joint.name, (joint.lower or 0.0, joint.upper or 0.0))
        bound += angle * (sum(spans) if ends is None else max(map(abs, ends)))
        angles.append((angle, joint.name))
    if roles.turntable is not None:
        angles.append((abs(lean(roles.turntable.axis, normal)), roles.turntable.joint.name))
    worst, name = max(angles)
    return (worst, name) if worst > ROUNDING else (0.0, ''), bound if worst > ROUNDING else 0.0


def _angles(rotation: FloatArray) -> Vector:
    """Return roll, pitch and yaw of a rotation, precise where pitch is upright too."""
    pitch = math.atan2(-rotation[2, 0], math.hypot(rotation[0, 0], rotation[1, 0]))
    yaw = 0.0
    if math.hypot(rotation[0, 0], rotation[1, 0]) > ROUNDING:
        yaw = math.atan2(rotation[1, 0], rotation[0, 0])
    # What is left after yaw and pitch is roll, whatever yaw was where it hardly matters.
    side = np.array([-math.sin(yaw), math.cos(yaw), 0.0])
    up = np.array(
        [math.sin(pitch) * math.cos(yaw), math.sin(pitch) * math.sin(yaw), math.cos(pitch)]
    )
    roll = math.atan2(rotation[:, 1] @ up, rotation[:, 1] @ side)
    return _rounded(np.array([roll, pitch, yaw]))


def _rounded(values: FloatArray) -> Vector:
    x, y, z = (_zero(value) for value in values)
    return x, y, z


def _zero(value: float) -> float:
    return float(value) if abs(value) > ROUNDING else 0.0

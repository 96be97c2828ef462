"""A robot as a tree of links and joints, and where these are: products of matrices."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.parameters.checks import ConfigError, closest, listed

TURNING = ('revolute', 'continuous')
FREE = ('floating', 'planar')  # a position of theirs has several numbers
ORIGIN = (0.0, 0.0, 0.0)
KINDS = (*TURNING, 'prismatic', *FREE, 'fixed')


class Mimic(NamedTuple):
    """The rule of a joint that follows another: ``position = multiplier * joint + offset``."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class RobotJoint:
    """A joint of a robot description.

    Attributes:
        name: its name.
        kind: its type, one of ``KINDS``.
        parent: name of the link before it.
        child: name of the link behind it.
        xyz: where the child is at position 0, in m in the parent's frame.
        rpy: how it is turned there, in rad (URDF convention).
        axis: unit vector in the child's frame.
        limits: smallest and largest position in rad or m; None where there are none, or none that
            can be meant.
        velocity: limit in rad/s or m/s; None where there is none that can be meant.
        mimic: how it follows another joint, which follows none; or None.
    """

    name: str
    kind: str
    parent: str
    child: str
    xyz: Vector = ORIGIN
    rpy: Vector = ORIGIN
    axis: Vector = (1.0, 0.0, 0.0)
    limits: tuple[float, float] | None = None
    velocity: float | None = None
    mimic: Mimic | None = None

    @property
    def turns(self) -> bool:
        """Whether it turns about its axis."""
        return self.kind in TURNING

    @property
    def moves(self) -> bool:
        """Whether it is not fixed."""
        return self.kind != 'fixed'

    @property
    def unit(self) -> str:
        """Unit of its position."""
        return 'm' if self.kind == 'prismatic' else 'rad'

    @property
    def leader(self) -> str:
        """Name of the joint that it follows; its own if it follows none."""
        return self.name if self.mimic is None else self.mimic.joint


@dataclass(frozen=True)
class Robot:
    """A tree of links and joints.

    Attributes:
        links: names of all links.
        joints: all joints.
        root: the link without a joint before it.
        driven: names of joints that have a motor in the file; empty where it names none.
    """

    links: tuple[str, ...]
    joints: tuple[RobotJoint, ...]
    root: str
    driven: frozenset[str] = frozenset()

    @cached_property
    def above(self) -> Mapping[str, RobotJoint]:
        """The joint before each link but the root."""
        return {joint.child: joint for joint in self.joints}

    @cached_property
    def below(self) -> Mapping[str, tuple[RobotJoint, ...]]:
        """The joints behind each link."""
        found: dict[str, tuple[RobotJoint, ...]] = dict.fromkeys(self.links, ())
        for joint in self.joints:
            found[joint.parent] += (joint,)
        return found

    @cached_property
    def by_name(self) -> Mapping[str, RobotJoint]:
        """The joints by name."""
        return {joint.name: joint for joint in self.joints}

    @property
    def default_base(self) -> str:
        """The link that targets are given in unless the user names another."""
        return 'base_link' if 'base_link' in self.links else self.root

    def upwards(self, link: str) -> Iterator[RobotJoint]:
        """Yield the joints from a link up to the root."""
        while link in self.above:
            yield self.above[link]
            link = self.above[link].parent

    def behind(self, link: str) -> Iterator[RobotJoint]:
        """Yield all joints behind a link, each before those behind it."""
        waiting = [link]
        while waiting:
            joints = self.below[waiting.pop()]
            yield from joints
            waiting.extend(joint.child for joint in reversed(joints))

    def check_link(self, link: str, option: str) -> str:
        """Return the name of a link.

        Raises:
            ConfigError: the robot has none of that name.
        """
        if link in self.links:
            return link
        raise ConfigError(
            f"{option}: there is no link '{link}'; links are {listed(self.links)}"
            f'{closest(link, self.links)}'
        )


class Route(NamedTuple):
    """The joints from a base link to a tip link.

    Attributes:
        start: (4, 4) pose, in the base link, of the link where ``joints`` start.
        joints: from there down to the tip.
        frames: (4, 4) pose of each joint's child in its parent, at position 0.
    """

    start: FloatArray
    joints: tuple[RobotJoint, ...]
    frames: tuple[FloatArray, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Placed(RobotJoint):
    """A joint with its place in the base link.

    Attributes:
        point: (3,) m, on the axis.
        direction: (3,) unit vector along the axis.
    """

    point: FloatArray
    direction: FloatArray

    def lever(self, point: FloatArray) -> float:
        """Return how far a point (3,) is from the axis, in m."""
        return float(np.linalg.norm(np.cross(self.direction, point - self.point)))

    def angle_to(self, other: Placed) -> float:
        """Return the angle in rad between two axes, whatever their sense: 0 to pi / 2."""
        a, b = self.direction, other.direction
        return math.atan2(float(np.linalg.norm(np.cross(a, b))), abs(float(a @ b)))


def find_route(robot: Robot, base: str, tip: str) -> Route:
    """Return the way from a base link to a tip link.

    Raises:
        ConfigError: the base is behind a joint that moves and the tip is not.
    """
    to_base, to_tip = list(robot.upwards(base)), list(robot.upwards(tip))
    start = np.eye(4)
    for joint in to_base:
        if joint in to_tip:
            break
        if joint.moves:
            raise ConfigError(
                f"the tip '{tip}' is not behind the base '{base}', which is "
                f"itself behind the joint '{joint.name}'; choose a base before both, "
                f"such as '{robot.root}'"
            )
        start = start @ np.linalg.inv(_matrix(Plane.from_pose(joint.xyz, joint.rpy)))
    joints = tuple(one for one in to_tip if one not in to_base)[::-1]
    frames = tuple(_matrix(Plane.from_pose(joint.xyz, joint.rpy)) for joint in joints)
    return Route(start, joints, frames)


def _matrix(frame: Plane) -> FloatArray:
    """Return the (4, 4) pose of a frame."""
    return np.array([*zip(*frame.axes, frame.origin, strict=True), (0.0, 0.0, 0.0, 1.0)])


def place(route: Route, positions: Mapping[str, float]) -> tuple[list[Placed], FloatArray]:
    """Return the joints on the way that move, and the (4, 4) pose of the tip; in the base link.

    Positions are in rad or m, and 0 for joints not given.
    """
    pose, placed = route.start, []
    for joint, frame in zip(route.joints, route.frames, strict=True):
        pose = pose @ frame
        if joint.moves:
            direction = pose[:3, :3] @ np.array(joint.axis)
            placed.append(Placed(**vars(joint), point=pose[:3, 3], direction=direction))
            position = positions.get(joint.name, 0.0)
            if joint.turns:
                x, y, z = (math.sin(0.5 * position) * part for part in joint.axis)
                turned = Plane.from_quaternion(ORIGIN, (x, y, z, math.cos(0.5 * position)))
                pose = pose @ _matrix(turned)
            elif joint.kind == 'prismatic':
                pose[:3, 3] += position * direction
    return placed, pose


def all_positions(robot: Robot, given: Mapping[str, float]) -> dict[str, float]:
    """Return positions completed with those of followers; joints not given are at 0."""
    rules = {joint.name: joint.mimic for joint in robot.joints if joint.mimic is not None}
    led = {
        name: rule.multiplier * given.get(rule.joint, 0.0) + rule.offset
        for name, rule in rules.items()
    }
    return {**dict.fromkeys(robot.by_name, 0.0), **led, **given}

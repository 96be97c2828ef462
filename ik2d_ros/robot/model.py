"""A robot as a tree of links and joints, immutable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

Vector = tuple[float, float, float]

TURNING = ('revolute', 'continuous')
KINDS = (*TURNING, 'prismatic', 'floating', 'planar', 'fixed')


@dataclass(frozen=True)
class Mimic:
    """The rule of a joint that follows another: ``position = multiplier * joint + offset``."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


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
        lower: smallest position in rad or m; None where the file gives none.
        upper: largest position.
        velocity: limit in rad/s or m/s; None where the file gives none.
        mimic: the joint that it follows, or None.
        commanded: (lower, upper) that the file gives for ros2_control, or None.
    """

    name: str
    kind: str
    parent: str
    child: str
    xyz: Vector = (0.0, 0.0, 0.0)
    rpy: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (1.0, 0.0, 0.0)
    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    mimic: Mimic | None = None
    commanded: tuple[float, float] | None = None

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


@dataclass(frozen=True)
class Robot:
    """A tree of links and joints.

    Attributes:
        links: names of all links.
        joints: all joints.
        root: the link that no joint is before.
        loops: links that the file closes to a loop, outside the tree.
    """

    links: tuple[str, ...]
    joints: tuple[RobotJoint, ...]
    root: str
    loops: tuple[str, ...] = ()

    @cached_property
    def above(self) -> Mapping[str, RobotJoint]:
        """The joint before each link but the root."""
        return {joint.child: joint for joint in self.joints}

    @cached_property
    def below(self) -> Mapping[str, tuple[RobotJoint, ...]]:
        """The joints behind each link."""
        found: dict[str, list[RobotJoint]] = {link: [] for link in self.links}
        for joint in self.joints:
            found[joint.parent].append(joint)
        return {link: tuple(joints) for link, joints in found.items()}

    @cached_property
    def by_name(self) -> Mapping[str, RobotJoint]:
        """The joints by name."""
        return {joint.name: joint for joint in self.joints}

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

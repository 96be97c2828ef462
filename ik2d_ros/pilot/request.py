"""The requests to an arm: one immutable type for each kind."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.plane import Plane, Quaternion, Vector
from ik2d_ros.motion.state import Positions
from ik2d_ros.pilot.clock import NO_STAMP, Stamp

LARGEST_NUMBER = 1e6
"""The largest number in a request for joints or velocities, in rad, m, rad/s or m/s."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """A request that moves the arm; the last one wins.

    Attributes:
        frame_id: the frame of its coordinates; empty for the arm's base frame.
        stamp: its stamp; zero for its time of arrival.
    """

    frame_id: str = ''
    stamp: Stamp = NO_STAMP

    @property
    def fault(self) -> str:
        """The fault of its content, to follow "The target"; empty if it is valid."""
        return _fault_of(self)


@dataclass(frozen=True)
class Point(Target):
    """Bring the tip to a point: x, y, z in m."""

    point: Vector


@dataclass(frozen=True)
class Pose(Point):
    """Bring the tip to a point, along the x-axis of x, y, z, w, of any length but zero.

    Where the arm has a roll, that turns the tip's y-axis to that of the orientation.
    """

    orientation: Quaternion

    @cached_property
    def axes(self) -> tuple[tuple[Vector, Vector] | None, str]:
        """Its x-axis and its y-axis, as of :func:`axes_of`."""
        return axes_of(self.orientation)


@dataclass(frozen=True)
class Path(Target):
    """Move the tip along straight lines.

    Attributes:
        points: returns (k, 3) points in m, or (k, 7) with an orientation each, as of a pose; or
            raises ArgumentError. It is called where the path is judged: it may take longer than the
            time between two ticks.
    """

    points: Callable[[], FloatArray]


@dataclass(frozen=True)
class Home(Target):
    """Move the joints to their home positions."""


@dataclass(frozen=True)
class Joints(Target):
    """Move joints to positions, in rad or m; the others stay where they are going.

    Attributes:
        names: joints of the arm, and auxiliary joints.
        positions: by the names.
    """

    names: tuple[str, ...]
    positions: Positions


@dataclass(frozen=True)
class Jog(Target):
    """Move the tip at a velocity, for as long as such requests come.

    Attributes:
        linear: x, y, z of the tip's velocity in m/s.
        angular: x, y, z of its angular velocity in rad/s; that about the plane's normal counts,
            if the arm can choose its tip angle.
    """

    linear: Vector
    angular: Vector = (0.0, 0.0, 0.0)

    @property
    def velocities(self) -> tuple[float, ...]:
        """All of them; zeros stop the arm."""
        return (*self.linear, *self.angular)


@dataclass(frozen=True)
class JogJoints(Target):
    """Move joints at velocities by their names, rad/s or m/s, for as long as such requests come."""

    names: tuple[str, ...]
    velocities: tuple[float, ...]


Jogging = Jog | JogJoints
OfJoints = Joints | JogJoints
AtPositions = Home | Joints


@dataclass(frozen=True)
class NamedPose:
    """Move joints to the positions of a named pose."""

    name: str


@dataclass(frozen=True)
class Query:
    """Ask for the answer to a target; nothing moves."""

    target: Target


@dataclass(frozen=True)
class Stop:
    """Brake, and forget the target."""


@dataclass(frozen=True)
class Enable:
    """Move again when asked to, or with False, stop and refuse to move until then."""

    is_on: bool


def _fault_of(target: Target) -> str:
    match target:
        case Pose() if target.axes[1]:
            return target.axes[1]
        case Point(point):
            return '' if all(map(math.isfinite, point)) else 'is not finite'
        case Joints(names, values):
            return _mismatch(names, values, 'position')
        case JogJoints(names, values):
            return _mismatch(names, values, 'velocity')
        case Jog() if not all(abs(v) <= LARGEST_NUMBER for v in target.velocities):
            return f'has a velocity that is not a number up to {LARGEST_NUMBER:g}'
    return ''


def _mismatch(names: tuple[str, ...], values: tuple[float, ...], kind: str) -> str:
    if not names:
        return 'names no joints'
    if len(names) != len(values) or len({*names}) < len(names):
        return f'must have one {kind} for each joint: it has {len(values)} for {len(names)} names'
    if not all(abs(value) <= LARGEST_NUMBER for value in values):
        return f'has a {kind} that is not a number up to {LARGEST_NUMBER:g}'
    return ''


Request = Target | NamedPose | Query | Stop | Enable


class Reply(NamedTuple):
    """The reply to a caller at once: whether the request was taken, and why not."""

    success: bool = True
    message: str = ''


class Missing(NamedTuple):
    """A frame whose pose is unknown.

    Attributes:
        cause: why.
        until: it may still become known until this time of the steady clock in s; -inf if it never
            will.
    """

    cause: str
    until: float = -math.inf


FrameLookup = Callable[[str, str, int], Plane | Missing]
"""Returns the pose of a frame in another at a time in ns; 0 for the latest."""


def axes_of(quaternion: Quaternion) -> tuple[tuple[Vector, Vector] | None, str]:
    """Return the x-axis and the y-axis of an orientation.

    Args:
        quaternion: x, y, z, w; of any length but zero.

    Returns:
        Two unit vectors and an empty text, or None and the quaternion's error, to follow "The
        target".
    """
    words = f'({", ".join(f"{part:g}" for part in quaternion)})'
    if not all(map(math.isfinite, quaternion)):
        return None, f'has an orientation that is not finite: the quaternion {words}'
    largest = max(map(abs, quaternion))
    if largest == 0.0:
        return None, f'has no orientation: the quaternion is {words}, of length zero'
    # The largest is 1 first: neither huge nor tiny numbers lose their squares.
    x, y, z, w = (part / largest for part in quaternion)
    return Plane.from_quaternion((0.0, 0.0, 0.0), (x, y, z, w)).axes[:2], ''

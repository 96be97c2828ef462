"""Planes in space: where a chain moves, as a turntable carries it, and walls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ik2d_ros.kinematics.arguments import (
    LARGEST_ANGLE,
    LARGEST_LENGTH,
    ArgumentError,
    ChainError,
    FloatArray,
    Ik2dError,
    finite,
    finite_row,
    name_of,
    refusal,
    replace_fields,
    shown,
    span,
)

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]  # x, y, z, w
Number = TypeVar('Number', float, FloatArray)  # One number, or an array of them.

# A unit vector's projection into a plane that is shorter has no direction: that of a quaternion in
# single precision is as uncertain.
SHORTEST = 1e-6

_TURN_ROUNDING = 1e-15  # Share of the lengths: an offset or a lean that is no larger is 0.

ROUNDING = 1e-10
"""In reaches: rounding that counts as on this side of a wall."""


def dot(a: Vector, b: tuple[Number, Number, Number]) -> Number:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def combined(
    axes: tuple[Vector, Vector, Vector], x: Number, y: Number, z: Number | float
) -> tuple[Number, Number, Number]:
    """Return the vector with some components along three axes."""
    (a, b, c), (d, e, f), (g, h, i) = axes
    return a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z


def product(first: Quaternion, second: Quaternion) -> Quaternion:
    """Return the rotation by the second and then, about axes that stay, by the first."""
    (a, b, c, d), (x, y, z, w) = first, second
    return (
        d * x + a * w + b * z - c * y,
        d * y - a * z + b * w + c * x,
        d * z + a * y - b * x + c * w,
        d * w - a * x - b * y - c * z,
    )


class PlanePoint(NamedTuple):
    """A point in a plane's coordinates in m: along x-axis and y-axis, and along the normal."""

    x: float
    y: float
    out_of_plane: float


class Plane(NamedTuple):
    """A plane with its x-axis, y-axis and normal; the first joint is at its origin.

    Attributes:
        origin: in the surrounding frame, in m.
        axes: unit vectors of x, y and normal in the surrounding frame.
    """

    origin: Vector
    axes: tuple[Vector, Vector, Vector]

    @classmethod
    def from_pose(cls, xyz: Sequence[float], rpy: Sequence[float]) -> Plane:
        """Return the x-y plane of a frame at xyz in m, turned by roll, pitch, yaw in rad (URDF).

        Raises:
            ArgumentError: not three finite numbers, or one beyond 1e4 m or 1e3 rad.
        """
        angles = vector('rpy', rpy, LARGEST_ANGLE, 'rad')
        (cr, cp, cy), (sr, sp, sy) = map(math.cos, angles), map(math.sin, angles)
        return cls(
            origin=vector('xyz', xyz, LARGEST_LENGTH, 'm'),
            axes=(
                (cy * cp, sy * cp, -sp),
                (cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr),
                (cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr),
            ),
        )

    def rpy(self) -> Vector:
        """Return roll, pitch, yaw in rad, as :meth:`from_pose` takes them; upright, roll is 0."""
        (ux, uy, uz), (vx, vy, _), (nx, ny, _) = self.axes
        level = math.hypot(ux, uy)
        pitch = math.atan2(-uz, level)
        if level <= 1e-12:
            return 0.0, pitch, math.atan2(-vx, vy)
        # Near that, rounding decides about yaw: the rest of the rotation is roll.
        yaw, cy, sy = math.atan2(uy, ux), ux / level, uy / level
        return math.atan2(sy * nx - cy * ny, cy * vy - sy * vx), pitch, yaw

    @classmethod
    def from_quaternion(cls, xyz: Vector, quaternion: Quaternion) -> Plane:
        """Return the x-y plane of a frame at xyz in m, turned by x, y, z, w of any length but 0.

        ``point`` then converts a point in the frame to the surrounding frame.

        Raises:
            ArgumentError: a number is not finite, or the quaternion is zero.
        """
        length = math.hypot(*quaternion)
        if not (all(map(math.isfinite, xyz)) and math.isfinite(length)):
            raise ArgumentError(
                f'position {list(xyz)} and quaternion {list(quaternion)} must be finite'
            )
        if length == 0.0:
            raise ArgumentError('the quaternion is zero')
        x, y, z, w = (part / length for part in quaternion)
        return cls(
            origin=xyz,
            axes=(
                (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)),
                (2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)),
                (2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)),
            ),
        )

    def quaternion(self, turn: float = 0.0) -> Quaternion:
        """Return the rotation x, y, z, w of the axes, first turned about the normal, in rad."""
        roll, pitch, yaw = (0.5 * angle for angle in self.rpy())
        (cr, cp, cy), (sr, sp, sy) = (
            tuple(map(f, (roll, pitch, yaw))) for f in (math.cos, math.sin)
        )
        x, y = sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy
        z, w = cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy
        c, s = math.cos(0.5 * turn), math.sin(0.5 * turn)
        return c * x + s * y, c * y - s * x, c * z + s * w, c * w - s * z

    def direction(self, vector: tuple[Number, Number, Number]) -> tuple[Number, Number, Number]:
        """Convert a vector in the surrounding frame to its components along the axes."""
        (a, b, c), (d, e, f), (g, h, i) = self.axes
        x, y, z = vector
        return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z

    def angle_of(self, direction: Vector) -> float | None:
        """Return the angle in rad of a unit vector projected into it; None along the normal."""
        x, y, _ = self.direction(direction)
        return math.atan2(y, x) if math.hypot(x, y) > SHORTEST else None

    def angle_off(self, angle: float, asked: float | Vector | None) -> float:
        """Return how far an angle is from another one in rad, or of a direction; 0 from any."""
        if isinstance(asked, tuple):
            asked = self.angle_of(asked)
        if asked is None or math.isinf(asked):
            return 0.0
        return abs(math.remainder(angle - asked, math.tau))

    def locate(self, point: Vector) -> PlanePoint:
        """Convert a point in the surrounding frame, in m, to plane coordinates."""
        (x, y, z), (a, b, c) = point, self.origin
        return tuple.__new__(PlanePoint, self.direction((x - a, y - b, z - c)))

    def located(self, points: FloatArray) -> FloatArray:
        """Convert points (..., 3) in the surrounding frame, in m, to plane coordinates."""
        x, y, z = np.moveaxis(points - self.origin, -1, 0)
        return np.stack(self.direction((x, y, z)), -1)

    def point(
        self, x: Number, y: Number, out_of_plane: Number | float = 0.0
    ) -> tuple[Number, Number, Number]:
        """Convert plane coordinates to a point in the surrounding frame, in m."""
        a, b, c = self.origin
        p, q, r = combined(self.axes, x, y, out_of_plane)
        return a + p, b + q, c + r


class TurningPlane(NamedTuple):
    """A plane that turns about an axis parallel to it, or all but parallel.

    Attributes:
        frame: of the axis, at a point on it: ``out``, at right angles to the axis in the plane at
            turn 0, ``across``, at right angles to both, and the axis. A turn rotates ``out``
            towards ``across``.
        plane: the plane at turn 0, seen in the axis frame.
        lean: sine of the angle between axis and plane; positive towards the plane's normal.
        offset: signed distance of the plane from the frame's origin, along its normal, in m.
    """

    frame: Plane
    plane: Plane
    lean: float
    offset: float

    @classmethod
    def of(cls, plane: Plane, origin: Vector, axis: Vector) -> TurningPlane:
        """Return a plane as it turns, about an axis through an origin in m, a unit vector."""
        normal = plane.axes[2]
        lean = dot(axis, normal)
        lean = lean if abs(lean) >= _TURN_ROUNDING else 0.0
        upright = math.sqrt(1.0 - lean * lean)
        (a, b, c), (x, y, z) = axis, ((n - lean * p) / upright for n, p in zip(normal, axis))
        frame = Plane(origin, ((y * c - z * b, z * a - x * c, x * b - y * a), (x, y, z), axis))
        right, up, facing = map(frame.direction, plane.axes)
        seen = Plane(frame.locate(plane.origin), (right, up, facing))
        offset = dot(seen.origin, facing)
        if abs(offset) <= _TURN_ROUNDING * (math.hypot(*plane.origin) + math.hypot(*origin)):
            offset = 0.0
        return cls(frame, seen, lean, offset)

    @property
    def upright(self) -> float:
        """Cosine of the angle between axis and plane."""
        return math.sqrt(1.0 - self.lean * self.lean)

    def point(
        self, seen: tuple[Number, Number, Number], turn: Number
    ) -> tuple[Number, Number, Number]:
        """Turn a point of the axis frame by an angle, and convert it to the surrounding frame."""
        return self.frame.point(*_turned(seen, turn))

    def plane_at(self, turn: Any) -> Plane:
        """Return the plane after a turn by an angle, in the surrounding frame."""
        origin, axes = self.plane
        x, y, normal = (combined(self.frame.axes, *_turned(axis, turn)) for axis in axes)
        return Plane(self.point(origin, turn), (x, y, normal))

    def turns_to(self, point: Vector, shift: float = 0.0) -> tuple[float, float]:
        """Return the turns in rad that bring the plane, shifted along its normal, to a point.

        The first has the point, of the surrounding frame, in front of the axis, the other behind
        it.
        """
        out, across, height = self.frame.locate(point)
        radius = math.hypot(out, across)
        beside = (self.offset + shift - self.lean * height) / self.upright
        ahead = math.sqrt(max(0.0, radius - abs(beside)) * (radius + abs(beside)))
        bearing = math.atan2(across, out)
        return bearing - math.atan2(beside, ahead), bearing - math.atan2(beside, -ahead)


def _turned(seen: tuple[Number, Number, Number], turn: Number) -> tuple[Number, Number, Number]:
    out, across, height = seen
    if isinstance(turn, np.ndarray):
        cos, sin = np.cos(turn), np.sin(turn)
    else:
        cos, sin = math.cos(turn), math.sin(turn)
    return out * cos - across * sin, out * sin + across * cos, height


@dataclass(frozen=True)
class Wall:
    """A plane in the base frame; an arm stays on the side to which the normal points.

    Example:
        >>> from ik2d_ros.kinematics import Arm, Chain, Wall, solve
        >>> wall = Wall(point=(0.0, 0.0, 0.0), normal=(0.0, 1.0, 0.0), clearance=0.01)
        >>> solve(Arm(Chain.from_lengths([0.30, 0.25]), walls=[wall]), (0.3, 0.0, 0.0)).status.name
        'BLOCKED'

    Attributes:
        point: in the plane, in m.
        normal: of any length but zero; kept as a unit vector.
        clearance: how far pivots and tip stay away in m: half of a link's thickness.
        name: what messages call it.

    Raises:
        ChainError: a value is not of its kind or out of its range.
    """

    point: Vector
    normal: Vector
    clearance: float = 0.0
    name: str = 'wall'

    def __post_init__(self) -> None:
        of = f'wall {shown(name_of("wall", self.name))}: '
        point = vector('point', self.point, LARGEST_LENGTH, 'm', of)
        normal = direction('normal', self.normal, of)
        clearance = finite(self.clearance)
        if clearance is None or not 0.0 <= clearance <= LARGEST_LENGTH:
            allowed = f'a number from 0 to {LARGEST_LENGTH:.12g}, in m'
            raise ChainError(refusal(f'{of}clearance', self.clearance, allowed), 'clearance')
        replace_fields(self, point=point, normal=normal, clearance=clearance)

    @cached_property
    def _offset(self) -> float:
        return dot(self.normal, self.point) + self.clearance

    def height(self, x: Number, y: Number, z: Number) -> Number:
        """Return how far a point of the base frame is on this side, in m; negative: across."""
        a, b, c = self.normal
        return a * x + b * y + c * z - self._offset


class Contact(NamedTuple):
    """What is, or would be, across a wall: its name, the part in words, and its depth in m."""

    wall: str
    part: str
    depth: float


def unit_vector(vector: Vector) -> Vector | None:
    """Return a vector of finite numbers with length 1, or None without a direction."""
    largest = max(map(abs, vector))
    if largest == 0.0:
        return None
    # Scaled first, so that the squares of tiny and huge components are not lost.
    x, y, z = (part / largest for part in vector)
    length = math.hypot(x, y, z)
    return x / length, y / length, z / length


def direction(field: str, value: object, of: str = '') -> Vector:
    """Return the unit vector of three numbers; of a joint or a wall, errors are ChainErrors."""
    row = finite_row(value, 3)
    unit = unit_vector((row[0], row[1], row[2])) if row else None
    if unit is None:
        raise _refused(field, value, 'three finite numbers, not all of them 0', of)
    return unit


def vector(field: str, value: object, largest: float, unit: str, of: str = '') -> Vector:
    """Return three finite numbers, none beyond the largest; the same message and errors."""
    row = finite_row(value, 3, largest)
    if row is None:
        raise _refused(field, value, f'three finite numbers {span(largest, unit)}', of)
    x, y, z = row
    return x + 0.0, y + 0.0, z + 0.0


def _refused(field: str, value: object, allowed: str, of: str) -> Ik2dError:
    kind = ChainError if of else ArgumentError
    return kind(refusal(f'{of}{field}', value, allowed), field)

"""How a turntable carries a plane: the geometry of a point of the plane, a turn and a target.

The *axis frame* has its origin on the turntable's axis and three directions: ``out``, at right
angles to the axis in the plane where the turntable is at 0; ``across``, at right angles to both;
and the axis. A turn by t rotates ``out`` towards ``across``. Coordinates in it are in m.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeVar

import numpy as np

from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.plane import Plane, Vector

Number = TypeVar('Number', float, FloatArray)  # One number, or an array of them.


def dot(a: Vector, b: Vector) -> float:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def _combined(a: float, first: Vector, b: float, second: Vector) -> Vector:
    x, y, z = (a * p + b * q for p, q in zip(first, second, strict=True))
    return x, y, z


class Goal(NamedTuple):
    """A target about the turntable's axis.

    Attributes:
        radius: distance from the axis in m.
        angle: about the axis, from ``out`` of the axis frame, in rad.
        height: along the axis in m.
    """

    radius: float
    angle: float
    height: float


class Sweep(NamedTuple):
    """A plane that turns about an axis parallel to it, or all but parallel.

    With the axis leaning out of the plane by a small angle whose cosine and sine are ``c`` and
    ``e``, a point of the plane that is ``s`` out from the axis and ``k`` along it (both measured in
    the plane) has the coordinates ``(s, c d - e k, c k + e d)`` in the axis frame, where ``d`` is
    how far the plane stands beside the origin.

    Attributes:
        origin: a point on the axis, in the surrounding frame.
        frame: ``out``, ``across`` and the axis as unit vectors of the surrounding frame.
        c: cosine of the angle between axis and plane.
        e: its sine; positive where the axis leans to the side of the plane's normal.
        d: signed distance of the plane from the origin, along its normal, in m.
        base: ``s`` and ``k`` of the plane's own origin, in m.
        s_of: ``s`` of the plane's x and y unit vectors.
        k_of: ``k`` of the same.
        scale: how large the coordinates are that all this was computed from, in m.
    """

    origin: Vector
    frame: tuple[Vector, Vector, Vector]
    c: float
    e: float
    d: float
    base: tuple[float, float]
    s_of: tuple[float, float]
    k_of: tuple[float, float]
    scale: float

    @classmethod
    def of(cls, plane: Plane, origin: Vector, axis: Vector) -> Sweep:
        """Return the sweep of a plane.

        Args:
            plane: where it is while the turn is 0.
            origin: a point on the axis, in m.
            axis: unit vector.
        """
        u, v, n = plane.axes
        e = dot(axis, n)
        if abs(e) < 1e-15:
            e = 0.0
        c = math.sqrt(1.0 - e * e)
        across = _combined(1.0 / c, n, -e / c, axis)
        out = _cross(across, axis)
        along = _combined(1.0 / c, axis, -e / c, n)  # the axis, projected into the plane
        to_plane = _combined(1.0, plane.origin, -1.0, origin)
        scale = math.hypot(*plane.origin) + math.hypot(*origin)
        d = dot(to_plane, n)
        if abs(d) <= 1e-15 * scale:
            d = 0.0
        return cls(
            origin=origin,
            frame=(out, across, axis),
            c=c,
            e=e,
            d=d,
            base=(dot(to_plane, out), dot(to_plane, along)),
            s_of=(dot(u, out), dot(v, out)),
            k_of=(dot(u, along), dot(v, along)),
            scale=scale,
        )

    def locate(self, point: Vector) -> Vector:
        """Convert a point in the surrounding frame to the axis frame."""
        x, y, z = point[0] - self.origin[0], point[1] - self.origin[1], point[2] - self.origin[2]
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = self.frame
        return (
            ax * x + ay * y + az * z,
            bx * x + by * y + bz * z,
            cx * x + cy * y + cz * z,
        )

    def located(self, points: FloatArray) -> FloatArray:
        """Convert points (m, 3) in the surrounding frame to the axis frame."""
        seen: FloatArray = (points - self.origin) @ np.array(self.frame).T
        return seen

    def direction(self, vector: Vector) -> Vector:
        """Convert a vector in the surrounding frame to the axis frame."""
        out, across, axis = self.frame
        return dot(out, vector), dot(across, vector), dot(axis, vector)

    def distance(self, point: Vector) -> float:
        """Return how far a point of the surrounding frame is from the axis, in m."""
        out, across, _ = self.locate(point)
        return math.hypot(out, across)

    def met(self, point: Vector) -> list[tuple[float, float]]:
        """Return the x and y that a point of the surrounding frame has in the plane, in m.

        There is one pair for each turn at which the plane meets the point: in front of the axis and
        over the back. A point that is nearer to the axis than the plane is projected into it.
        """
        out, across, height = self.locate(point)
        radius, beside = math.hypot(out, across), self.across_at(height)
        if radius < abs(beside):
            return [self.flatten(0.0, beside, height)]
        out = math.sqrt(radius - abs(beside)) * math.sqrt(radius + abs(beside))
        return [self.flatten(out, beside, height), self.flatten(-out, beside, height)]

    def turns(self, point: Vector) -> tuple[float, float]:
        """Return the turns that bring the plane to a point, or next to it, in rad.

        In front of the axis and over the back; the same two if the plane only comes next to it.
        """
        out, across, height = self.locate(point)
        radius, beside = math.hypot(out, across), self.across_at(height)
        ahead = math.sqrt(max(0.0, radius - abs(beside)) * (radius + abs(beside)))
        bearing = math.atan2(across, out)
        return bearing - math.atan2(beside, ahead), bearing - math.atan2(beside, -ahead)

    def across_at(self, height: Number) -> Number:
        """Return how far across a point of the axis frame is in the plane at turn 0, in m."""
        return (self.d - self.e * height) / self.c

    def beside(self, across: Number, height: Number) -> Number:
        """Return how far a point of the axis frame is beside the plane at turn 0, in m.

        Along the plane's normal: below 0 on the other side.
        """
        return self.c * across + self.e * height - self.d

    def along(self, across: Number, height: Number) -> Number:
        """Return how far along the axis a point of the axis frame is, seen in the plane, in m."""
        return self.c * height - self.e * across

    def flatten(self, out: Number, across: Number, height: Number) -> tuple[Number, Number]:
        """Project a point of the axis frame into the plane at turn 0: its x and y there.

        A point seen from a plane that has turned is to be turned back first.
        """
        s = out - self.base[0]
        k = self.along(across, height) - self.base[1]
        return self.s_of[0] * s + self.k_of[0] * k, self.s_of[1] * s + self.k_of[1] * k

    def raised(self, x: Number, y: Number) -> tuple[Number, Number, Number]:
        """Return a point of the plane, given by x and y there, in the axis frame at turn 0."""
        s = self.base[0] + self.s_of[0] * x + self.s_of[1] * y
        k = self.base[1] + self.k_of[0] * x + self.k_of[1] * y
        return s, self.c * self.d - self.e * k, self.c * k + self.e * self.d

    def turned(
        self, part: tuple[Number, Number, Number], cos: Number, sin: Number
    ) -> tuple[Number, Number, Number]:
        """Turn a vector of the axis frame, and convert it to the surrounding frame.

        Args:
            part: its components out, across and along the axis.
            cos: cosine of the turn.
            sin: its sine.
        """
        s, t, h = part
        p, q = s * cos - t * sin, s * sin + t * cos
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = self.frame
        return (
            p * ax + q * bx + h * cx,
            p * ay + q * by + h * cy,
            p * az + q * bz + h * cz,
        )

    def point(self, raised: Vector, turn: float) -> Vector:
        """Turn a point of the axis frame by an angle, and convert it to the surrounding frame."""
        x, y, z = self.turned(raised, math.cos(turn), math.sin(turn))
        a, b, c = self.origin
        return a + x, b + y, c + z

    def plane(self, turn: float) -> Plane:
        """Return the plane after a turn by an angle, in the surrounding frame."""
        cos, sin = math.cos(turn), math.sin(turn)
        x, y = (
            self.turned((s, -self.e * k, self.c * k), cos, sin)
            for s, k in zip(self.s_of, self.k_of, strict=True)
        )
        normal = self.turned((0.0, self.c, self.e), cos, sin)
        return Plane(self.point(self.raised(0.0, 0.0), turn), (x, y, normal))

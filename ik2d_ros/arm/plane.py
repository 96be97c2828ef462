"""The arm's plane in space: from points in a frame to points in the plane, and back."""

from __future__ import annotations

import math
from typing import NamedTuple

Vector = tuple[float, float, float]


class PlanePoint(NamedTuple):
    """A point as the arm sees it, in m.

    Attributes:
        x: along the plane's x-axis.
        y: along the plane's y-axis.
        out_of_plane: along the plane's normal, signed; 0 in the plane.
    """

    x: float
    y: float
    out_of_plane: float


class Plane(NamedTuple):
    """A plane with its x-axis, y-axis and normal; the first joint sits at its origin.

    Attributes:
        origin: in the surrounding frame, in m.
        axes: unit vectors of x, y and normal in the surrounding frame.
    """

    origin: Vector
    axes: tuple[Vector, Vector, Vector]

    def locate(self, point: Vector) -> PlanePoint:
        """A point of the surrounding frame, in m, as the plane sees it."""
        x, y, z = (p - o for p, o in zip(point, self.origin, strict=True))
        return PlanePoint(*(a * x + b * y + c * z for a, b, c in self.axes))

    def point(self, x: float, y: float, out_of_plane: float = 0.0) -> Vector:
        """The point of the surrounding frame, in m, that :meth:`locate` sees at these places."""
        u, v, n = self.axes
        px, py, pz = (
            o + x * a + y * b + out_of_plane * c
            for o, a, b, c in zip(self.origin, u, v, n, strict=True)
        )
        return px, py, pz


def plane_from_pose(xyz: Vector, rpy: Vector) -> Plane:
    """The x-y plane of a frame that is given as URDF gives an origin.

    Args:
        xyz: origin in the surrounding frame, in m.
        rpy: roll, pitch, yaw in rad: turns about the surrounding frame's fixed x, y and z, in this
            order.
    """
    (cr, cp, cy), (sr, sp, sy) = map(math.cos, rpy), map(math.sin, rpy)
    return Plane(
        origin=xyz,
        axes=(
            (cy * cp, sy * cp, -sp),
            (cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr),
            (cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr),
        ),
    )

"""The arm's plane in space: conversion of points between a frame and the plane."""

from __future__ import annotations

import math
from typing import NamedTuple

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]  # x, y, z, w


class PlanePoint(NamedTuple):
    """A point in the arm's plane coordinates, in m.

    Attributes:
        x: along the plane's x-axis.
        y: along the plane's y-axis.
        out_of_plane: signed distance along the plane's normal.
    """

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

    def locate(self, point: Vector) -> PlanePoint:
        """Convert a point in the surrounding frame, in m, to plane coordinates."""
        x, y, z = (p - o for p, o in zip(point, self.origin, strict=True))
        return PlanePoint(*(a * x + b * y + c * z for a, b, c in self.axes))

    def point(self, x: float, y: float, out_of_plane: float = 0.0) -> Vector:
        """Convert plane coordinates to a point in the surrounding frame, in m."""
        u, v, n = self.axes
        px, py, pz = (
            o + x * a + y * b + out_of_plane * c
            for o, a, b, c in zip(self.origin, u, v, n, strict=True)
        )
        return px, py, pz


def plane_from_pose(xyz: Vector, rpy: Vector) -> Plane:
    """Return the x-y plane of a frame whose pose is given in the URDF convention.

    Args:
        xyz: origin in the surrounding frame, in m.
        rpy: roll, pitch, yaw in rad: rotations about the fixed x, y and z of the surrounding frame,
            in this order.
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


def plane_from_quaternion(xyz: Vector, quaternion: Quaternion) -> Plane:
    """Return the x-y plane of a frame whose pose is given as in ROS messages.

    ``point`` then converts a point in the frame to the surrounding frame.

    Args:
        xyz: origin in the surrounding frame, in m.
        quaternion: rotation, x, y, z, w; of any length but zero.

    Raises:
        ValueError: a number is not finite, or the quaternion is zero.
    """
    length = math.hypot(*quaternion)
    if not (all(map(math.isfinite, xyz)) and math.isfinite(length)):
        raise ValueError(f'position {list(xyz)} and quaternion {list(quaternion)} must be finite')
    if length == 0.0:
        raise ValueError('the quaternion is zero')
    x, y, z, w = (part / length for part in quaternion)
    return Plane(
        origin=xyz,
        axes=(
            (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)),
            (2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)),
            (2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)),
        ),
    )

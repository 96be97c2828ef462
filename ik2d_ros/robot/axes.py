"""Angles and distances between the axes of joints."""

from __future__ import annotations

import math

import numpy as np

from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.route import Placed

STILL = 1e-6  # m; a tip this near to an axis is on it
NEAR = 0.5  # rad; an axis this near to parallel was meant to be


def quoted(placed: Placed) -> str:
    """Return the name of a joint for a message."""
    return f"'{printable(placed.joint.name)}'"


def angle_between(a: FloatArray, b: FloatArray) -> float:
    """Return the angle in rad between two axes, whatever their sense: 0 to pi / 2."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()  # quicker than arrays, and there are many
    cross = math.hypot(y * w - z * v, z * u - x * w, x * v - y * u)
    return math.atan2(cross, abs(x * u + y * v + z * w))


def lean(axis: FloatArray, normal: FloatArray) -> float:
    """Return the angle in rad between an axis and a plane: 0 to pi / 2."""
    return math.pi / 2.0 - angle_between(axis, normal)


def lever(placed: Placed, point: FloatArray, normal: FloatArray) -> float:
    """Return how far a point is from an axis along the normal, in m."""
    across = point - placed.point
    return float(np.linalg.norm(across - (across @ normal) * normal))

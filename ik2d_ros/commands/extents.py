"""What of its plane an arm reaches, and what its turntable or lift sweeps; no ROS, no drawing."""

from __future__ import annotations

import math

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.region import Points, Triangles


def spans(values: Points, triangles: Triangles) -> list[tuple[float, float]]:
    """Return the intervals, in order, that triangles cover in one coordinate.

    Args:
        values: (k,) the coordinate of each corner.
        triangles: (t, 3) indices.
    """
    covered: list[tuple[float, float]] = []
    corners = values[triangles]
    for low, high in sorted(zip(corners.min(axis=1), corners.max(axis=1), strict=True)):
        if covered and low <= covered[-1][1]:
            covered[-1] = covered[-1][0], max(covered[-1][1], float(high))
        else:
            covered.append((float(low), float(high)))
    return covered


def turns(arm: ArmDescription) -> tuple[float, float]:
    """Return from which to which position a turntable turns, in rad; a whole turn at most."""
    lower, upper = arm.limits[0]
    if not upper - lower < 2.0 * math.pi:
        return 0.0, 2.0 * math.pi
    return lower, upper


def ends_of_reach(points: Points, arm: ArmDescription) -> list[tuple[str, tuple[float, float]]]:
    """Return the points of an area farthest from and nearest to the base; ties go to home."""
    tip = arm.chain.forward(arm.in_plane(arm.home))[-1]
    away = np.hypot(*(points - tip).T)
    radii = np.round(np.hypot(*points.T) / (arm.chain.reach.outer or 1.0), 6)
    ends = {
        'farthest, ': points[np.lexsort([away, -radii])[0]],
        'nearest, ': points[np.lexsort([away, radii])[0]],
    }
    return [(name, (float(x), float(y))) for name, (x, y) in ends.items()]


def covered(points: Points, triangles: Triangles) -> float:
    """Return the area of triangles in m^2: ``points`` (k, 2) in m, ``triangles`` (t, 3) indices."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    doubled = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    return float(0.5 * doubled.sum())

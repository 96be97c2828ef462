"""The body that an arm in space can reach: its area, carried by the turntable or the lift.

No ROS imports and no drawing: the viewer and the plot draw it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.outline import Points, Triangles, outline
from ik2d_ros.arm.revolution import TURN, Revolution
from ik2d_ros.kinematics import Arm, Lift

WELD = 1e-6  # of the extent; corners that are closer together are one
FLAT = 1e-12  # area of a degenerate triangle, in squares of the reach


class Body(NamedTuple):
    """The surface of a body.

    Attributes:
        vertices: (k, 3) in m in the base frame.
        triangles: (t, 3) indices into them, counter-clockwise seen from outside.
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]


NO_BODY = Body(np.empty((0, 3)), np.empty((0, 3), dtype=np.int64))


def swept_body(arm: Arm, points: Points, triangles: Triangles) -> Body:
    """Return the surface of what the tip can reach in space.

    The surface follows chords of circles and of the area's outline, so it may be beside the true
    one by about a hundredth of the reach.

    Args:
        arm: the arm.
        points: (k, 2) corners of the chain's area in the plane, in m.
        triangles: (t, 3) indices into them, counter-clockwise (:func:`.area.reach_area`).

    Returns:
        The body; an empty one without turntable and lift, and for a lift without limits, whose
        body has no end.
    """
    if not len(triangles):
        return NO_BODY
    if arm.lift is not None:
        return _extruded(arm, arm.lift, points, triangles)
    if arm.sweep is None:
        return NO_BODY
    lower, upper = arm.limits[0]
    width = min(upper - lower, TURN)
    start = lower if width < TURN else 0.0
    revolution = Revolution(arm.sweep, start, width, arm.size or 1.0)
    return _welded(revolution.surface(points, triangles), revolution.size)


def _extruded(arm: Arm, lift: Lift, points: Points, triangles: Triangles) -> Body:
    if lift.lower is None or lift.upper is None:
        return NO_BODY
    ends = sorted((lift.axis * lift.lower, lift.axis * lift.upper))
    edge = outline(points, triangles)
    origin, axes = np.array(arm.plane.origin), np.array(arm.plane.axes)
    parts = []
    for height, order in zip(ends, ([0, 2, 1], [0, 1, 2]), strict=True):
        parts.append(np.insert(points, 2, height, axis=1)[triangles[:, order]])
    a, b = (np.insert(side, 2, ends[0], axis=1) for side in edge)
    c, d = (np.insert(side, 2, ends[1], axis=1) for side in edge)
    parts += [np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)]
    return _welded(np.concatenate(parts) @ axes + origin, arm.size or 1.0)


def _welded(corners: NDArray[np.float64], size: float) -> Body:
    """Return triangles (t, 3, 3) with the corners that they share."""
    a, b, c = np.moveaxis(corners, 1, 0)
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    corners = corners[areas > FLAT * size**2]
    if not len(corners):
        return NO_BODY
    vertices = corners.reshape(-1, 3)
    low = vertices.min(axis=0)
    extent = float(np.ptp(vertices, axis=0).max())
    places = np.round((vertices - low) / (WELD * extent)).astype(np.int64)
    names = (places[:, 0] << 42) + (places[:, 1] << 21) + places[:, 2]
    _, first, triangles = np.unique(names, return_index=True, return_inverse=True)
    return Body(vertices[first], triangles.reshape(-1, 3).astype(np.int64))

"""The body that an arm in space can reach, in few triangles: to be sent again and again.

No ROS imports and no drawing.
"""

from __future__ import annotations

import math

import numpy as np

from ik2d_ros.arm.outline import Points, Triangles
from ik2d_ros.arm.swept import Body, swept_body
from ik2d_ros.arm.thinning import thinned
from ik2d_ros.kinematics import Arm
from ik2d_ros.kinematics.sweep import Sweep

CELL = 0.06  # of the body's width or height; corners within a cell become one
TURN = math.radians(15.0)  # of a cell about a turntable's axis, at most
LEAST_TURNS = 8  # such cells from one limit to the other


def light_body(arm: Arm, points: Points, triangles: Triangles) -> Body:
    """Return the surface of :func:`.swept_body`, coarser: in some thousand triangles at most.

    Args:
        arm: the arm.
        points: (k, 2) corners of the chain's area in the plane, in m.
        triangles: (t, 3) indices into them, counter-clockwise (:func:`.area.reach_area`).
    """
    if arm.sweep is None:
        return swept_body(arm, *thinned(points, triangles))
    body, (lower, upper) = swept_body(arm, points, triangles), arm.limits[0]
    if not len(body.triangles):
        return body
    return _clustered(body, arm.sweep, min(TURN, (upper - lower) / LEAST_TURNS) or TURN)


def _clustered(body: Body, sweep: Sweep, turn: float) -> Body:
    """Merge the corners that are in the same cell about the axis into their mean."""
    out, across, height = ((body.vertices - sweep.origin) @ np.array(sweep.frame).T).T
    radius = np.hypot(out, across)
    cell = CELL * float(max(np.ptp(radius), np.ptp(height)))
    angle = np.where(radius < 0.5 * cell, 0.0, np.arctan2(across, out))
    turns = np.round(angle / turn) % math.ceil(2.0 * math.pi / turn)
    cells = np.stack([np.round(radius / cell), turns, np.round(height / cell)], axis=1)
    _, names, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    names = names.reshape(-1)
    sums = np.stack([np.bincount(names, part) for part in body.vertices.T], axis=1)
    corners = names[body.triangles]
    # Each once, whichever of its corners comes first.
    first = corners.argmin(axis=1)[:, None]
    turned = np.take_along_axis(corners, (first + np.arange(3)) % 3, axis=1)
    kept = np.unique(turned, axis=0)
    a, b, c = kept.T
    return Body(sums / counts[:, None], kept[(a != b) & (b != c) & (c != a)].astype(np.int64))

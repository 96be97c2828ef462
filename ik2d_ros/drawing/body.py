"""The body that an arm in space can reach: its area, moved by the turntable or the lift.

No ROS imports and no drawing: the page, the markers and the plot draw it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.drawing.area import reach_area
from ik2d_ros.drawing.region import Region
from ik2d_ros.kinematics import Arm

TURN = 2.0 * math.pi
STEP = math.radians(10.0)  # of a surface of revolution
CELLS = 60


class Body(NamedTuple):
    """The surface of a body.

    Attributes:
        vertices: (k, 3) in m in the base frame.
        triangles: (t, 3) indices into them, counter-clockwise seen from outside.
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]


NO_BODY = Body(np.empty((0, 3)), np.empty((0, 3), dtype=np.int64))


def swept_body(arm: Arm, cells: int = CELLS) -> Body:
    """Return the surface of the body that the tip can reach in space.

    It consists of the area's edge, moved along, and the area itself at both ends. Each part, in
    front of a turntable's axis and behind it, has its own surface: faces of one part may be inside
    the other.

    Args:
        arm: the arm.
        cells: of the area's grid; its edge makes most of the triangles.

    Returns:
        The body; an empty one without turntable and lift, and for a lift without limits, whose
        body is endless.
    """
    lower, upper = arm.limits[0]
    turning, lift = arm.turning_plane, arm.lift
    if turning is not None:
        width = min(upper - lower, TURN)
        start = lower if math.isfinite(lower) else 0.0
        count = math.ceil(width / STEP) + 1
        positions = start + width * np.linspace(0.0, 1.0, count, dtype=np.float64)
        out, along = turning.base.real, np.array([turning.along.real, turning.along.imag])
        front, back = (
            _swept(
                arm,
                reach_area(arm, cells, (sign * along, sign * out)),
                positions,
                sign,
                width == TURN,
            )
            for sign in (1.0, -1.0)
        )
        return Body(
            np.concatenate([front.vertices, back.vertices]),
            np.concatenate([front.triangles, back.triangles + len(front.vertices)]),
        )
    if lift is None or not math.isfinite(upper - lower):
        return NO_BODY
    ends = np.array([lower, upper])
    return _swept(arm, reach_area(arm, cells), ends, float(lift.axis), False)


def _swept(
    arm: Arm, area: Region, positions: NDArray[np.float64], sign: float, is_closed: bool
) -> Body:
    """Return the body that a part of the area sweeps.

    Args:
        arm: the arm.
        area: the part.
        positions: (k,) of turntable or lift in rad or m, ascending.
        sign: whether it moves along the plane's normal, 1, or against it, -1.
        is_closed: whether the last position is where the first is.
    """
    if not len(area.triangles):
        return NO_BODY
    x, y = area.points.T
    layers = np.stack(arm.placed(x, y, positions[:, None]), axis=-1)
    count, steps = len(area.points), len(positions) - 1
    if is_closed:
        layers = layers[:-1]
    begin, end = area.edge.T if sign > 0.0 else area.edge.T[::-1]
    below = (count * np.arange(steps))[:, None]
    above = (below + count) % (count * len(layers))
    walls: list[NDArray[np.int64]] = [
        np.stack([below + begin, below + end, above + end], axis=-1).reshape(-1, 3),
        np.stack([below + begin, above + end, above + begin], axis=-1).reshape(-1, 3),
    ]
    if not is_closed:
        flipped = area.triangles[:, [0, 2, 1]]
        first, last = (flipped, area.triangles) if sign > 0.0 else (area.triangles, flipped)
        walls += [first, count * steps + last]
    return Body(layers.reshape(-1, 3), np.concatenate(walls))

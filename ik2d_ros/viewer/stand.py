"""What an arm in space stands on: the floor, the axes of the base frame, turntable or lift."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.viewer import shapes
from ik2d_ros.viewer.drawing import (
    AT_LIMIT,
    FOOT,
    JOINT,
    LIMIT,
    add_grid,
    add_mesh,
    recolour,
    turn_of,
    turn_towards,
)

FLOOR = 2.5  # half the width of the floor, in sizes
AXES = 0.22  # length of the base frame's axes, in sizes
RAIL = 0.5  # half the length of a lift without limits, in sizes
AT_LIMIT_WITHIN = 1e-4  # rad or m


class Stand:
    """Everything in front of the chain; nothing of it moves but what the figure carries."""

    def __init__(self, scene: Any, arm: ArmDescription, size: float, reach: float) -> None:
        """Draw it.

        Args:
            scene: the viser scene.
            arm: an arm with a turntable or a lift.
            size: of all that is seen, in m.
            reach: of the chain, in m.
        """
        self._arm = arm
        self._limit: Any = None
        scene.add_frame('/ground', show_axes=False)
        add_grid(scene, '/ground', size, FLOOR, 0.0)
        scene.add_frame('/stand', axes_length=AXES * size, axes_radius=0.02 * AXES * size)
        width = shapes.radii(arm.chain)[0]
        frame = carrier_axis(arm)
        low, high = column(arm, reach)
        half = 0.5 * (high - low)
        if half > 0.1 * width:
            thickness = (1.1 if arm.turntable else 0.6) * width
            tube = shapes.disc(thickness, half, min(0.1 * width, 0.5 * half))
            where = frame.point(0.0, 0.0, low + half)
            add_mesh(scene, '/stand/column', tube, FOOT, position=where, wxyz=turn_of(frame))
        foot = _heights(arm, reach)[0]
        plate = shapes.disc(2.0 * width, 0.15 * width, 0.05 * width)
        where = frame.point(0.0, 0.0, foot)
        add_mesh(scene, '/stand/foot', plate, FOOT, position=where, wxyz=turn_of(frame))
        if arm.turntable is not None:
            self._add_turntable(scene, frame, foot, width)

    def show(self, positions: Sequence[float]) -> None:
        """Show whether the carrying joint is at a limit."""
        if self._limit is not None:
            lower, upper = self._arm.limits[0]
            slack = min(positions[0] - lower, upper - positions[0])
            recolour(self._limit, AT_LIMIT if slack <= AT_LIMIT_WITHIN else LIMIT)

    def _add_turntable(self, scene: Any, frame: Plane, foot: float, width: float) -> None:
        lower, upper = self._arm.limits[0]
        if upper - lower < 2.0 * math.pi:
            sector = shapes.band(2.0 * width, 3.6 * width, lower, upper)
            self._limit = add_mesh(
                scene, '/stand/limit', sector, LIMIT, opacity=0.45, side='double',
                position=frame.point(0.0, 0.0, foot), wxyz=turn_of(frame),
            )  # fmt: skip
        # From the axis to the chain's first joint, in the plane, which carries it.
        plane = self._arm.kinematics.plane
        _, _, height = frame.locate(plane.origin)
        x, y, out = plane.locate(frame.point(0.0, 0.0, height))
        span = math.hypot(x, y, out)
        if span > 0.1 * width:
            arm = shapes.link(span, 0.8 * width, 0.8 * width)
            add_mesh(scene, '/arm/bracket', arm, FOOT, wxyz=turn_towards((x, y, out)))
        hub = shapes.disc(1.3 * width, 0.9 * width, 0.1 * width)
        where = frame.point(0.0, 0.0, height)
        add_mesh(scene, '/stand/hub', hub, JOINT, position=where, wxyz=turn_of(frame))


def carrier_axis(arm: ArmDescription) -> Plane:
    """Return a frame whose z-axis is the axis of turntable or lift, in the base frame.

    Its x-axis points to the front of a turntable at 0.
    """
    sweep = arm.kinematics.sweep
    return arm.kinematics.plane if sweep is None else Plane(sweep.origin, sweep.frame)


def column(arm: ArmDescription, reach: float) -> tuple[float, float]:
    """Return from where to where the axis is drawn, along it in m, in :func:`carrier_axis`."""
    heights = _heights(arm, reach)
    return min(heights), max(heights)


def _heights(arm: ArmDescription, reach: float) -> list[float]:
    """Return where on the axis the base frame is, and where the plane may be."""
    frame = carrier_axis(arm)
    base = frame.locate((0.0, 0.0, 0.0)).out_of_plane
    if arm.lift is None:
        return [base, frame.locate(arm.kinematics.plane.origin).out_of_plane]
    lower, upper = arm.limits[0]
    ends = (lower, upper) if math.isfinite(lower) else (-RAIL * reach, RAIL * reach)
    return [base, *(arm.lift.axis * end for end in ends)]

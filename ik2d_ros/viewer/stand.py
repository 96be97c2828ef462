"""What an arm in space stands on: the floor, the axes of the base frame, turntable or lift."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.drawing import add_mesh, turn_of

FLOOR = 2.5  # half the width of the floor, in sizes
AXES = 0.22  # length of the base frame's axes, in sizes
RAIL = 0.5  # half the length of a lift without limits, in sizes


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
        drawing.add_grid(scene, '/ground', size, FLOOR, 0.0)
        scene.add_frame('/stand', axes_length=AXES * size, axes_radius=0.02 * AXES * size)
        width = drawing.radii(arm.chain)[0]
        frame, heights = carrier_axis(arm), axis_heights(arm, reach)
        low, half = min(heights), 0.5 * (max(heights) - min(heights))

        def add_disc(name: str, radius: float, tall: float, colour: Any, height: float) -> None:
            mesh = drawing.disc(radius, tall, min(0.1 * width, 0.5 * tall))
            where = frame.point(0.0, 0.0, height)
            add_mesh(scene, f'/stand/{name}', mesh, colour, position=where, wxyz=turn_of(frame))

        if half > 0.1 * width:
            thickness = (1.1 if arm.turntable else 0.6) * width
            add_disc('column', thickness, half, drawing.FOOT, low + half)
        add_disc('foot', 2.0 * width, 0.15 * width, drawing.FOOT, heights[0])
        if arm.turntable is None:
            return
        lower, upper = arm.limits[0]
        if upper - lower < 2.0 * math.pi:
            self._limit = add_mesh(
                scene,
                '/stand/limit',
                drawing.ring(2.0 * width, 3.6 * width, lower, upper),
                drawing.LIMIT,
                opacity=0.45,
                side='double',
                position=frame.point(0.0, 0.0, heights[0]),
                wxyz=turn_of(frame),
            )
        # From the axis to the chain's first joint, in the plane, which carries it.
        plane = arm.kinematics.plane
        _, _, height = frame.locate(plane.origin)
        x, y, out = plane.locate(frame.point(0.0, 0.0, height))
        span = math.hypot(x, y, out)
        if span > 0.1 * width:
            rpy = 0.0, -math.atan2(out, math.hypot(x, y)), math.atan2(y, x)
            turn = turn_of(Plane.from_pose((0.0, 0.0, 0.0), rpy))
            bracket = drawing.link(span, 0.8 * width, 0.8 * width)
            add_mesh(scene, '/arm/bracket', bracket, drawing.FOOT, wxyz=turn)
        add_disc('hub', 1.3 * width, 0.9 * width, drawing.JOINT, height)

    def show(self, positions: Sequence[float]) -> None:
        """Show whether the carrying joint is at a limit."""
        if self._limit is not None:
            drawing.colour_limit(self._limit, *self._arm.limits[0], positions[0])


def carrier_axis(arm: ArmDescription) -> Plane:
    """Return a frame whose z-axis is the axis of turntable or lift, in the base frame.

    Its x-axis points to the front of a turntable at 0.
    """
    sweep = arm.kinematics.sweep
    return arm.kinematics.plane if sweep is None else Plane(sweep.origin, sweep.frame)


def axis_heights(arm: ArmDescription, reach: float) -> list[float]:
    """Return where on the axis the base frame is, and where the plane may be, in m."""
    frame = carrier_axis(arm)
    base = frame.locate((0.0, 0.0, 0.0)).out_of_plane
    if arm.lift is None:
        return [base, frame.locate(arm.kinematics.plane.origin).out_of_plane]
    lower, upper = arm.limits[0]
    ends = (lower, upper) if math.isfinite(lower) else (-RAIL * reach, RAIL * reach)
    return [base, *(arm.lift.axis * end for end in ends)]

"""The handle of the target, and the needle of the tip angle on it: gizmos of viser.

A gizmo has squares for drags in two directions, each beside its origin; where a square alone is
shown, the origin is shifted, so that the square is at the target.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.kinematics.pointing import angle_refusal
from ik2d_ros.pilot.outcome import Colour
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.drawing import add_mesh, listen
from ik2d_ros.viewer.requests import Act, Request

# Of a gizmo of scale 1: centre and side of a square, and radius of the quarter arc about its z-axis
# that turns it; as in PivotControls of drei (JavaScript).
SQUARE_CENTER, SQUARE_SIDE, ARC = 1.7 / 7.0, 0.225, 0.65
MIDDLE = 0.25 * math.pi  # direction of the middle of that arc

SQUARE = 0.09  # side of the square, in reaches
HEIGHT = -0.04  # reaches; under the arm, so that the tip stays visible at the target
ARROWS = 0.22  # length of the arrows, in reaches
BALL = 0.03  # radius, in reaches
NEEDLE = 0.055, 0.2  # where it begins and ends, in reaches from the target
NEEDLE_THICKNESS = 0.012  # reaches
KEPT: Colour = (112, 72, 200)  # where the tip angle is kept; free, it is grey

NAME = '/target'


class Handle:
    """A square that is dragged in a fixed plane; for arms in space, arrows along the plane's axes.

    An arm that can keep a tip angle has a needle along the last link's x-axis, too: it is turned by
    the arc at its end.
    """

    def __init__(
        self, scene: Any, arm: ArmDescription, size: float, on_request: Callable[[Request], None]
    ) -> None:
        """Add it.

        Args:
            scene: the viser scene.
            arm: the arm.
            size: how far it reaches, in m.
            on_request: called from another thread when it is dragged.
        """
        self._plane = arm.kinematics.plane
        self._is_flat = arm.carrier is None
        side = SQUARE * size
        self._center = SQUARE_CENTER * side / SQUARE_SIDE if self._is_flat else 0.0
        self._height = HEIGHT * size
        if self._is_flat:
            looks = {'active_axes': (True, True, False), 'disable_axes': True, 'opacity': 0.0}
            looks |= {'scale': side / SQUARE_SIDE}
            mark = drawing.solid('annulus', 0.78 * side, 0.95 * side, 0.01 * side)
        else:
            looks = {'scale': ARROWS * size, 'depth_test': False, 'line_width': 3.5}
            mark = drawing.solid('icosphere', radius=BALL * size)
        self._gizmo = scene.add_transform_controls(NAME, disable_rotations=True, **looks)
        target = self._center, self._center, 0.0
        self._mark = add_mesh(scene, f'{NAME}/mark', mark, drawing.UNKNOWN, position=target)
        listen(self._gizmo.on_update, self._dragged, on_request)
        if angle_refusal(arm.chain):
            self._needle = None
            return
        (begin, end), name = (size * part for part in NEEDLE), f'{NAME}/needle'
        self._needle = scene.add_transform_controls(
            name,
            scale=end / ARC,
            active_axes=(True, True, False),
            disable_axes=True,
            disable_sliders=True,
            line_width=5.0,
            position=target,
        )
        bar = drawing.bar(end - begin, NEEDLE_THICKNESS * size)
        c, s, middle = math.cos(MIDDLE), math.sin(MIDDLE), 0.5 * (begin + end)
        where = {'position': (middle * c, middle * s, 0.0), 'wxyz': drawing.about_z(MIDDLE)}
        self._bar = add_mesh(scene, f'{name}/bar', bar, drawing.UNKNOWN, **where)
        listen(self._needle.on_update, _turned, on_request)

    def _dragged(self, event: Any) -> Request | None:
        x, y, z = map(float, event.target.position)
        if self._is_flat:
            x, y, z = self._plane.point(x + self._center, y + self._center)
        return Request(Act.DRAG, (x, y, z)) if event.phase == 'update' else None

    def move(self, target: Vector, plane: Plane) -> None:
        """Move it to a target in the base frame, in m, beside an arm in a plane."""
        if self._is_flat:
            x, y, _ = plane.locate(target)
            self._gizmo.position = (x - self._center, y - self._center, self._height)
        else:
            drawing.place(self._gizmo, Plane(target, plane.axes))

    def turn(self, angle: float, is_kept: bool) -> None:
        """Point the needle, if there is one, to an angle in the plane, in rad."""
        if self._needle is not None:
            self._needle.wxyz = drawing.about_z(angle - MIDDLE)
            drawing.recolour(self._bar, KEPT if is_kept else drawing.UNKNOWN)

    def show(self, is_visible: bool) -> None:
        """Show or hide it."""
        self._gizmo.visible = is_visible

    def colour(self, colour: Colour) -> None:
        """Give it the colour of the status."""
        drawing.recolour(self._mark, colour)


def _turned(event: Any) -> Request | None:
    w, _, _, z = map(float, event.target.wxyz)
    angle = math.remainder(2.0 * math.atan2(z, w) + MIDDLE, math.tau)
    return Request(Act.TURN, angle) if event.phase == 'update' else None

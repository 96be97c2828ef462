"""The handle of the target, dragged in the plane or anywhere, with the needle of the tip angle.

viser's gizmo has squares for drags in two directions, each beside its origin; where a square alone
is shown, the origin is shifted, so that the square is at the target.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import trimesh

from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.node.outcome import Colour
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.drawing import add_mesh, listen
from ik2d_ros.viewer.requests import Act, Request

# Centre and side of a square, in scales of the gizmo: as in PivotControls of drei (JavaScript).
SQUARE_CENTER, SQUARE_SIDE = 1.7 / 7.0, 0.225

SQUARE = 0.09  # side of the square, in reaches
HEIGHT = -0.04  # reaches; under the arm, so that the tip stays visible at the target
ARROWS = 0.22  # length of the arrows, in reaches
BALL = 0.03  # radius, in reaches
NEEDLE = 0.055, 0.2  # where it begins and ends, in reaches from the target
NEEDLE_THICKNESS = 0.012  # reaches
GRIP = 0.06  # side of the square at the end of the needle, in reaches
KEPT: Colour = (112, 72, 200)  # where the tip angle is kept; free, it is grey

FLAT, CARRIED = '/target', '/hand/target'


class Handle:
    """A square that is dragged in the arm's plane, or arrows and squares in space about a ball."""

    def __init__(
        self,
        scene: Any,
        size: float,
        is_carried: bool,
        is_anywhere: bool,
        is_turned: bool,
        on_request: Callable[[Request], None],
    ) -> None:
        """Add it.

        Args:
            scene: the viser scene.
            size: how far the arm reaches, in m.
            is_carried: whether the arm is drawn in space; else the scene is its plane.
            is_anywhere: whether it is dragged anywhere in space.
            is_turned: whether it has a needle, which sets the tip angle.
            on_request: called from another thread when it is dragged.
        """
        self._is_anywhere = is_anywhere
        self._frame: Any = None
        self._plane: Plane | None = None
        if is_anywhere:
            self._center = self._height = 0.0
            name = FLAT
            self._gizmo = scene.add_transform_controls(
                name, scale=ARROWS * size, disable_rotations=True, depth_test=False, line_width=3.5
            )
            ball = trimesh.creation.icosphere(radius=BALL * size)
            self._mark = add_mesh(scene, f'{name}/ball', ball, drawing.UNKNOWN)
        else:
            side = SQUARE * size
            self._center = SQUARE_CENTER * side / SQUARE_SIDE
            self._height = 0.0 if is_carried else HEIGHT * size
            self._frame = scene.add_frame('/hand', show_axes=False) if is_carried else None
            name = CARRIED if is_carried else FLAT
            self._gizmo = _square(scene, name, side, depth_test=not is_carried)
            self._mark = add_mesh(
                scene,
                f'{name}/ring',
                drawing.ring(0.78 * side, 0.95 * side),
                drawing.UNKNOWN,
                position=(self._center, self._center, 0.0),
                side='double',
            )
        listen(self._gizmo.on_update, self._dragged, on_request)
        self.needle = Needle(scene, name, self._center, size, on_request) if is_turned else None

    def _dragged(self, event: Any) -> Request:
        x, y, z = map(float, event.target.position)
        if not self._is_anywhere and self._plane is not None:
            x, y = x + self._center, y + self._center
            x, y, z = self._plane.point(x, y, 0.0 if self._frame is None else z)
        return Request(Act.DRAG, (x, y, z), event.phase)

    def move(self, target: Vector, plane: Plane) -> None:
        """Move it to a target in the base frame, in m, beside an arm in a plane."""
        self._plane = plane
        if self._is_anywhere:
            self._gizmo.position = target
            return
        x, y, out = plane.locate(target)
        if self._frame is not None:
            drawing.place(self._frame, plane)
        height = self._height if self._frame is None else out
        self._gizmo.position = (x - self._center, y - self._center, height)

    def carry(self, plane: Plane) -> None:
        """Let the needle lie in a plane that is carried, where the handle's axes are the base's."""
        if self._is_anywhere and self.needle is not None:
            self.needle.lie_in(plane)

    def show(self, is_visible: bool) -> None:
        """Show or hide it."""
        self._gizmo.visible = is_visible

    def colour(self, colour: Colour) -> None:
        """Give it the colour of the status."""
        drawing.recolour(self._mark, colour)


class Needle:
    """A needle from the target along the last link's x-axis; its end is dragged around it.

    The grip is dragged in the arm's plane, freely: only its direction counts.
    """

    def __init__(
        self,
        scene: Any,
        target: str,
        center: float,
        size: float,
        on_request: Callable[[Request], None],
    ) -> None:
        """Add it to the handle of the target.

        Args:
            scene: the viser scene.
            target: name of the handle's node.
            center: where the target is in that node: so far along x and along y, in m.
            size: how far the arm reaches, in m.
            on_request: called from another thread when it is turned.
        """
        name, (begin, end), thickness = f'{target}/pointer', NEEDLE, NEEDLE_THICKNESS * size
        self._length = end * size
        self._offset = SQUARE_CENTER * GRIP * size / SQUARE_SIDE
        self._frame = scene.add_frame(name, show_axes=False, position=(center, center, 0.0))
        self._turned = scene.add_frame(f'{name}/needle', show_axes=False)
        mesh = drawing.link((end - begin) * size, thickness, 0.3 * thickness)
        where = begin * size, 0.0, 0.0
        self._bar = add_mesh(scene, f'{name}/needle/bar', mesh, drawing.UNKNOWN, position=where)
        self._gizmo = _square(scene, f'{name}/grip', GRIP * size)
        listen(self._gizmo.on_update, self._turn, on_request)
        self.turn(0.0)

    def _turn(self, event: Any) -> Request:
        x, y, _ = (float(value) + self._offset for value in event.target.position)
        angle = math.atan2(y, x)
        self._turned.wxyz = drawing.about_z(angle)
        return Request(Act.TURN, angle, event.phase)

    def turn(self, angle: float) -> None:
        """Point to an angle in the plane, in rad."""
        self._turned.wxyz = drawing.about_z(angle)
        x, y = self._length * math.cos(angle), self._length * math.sin(angle)
        self._gizmo.position = (x - self._offset, y - self._offset, 0.0)

    def lie_in(self, plane: Plane) -> None:
        """Turn with a plane."""
        self._frame.wxyz = drawing.turn_of(plane)

    def colour(self, is_kept: bool) -> None:
        """Show whether the tip angle is kept."""
        drawing.recolour(self._bar, KEPT if is_kept else drawing.UNKNOWN)


def _square(scene: Any, name: str, side: float, depth_test: bool = True) -> Any:
    """Add a gizmo that is a square alone, dragged in the x-y plane of its node."""
    return scene.add_transform_controls(
        name,
        scale=side / SQUARE_SIDE,
        active_axes=(True, True, False),
        disable_axes=True,
        disable_rotations=True,
        opacity=0.0,
        depth_test=depth_test,
    )

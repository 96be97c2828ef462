"""The handle of the target: dragged in the arm's plane, or anywhere in space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.node.outcome import Colour
from ik2d_ros.viewer import shapes
from ik2d_ros.viewer.drawing import UNKNOWN, add_mesh, listen, place, recolour
from ik2d_ros.viewer.pointer import Pointer
from ik2d_ros.viewer.requests import Drag, Request
from ik2d_ros.viewer.square import SQUARE_CENTER, SQUARE_SIDE

SQUARE = 0.09  # side of the square, in reaches
HEIGHT = -0.04  # reaches; under the arm, so that the tip stays visible at the target
ARROWS = 0.22  # length of the arrows, in reaches
BALL = 0.03  # radius, in reaches

FLAT, CARRIED = '/target', '/hand/target'


class SquareHandle:
    """A square that is dragged in a plane: the scene's x-y plane, or one that is carried."""

    def __init__(
        self,
        scene: Any,
        size: float,
        is_carried: bool,
        is_turned: bool,
        on_request: Callable[[Request], None],
    ) -> None:
        """Add it.

        Args:
            scene: the viser scene.
            size: how far the arm reaches, in m.
            is_carried: whether the plane is carried.
            is_turned: whether it has a needle, which sets the tip angle.
            on_request: called from another thread when it is dragged.
        """
        side = SQUARE * size
        self._center = SQUARE_CENTER * side / SQUARE_SIDE
        self._height = 0.0 if is_carried else HEIGHT * size
        self._frame = scene.add_frame('/hand', show_axes=False) if is_carried else None
        self._plane: Plane | None = None
        name = CARRIED if is_carried else FLAT
        self._gizmo = scene.add_transform_controls(
            name,
            scale=side / SQUARE_SIDE,
            active_axes=(True, True, False),
            disable_axes=True,
            disable_rotations=True,
            opacity=0.0,
            depth_test=not is_carried,
            position=(0.0, 0.0, self._height),
        )
        ring = shapes.band(0.78 * side, 0.95 * side)
        self._ring = add_mesh(
            scene, f'{name}/ring', ring, UNKNOWN, position=(self._center, self._center, 0.0),
            side='double' if is_carried else 'front',
        )  # fmt: skip

        listen(self._gizmo, self._drag, on_request)
        self.pointer = Pointer(scene, name, self._center, size, on_request) if is_turned else None

    def _drag(self, event: Any) -> Drag:
        x, y, z = map(float, event.target.position)
        x, y, z = x + self._center, y + self._center, z - self._height
        if self._plane is not None:
            x, y, z = self._plane.point(x, y, z)
        return Drag(event.phase, x, y, z)

    def move(self, target: Vector, plane: Plane) -> None:
        """Move it to a target; one in the scene's plane does not need the arm's plane."""
        x, y, z = target
        if self._frame is not None:
            self._plane = plane
            place(self._frame, plane)
            x, y, z = plane.locate(target)
        self._gizmo.position = (x - self._center, y - self._center, z + self._height)

    def colour(self, colour: Colour) -> None:
        """Give it the colour of the status."""
        recolour(self._ring, colour)


class SpaceHandle:
    """Arrows and squares along the axes of the base frame, about a ball at the target."""

    def __init__(
        self, scene: Any, size: float, is_turned: bool, on_request: Callable[[Request], None]
    ) -> None:
        """Add it; the arguments are those of :class:`SquareHandle`."""
        self._gizmo = scene.add_transform_controls(
            FLAT, scale=ARROWS * size, disable_rotations=True, depth_test=False, line_width=3.5
        )
        self._ball = add_mesh(scene, f'{FLAT}/ball', shapes.ball(BALL * size), UNKNOWN)

        listen(
            self._gizmo,
            lambda event: Drag(event.phase, *map(float, event.target.position)),
            on_request,
        )
        self.pointer = Pointer(scene, FLAT, 0.0, size, on_request) if is_turned else None

    def move(self, target: Vector, _plane: Plane) -> None:
        """Move it to a target in the base frame, in m."""
        self._gizmo.position = target

    def colour(self, colour: Colour) -> None:
        """Give it the colour of the status."""
        recolour(self._ball, colour)

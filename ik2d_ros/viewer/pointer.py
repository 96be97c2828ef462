"""The needle that shows the tip angle at the target, and the grip that turns it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.node.outcome import Colour
from ik2d_ros.viewer import shapes
from ik2d_ros.viewer.drawing import UNKNOWN, about_z, add_mesh, listen, recolour, turn_of
from ik2d_ros.viewer.requests import Request, Turn
from ik2d_ros.viewer.square import SQUARE_CENTER, SQUARE_SIDE

LENGTH = 0.2  # from the target to the grip, in reaches
BEGIN = 0.055  # where the needle begins, in reaches: outside the target's own square
THICKNESS = 0.012  # reaches
SIDE = 0.06  # side of the grip's square, in reaches
KEPT: Colour = (112, 72, 200)  # where the tip angle is kept; free, it is grey


class Pointer:
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
        name, side = f'{target}/pointer', SIDE * size
        self._length = LENGTH * size
        self._offset = SQUARE_CENTER * side / SQUARE_SIDE
        self._frame = scene.add_frame(name, show_axes=False, position=(center, center, 0.0))
        self._turned = scene.add_frame(f'{name}/needle', show_axes=False)
        needle = shapes.link((LENGTH - BEGIN) * size, THICKNESS * size, 0.3 * THICKNESS * size)
        self._needle = add_mesh(
            scene, f'{name}/needle/bar', needle, UNKNOWN, position=(BEGIN * size, 0.0, 0.0)
        )
        self._gizmo = scene.add_transform_controls(
            f'{name}/grip',
            scale=side / SQUARE_SIDE,
            active_axes=(True, True, False),
            disable_axes=True,
            disable_rotations=True,
            opacity=0.0,
        )

        listen(self._gizmo, self._turn, on_request)
        self.turn(0.0)

    def _turn(self, event: Any) -> Turn:
        x, y, _ = (float(value) + self._offset for value in event.target.position)
        angle = math.atan2(y, x)
        self._turned.wxyz = about_z(angle)
        return Turn(angle, event.phase)

    def turn(self, angle: float) -> None:
        """Point to an angle in the plane, in rad."""
        self._turned.wxyz = about_z(angle)
        x, y = self._length * math.cos(angle), self._length * math.sin(angle)
        self._gizmo.position = (x - self._offset, y - self._offset, 0.0)

    def lie_in(self, plane: Plane) -> None:
        """Turn with a plane that is carried, where the target's own node does not."""
        self._frame.wxyz = turn_of(plane)

    def colour(self, is_kept: bool) -> None:
        """Show whether the tip angle is kept."""
        recolour(self._needle, KEPT if is_kept else UNKNOWN)

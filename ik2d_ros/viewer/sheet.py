"""A sheet in the plane of the arm: presses and drags on it are points of that plane."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.drawing import Mesh
from ik2d_ros.viewer.stage import Stage, listen

# As a solid it would hide what is translucent behind it.
UNSEEN: Mapping[str, Any] = {
    'side': 'double',
    'opacity': 0.0,
    'wireframe': True,
    'cast_shadow': False,
    'color': drawing.SHEET,
    'position': (0.0, 0.0, 0.0),
}


class Sheet:
    """A shape, invisible unless it has an opacity."""

    def __init__(self, stage: Stage, name: str, shape: Mesh, **looks: Any) -> None:
        """Add a mesh, with other looks, on a node whose x-y plane is parallel to the arm's."""
        self._stage = stage
        self.mesh = stage.mesh(name, shape, **{**UNSEEN, **looks})
        self._rest = tuple(self.mesh.position)  # viser changes the array in place

    def on_press(self, then: Callable[[Vector], object]) -> None:
        """Call a function with each point that is pressed, in m in the base frame."""
        read = lambda event: self._met(event.ray_origin, event.ray_direction)  # noqa: E731
        listen(self.mesh.on_click, read, then)

    def on_drag(self, then: Callable[[tuple[str, Vector]], object]) -> None:
        """Call a function with ``start``, ``update`` or ``end`` and the point for each drag."""
        listen(self.mesh.on_drag, self._dragged, then)

    def _dragged(self, event: Any) -> tuple[str, Vector]:
        eye, there = event.client.camera.position, event.end_position
        return event.phase, self._met(eye, np.subtract(there, eye))

    def _met(self, eye: Sequence[float], way: Sequence[float]) -> Vector:
        """Return the point of the plane that a line of sight meets."""
        plane, (a, b, c), (x, y, z) = self._stage.plane, map(float, eye), map(float, way)
        height, fall = plane.locate((a, b, c))[2], plane.direction((x, y, z))[2]
        far = -height / (fall or math.nan)
        return a + far * x, b + far * y, c + far * z


class Paper(Sheet):
    """A sheet that goes along with drags: viser draws an arrow from where it was taken."""

    def _dragged(self, event: Any) -> tuple[str, Vector]:
        phase, place = super()._dragged(event)
        plane, mesh = self._stage.plane, self.mesh
        shift = np.subtract(plane.locate(event.end_position), plane.locate(event.start_position))
        mesh.position = self._rest if phase == 'end' else tuple(mesh.position + shift)
        return phase, place

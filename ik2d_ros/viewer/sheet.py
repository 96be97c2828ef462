"""A sheet in the plane of the arm: drags on it are points of that plane."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.drawing import Mesh
from ik2d_ros.viewer.stage import Stage, listen

# As a solid it would hide what is translucent behind it.
UNSEEN: Mapping[str, Any] = {
    'side': 'double',
    'opacity': 0.0,
    'wireframe': True,
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

    def on_drag(self, then: Callable[[tuple[str, Vector]], object]) -> None:
        """Call a function with ``start``, ``update`` or ``end`` and the point for each drag."""
        listen(self.mesh.on_drag, self._dragged, then)

    def _dragged(self, event: Any) -> tuple[str, Vector] | None:
        eye, there = event.client.camera.position, event.end_position
        place = met(self._stage.plane, eye, np.subtract(there, eye))
        return None if place is None else (event.phase, place)


def met(plane: Plane, eye: Sequence[float], way: Sequence[float]) -> Vector | None:
    """Return the point of a plane that a line of sight meets, in m; None if there is none."""
    (a, b, c), (x, y, z) = map(float, eye), map(float, way)
    height, fall = plane.locate((a, b, c))[2], plane.direction((x, y, z))[2]
    if height * fall >= 0.0:
        return None
    far = -height / fall
    return a + far * x, b + far * y, c + far * z


class Paper(Sheet):
    """A sheet that goes along with drags: viser draws an arrow from where it was taken."""

    def _dragged(self, event: Any) -> tuple[str, Vector] | None:
        plane, mesh = self._stage.plane, self.mesh
        shift = np.subtract(plane.locate(event.end_position), plane.locate(event.start_position))
        mesh.position = self._rest if event.phase == 'end' else tuple(mesh.position + shift)
        return super()._dragged(event)

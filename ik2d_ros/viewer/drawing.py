"""Shared by all parts of the drawing: colours, meshes, turns, and the stage that they are on.

A mesh is in m, in a frame whose x-y plane is the arm's.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Plane, Quaternion, Vector
from ik2d_ros.pilot.outcome import Colour
from ik2d_ros.viewer.view import Act, Mesh, Request

FOOT, LINK, JOINT, TIP = (150, 156, 166), (240, 140, 46), (66, 72, 82), (52, 58, 64)
GHOST = (92, 124, 250)
END, RANGE = (214, 51, 108), (112, 72, 200)  # of links and limits that are designed
AREA, AREA_OPACITY = (80, 165, 230), 0.45
LIMIT, AT_LIMIT = (96, 108, 128), (224, 49, 49)
UNKNOWN = (134, 142, 150)
SHEET = (255, 255, 255)
WALL = (134, 142, 150)
CELLS, SECTIONS = (175, 180, 188), (145, 150, 160)  # to be seen on white and on black

DEEP = 20.0  # reaches under the floor
ROUND = 32  # corners of a circle
FLATNESS = 0.6  # height of a bar as a fraction of its width


def revolved(profile: ArrayLike, corners: int = ROUND) -> Mesh:
    """Turn a profile (k, 2) about z: radii and heights in m, from the bottom up outside."""
    angles = np.arange(0.5, corners) * (math.tau / corners)
    radii, heights = np.transpose(profile)
    x, y = np.outer(radii, np.cos(angles)), np.outer(radii, np.sin(angles))
    here = np.arange(x.size).reshape(x.shape)
    after = np.roll(here, -1, axis=1)
    sides = np.stack([here[:-1], after[:-1], after[1:], here[1:]], axis=-1).reshape(-1, 4)
    vertices = np.stack([x.ravel(), y.ravel(), np.repeat(heights, corners)], axis=1)
    return Mesh(vertices, np.concatenate([sides[:, [0, 1, 2]], sides[:, [0, 2, 3]]]))


def bar(length: float, radius: float, flatness: float = FLATNESS) -> Mesh:
    """Build a bar with round ends about the origin, along x; without length, a ball; all in m."""
    angles = np.linspace(0.0, 0.5 * math.pi, ROUND // 4 + 1)
    out, up = radius * np.cos(angles), 0.5 * length + radius * np.sin(angles)
    rod = revolved(np.stack([np.append(out[::-1], out), np.append(-up[::-1], up)], axis=1))
    return Mesh(rod.vertices[:, [2, 0, 1]] * (1.0, 1.0, flatness), rod.faces)


def fan(corners: NDArray[np.float64]) -> Mesh:
    """Build a flat shape from its corners (k, 2) in m; the first one sees all others."""
    i = np.arange(1, len(corners) - 1)
    faces = np.stack([np.zeros_like(i), i, i + 1], axis=1)
    return Mesh(np.insert(corners, 2, 0.0, axis=1), faces)


def about(axis: Vector, angle: float) -> Quaternion:
    """Return a turn about a unit vector by an angle in rad: w, x, y, z."""
    sin, (x, y, z) = math.sin(0.5 * angle), axis
    return math.cos(0.5 * angle), sin * x, sin * y, sin * z


def about_z(angle: float) -> Quaternion:
    """Return a turn about z by an angle in rad: w, x, y, z."""
    return about((0.0, 0.0, 1.0), angle)


def turn_of(frame: Plane) -> Quaternion:
    """Return the turn from the base frame to the axes of a frame: w, x, y, z."""
    x, y, z, w = frame.quaternion()
    return w, x, y, z


def place(handle: Any, frame: Plane) -> None:
    """Move a node to a frame."""
    handle.position, handle.wxyz = frame.origin, turn_of(frame)


@dataclass
class Stage:
    """The scene of one arm, in its base frame; names of nodes are below its root.

    Attributes:
        scene: the viser scene.
        root: name of the node that everything is on.
        arm: the arm.
        positions: (m,) of its joints.
        size: how far the arm reached, in m, when it was drawn.
        on_request: called in the server's thread with what a user does.
    """

    scene: Any
    root: str
    arm: ArmDescription
    positions: Sequence[float]
    size: float
    on_request: Callable[[Request], None]

    @property
    def is_flat(self) -> bool:
        """Whether the plane of the arm stays where it is."""
        return self.arm.carrier is None

    @property
    def plane(self) -> Plane:
        """The plane in which the tip is, which a roll may bring beside that of the arm."""
        return self.arm.tip_plane_at(self.positions)

    def aim(self, _: str, place: Vector) -> None:
        """Ask for the target at a place where something is dragged."""
        self.on_request(Request(Act.TARGET, place))

    def over(self, height: float) -> float:
        """Return a height over an arm in a plane, given in reaches, in m; 0 in space."""
        return height * self.size * self.is_flat

    def frame(self, name: str, **looks: Any) -> Any:
        """Add a node for others."""
        return self.scene.add_frame(f'{self.root}/{name}', show_axes=False, **looks)

    def mesh(self, name: str, mesh: Mesh, color: Colour, **looks: Any) -> Any:
        """Add triangles."""
        node = f'{self.root}/{name}'
        vertices, faces = mesh.vertices.astype(np.float32), mesh.faces.astype(np.uint32)
        return self.scene.add_mesh_simple(node, vertices, faces, color=color, **looks)

    def sunk(self, mesh: Mesh, frame: Plane, depth: float = 1.0) -> Mesh:
        """Return a translucent mesh in a frame, so made that the floor is drawn after it.

        It has one more corner, of no triangle, deep under the floor: browsers draw first what has
        its middle far away, and lines and shadows of the floor would hide what comes after them.
        """
        if self.is_flat:
            return mesh
        under = frame.direction((0.0, 0.0, -DEEP * depth * self.size))
        return Mesh(np.append(mesh.vertices, [under], axis=0), mesh.faces)

    def sheet(
        self,
        name: str,
        shape: Mesh,
        then: Callable[[str, Vector], object],
        goes_along: bool = False,
        **looks: Any,
    ) -> Any:
        """Add a shape whose drags are points of the arm's plane; it is unseen without opacity.

        Args:
            name: of a node whose x-y plane is parallel to the arm's.
            shape: its mesh.
            then: called with ``start``, ``update`` or ``end`` and the point in m, for each drag.
            goes_along: whether it moves with drags: viser draws an arrow from where it was taken.
            looks: of the mesh.
        """
        # As a solid it would hide what is translucent behind it.
        unseen = {'side': 'double', 'opacity': 0.0, 'wireframe': True, 'color': SHEET}
        mesh = self.mesh(name, shape, **{**unseen, **looks})
        rest = tuple(mesh.position)  # viser changes the array in place

        def dragged(event: Any) -> tuple[str, Vector] | None:
            plane, eye, there = self.plane, event.client.camera.position, event.end_position
            if goes_along:
                way = np.subtract(plane.locate(there), plane.locate(event.start_position))
                mesh.position = rest if event.phase == 'end' else tuple(mesh.position + way)
            place = met(plane, eye, np.subtract(there, eye))
            return None if place is None else (event.phase, place)

        listen(mesh.on_drag, dragged, lambda drag: then(*drag))
        return mesh

    def label(self, name: str, text: str, place: Vector) -> None:
        """Add small words beside a point."""
        looks: dict[str, Any] = {'font_screen_scale': 0.8, 'anchor': 'top-left'}
        self.scene.add_label(f'{self.root}/{name}', text, position=place, **looks)

    def grid(self, name: str, half: float) -> None:
        """Add lines on the x-y plane of a node, of half a width in m, and how wide a cell is."""
        largest = 0.25 * self.size
        power: float = 10.0 ** math.floor(math.log10(largest))
        cell = power * max(each for each in (1.0, 2.0, 5.0) if each * power <= 1.000001 * largest)
        width = 10.0 * cell * math.ceil(0.2 * half / cell)
        looks: dict[str, Any] = {'cell_color': CELLS, 'section_color': SECTIONS}
        looks |= {'fade_strength': 0.0, 'cell_thickness': 0.6}
        looks |= {'cell_size': cell, 'section_size': 5.0 * cell}
        self.scene.add_grid(f'{self.root}/{name}/grid', width, width, **looks)
        self.label(f'{name}/cell', f'grid {cell:g} m', (0.0, -0.3 * self.size, 0.0))

    def remove(self, name: str) -> None:
        """Take away a node and all on it, if it is there."""
        self.scene.remove_by_name(f'{self.root}/{name}')


def listen(
    register: Callable[[Any], Any], read: Callable[[Any], Any], then: Callable[[Any], object]
) -> None:
    """Pass on a user's events at a control or gizmo; values of wrong types are ignored.

    Args:
        register: takes the callback, such as ``button.on_click``.
        read: converts an event; None ignores it.
        then: called with the result, in the server's thread.
    """

    async def on_event(event: Any) -> None:  # async: such callbacks keep their order
        if event.client is not None or hasattr(event, 'phase'):  # else the viewer set a control
            with contextlib.suppress(TypeError, ValueError):
                if (result := read(event)) is not None:
                    then(result)

    register(on_event)


def met(plane: Plane, eye: Sequence[float], way: Sequence[float]) -> Vector | None:
    """Return the point of a plane that a line of sight meets, in m; None if there is none."""
    (a, b, c), (x, y, z) = map(float, eye), map(float, way)
    height, fall = plane.locate((a, b, c))[2], plane.direction((x, y, z))[2]
    if height * fall >= 0.0:
        return None
    far = -height / fall
    return a + far * x, b + far * y, c + far * z

"""Shared by all parts of the drawing: colours, meshes, rotations and gizmos.

A mesh is in m, in a frame whose x-y plane is the arm's.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.told import axis_name, on_wall, upright
from ik2d_ros.kinematics.plane import Plane, Quaternion, Vector
from ik2d_ros.kinematics.walls import Wall
from ik2d_ros.pilot.outcome import Colour

FOOT, LINK, JOINT, TIP = (150, 156, 166), (240, 140, 46), (66, 72, 82), (52, 58, 64)
GHOST = (92, 124, 250)
END = (214, 51, 108)  # of a link that is designed
AREA, AREA_OPACITY = (80, 165, 230), 0.45
BODY = (120, 180, 235)
LIMIT, AT_LIMIT = (96, 108, 128), (224, 49, 49)
UNKNOWN = (134, 142, 150)
SHEET = (255, 255, 255)
WALL, BLOCKING, WALL_OPACITY = (134, 142, 150), (224, 49, 49), 0.35
CELLS, SECTIONS = (175, 180, 188), (145, 150, 160)  # to be seen on white and on black

GROUND = 0.02  # thickness of its line, in reaches
SLAB = 2.4, 0.04  # width and thickness of a wall, in reaches
UNDER = 0.01  # how far it is behind its surface, in reaches, where the floor's lines may be
FLATNESS = 0.6  # height of a bar as a fraction of its width
AT_LIMIT_WITHIN = 1e-4  # rad or m


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


class Mesh(NamedTuple):
    """Triangles.

    Attributes:
        vertices: (k, 3) in m.
        faces: (l, 3) indices of the vertices.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]


def solid(kind: str, *sizes: float, **others: float) -> Mesh:
    """Build a solid by the function of that name in ``trimesh.creation``; all in m."""
    from trimesh import creation  # noqa: PLC0415  # an extra: it comes with viser

    built = getattr(creation, kind)(*sizes, **others)
    return Mesh(built.vertices, built.faces)


def bar(length: float, radius: float) -> Mesh:
    """Build a rounded, slightly flat bar about the origin, along x; all in m."""
    vertices, faces = solid('capsule', length, radius)
    centred = vertices - (vertices.min(axis=0) + vertices.max(axis=0)) / 2.0
    return Mesh(centred[:, [2, 0, 1]] * (1.0, 1.0, FLATNESS), faces)


def fan(corners: NDArray[np.float64]) -> Mesh:
    """Build a flat shape from its corners (k, 2) in m; the first one sees all others."""
    i = np.arange(1, len(corners) - 1)
    return flat(corners, np.stack([np.zeros_like(i), i, i + 1], axis=1))


def flat(points: NDArray[np.float64], faces: NDArray[np.int64]) -> Mesh:
    """Build a flat shape from its points (k, 2) in m, and its triangles (l, 3) of them."""
    return Mesh(np.insert(points, 2, 0.0, axis=1), faces)


def add_mesh(scene: Any, name: str, mesh: Mesh, color: Colour, **looks: Any) -> Any:
    """Add a mesh to a viser scene, and return its handle."""
    vertices, faces = mesh.vertices.astype(np.float32), mesh.faces.astype(np.uint32)
    return scene.add_mesh_simple(name, vertices, faces, color=color, **looks)


def add_wall(scene: Any, name: str, arm: ArmDescription, half: float, height: float) -> None:
    """Add the wall or table behind an arm in a plane, and the ground that an upright one stands on.

    Args:
        scene: the viser scene.
        name: name of its node.
        arm: the arm.
        half: half the width, in m.
        height: along the plane's normal, in m.
    """
    size, plane = arm.chain.reach.outer or 1.0, arm.kinematics.plane
    view = upright(plane.axes[2], plane.origin)
    place(scene.add_frame(name, show_axes=False), Plane(view.point(0.0, 0.0, height), view.axes))
    x, y, _ = view.locate(plane.origin)
    add_grid(scene, name, size, half + math.hypot(x, y))
    far = 1.06 * size
    beside, level = min(max(0.0, x - far), x + far), min(max(0.0, y - far), y + far)
    for axis in view.axes[:2]:
        label = axis_name(axis)
        end = -far if label.startswith('-') else far
        where = (x + end, level, 0.0) if axis is view.axes[0] else (beside, y + end, 0.0)
        add_label(scene, f'{name}/{label}', label[-1:], where)
    if axis_name(view.axes[1]) == 'z':
        bar = [(x - half, 0.0), (x - half, -GROUND * size), (x + half, -GROUND * size)]
        bar.append((x + half, 0.0))
        add_mesh(scene, f'{name}/ground', fan(np.array(bar)), SECTIONS)


def add_slab(scene: Any, name: str, wall: Wall, arm: ArmDescription) -> Any:
    """Add a translucent slab behind the surface of a wall, beside the arm; return its handle."""
    frame, size = on_wall(wall, arm), arm.reach.outer or 1.0
    width, thickness = (share * size for share in SLAB)
    depth = wall.clearance + 0.5 * thickness + UNDER * size
    slab = scene.add_box(
        name, WALL, (width, width, thickness), opacity=WALL_OPACITY, cast_shadow=False
    )
    place(slab, Plane(frame.point(0.0, 0.0, -depth), frame.axes))
    return slab


def add_grid(scene: Any, name: str, size: float, half: float) -> None:
    """Add lines on the x-y plane of a node, and how wide a cell is.

    Args:
        scene: the viser scene.
        name: name of the node.
        size: size of the arm on it, in m.
        half: half the width of the grid, in m.
    """
    cell = _round_step(size / 4.0)
    width = 10.0 * cell * math.ceil(0.2 * half / cell)
    lines = {'cell_color': CELLS, 'section_color': SECTIONS, 'fade_strength': 0.0}
    lines |= {'cell_thickness': 0.6, 'shadow_opacity': 0.3}
    sizes = {'cell_size': cell, 'section_size': 5.0 * cell}
    scene.add_grid(f'{name}/grid', width, width, **sizes, **lines)
    add_label(scene, f'{name}/cell', f'{cell:g} m', (cell, -cell, 0.0))


def add_label(scene: Any, name: str, text: str, place: Vector) -> None:
    """Add small words beside a point."""
    scene.add_label(name, text, position=place, font_screen_scale=0.8, anchor='top-left')


def about_z(angle: float) -> Quaternion:
    """Return a turn about z by an angle in rad: w, x, y, z."""
    return math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle)


def turn_of(frame: Plane) -> Quaternion:
    """Return the turn from the base frame to the axes of a frame: w, x, y, z."""
    x, y, z, w = frame.quaternion()
    return w, x, y, z


def linear(colours: Any) -> Any:
    """Convert colours (..., 3) for lines, which expect linear light, unlike meshes."""
    return (255.0 * (np.asarray(colours) / 255.0) ** 2.2).round().astype(np.uint8)


def recolour(handle: Any, colour: Colour) -> None:
    """Give a mesh a colour, unless it has that."""
    if tuple(handle.color) != colour:
        handle.color = colour


def colour_limit(handle: Any, limits: tuple[float, float], position: float) -> None:
    """Show whether a joint is at one of its limits, in the mesh of its range."""
    lower, upper = limits
    is_at_limit = min(position - lower, upper - position) <= AT_LIMIT_WITHIN
    recolour(handle, AT_LIMIT if is_at_limit else LIMIT)


def place(handle: Any, frame: Plane) -> None:
    """Move a node to a frame."""
    handle.position, handle.wxyz = frame.origin, turn_of(frame)


def _round_step(length: float) -> float:
    """Return the largest 1, 2 or 5 times a power of ten that does not exceed a length."""
    power: float = 10.0 ** math.floor(math.log10(length))
    return power * max(factor for factor in (1.0, 2.0, 5.0) if factor * power <= length * 1.000001)

"""Shared by all parts of the drawing: colours, meshes, rotations and gizmos.

A mesh is in m, in a frame whose x-y plane is the arm's.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray

from ik2d_ros.kinematics import Chain
from ik2d_ros.kinematics.plane import Plane, Quaternion
from ik2d_ros.node.outcome import Colour

FOOT, LINK, JOINT, TIP = (150, 156, 166), (240, 140, 46), (66, 72, 82), (52, 58, 64)
ROD = (104, 112, 124)
GHOST = (92, 124, 250)
AREA = (166, 219, 255)
BODY = (120, 180, 235)
LIMIT, AT_LIMIT = (96, 108, 128), (224, 49, 49)
UNKNOWN = (134, 142, 150)
SHEET = (255, 255, 255)
CELLS, SECTIONS = (236, 239, 243), (218, 223, 230)

BROADEST = 0.048  # radius of the first link, in reaches
SHORT = 0.30  # the same as a fraction of the average link, for arms of many short links
TAPER = 0.55  # radius of the tip as a fraction of the first link's
FLATNESS = 0.55  # height of a link as a fraction of its width
CAP = np.linspace(0.0, 0.5 * math.pi, 9)  # rings of a link's round end
AT_LIMIT_WITHIN = 1e-4  # rad or m


def listen(
    register: Callable[[Any], Any], read: Callable[[Any], Any], then: Callable[[Any], object]
) -> None:
    """Pass on a user's events at a control or gizmo; values of wrong types are ignored.

    Args:
        register: takes the callback, such as ``button.on_click``.
        read: converts an event.
        then: called with the result, in the server's thread.
    """

    async def on_event(event: Any) -> None:  # async: such callbacks keep their order
        if event.client is not None or hasattr(event, 'phase'):  # else the viewer set a control
            with contextlib.suppress(TypeError, ValueError):
                then(read(event))

    register(on_event)


def radii(chain: Chain) -> tuple[float, ...]:
    """Return the (n + 1,) drawn radii in m at every joint and, last, the tip."""
    count = len(chain)
    first = min(BROADEST, SHORT / count) * (chain.reach.outer or 1.0)
    return tuple(first * (1.0 - (1.0 - TAPER) * i / count) for i in range(count + 1))


def link(length: float, begin: float, end: float) -> Any:
    """Build a rounded, slightly flat link from the origin along x, tapered between radii in m."""
    along = np.concatenate([-begin * np.cos(CAP), length + end * np.sin(CAP)])
    across = np.concatenate([begin * np.sin(CAP), end * np.cos(CAP)])
    mesh = trimesh.creation.revolve(np.column_stack([across, along]))
    mesh.vertices = mesh.vertices[:, [2, 0, 1]] * (1.0, 1.0, FLATNESS)
    return mesh


def disc(radius: float, height: float, bevel: float) -> Any:
    """Build a disc about z, ``height`` above and below the plane, with bevelled rims; all in m."""
    across = [0.0, radius - bevel, radius, radius, radius - bevel, 0.0]
    along = [-height, -height, bevel - height, height - bevel, height, height]
    return trimesh.creation.revolve(np.column_stack([across, along]))


def ring(inner: float, outer: float, begin: float = 0.0, end: float = 2.0 * math.pi) -> Any:
    """Build a flat ring sector about the origin, between two radii in m and directions in rad."""
    sections = max(2, math.ceil(math.degrees(end - begin) / 5.0))
    turn = trimesh.transformations.rotation_matrix(begin, (0.0, 0.0, 1.0))
    edge = [[outer, 0.0], [inner, 0.0]]
    return trimesh.creation.revolve(edge, end - begin, sections=sections, transform=turn)


def fan(corners: NDArray[np.float64]) -> Any:
    """Build a flat shape from its corners (k, 2) in m; the first one sees all others."""
    i = np.arange(1, len(corners) - 1)
    faces = np.stack([np.zeros_like(i), i, i + 1], axis=1)
    return trimesh.Trimesh(np.insert(corners, 2, 0.0, axis=1), faces)


def add_mesh(scene: Any, name: str, mesh: Any, colour: Colour, **where: Any) -> Any:
    """Add a ``trimesh.Trimesh`` to a viser scene, and return its handle."""
    vertices, faces = mesh.vertices.astype(np.float32), mesh.faces.astype(np.uint32)
    looks = {'color': colour, 'cast_shadow': False, 'receive_shadow': False}
    return scene.add_mesh_simple(name, vertices, faces, **looks, **where)


def add_grid(scene: Any, name: str, size: float, half: float, height: float) -> None:
    """Add lines on the x-y plane of a node, with its axes and how wide a cell is.

    Args:
        scene: the viser scene.
        name: name of the node.
        size: size of the arm on it, in m.
        half: half the width of the grid, in sizes.
        height: in m.
    """
    cell = _round_step(size / 4.0)
    count = math.ceil(half * size / cell)
    steps = np.arange(-count, count + 1)
    for part, is_section, shade in (('cells', False, CELLS), ('sections', True, SECTIONS)):
        at = cell * steps[(steps % 5 == 0) == is_section]
        ends = np.broadcast_to([-cell * count, cell * count], (len(at), 2))
        lines = np.stack([ends, np.repeat(at[:, None], 2, axis=1), 0.0 * ends], axis=-1)
        lines = np.concatenate([lines, lines[..., [1, 0, 2]]]).astype(np.float32)
        scene.add_line_segments(
            f'{name}/{part}',
            lines,
            linear(shade),
            thickness=1.2,
            thickness_units='screen',
            position=(0.0, 0.0, height),
        )
    far = cell * math.ceil(1.05 * size / cell)
    for text, x, y in (('x', far, 0.0), ('y', 0.0, far), (f'{cell:g} m', cell, 0.0)):
        where = {'position': (x, y, height), 'font_screen_scale': 0.8, 'anchor': 'top-left'}
        scene.add_label(f'{name}/{text}', text, **where)


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


def colour_limit(handle: Any, lower: float, upper: float, position: float) -> None:
    """Show whether a joint is at one of its limits, in the mesh of its range."""
    is_at_limit = min(position - lower, upper - position) <= AT_LIMIT_WITHIN
    recolour(handle, AT_LIMIT if is_at_limit else LIMIT)


def place(handle: Any, frame: Plane) -> None:
    """Move a node to a frame."""
    handle.position, handle.wxyz = frame.origin, turn_of(frame)


def _round_step(length: float) -> float:
    """Return the largest 1, 2 or 5 times a power of ten that does not exceed a length."""
    power: float = 10.0 ** math.floor(math.log10(length))
    return power * max(factor for factor in (1.0, 2.0, 5.0) if factor * power <= length * 1.000001)

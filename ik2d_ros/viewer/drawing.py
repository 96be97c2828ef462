"""What the parts of the drawing share: colours, meshes and turns."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ik2d_ros.kinematics.plane import Plane, Quaternion, Vector
from ik2d_ros.node.outcome import Colour
from ik2d_ros.viewer import shapes

FOOT, LINK, JOINT, TIP = (150, 156, 166), (240, 140, 46), (66, 72, 82), (52, 58, 64)
ROD = (104, 112, 124)
GHOST = (92, 124, 250)
AREA = (166, 219, 255)
BODY = (120, 180, 235)
LIMIT, AT_LIMIT = (96, 108, 128), (224, 49, 49)
UNKNOWN = (134, 142, 150)
CELLS, SECTIONS = (236, 239, 243), (218, 223, 230)


def listen(
    handle: Any, request_of: Callable[[Any], Any], on_request: Callable[[Any], None]
) -> None:
    """Pass on what is done with a gizmo; positions that are none are ignored.

    Args:
        handle: of the gizmo.
        request_of: makes the request of an event.
        on_request: called from another thread.
    """

    async def on_update(event: Any) -> None:  # async: such callbacks keep their order
        with contextlib.suppress(TypeError, ValueError):
            on_request(request_of(event))

    handle.on_update(on_update)


def add_mesh(scene: Any, name: str, mesh: shapes.Mesh, colour: Colour, **where: Any) -> Any:
    """Add a mesh to a viser scene, and return its handle."""
    return scene.add_mesh_simple(
        name,
        mesh.vertices.astype(np.float32),
        mesh.triangles.astype(np.uint32),
        color=colour,
        cast_shadow=False,
        receive_shadow=False,
        **where,
    )


def add_grid(scene: Any, name: str, size: float, half: float, height: float) -> None:
    """Add lines on the x-y plane of a node, drawn without blending, as they cover the page.

    Args:
        scene: the viser scene.
        name: name of the node.
        size: of what stands on it, in m.
        half: half the width of the grid, in sizes.
        height: in m.
    """
    cell = _round_step(size / 4.0)
    count = math.ceil(half * size / cell)
    steps = np.arange(-count, count + 1)
    for part, chosen, shade in (
        ('cells', steps[steps % 5 != 0], CELLS),
        ('sections', steps[steps % 5 == 0], SECTIONS),
    ):
        scene.add_line_segments(
            f'{name}/{part}',
            shapes.grid(cell * chosen, cell * count).astype(np.float32),
            linear(shade),
            thickness=1.2,
            thickness_units='screen',
            position=(0.0, 0.0, height),
        )


def about_z(angle: float) -> Quaternion:
    """Return a turn about z by an angle in rad: w, x, y, z."""
    return math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle)


def turn_of(frame: Plane) -> Quaternion:
    """Return the turn from the base frame to the axes of a frame: w, x, y, z."""
    x, y, z, w = frame.quaternion()
    return w, x, y, z


def turn_towards(direction: Vector) -> Quaternion:
    """Return a turn that takes the x-axis into a direction: w, x, y, z."""
    x, y, z = direction
    level = math.hypot(x, y)
    frame = Plane.from_pose((0.0, 0.0, 0.0), (0.0, -math.atan2(z, level), math.atan2(y, x)))
    return turn_of(frame)


def linear(colours: Any) -> Any:
    """Convert colours (..., 3) for lines, which expect linear light, unlike meshes."""
    return (255.0 * (np.asarray(colours) / 255.0) ** 2.2).round().astype(np.uint8)


def recolour(handle: Any, colour: Colour) -> None:
    """Give a mesh a colour, unless it has that."""
    if tuple(handle.color) != colour:
        handle.color = colour


def place(handle: Any, frame: Plane) -> None:
    """Move a node to a frame."""
    handle.position, handle.wxyz = frame.origin, turn_of(frame)


def _round_step(length: float) -> float:
    """Return the largest 1, 2 or 5 times a power of ten that does not exceed a length."""
    power: float = 10.0 ** math.floor(math.log10(length))
    return power * max(factor for factor in (1.0, 2.0, 5.0) if factor * power <= length * 1.000001)

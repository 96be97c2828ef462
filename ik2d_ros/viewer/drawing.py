"""Shared by all parts of the drawing: colours, meshes and turns.

A mesh is in m, in a frame whose x-y plane is the arm's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.plane import Plane, Quaternion, Vector

FOOT, LINK, JOINT, TIP = (150, 156, 166), (240, 140, 46), (66, 72, 82), (52, 58, 64)
GHOST = (92, 124, 250)
END, RANGE = (214, 51, 108), (112, 72, 200)  # of links and limits that are designed
AREA, AREA_OPACITY = (80, 165, 230), 0.45
LIMIT, AT_LIMIT = (96, 108, 128), (224, 49, 49)
UNKNOWN = (134, 142, 150)
SHEET = (255, 255, 255)
WALL = (134, 142, 150)
CELLS, SECTIONS = (175, 180, 188), (145, 150, 160)  # to be seen on white and on black

FLATNESS = 0.6  # height of a bar as a fraction of its width


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles.

    Attributes:
        vertices: (k, 3) in m.
        faces: (l, 3) indices of the vertices.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]


def solid(kind: str, *sizes: Any, **others: float) -> Mesh:
    """Build a solid by the function of that name in ``trimesh.creation``; all in m."""
    from trimesh import creation  # noqa: PLC0415  # an extra: it comes with viser

    built = getattr(creation, kind)(*sizes, **others)
    return Mesh(built.vertices, built.faces)


def bar(length: float, radius: float) -> Mesh:
    """Build a rounded, slightly flat bar about the origin, along x; all in m."""
    capsule = solid('capsule', length, radius)
    vertices = capsule.vertices
    centred = vertices - (vertices.min(axis=0) + vertices.max(axis=0)) / 2.0
    return Mesh(centred[:, [2, 0, 1]] * (1.0, 1.0, FLATNESS), capsule.faces)


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

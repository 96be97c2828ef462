"""Triangle meshes of the parts of an arm: links, joints, joint limits; no drawing here.

Every mesh is (k, 3) vertices in m and (t, 3) indices into them, counter-clockwise seen from
outside, in a frame whose x-y plane is the arm's.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics import Chain

ROUND = 24  # segments of a full turn around a link
CAP = 8  # rings of a link's round end
FINE = 5.0  # degrees per segment of a limit

BROADEST = 0.048  # radius of the first link, in reaches
SHORT = 0.30  # the same as a fraction of the average link, for arms of many short links
TAPER = 0.55  # radius of the tip as a fraction of the first link's
FLATNESS = 0.55  # height of a link as a fraction of its width


class Mesh(NamedTuple):
    """Vertices (k, 3) in m and triangles (t, 3) of indices into them."""

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]


def radii(chain: Chain) -> tuple[float, ...]:
    """Return the (n + 1,) drawn radii in m at every joint and, last, the tip."""
    count = len(chain)
    size = chain.reach.outer or 1.0
    first = min(BROADEST, SHORT / count) * size
    return tuple(first * (1.0 - (1.0 - TAPER) * i / count) for i in range(count + 1))


def link(length: float, begin: float, end: float) -> Mesh:
    """Build a rounded, slightly flat link from the origin along x, tapered between radii in m."""
    turns = np.linspace(0.0, 0.5 * math.pi, CAP + 1)
    along = np.concatenate([-begin * np.cos(turns), length + end * np.sin(turns)])
    across = np.concatenate([begin * np.sin(turns), end * np.sin(turns[::-1])])  # 0 at the ends
    return _revolved(along, across, FLATNESS)


def disc(radius: float, height: float, bevel: float) -> Mesh:
    """Build a disc about z, ``height`` above and below the plane, with bevelled rims; all in m."""
    along = np.array([-height, -height, bevel - height, height - bevel, height, height])
    across = np.array([0.0, radius - bevel, radius, radius, radius - bevel, 0.0])
    vertices, triangles = _revolved(along, across, 1.0)
    return Mesh(vertices[:, [1, 2, 0]], triangles)


def ball(radius: float) -> Mesh:
    """Build a ball about the origin; its radius is in m."""
    turns = np.linspace(0.0, math.pi, 2 * CAP + 1)
    across = radius * np.sin(turns)
    across[-1] = 0.0
    return _revolved(-radius * np.cos(turns), across, 1.0)


def band(inner: float, outer: float, begin: float = 0.0, end: float = 2.0 * math.pi) -> Mesh:
    """Build a flat ring sector about the origin, between two radii in m and directions in rad."""
    count = max(2, math.ceil(math.degrees(end - begin) / FINE) + 1)
    turns = np.linspace(begin, end, count)
    circle = np.stack([np.cos(turns), np.sin(turns), np.zeros(count)], axis=1)
    i = np.arange(count - 1)
    triangles = np.concatenate(
        [
            np.stack([i, i + count, i + 1], axis=1),
            np.stack([i + 1, i + count, i + count + 1], axis=1),
        ]
    )
    return Mesh(np.concatenate([inner * circle, outer * circle]), triangles)


def grid(places: NDArray[np.float64], half: float) -> NDArray[np.float64]:
    """Build grid lines at (k,) places along both axes: (2k, 2, 3) ends at ``half``; all in m."""
    ends = np.broadcast_to([-half, half], (len(places), 2))
    across = np.stack([ends, np.broadcast_to(places[:, None], ends.shape), 0.0 * ends], axis=-1)
    return np.concatenate([across, across[..., [1, 0, 2]]])


def fan(corners: NDArray[np.float64]) -> Mesh:
    """Build a flat shape from its corners (k, 2) in m, of which the first sees all others."""
    count = len(corners)
    i = np.arange(1, count - 1)
    triangles = np.stack([np.zeros_like(i), i, i + 1], axis=1)
    return Mesh(np.column_stack([corners, np.zeros(count)]), triangles)


def _revolved(along: NDArray[np.float64], across: NDArray[np.float64], flatness: float) -> Mesh:
    """Revolve a profile about x; the mesh is closed if the radius is 0 at both ends."""
    turns = np.linspace(0.0, 2.0 * math.pi, ROUND, endpoint=False)
    vertices = np.stack(
        [
            np.repeat(along, ROUND),
            np.outer(across, np.cos(turns)).ravel(),
            flatness * np.outer(across, np.sin(turns)).ravel(),
        ],
        axis=1,
    )
    ring, step = (index.ravel() for index in np.indices((len(along) - 1, ROUND)))
    here, there = ring * ROUND + step, ring * ROUND + (step + 1) % ROUND
    triangles = np.concatenate(
        [
            np.stack([here, there, here + ROUND], axis=1),
            np.stack([there, there + ROUND, here + ROUND], axis=1),
        ]
    )
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return Mesh(vertices, triangles[areas > 0.0])

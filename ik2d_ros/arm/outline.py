"""The outline of a triangulated area, and which points are inside it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Triangles = NDArray[np.int64]


PARALLEL = 1e-6  # rad


class Segments(NamedTuple):
    """Directed line segments with the area on their left.

    Attributes:
        begin: (m, 2).
        end: (m, 2).
    """

    begin: Points
    end: Points


def outline(points: Points, triangles: Triangles) -> Segments:
    """Return the edge of an area, around its holes too.

    Args:
        points: (k, 2) corners.
        triangles: (t, 3) indices into them, counter-clockwise, not overlapping.
    """
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    count = len(points)
    there = sides[:, 0] * count + sides[:, 1]
    back = sides[:, 1] * count + sides[:, 0]
    edge = sides[~np.isin(there, back)]
    return Segments(points[edge[:, 0]], points[edge[:, 1]])


def inside(segments: Segments, points: Points) -> NDArray[np.bool_]:
    """Return which points (k, 2) are inside closed outlines, by winding numbers."""
    (ax, ay), (bx, by) = segments.begin.T, segments.end.T
    x, y = points[:, 0, None], points[:, 1, None]
    left = (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0
    up, down = (ay <= y) & (y < by) & left, (by <= y) & (y < ay) & ~left
    return np.asarray(up.sum(axis=1) != down.sum(axis=1))


def distances(segments: Segments, points: Points) -> NDArray[np.float64]:
    """Return how far points (k, 2) are from the closest segment; (k,), inf without segments."""
    along = segments.end - segments.begin
    squares = np.maximum((along**2).sum(axis=1), np.finfo(np.float64).tiny)
    away = points[:, None] - segments.begin
    part = np.clip((away * along).sum(axis=-1) / squares, 0.0, 1.0)
    away -= part[..., None] * along
    return np.asarray(np.hypot(away[..., 0], away[..., 1]).min(axis=1, initial=np.inf))


def crossings(segments: Segments, others: Segments) -> list[list[float]]:
    """Return, for each segment, where others cross it: fractions of its length, in order.

    Segments that are parallel do not cross.
    """
    along, across = segments.end - segments.begin, others.end - others.begin
    gap = others.begin - segments.begin[:, None]
    scale = _cross(along[:, None], across)
    with np.errstate(divide='ignore', invalid='ignore'):
        here, there = _cross(gap, across) / scale, _cross(gap, along[:, None]) / scale
    lengths = np.hypot(*along.T)[:, None] * np.hypot(*across.T)
    met = np.abs(scale) > PARALLEL * lengths
    met &= (here > 0.0) & (here < 1.0) & (there >= 0.0) & (there <= 1.0)
    return [sorted(row[hit].tolist()) for row, hit in zip(here, met, strict=True)]


def _cross(a: Points, b: Points) -> NDArray[np.float64]:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])

"""Reducing the triangles of a flat area, for cheaper messages."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

Triangle = tuple[int, int, int]

SLIVER = 1e-12  # Smallest triangle area, in squares of the overall size.


def thinned(
    points: NDArray[np.float64], triangles: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Remove interior points of a triangulated area.

    An interior point is merged into a neighbour, and the triangles between the two vanish, if the
    remaining ones keep their orientation: then they still cover exactly the same area.

    Args:
        points: (k, 2) corners in m.
        triangles: (t, 3) indices into them, counter-clockwise, not overlapping.

    Returns:
        Points and triangles of the same form; the points are a subset of those given.
    """
    places = [complex(x, y) for x, y in points.tolist()]
    least = SLIVER * float(np.ptp(points, axis=0).max(initial=0.0)) ** 2
    around: dict[int, set[Triangle]] = {}
    for a, b, c in triangles.tolist():
        for corner in (a, b, c):
            around.setdefault(corner, set()).add((a, b, c))
    for point in sorted(around.keys() - _edge(triangles)):
        for neighbour in sorted({corner for triangle in around[point] for corner in triangle}):
            stays = [triangle for triangle in around[point] if neighbour not in triangle]
            moved = [_with(triangle, point, neighbour) for triangle in stays]
            if neighbour != point and all(_area(places, each) > least for each in moved):
                for triangle in around.pop(point):
                    for corner in set(triangle) - {point}:
                        around[corner].discard(triangle)
                for triangle in moved:
                    for corner in triangle:
                        around[corner].add(triangle)
                break
    left = sorted(set().union(*around.values()))
    used, corners = np.unique(np.array(left, np.int64).reshape(-1, 3), return_inverse=True)
    return points[used], corners.reshape(-1, 3).astype(np.int64)


def _edge(triangles: NDArray[np.int64]) -> set[int]:
    """Return the points on the edge, where a side belongs to one triangle only."""
    sides = Counter(
        (min(side), max(side))
        for a, b, c in triangles.tolist()
        for side in ((a, b), (b, c), (c, a))
    )
    return {point for side, count in sides.items() if count == 1 for point in side}


def _with(triangle: Triangle, old: int, new: int) -> Triangle:
    a, b, c = triangle
    return (new, b, c) if a == old else (a, new, c) if b == old else (a, b, new)


def _area(places: list[complex], triangle: Triangle) -> float:
    """Return the signed area, positive counter-clockwise."""
    a, b, c = (places[corner] for corner in triangle)
    return 0.5 * ((b - a).conjugate() * (c - a)).imag

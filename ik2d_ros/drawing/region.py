"""A region of the plane by marching squares; no ROS, no drawing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Triangles = NDArray[np.int64]
Flags = NDArray[np.bool_]

HALVINGS = 7  # of a cell's side, to find the border on it

Field = Callable[[Points], tuple[Points, Points]]
"""Returns for points (k, 2) in m the distance of each from the region, (k,), and the closest point
in it, (k, 2). Where the distance is unknown, it is inf, and the point is arbitrary."""


class Region(NamedTuple):
    """A region, cut into triangles.

    Attributes:
        points: (k, 2) corners in m.
        triangles: (t, 3) indices into them, counter-clockwise, not overlapping.
        edge: (e, 2) indices of the segments around the region and its holes, which is on their
            left.
    """

    points: Points
    triangles: Triangles
    edge: Triangles

    @property
    def size(self) -> float:
        """Area in m^2."""
        a, b, c = np.moveaxis(self.points[self.triangles], 1, 0)
        return float(0.5 * np.abs(_cross(b - a, c - a)).sum())

    @property
    def girth(self) -> float:
        """Length of all edges in m."""
        begin, end = np.moveaxis(self.points[self.edge], 1, 0)
        return float(np.hypot(*(end - begin).T).sum())


def region(
    field: Field, lower: Points, upper: Points, cells: int, level: float = 0.0
) -> tuple[Region, Region]:
    """Return a region inside a rectangle, and the region of all points near it.

    The edge of the second region crosses each cell of a grid in a straight line, whose ends are
    found to a hundredth of the cell's side. Corners are cut, and parts between the corners of cells
    are missed. The first region has the same points, each moved to the closest one inside.

    Args:
        field: the distance from the region; it exceeds ``level`` on the border of the rectangle.
        lower: (2,) smallest x and y in m.
        upper: (2,) largest x and y in m.
        cells: along each side.
        level: largest distance in m of the points near the region.
    """
    xs, ys = np.linspace(lower, upper, cells + 1).T
    grid = np.stack(np.meshgrid(xs, ys, indexing='ij'), axis=-1)
    distances, closest = field(grid.reshape(-1, 2))
    inside = (distances <= level).reshape(grid.shape[:2])
    inside[[0, -1]] = inside[:, [0, -1]] = False
    names = np.arange(inside.size).reshape(inside.shape)

    def is_near(points: Points) -> Flags:
        return np.asarray(field(points)[0] <= level)

    along_x, places_x = _crossings(is_near, grid, inside, 0)
    along_y, places_y = _crossings(is_near, grid, inside, 1)
    names_x = np.where(along_x, inside.size + np.cumsum(along_x).reshape(along_x.shape) - 1, -1)
    first = inside.size + len(places_x)
    names_y = np.where(along_y, first + np.cumsum(along_y).reshape(along_y.shape) - 1, -1)

    # Around each cell: a corner, the side after it, the next corner, ...
    corners = np.stack([names[:-1, :-1], names[1:, :-1], names[1:, 1:], names[:-1, 1:]], axis=-1)
    sides = np.stack([names_x[:, :-1], names_y[1:], names_x[:, 1:], names_y[:-1]], axis=-1)
    held = np.stack([inside[:-1, :-1], inside[1:, :-1], inside[1:, 1:], inside[:-1, 1:]], axis=-1)
    full = np.asarray(held.all(axis=-1))
    moves = (distances > 0.0)[corners].any(axis=-1)
    a, b, c, d = corners[full & moves].T
    triangles: list[Triangles] = [
        _rows(names, full & ~moves), np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1),
    ]  # fmt: skip
    edge: list[Triangles] = [np.empty((0, 2), dtype=np.int64)]
    kinds = held @ np.array([1, 2, 4, 8])
    for kind in range(1, 15):
        here = kinds == kind
        cell, lines = _cut(kind)
        around = np.stack([corners[here], sides[here]], axis=-1).reshape(-1, 8)
        triangles += [around[:, [cell[0], *pair]] for pair in pairwise(cell[1:])]
        edge += [around[:, line] for line in lines]
    crossings = np.concatenate([places_x, places_y])
    near = np.concatenate([grid.reshape(-1, 2), crossings])
    moved = np.concatenate([closest, field(crossings)[1] if len(crossings) else crossings])
    cut, sides_cut = np.concatenate(triangles), np.concatenate(edge)
    return _compact(moved, cut, sides_cut), _compact(near, cut, sides_cut)


def _crossings(
    is_near: Callable[[Points], Flags], grid: Points, inside: Flags, axis: int
) -> tuple[Flags, Points]:
    """Return which sides along an axis the border crosses, and (k, 2) where."""
    count = grid.shape[axis] - 1
    here, there = np.take(grid, range(count), axis), np.take(grid, range(1, count + 1), axis)
    begins, ends = np.take(inside, range(count), axis), np.take(inside, range(1, count + 1), axis)
    crossed = begins != ends
    is_first = begins[crossed][:, None]
    within = np.where(is_first, here[crossed], there[crossed])
    beyond = np.where(is_first, there[crossed], here[crossed])
    for _ in range(HALVINGS if len(within) else 0):
        middle = 0.5 * (within + beyond)
        is_within = is_near(middle)[:, None]
        within, beyond = np.where(is_within, middle, within), np.where(is_within, beyond, middle)
    return crossed, within


def _cut(kind: int) -> tuple[list[int], list[list[int]]]:
    """Return the part of a cell that is inside, by the corners that are.

    Args:
        kind: a bit for each corner.

    Returns:
        The corners of that polygon, and the pairs of them between which the border runs: numbers
        around the cell, even for corners, odd for the sides after them.
    """
    held = [bool(kind >> corner & 1) for corner in range(4)]
    polygon, leaves = [], []
    for corner in range(4):
        following = held[(corner + 1) % 4]
        if held[corner]:
            polygon.append(2 * corner)
        if held[corner] != following:
            polygon.append(2 * corner + 1)
            if held[corner]:
                leaves.append(2 * corner + 1)
    after = dict(zip(polygon, polygon[1:] + polygon[:1], strict=True))
    return polygon, [[side, after[side]] for side in leaves]


def _rows(names: Triangles, full: Flags) -> Triangles:
    """Return two triangles for each run of cells that are inside as a whole."""
    ends = np.diff(np.pad(full, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    column, first = np.nonzero(ends == 1)
    _, last = np.nonzero(ends == -1)
    a, b = names[column, first], names[column + 1, first]
    c, d = names[column + 1, last], names[column, last]
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def _compact(points: Points, triangles: Triangles, edge: Triangles) -> Region:
    """Return a region without empty triangles and unused points."""
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    triangles = triangles[_cross(b - a, c - a) > 0.0]
    used = np.zeros(len(points), dtype=np.bool_)
    used[triangles] = used[edge] = True
    numbers = np.cumsum(used) - 1
    return Region(points[used], numbers[triangles], numbers[edge])


def _cross(a: Points, b: Points) -> Points:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])

"""A region of the plane by marching triangles; no ROS, no drawing."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Pairs = NDArray[np.int64]
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
    edge: Pairs

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

    Each cell of a grid is two triangles. The edge of the second region crosses a triangle in a
    straight line, whose ends are found to a hundredth of the cell's side; parts between the corners
    are missed. The first region has the same points, each moved to the closest one inside.

    Args:
        field: the distance from the region; it exceeds ``level`` on the border of the rectangle.
        lower: (2,) smallest x and y in m.
        upper: (2,) largest x and y in m.
        cells: along each side.
        level: largest distance in m of the points near the region.
    """
    xs, ys = np.linspace(lower, upper, cells + 1).T
    points = np.stack(np.meshgrid(xs, ys, indexing='ij'), axis=-1).reshape(-1, 2)
    distances, closest = field(points)
    names = np.arange(len(points)).reshape(cells + 1, cells + 1)
    inside = np.asarray(distances <= level)
    inside[[*names[0], *names[-1], *names[:, 0], *names[:, -1]]] = False

    corners = np.stack([names[:-1, :-1], names[1:, :-1], names[1:, 1:], names[:-1, 1:]], axis=-1)
    stays = np.asarray((inside & (distances <= 0.0))[corners].all(axis=-1))
    triangles = corners[~stays][:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
    count = inside[triangles].sum(axis=1)
    cut = triangles[(count == 1) | (count == 2)]
    held = inside[cut]
    is_alone = held == (held.sum(axis=1) == 1)[:, None]  # the corner without one of its kind
    cut = np.take_along_axis(cut, (is_alone.argmax(axis=1)[:, None] + np.arange(3)) % 3, axis=1)

    sides = np.sort(np.concatenate([cut[:, [0, 1]], cut[:, [0, 2]]]), axis=1)
    sides, numbers = np.unique(sides, axis=0, return_inverse=True)
    crossings = _crossings(field, level, points, inside, sides)
    alone, second, third = cut.T
    before, after = len(points) + numbers.reshape(2, -1)
    tip = inside[alone]
    found = [
        _rows(names, stays),
        triangles[count == 3],
        np.stack([alone, before, after], axis=1)[tip],
        np.stack([before, second, third], axis=1)[~tip],
        np.stack([before, third, after], axis=1)[~tip],
    ]
    border = np.stack([np.where(tip, before, after), np.where(tip, after, before)], axis=1)
    moved = np.concatenate([closest, field(crossings)[1] if len(crossings) else crossings])
    near, filled = np.concatenate([points, crossings]), np.concatenate(found)
    return _compact(moved, filled, border), _compact(near, filled, border)


def _crossings(field: Field, level: float, points: Points, inside: Flags, sides: Pairs) -> Points:
    """Return (k, 2) places, just inside, where the border crosses sides, (k, 2) of points."""
    is_first = inside[sides[:, :1]]
    begin, end = np.moveaxis(points[sides], 1, 0)
    within, beyond = np.where(is_first, begin, end), np.where(is_first, end, begin)
    for _ in range(HALVINGS if len(sides) else 0):
        middle = 0.5 * (within + beyond)
        is_within = (field(middle)[0] <= level)[:, None]
        within, beyond = np.where(is_within, middle, within), np.where(is_within, beyond, middle)
    return within


def _rows(names: Triangles, full: Flags) -> Triangles:
    """Return two triangles for each run of cells that are inside as a whole."""
    ends = np.diff(np.pad(full, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    column, first = np.nonzero(ends == 1)
    _, last = np.nonzero(ends == -1)
    a, b = names[column, first], names[column + 1, first]
    c, d = names[column + 1, last], names[column, last]
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def _compact(points: Points, triangles: Triangles, edge: Pairs) -> Region:
    """Return a region without empty triangles and unused points."""
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    triangles = triangles[_cross(b - a, c - a) > 0.0]
    used = np.zeros(len(points), dtype=np.bool_)
    used[triangles] = used[edge] = True
    numbers = np.cumsum(used) - 1
    return Region(points[used], numbers[triangles], numbers[edge])


def _cross(a: Points, b: Points) -> Points:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])

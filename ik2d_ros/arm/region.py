"""The region of the plane where something holds, as polygons; no ROS imports and no drawing."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.outline import Points

HALVINGS = 7  # of a side of a cell, to find where the border crosses it

Holds = Callable[[Points], NDArray[np.bool_]]
"""Returns for points (k, 2) in m whether it holds there, (k,)."""


class Region(NamedTuple):
    """A region, cut into the cells of a grid.

    Attributes:
        cells: polygons (k, 2) in m, one for each cell that the region meets.
        border: lines (2, 2) in m along its border.
    """

    cells: list[Points]
    border: list[Points]


def region(holds: Holds, lower: Points, upper: Points, count: int) -> Region:
    """Return the region of a rectangle where something holds.

    The border is a line in each cell, found to a hundredth of its side; parts of the region between
    the corners of the cells are missed.

    Args:
        holds: what holds there.
        lower: (2,) smallest x and y in m.
        upper: (2,) largest x and y in m.
        count: cells along each side.
    """
    xs, ys = np.linspace(lower, upper, count + 1).T
    grid = np.stack(np.meshgrid(xs, ys, indexing='ij'), axis=-1)
    inside = holds(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    # For each side of a cell that crosses the border, where: along x, and along y.
    crossings = [_crossings(holds, grid, inside, axis) for axis in (0, 1)]
    cells, border = [], []
    for i, j in np.argwhere(_any_corner(inside)).tolist():
        corners = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
        sides = (crossings[0][i, j], crossings[1][i + 1, j], crossings[0][i, j + 1],
                 crossings[1][i, j])  # fmt: skip
        cell, crossed = [], []
        for place, corner in enumerate(corners):
            following = corners[(place + 1) % 4]
            if inside[corner]:
                cell.append(grid[corner])
            if inside[corner] != inside[following]:
                cell.append(sides[place])
                crossed.append((sides[place], bool(inside[corner])))
        cells.append(np.array(cell))
        if crossed:
            # From where it leaves the region to where it comes back.
            first = next(k for k, (_, leaves) in enumerate(crossed) if leaves)
            places = [point for point, _ in (*crossed[first:], *crossed[:first])]
            border += [np.array(places[k : k + 2]) for k in range(0, len(places), 2)]
    return Region(cells, border)


def _crossings(holds: Holds, grid: Points, inside: NDArray[np.bool_], axis: int) -> Points:
    """Return where the border crosses each side of the grid along an axis; NaN where not."""
    here = grid[:-1] if axis == 0 else grid[:, :-1]
    there = grid[1:] if axis == 0 else grid[:, 1:]
    begins = inside[:-1] if axis == 0 else inside[:, :-1]
    ends = inside[1:] if axis == 0 else inside[:, 1:]
    crossed = begins != ends
    within = np.where(begins[crossed][:, None], here[crossed], there[crossed])
    beyond = np.where(begins[crossed][:, None], there[crossed], here[crossed])
    for _ in range(HALVINGS if len(within) else 0):
        middle = 0.5 * (within + beyond)
        is_within = holds(middle)[:, None]
        within, beyond = np.where(is_within, middle, within), np.where(is_within, beyond, middle)
    found = np.full(here.shape, np.nan)
    found[crossed] = within
    return found


def _any_corner(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which cells have a corner inside."""
    return inside[:-1, :-1] | inside[1:, :-1] | inside[:-1, 1:] | inside[1:, 1:]

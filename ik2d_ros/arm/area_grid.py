"""The reachable area of a chain with too many joints for a proof, from a polar grid.

No ROS imports and no drawing.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.outline import Points, Triangles
from ik2d_ros.kinematics import Chain, solve_batch

ROWS, COLUMNS = 24, 120  # Cells of the polar grid; multiples of the coarsest stride.
STRIDES = (8, 4, 2, 1)
PROBES = 64  # Directions in which the edge is probed, to fit the grid.
SAMPLES = 2000  # Random poses, for what the probes miss.
MARGIN = 0.02  # Margin of the grid around what was found, as a fraction.
TOLERANCE = 1e-5  # Of the solver, in reaches.
PASSES = 100  # Of the solver.
# Settling on the closest pose is cubic in the number of joints; with few passes it is skipped, and
# the edge may be a few hundredths of the reach too far inside.
MANY_JOINTS, FEW_PASSES = 16, 20
FLAT = 1e-9  # Area of a degenerate triangle, in squares of the reach.


def area_on_grid(chain: Chain) -> tuple[Points, Triangles]:
    """Triangulate the area of a chain whose first joint has limits, from a polar grid.

    For a point out of reach the solver's closest pose ends on the edge of the area: the outermost
    corners of the grid move there. Along an arc the triangles follow its chords, and they may cut
    off a corner of the edge, both by about a hundredth of the reach at most.

    Returns:
        Points and triangles as of :func:`.area.reach_area`; none of an area too thin for a grid.
    """
    grid, closed = _grid(chain)
    diagonals = np.stack([grid[1:, 1:] - grid[:-1, :-1], grid[1:, :-1] - grid[:-1, 1:]])
    cells = float(np.hypot(diagonals[..., 0], diagonals[..., 1]).max())
    tips, errors = _closest(chain, grid, 1.01 * cells)

    rows, columns = grid.shape[0] - 1, grid.shape[1] - 1
    row, column = (index.ravel() for index in np.indices((rows, columns)))
    beside = (column + 1) % columns if closed else column + 1
    corners = np.stack(
        [row * (columns + 1) + column, (row + 1) * (columns + 1) + column,
         (row + 1) * (columns + 1) + beside, row * (columns + 1) + beside], axis=1,
    )  # fmt: skip
    reached = (errors.ravel()[corners] <= TOLERANCE * chain.reach.outer).any(axis=1)
    # An area thinner than a cell contains no corner of the cells that it runs through.
    crossed = _cells_of(tips.reshape(-1, 2)[errors.ravel() < cells], grid)
    near = (errors.ravel()[corners] < cells).all(axis=1)
    kept = corners[reached | (near & crossed.ravel())]
    if not len(kept):  # An area on a grid line runs through no cell.
        kept = corners[near]
    points = tips.reshape(-1, 2)
    triangles = np.concatenate([kept[:, [0, 1, 2]], kept[:, [0, 2, 3]]])
    a, b, c = (points[triangles[:, i]] for i in range(3))
    areas = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    triangles = triangles[areas > FLAT * chain.reach.outer**2]
    used, places = np.unique(triangles, return_inverse=True)
    return points[used], places.reshape(triangles.shape).astype(np.int64)


def _grid(chain: Chain) -> tuple[Points, bool]:
    """Return grid points (rows + 1, columns + 1, 2) covering the area, and whether it is closed."""
    turns = np.linspace(0.0, 2.0 * math.pi, PROBES, endpoint=False)
    ring = 3.0 * chain.reach.outer * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    edge = closest_tips(chain, np.concatenate([[[0.0, 0.0]], ring]))
    lower, upper = (
        np.where(np.isinf(limits), side * math.pi, limits)
        for side, limits in ((-1.0, chain.lower), (1.0, chain.upper))
    )
    random = np.random.default_rng(0).random((SAMPLES, len(chain)))
    # Poses at limits are rare among random ones, but they form the edge.
    parts = np.clip(1.6 * random - 0.3, 0.0, 1.0)
    seen = np.concatenate([edge, chain.forward(lower + parts * (upper - lower))[:, -1]])
    radii, angles = np.hypot(*seen.T), np.sort(np.arctan2(seen[:, 1], seen[:, 0]))
    gaps = np.diff(np.append(angles, angles[0] + 2.0 * math.pi))
    widest = int(gaps.argmax())
    begin = float(angles[(widest + 1) % len(angles)])
    span = 2.0 * math.pi - float(gaps[widest])
    closed = span > 2.0 * math.pi * (1.0 - 2.0 * MARGIN)
    if closed:
        begin, span = -math.pi, 2.0 * math.pi
    else:
        begin, span = begin - MARGIN * span, (1.0 + 2.0 * MARGIN) * span
    more = MARGIN * float(np.ptp(radii))
    outer = min(float(radii.max()) + more, chain.reach.outer)
    rows = np.linspace(float(radii[0]), outer, ROWS + 1)
    columns = begin + np.linspace(0.0, span, COLUMNS + 1)
    directions = np.stack([np.cos(columns), np.sin(columns)], axis=1)
    return rows[:, None, None] * directions[None], closed


def _cells_of(points: Points, grid: Points) -> NDArray[np.bool_]:
    """Return which cells (rows, columns) of a grid from :func:`_grid` contain points (k, 2)."""
    radii = np.hypot(*grid[:, 0].T)
    angles = np.unwrap(np.arctan2(grid[-1, :, 1], grid[-1, :, 0]))
    row = np.searchsorted(radii, np.hypot(*points.T)) - 1
    turned = (np.arctan2(points[:, 1], points[:, 0]) - angles[0]) % (2.0 * math.pi)
    column = np.searchsorted(angles - angles[0], turned) - 1
    shape = (len(radii) - 1, len(angles) - 1)
    inside = (row >= 0) & (row < shape[0]) & (column >= 0) & (column < shape[1])
    held = np.zeros(shape, dtype=np.bool_)
    held[row[inside], column[inside]] = True
    return held


def _closest(chain: Chain, grid: Points, near: float) -> tuple[Points, Points]:
    """Return, for each point of a grid, the closest tip and its distance, in m.

    From coarse to fine, so that few points have to be solved: no other point within the distance of
    an unreachable one can be reached, points outside by more than ``near`` need no exact distance,
    and in the last round points surrounded by reached ones count as reached.
    """
    reached = TOLERANCE * chain.reach.outer
    tips = grid.copy()
    errors = np.full(grid.shape[:2], np.nan)
    bounds = np.zeros(grid.shape[:2])  # Lower bounds on the distance of each point.
    for stride in STRIDES:
        asked = np.zeros(grid.shape[:2], dtype=np.bool_)
        asked[::stride, ::stride] = True
        asked &= np.isnan(errors) & (bounds <= near)
        if stride == STRIDES[-1]:
            amid = asked & _surrounded(errors <= reached)
            errors[amid] = 0.0
            asked &= ~amid
        tips[asked] = closest_tips(chain, grid[asked])
        errors[asked] = np.hypot(*(tips[asked] - grid[asked]).T)
        outside = np.argwhere(asked & (errors > near))
        for row, column in outside:
            away = np.hypot(*np.moveaxis(grid - grid[row, column], -1, 0))
            np.maximum(bounds, errors[row, column] - away, out=bounds)
    return tips, np.where(np.isnan(errors), bounds, errors)


def _surrounded(marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the points whose neighbours on the grid of every second point are all marked."""
    even = np.pad(marks[::2, ::2], 1, mode='edge')
    corners = even[:-1, :-1] & even[1:, :-1] & even[:-1, 1:] & even[1:, 1:]  # around each cell
    result = np.zeros(marks.shape, dtype=np.bool_)
    result[1::2, 1::2] = corners[1:-1, 1:-1]
    result[::2, 1::2] = corners[:-1, 1:-1] & corners[1:, 1:-1]
    result[1::2, ::2] = corners[1:-1, :-1] & corners[1:-1, 1:]
    return result


def closest_tips(chain: Chain, targets: Points) -> Points:
    """Return the reachable points closest to the targets (k, 2), in m."""
    answers = solve_batch(
        chain,
        targets,
        tolerance=TOLERANCE * chain.reach.outer,
        max_iterations=PASSES if len(chain) <= MANY_JOINTS else FEW_PASSES,
    )
    tips: Points = chain.forward(answers.q)[:, -1]
    return tips

"""The reachable area of a chain within its joint limits, as triangles.

No ROS imports and no drawing: the viewer and the markers draw it.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.core import core_of
from ik2d_ros.kinematics import Chain, solve_batch

Points = NDArray[np.float64]
Triangles = NDArray[np.int64]

ROWS, COLUMNS = 24, 120  # Cells of the polar grid; multiples of the coarsest stride.
FINE_ROWS, FINE_COLUMNS = 32, 160  # The same for two joints, where the closed form is fast.
STRIDES = (8, 4, 2, 1)
PROBES = 64  # Directions in which the edge is probed, to fit the grid.
SAMPLES = 2000  # Random poses, for what the probes miss.
MARGIN = 0.02  # Margin of the grid around what was found, as a fraction.
TOLERANCE = 1e-5  # Of the solver, in reaches.
PASSES = 100  # Of the solver.
# Settling on the closest pose is cubic in the number of joints; with few passes it is skipped, and
# the edge may be a few hundredths of the reach too far inside.
MANY_JOINTS, FEW_PASSES = 16, 20
LINE_WIDTH = 0.01  # Width of an area that is only a line or a point, in reaches.
FLAT = 1e-9  # Area of a degenerate triangle, in squares of the reach.


def reach_area(chain: Chain) -> tuple[Points, Triangles]:
    """Triangulate the area that the tip reaches within the joint limits.

    Every vertex is reachable. Along an arc the triangles follow its chords, and they may cut off a
    corner of the edge, both by about a hundredth of the reach at most. If only a line or a point
    can be reached, the area is a thin strip along it.

    Args:
        chain: the arm; lengths in m.

    Returns:
        (k, 2) points in m in the arm's plane, and (t, 3) indices into them, counter-clockwise.
    """
    core = core_of(chain)
    if core.chain is None:
        center = np.array([core.base.real, core.base.imag])
        points, triangles = _ring(0.0, 0.5 * LINE_WIDTH * (chain.reach.outer or 1.0))
        return points + center, triangles
    first = core.chain.joints[0]
    if first.continuous:
        nearest, farthest = _radii(core.chain)
        if farthest - nearest < TOLERANCE * core.chain.reach.outer:  # a circle, or the base alone
            half = 0.5 * LINE_WIDTH * core.chain.reach.outer
            nearest, farthest = max(0.0, nearest - half), farthest + half
        points, triangles = _ring(nearest, farthest)
    elif len(core.chain) == 1:
        points, triangles = _arc(core.chain)
    else:
        points, triangles = _area(core.chain)
        if not len(triangles):  # too thin for a grid
            points, triangles = reach_area(_stiffened(core.chain))
    return points + np.array([core.base.real, core.base.imag]), triangles


def _stiffened(chain: Chain) -> Chain:
    """Return the chain with the joint of the smallest range fixed at its middle."""
    ranges = (chain.upper - chain.lower).tolist()
    least = ranges.index(min(ranges))
    middle = chain.middle[least]
    joints = list(chain.joints)
    joints[least] = replace(joints[least], lower=middle, upper=middle)
    return Chain(joints)


def _radii(chain: Chain) -> tuple[float, float]:
    """Return the smallest and largest distance from the base in m if the first joint is continuous.

    Then only the distance matters, and it takes all values in between. The pose closest to the base
    has the smallest, the one closest to a point far away the largest.
    """
    if not chain.limited:
        return chain.reach
    tips = _tips(chain, np.array([[0.0, 0.0], [3.0 * chain.reach.outer, 0.0]]))
    nearest, farthest = np.hypot(*tips.T).tolist()
    return nearest, farthest


def _ring(inner: float, outer: float) -> tuple[Points, Triangles]:
    turns = np.linspace(0.0, 2.0 * math.pi, COLUMNS, endpoint=False)
    circle = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    first = np.arange(COLUMNS)
    following = (first + 1) % COLUMNS
    if inner <= TOLERANCE * outer:
        points = np.concatenate([outer * circle, [[0.0, 0.0]]])
        return points, np.stack([first, following, np.full(COLUMNS, COLUMNS)], axis=1)
    points = np.concatenate([outer * circle, inner * circle])
    return points, np.concatenate(
        [
            np.stack([first, following, first + COLUMNS], axis=1),
            np.stack([following, following + COLUMNS, first + COLUMNS], axis=1),
        ]
    )


def _arc(chain: Chain) -> tuple[Points, Triangles]:
    """Return a strip along the arc, or the line, that one joint with limits reaches."""
    lower, upper = float(chain.lower[0]), float(chain.upper[0])
    if chain.has_slides:
        ends = chain.forward(np.array([[lower], [upper]]))[:, -1]
        along = (ends[1] - ends[0]) / (upper - lower)
        aside = 0.5 * LINE_WIDTH * chain.reach.outer * np.array([-along[1], along[0]])
        strip = np.concatenate([ends - aside, ends + aside])
        return strip, np.array([[0, 1, 3], [0, 3, 2]])
    count = max(2, math.ceil((upper - lower) / (2.0 * math.pi) * COLUMNS) + 1)
    tips = chain.forward(np.linspace(lower, upper, count)[:, None])[:, -1]
    inner, outer = _widened(chain.reach.outer)
    points = np.concatenate([tips * outer, tips * inner]) / chain.reach.outer
    first = np.arange(count - 1)
    return points, np.concatenate(
        [
            np.stack([first, first + 1, first + count], axis=1),
            np.stack([first + 1, first + 1 + count, first + count], axis=1),
        ]
    )


def _widened(radius: float) -> tuple[float, float]:
    half = 0.5 * LINE_WIDTH * radius
    return radius - half, radius + half


def _area(chain: Chain) -> tuple[Points, Triangles]:
    """Triangulate the area of a chain whose first joint has limits, from a polar grid.

    For a point out of reach the solver's closest pose ends on the edge of the area: the outermost
    corners of the grid move there.
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
    edge = _tips(chain, np.concatenate([[[0.0, 0.0]], ring]))
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
    counts = (FINE_ROWS, FINE_COLUMNS) if len(chain) == 2 else (ROWS, COLUMNS)
    rows = np.linspace(float(radii[0]), outer, counts[0] + 1)
    columns = begin + np.linspace(0.0, span, counts[1] + 1)
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
        tips[asked] = _tips(chain, grid[asked])
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


def _tips(chain: Chain, targets: Points) -> Points:
    """Return the reachable points closest to the targets (k, 2), in m."""
    answers = solve_batch(
        chain,
        targets,
        tolerance=TOLERANCE * chain.reach.outer,
        max_iterations=PASSES if len(chain) <= MANY_JOINTS else FEW_PASSES,
    )
    tips: Points = chain.forward(answers.q)[:, -1]
    return tips

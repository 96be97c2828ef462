"""Thinned areas: the same area, to the last corner, with fewer triangles."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ik2d_ros.arm.thinning import thinned

Area = tuple[NDArray[np.float64], NDArray[np.int64]]


@st.composite
def areas(draw: st.DrawFn) -> Area:
    """A grid with holes, bays and parts of its own, its inner points moved about."""
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    seed = draw(st.integers(0, 2**32 - 1))
    generator = np.random.default_rng(seed)
    points = np.stack(
        np.meshgrid(np.arange(rows + 1.0), np.arange(columns + 1.0), indexing='ij'), axis=-1
    )
    # By less than what would turn a triangle over.
    points += draw(st.floats(0.0, 0.2)) * generator.uniform(-1.0, 1.0, points.shape)
    cells = draw(
        st.lists(
            st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1)),
            min_size=1,
            unique=True,
        )
    )
    triangles = []
    for row, column in cells:
        a = row * (columns + 1) + column
        b, c, d = a + columns + 1, a + columns + 2, a + 1
        triangles += [(a, b, c), (a, c, d)]
    scale = draw(st.sampled_from([1e-3, 1.0, 1e3]))
    return scale * points.reshape(-1, 2), np.array(triangles)


def doubled_areas(area: Area) -> NDArray[np.float64]:
    points, triangles = area
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    return (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]


def coverage(area: Area, places: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many triangles each of the places (m, 2) lies in."""
    points, triangles = area
    inside = np.ones((len(places), len(triangles)), dtype=bool)
    for corner in range(3):
        a, b = points[triangles[:, corner]], points[triangles[:, (corner + 1) % 3]]
        side, to_place = b - a, places[:, None] - a
        inside &= side[:, 0] * to_place[..., 1] - side[:, 1] * to_place[..., 0] > 0.0
    return inside.sum(axis=1)


@given(areas(), st.integers(0, 2**32 - 1))
def test_it_is_the_same_area(area: Area, seed: int) -> None:
    result = thinned(*area)
    assert len(result[1]) <= len(area[1])
    # None turned over, and no sliver either, which is none or turned over by rounding alone.
    assert (doubled_areas(result) > 1e-12 * np.ptp(area[0], axis=0).max() ** 2).all()
    np.testing.assert_allclose(doubled_areas(result).sum(), doubled_areas(area).sum(), rtol=1e-9)
    corners = set(map(tuple, area[0].tolist()))
    assert set(map(tuple, result[0].tolist())) <= corners
    assert set(result[1].ravel().tolist()) == set(range(len(result[0])))
    low, high = area[0].min(axis=0), area[0].max(axis=0)
    places = np.random.default_rng(seed).uniform(low, high, (200, 2))
    np.testing.assert_array_equal(coverage(result, places), coverage(area, places))


def test_a_whole_grid_needs_its_edge_only() -> None:
    side = 20
    points = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)
    first = np.array([r * side + c for r in range(side - 1) for c in range(side - 1)])
    right, above, across = first + 1, first + side, first + side + 1
    triangles = np.concatenate(
        [np.stack([first, right, across], axis=1), np.stack([first, across, above], axis=1)]
    )
    kept, thin = thinned(points.astype(float), triangles)
    assert len(kept) == 4 * (side - 1)
    assert len(thin) == len(kept) - 2

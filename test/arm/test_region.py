"""Regions of the plane where something holds, as polygons."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.arm.region import region


def where(holds):
    """The field of what is known to hold or not."""
    return lambda points: (np.where(holds(points), 0.0, np.inf), points)


LOWER, UPPER = np.array([-1.0, -1.0]), np.array([1.0, 1.0])


@given(st.floats(0.2, 0.9), st.floats(0.0, 0.5))
def test_a_ring_has_its_area_and_its_two_borders(outer, share):
    inner = share * outer if share > 0.1 else 0.0
    ring = where(lambda p: (np.hypot(*p.T) <= outer) & (np.hypot(*p.T) >= inner))
    found, _ = region(ring, LOWER, UPPER, 40)
    assert found.size == pytest.approx(math.pi * (outer**2 - inner**2), abs=0.02)
    distances = np.hypot(*found.points[found.edge].T)
    assert np.minimum(abs(distances - outer), abs(distances - inner)).max() < 2e-3
    assert found.girth == pytest.approx(2.0 * math.pi * (outer + inner), rel=0.05)


@given(st.floats(-3.2, 3.2), st.floats(0.2, 0.7))
def test_the_edge_closes_and_has_the_region_on_its_left(direction, size):
    """By Stokes: the edge encloses the area of the triangles."""
    shift = 0.2 * np.array([math.cos(direction), math.sin(direction)])
    square = where(lambda p: np.abs(p - shift).sum(axis=1) <= size)
    found, _ = region(square, LOWER, UPPER, 30)
    begin, end = np.moveaxis(found.points[found.edge], 1, 0)
    enclosed = 0.5 * (begin[:, 0] * end[:, 1] - begin[:, 1] * end[:, 0]).sum()
    assert enclosed == pytest.approx(found.size)
    assert sorted(found.edge[:, 0]) == sorted(found.edge[:, 1])
    a, b, c = np.moveaxis(found.points[found.triangles], 1, 0)
    assert ((b - a)[:, 0] * (c - a)[:, 1] > (b - a)[:, 1] * (c - a)[:, 0]).all()


def test_where_it_holds_nowhere_there_is_nothing():
    nothing, _ = region(where(lambda p: np.full(len(p), False)), LOWER, UPPER, 4)
    assert [len(part) for part in nothing] == [0, 0, 0]


def test_what_is_near_a_disc_is_moved_to_it():
    def disc(points):
        away = np.hypot(*points.T)
        return np.maximum(away - 0.5, 0.0), points * (0.5 / np.maximum(away, 0.5))[:, None]

    moved, near = region(disc, LOWER, UPPER, 20, 0.1)
    assert np.hypot(*moved.points[moved.edge].T) == pytest.approx(0.5)
    assert np.hypot(*near.points[near.edge].T) == pytest.approx(0.6, abs=1e-3)
    assert moved.size == pytest.approx(math.pi * 0.25, rel=0.01)


def test_two_corners_across_a_cell_are_two_borders():
    found, _ = region(where(lambda p: p[:, 0] * p[:, 1] > 0.1), LOWER, UPPER, 3)
    assert len(found.edge) == 8

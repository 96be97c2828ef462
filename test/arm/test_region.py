"""Regions of the plane where something holds, as polygons."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.arm.region import region

LOWER, UPPER = np.array([-1.0, -1.0]), np.array([1.0, 1.0])


def area(polygons):
    """The area of polygons, by their corners in order."""
    total = 0.0
    for corners in polygons:
        following = np.roll(corners, -1, axis=0)
        total += 0.5 * float(
            np.sum(corners[:, 0] * following[:, 1] - corners[:, 1] * following[:, 0])
        )
    return total


@given(st.floats(0.2, 0.9), st.floats(0.0, 0.5))
def test_a_ring_has_its_area_and_its_two_borders(outer, share):
    inner = share * outer if share > 0.1 else 0.0
    found = region(
        lambda p: (np.hypot(*p.T) <= outer) & (np.hypot(*p.T) >= inner), LOWER, UPPER, 40
    )
    assert area(found.cells) == pytest.approx(math.pi * (outer**2 - inner**2), abs=0.02)
    for ends in found.border:
        distances = np.hypot(*ends.T)
        assert np.minimum(abs(distances - outer), abs(distances - inner)).max() < 2e-3
    length = sum(math.dist(*ends) for ends in found.border)
    assert length == pytest.approx(2.0 * math.pi * (outer + inner), rel=0.05)


@given(st.floats(-3.2, 3.2), st.floats(-0.6, 0.6))
def test_half_a_plane_is_cut_along_its_border(direction, offset):
    normal = np.array([math.cos(direction), math.sin(direction)])
    found = region(lambda p: p @ normal <= offset, LOWER, UPPER, 10)
    assert all((cell @ normal <= offset + 1e-9).all() for cell in found.cells)
    for ends in found.border:
        assert np.abs(ends @ normal - offset).max() < 0.01


def test_all_and_nothing_have_no_border():
    everything = region(lambda p: np.full(len(p), True), LOWER, UPPER, 4)
    assert (area(everything.cells), everything.border) == (pytest.approx(4.0), [])
    nothing = region(lambda p: np.full(len(p), False), LOWER, UPPER, 4)
    assert nothing.cells == nothing.border == []


def test_two_corners_across_a_cell_are_two_borders():
    def holds(points):
        return points[:, 0] * points[:, 1] > 0.25

    found = region(holds, LOWER, UPPER, 1)
    assert len(found.border) == 2

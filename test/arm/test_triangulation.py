"""Triangles cover what is in polygons, their holes left out, and every place once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.arm.polygons import polygons
from ik2d_ros.arm.triangulation import triangulated
from ik2d_ros.kinematics import Chain
from ik2d_ros.kinematics.proof.edge_loops import area, edge_loops


def area_of(corners):
    return 0.5 * float((corners.conj() * np.roll(corners, -1)).imag.sum())


def areas_of(points, triangles):
    z = points @ (1, 1j)
    a, b, c = z[triangles].T
    return 0.5 * ((b - a).conj() * (c - a)).imag


def star(center, radii):
    """A polygon around a point, with a corner in each of some directions: counter-clockwise."""
    turns = np.linspace(0.0, 2.0 * math.pi, len(radii), endpoint=False)
    return center + np.array(radii) * np.exp(1j * turns)


radii = st.lists(st.floats(0.3, 1.0), min_size=3, max_size=25)


@settings(max_examples=60)
@given(st.lists(radii, min_size=1, max_size=3), st.lists(st.tuples(radii, st.integers(0, 8))))
def test_the_triangles_of_stars_with_holes_have_their_area_and_no_other_place(outer, holes):
    """Up to three stars beside each other; holes are small stars inside, each in a place."""
    shapes = [
        star(3.0 * number, [1.0 + each for each in some]) for number, some in enumerate(outer)
    ]
    # A star of 3 corners holds a disc of half its least radius at least.
    inner = {}
    for some, place in holes:
        away = 0.35 * np.exp(2j * math.pi * place / 8) if place < 8 else 0.0
        inner[place] = star(away, [0.1 * each for each in some])[::-1]
    shapes = [*shapes, *inner.values()]
    points, triangles = triangulated(shapes)
    assert areas_of(points, triangles).min() > 0.0
    assert areas_of(points, triangles).sum() == pytest.approx(sum(map(area_of, shapes)), rel=1e-9)
    assert set(np.unique(triangles)) == set(range(len(points)))
    given_ = np.concatenate(shapes)
    assert np.abs(points @ (1, 1j) - given_[:, None]).min(axis=0).max() == 0.0


def test_sides_between_triangles_belong_to_two_of_them():
    shapes = [star(0.0, [1.0, 0.6] * 9), star(0.1, [0.2] * 7)[::-1]]
    _, triangles = triangulated(shapes)
    sides = np.concatenate([triangles[:, pair] for pair in ([0, 1], [1, 2], [2, 0])]).tolist()
    there = {tuple(side) for side in sides}
    assert len(there) == len(sides)
    alone = [side for side in there if side[::-1] not in there]
    assert len(alone) == sum(map(len, shapes))


@pytest.mark.parametrize('tolerance', [1e-2, 1e-3, 1e-5])
def test_chords_are_as_near_to_the_arcs_as_asked(tolerance):
    loops = edge_loops(Chain.from_lengths([0.5, 0.3, 0.2], [(-2.0, 2.2), (-1.0, 2.0), (0.0, 1.5)]))
    found = polygons(loops, tolerance)
    around = sum(float(loop.sizes.sum()) for loop in loops)
    for loop, corners in zip(loops, found, strict=True):
        assert area_of(corners) == pytest.approx(area(loop), abs=tolerance * around)


def test_sides_do_not_cross_where_the_area_is_narrow():
    chain = Chain.from_lengths([0.5, 0.5], [(-1.5, 1.5), (0.4, 0.402)])
    shapes = polygons(edge_loops(chain), 1e-3)
    points, triangles = triangulated(shapes)
    exact = sum(map(area, edge_loops(chain)))
    assert areas_of(points, triangles).sum() == pytest.approx(exact, rel=0.1)
    assert areas_of(points, triangles).sum() == pytest.approx(sum(map(area_of, shapes)), rel=1e-6)

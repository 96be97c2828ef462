"""The parts of a drawn arm: closed, as large as they should be, and where the arm is."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from arms import chains
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.viewer import shapes

sizes = st.floats(0.01, 1.0)


def volume(mesh):
    a, b, c = (mesh.vertices[mesh.triangles[:, corner]] for corner in range(3))
    return np.einsum('ij,ij->i', a, np.cross(b, c)).sum() / 6.0


def open_edges(mesh):
    """Edges that do not belong to exactly two triangles; places count, not indices."""
    names = [tuple(vertex) for vertex in mesh.vertices.round(9).tolist()]
    edges = Counter()
    for triangle in mesh.triangles.tolist():
        for i in range(3):
            edge = names[triangle[i]], names[triangle[i - 1]]
            edges[min(edge), max(edge)] += 1
    return [edge for edge, count in edges.items() if count != 2]


@given(sizes, sizes, sizes)
def test_a_link_is_closed_and_encloses_both_of_its_joints(length, begin, end):
    mesh = shapes.link(length, begin, end)
    assert not open_edges(mesh)
    assert volume(mesh) > 0.0  # the triangles face outwards
    x, y, z = mesh.vertices.T
    assert x.min() == pytest.approx(-begin)
    assert x.max() == pytest.approx(length + end)
    assert np.abs(y).max() == pytest.approx(max(begin, end))
    assert np.abs(z).max() < np.abs(y).max()


@given(sizes, sizes)
def test_a_joint_is_a_closed_block(radius, height):
    mesh = shapes.disc(radius, height, 0.1 * min(radius, height))
    assert not open_edges(mesh)
    assert 0.8 < volume(mesh) / (2.0 * height * math.pi * radius**2) < 1.0
    assert np.abs(mesh.vertices[:, 2]).max() == pytest.approx(height)


@given(sizes, st.floats(-4.0, 4.0), st.floats(0.01, 2.0 * math.pi))
def test_a_band_lies_between_its_radii_and_directions(radius, begin, span):
    mesh = shapes.band(0.5 * radius, radius, begin, begin + span)
    distance = np.hypot(*mesh.vertices[:, :2].T)
    assert distance.min() == pytest.approx(0.5 * radius)
    assert distance.max() == pytest.approx(radius)
    a, b, c = (mesh.vertices[mesh.triangles[:, corner]] for corner in range(3))
    areas = 0.5 * np.cross(b - a, c - a)[:, 2]
    assert (areas > 0.0).all()
    assert areas.sum() == pytest.approx(0.375 * span * radius**2, rel=2e-3)


@given(st.data())
def test_a_fan_covers_what_its_corners_enclose(data):
    """A sector of up to a whole turn, seen from its centre."""
    radius, begin = data.draw(sizes), data.draw(st.floats(-4.0, 4.0))
    span = data.draw(st.floats(0.01, 2.0 * math.pi))
    turns = np.linspace(begin, begin + span, 200)
    arc = radius * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    corners = np.concatenate([np.zeros((1, 2)), arc])
    mesh = shapes.fan(corners)
    assert (mesh.vertices == np.column_stack([corners, np.zeros(len(corners))])).all()
    a, b, c = (mesh.vertices[mesh.triangles[:, corner]] for corner in range(3))
    areas = 0.5 * np.cross(b - a, c - a)[:, 2]
    assert (areas > 0.0).all()
    assert areas.sum() == pytest.approx(0.5 * span * radius**2, rel=1e-3)


@given(chains())
def test_an_arm_grows_thinner_towards_the_tip(chain):
    radii = shapes.radii(chain)
    assert len(radii) == len(chain) + 1
    assert all(later < earlier for earlier, later in pairwise(radii))
    assert radii[-1] > 0.0

"""Laws of the demo paths."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.target.paths import SHAPES, point_at

SMOOTH = ['circle', 'line', 'eight']
LAP = 2000  # samples of one lap

laps = st.floats(-1e4, 1e4)
coordinate = st.floats(-10.0, 10.0)
centers = st.tuples(coordinate, coordinate)
sizes = st.floats(0.0, 10.0)
seeds = st.integers(0, 2**31)


def one_lap(path, **kwargs):
    return [point_at(path, i / LAP, **kwargs) for i in range(LAP)]


@given(path=st.sampled_from(SHAPES), laps=laps, center=centers, size=sizes, seed=seeds)
def test_bounded_by_its_size(path, laps, center, size, seed):
    point = point_at(path, laps, center, size, seed)
    assert math.dist(point, center) <= size * (1 + 1e-12) + 1e-13


def test_shapes():
    """A circle is round, a line straight and level, an eight crosses itself at its centre."""
    center = (3.0, -2.0)
    circle, line, eight = (one_lap(path, center=center, size=1.0) for path in SMOOTH)
    assert all(math.dist(p, center) == pytest.approx(1.0) for p in circle)
    assert all(y == center[1] for _, y in line)
    crossings = [p for p in eight if math.dist(p, center) < 1e-9]
    assert len(crossings) == 2
    for x, y in ((x - center[0], y - center[1]) for x, y in eight):
        assert x**4 == pytest.approx(x**2 - y**2, abs=1e-12)  # Gerono's lemniscate
    areas = [
        sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(path, path[1:] + path[:1], strict=True)) / 2
        for path in (circle, eight)
    ]
    assert areas == pytest.approx([math.pi, 0.0], abs=1e-4)  # both lobes of the eight cancel

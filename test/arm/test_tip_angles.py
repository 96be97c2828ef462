"""Where points are reached at a tip angle, and at how wide a range of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ik2d_ros.arm.area import reach_area
from ik2d_ros.arm.tip_angles import reached_at, widths
from ik2d_ros.kinematics import Chain, solve

LENGTHS = (0.3, 0.25, 0.1)
FREE = Chain.from_lengths(LENGTHS)
LIMITED = Chain.from_lengths(LENGTHS, limits=[(-2.0, 2.0), (0.1, 2.5), (-1.2, 1.2)])


def width_without_limits(distance):
    """The range of angles of three free links: where the wrist is in the annulus of the others."""
    a, b, c = LENGTHS
    ends = []
    for radius in (abs(a - b), a + b):
        # At an angle of d from the direction of the point, the wrist is this far from the base.
        cosine = (distance**2 + c**2 - radius**2) / (2.0 * distance * c)
        ends.append(math.acos(min(1.0, max(-1.0, cosine))))
    return 2.0 * (ends[1] - ends[0])


@pytest.mark.parametrize('distance', [0.02, 0.1, 0.12, 0.2, 0.4, 0.5, 0.6, 0.64])
def test_without_limits_the_range_is_that_of_the_wrist_in_the_annulus(distance):
    turns = np.linspace(0.1, 6.0, 5)
    points = distance * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    assert widths(FREE, points) == pytest.approx(width_without_limits(distance), abs=5e-3)


def test_out_of_reach_there_is_no_angle():
    assert widths(FREE, np.array([[0.7, 0.0], [0.0, 9.0]])).tolist() == [0.0, 0.0]


def test_within_limits_it_is_the_share_of_angles_that_are_reached():
    poses = LIMITED.lower + np.random.default_rng(3).random((6, 3)) * (
        LIMITED.upper - LIMITED.lower
    )
    points = LIMITED.forward(poses)[:, -1]
    asked = np.linspace(-math.pi, math.pi, 180, endpoint=False)
    for point, width in zip(points, widths(LIMITED, points), strict=True):
        reached = [solve(LIMITED, point, angle=angle).status.name == 'REACHED' for angle in asked]
        assert width == pytest.approx(2.0 * math.pi * np.mean(reached), abs=0.15)


def test_the_region_at_an_angle_is_what_is_reached_there(monkeypatch):
    monkeypatch.setattr('ik2d_ros.arm.tip_angles.CELLS', 24)
    angle = 0.4
    found = reached_at(LIMITED, angle, reach_area(LIMITED).points)
    assert len(found.edge)
    for corner in found.points[::7]:
        answer = solve(LIMITED, corner, angle=angle)
        assert answer.error <= 1e-5
        assert answer.angle_error <= 2e-3

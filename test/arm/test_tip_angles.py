"""The area that is reached at a tip angle."""

from __future__ import annotations

from ik2d_ros.arm.area import reach_area
from ik2d_ros.arm.tip_angles import reached_at
from ik2d_ros.kinematics import Chain, solve

LIMITED = Chain.from_lengths((0.3, 0.25, 0.1), limits=[(-2.0, 2.0), (0.1, 2.5), (-1.2, 1.2)])


def test_the_region_at_an_angle_is_what_is_reached_there(monkeypatch):
    monkeypatch.setattr('ik2d_ros.arm.tip_angles.CELLS', 24)
    angle = 0.4
    found = reached_at(LIMITED, angle, reach_area(LIMITED).points)
    assert len(found.edge)
    for corner in found.points[::7]:
        answer = solve(LIMITED, corner, angle=angle)
        assert answer.error <= 1e-5
        assert answer.angle_error <= 2e-3

"""A way: the mover goes to its first pose and along it, within what it is timed for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Chain, solve_path, timed
from ik2d_ros.motion.mover import Mover
from ik2d_ros.motion.way import Way

PERIOD = 0.02  # s
SPEED = 1.5  # rad/s
CHAIN = Chain.from_lengths([0.3, 0.25])


def swing() -> Way:
    """Along a line and back, as fast as the joints may."""
    path = solve_path(CHAIN, [(0.5, 0.1), (0.2, 0.3), (0.5, 0.1)])
    course = timed(path, [(SPEED, np.inf)] * 2, 10.0)
    return Way(course.q[0], course)


def mover() -> Mover:
    return Mover(ArmDescription(CHAIN, (0.0, 0.0), (MotionLimits(SPEED),) * 2))


def test_it_goes_to_the_first_pose_and_along_the_way_to_its_end() -> None:
    moving, way = mover(), swing()
    moving.follow(way)
    poses, times = [moving.state.positions], [moving.way_time]
    while not moving.arrived:
        poses.append(moving.advance(PERIOD).positions)
        times.append(moving.way_time)
    assert (np.abs(np.diff(poses, axis=0)) <= SPEED * PERIOD * 1.001).all()
    assert way.start in poses
    assert poses[-1] == moving.goal == way.end
    assert times[0] == 0.0
    assert times[-1] == way.duration
    assert way.at(-1.0).positions == way.start
    assert way.at(2.0 * way.duration).is_at_rest
    assert Way(way.end).at(0.0) == way.at(way.duration)


@pytest.mark.parametrize('end', ['halt', 'aim', 'place', 'configure'])
def test_any_other_command_ends_it(end: str) -> None:
    moving = mover()
    moving.follow(swing())
    for _ in range(40):
        moving.advance(PERIOD)
    assert moving.way_time
    before = moving.state.positions
    if end == 'halt':
        moving.halt()
    elif end == 'configure':
        moving.configure(ArmDescription(CHAIN, (0.0, 0.0), (MotionLimits(SPEED / 2.0),) * 2))
    else:
        getattr(moving, end)((0.1, 0.1))
    assert moving.way_time is None
    for _ in range(100):
        moving.advance(PERIOD)
    assert moving.arrived
    assert moving.goal == (before if end in ('halt', 'configure') else (0.1, 0.1))


@given(st.lists(st.tuples(*[st.floats(-0.3, 0.3)] * 2), min_size=2, max_size=5, unique=True))
def test_a_timed_path_keeps_the_limits_between_its_poses(points: list[tuple[float, float]]) -> None:
    chain = Chain.from_lengths([0.3, 0.25], limits=[(-2.6, 2.6)] * 2)
    path = solve_path(chain, points)
    assume(len(path.q) > 1 and np.ptp(path.q, axis=0).any())
    course = timed(path, [(SPEED, np.inf)] * 2, 0.5)
    way = Way(course.q[0], course)
    states = [way.at(time) for time in np.linspace(0.0, way.duration, 200)]
    assert np.abs([state.velocities for state in states]).max() <= SPEED * (1.0 + 1e-9)
    assert np.abs([state.positions for state in states]).max() <= 2.6

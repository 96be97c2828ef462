"""A way: the mover goes to its first pose and along it, within what it is timed for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Chain, solve_path, timed
from ik2d_ros.motion.mover import Mover
from ik2d_ros.motion.way import TimedWay, Way

PERIOD = 0.02  # s
SPEED, SWING = 1.5, 0.4  # rad/s, rad


def swing(count: int) -> Way:
    """Both joints from one stop to the other and back, at most at the speed limit."""
    period = 2.0 * np.pi * SWING / SPEED
    times = np.linspace(0.0, period, count)
    phase = 2.0 * np.pi * times / period
    q, v = -SWING * np.cos(phase), SPEED * np.sin(phase)
    v[0] = v[-1] = 0.0
    return Way(times, np.stack([q, q], 1), np.stack([v, v], 1))


def mover() -> Mover:
    chain = Chain.from_lengths([0.3, 0.25])
    return Mover(ArmDescription(chain, (0.0, 0.0), (MotionLimits(SPEED),) * 2))


@given(st.integers(20, 200), st.floats(0.0, 1.0))
def test_between_its_poses_it_is_where_and_as_fast_as_they_say(count: int, part: float) -> None:
    way = swing(count)
    state, time = way.at(part * way.duration), part * way.duration
    phase = 2.0 * np.pi * part
    assert state.positions == pytest.approx([-SWING * np.cos(phase)] * 2, abs=1e-3)
    assert state.velocities == pytest.approx([SPEED * np.sin(phase)] * 2, abs=0.05 * SPEED)
    assert way.at(-1.0).positions == way.start
    assert way.at(time + way.duration).is_at_rest


def test_it_goes_to_the_first_pose_and_along_the_way_to_its_end() -> None:
    moving, way = mover(), swing(100)
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
    assert max(q for q, _ in poses) == pytest.approx(SWING, abs=0.01)


@pytest.mark.parametrize('end', ['halt', 'aim', 'place', 'configure'])
def test_whatever_comes_after_it_ends_it(end: str) -> None:
    moving = mover()
    moving.follow(swing(100))
    for _ in range(40):
        moving.advance(PERIOD)
    assert moving.way_time
    before = moving.state.positions
    if end == 'halt':
        moving.halt()
    elif end == 'configure':
        chain = Chain.from_lengths([0.3, 0.25])
        moving.configure(ArmDescription(chain, (0.0, 0.0), (MotionLimits(SPEED / 2.0),) * 2))
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
    way = TimedWay(timed(path, [(SPEED, np.inf)] * 2, 0.5))
    states = [way.at(time) for time in np.linspace(0.0, way.duration, 200)]
    assert np.abs([state.velocities for state in states]).max() <= SPEED * (1.0 + 1e-9)
    assert np.abs([state.positions for state in states]).max() <= 2.6

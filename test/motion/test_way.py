"""A way: the mover goes to its first pose and along it, within what it is timed for."""

from __future__ import annotations

import numpy as np
import pytest

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

"""The controllers of the simulation: what they take, and what they make of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.control.commands import Trajectory, TrajectoryPoint
from ik2d_ros.sim.controllers import ForwardController, JointTrajectoryController

JOINTS = ('a', 'b')
CYCLE = 5_000_000  # ns
SECOND = 10**9
NOW = 1_000 * SECOND

pairs = st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))


def controller(continuous: bool = False) -> JointTrajectoryController:
    return JointTrajectoryController(JOINTS, (0.0, 0.0), (continuous,) * 2, CYCLE)


def measured(positions: tuple[float, float]) -> np.ndarray:
    return np.array(positions)


def one_point(positions: tuple[float, float], seconds: float) -> Trajectory:
    return Trajectory(JOINTS, (TrajectoryPoint(positions, round(seconds * SECOND)),))


def at(made: JointTrajectoryController, seconds: float, state: np.ndarray) -> np.ndarray:
    """The setpoint for a time after ``NOW``; that of a cycle is for its end."""
    return made.setpoint(NOW + round(seconds * SECOND) - CYCLE, state)


@given(pairs, pairs, st.floats(0.0, 1.0))
def test_positions_alone_are_joined_by_straight_lines(
    start: tuple[float, float], goal: tuple[float, float], share: float
) -> None:
    made, state = controller(), measured(start)
    assert made.take(one_point(goal, 1.0), NOW) is None
    made.setpoint(NOW, state)
    straight = np.array(start) + share * np.subtract(goal, start)
    assert at(made, share, state) == pytest.approx(straight, abs=1e-6)


def test_a_new_trajectory_begins_at_the_measured_pose_and_the_last_point_is_held() -> None:
    made = controller()
    assert made.take(one_point((1.0, 1.0), 1.0), NOW) is None
    assert at(made, 0.0 + 1e-9 * CYCLE, measured((0.5, -0.5))) == pytest.approx(
        [0.5 + 0.5 * 0.005, -0.5 + 1.5 * 0.005]
    )
    for seconds in (1.0, 5.0):
        assert at(made, seconds, measured((0.9, 0.9))) == pytest.approx([1.0, 1.0])


def test_joints_are_told_apart_by_name() -> None:
    made = controller()
    message = Trajectory(('b', 'a'), (TrajectoryPoint((2.0, 1.0), SECOND),))
    assert made.take(message, NOW) is None
    made.setpoint(NOW, measured((0.0, 0.0)))
    assert at(made, 2.0, measured((0.0, 0.0))) == pytest.approx([1.0, 2.0])


@given(st.floats(-20.0, 20.0), st.floats(-20.0, 20.0))
def test_a_continuous_joint_goes_the_short_way(start: float, goal: float) -> None:
    made, state = controller(continuous=True), measured((start, start))
    assert made.take(one_point((goal, goal), 1.0), NOW) is None
    made.setpoint(NOW, state)
    first = at(made, 1e-9 * CYCLE, state)
    assert np.abs(first - goal).max() <= math.pi + 1e-9
    turns = (at(made, 1e-9, state) - start) / math.tau
    assert np.abs(turns - np.round(turns)).max() < 0.01


@pytest.mark.parametrize(
    ('message', 'words'),
    [
        (Trajectory(('a',), (TrajectoryPoint((1.0,), SECOND),)), "don't match the controller"),
        (Trajectory(JOINTS, ()), 'Empty trajectory received.'),
        (
            Trajectory(JOINTS, (TrajectoryPoint((1.0, 1.0), SECOND),), NOW - 5 * SECOND),
            'in the past',
        ),
    ],
)
def test_while_a_message_is_refused_the_last_one_goes_on(message: Trajectory, words: str) -> None:
    made, state = controller(), measured((0.0, 0.0))
    made.take(one_point((1.0, -1.0), 1.0), NOW)
    made.setpoint(NOW, state)
    refusal = made.take(message, NOW)
    assert refusal is not None
    assert words in refusal.words
    assert made.is_active
    assert at(made, 0.5, state) == pytest.approx([0.5, -0.5])


def test_the_forward_controller_passes_numbers_on() -> None:
    made = ForwardController(JOINTS, (0.1, 0.2))
    assert made.setpoint(NOW, measured((0.0, 0.0))) == pytest.approx([0.1, 0.2])
    assert made.take((1.0, 2.0)) is None
    assert made.setpoint(NOW, measured((0.0, 0.0))) == pytest.approx([1.0, 2.0])


@pytest.mark.parametrize('data', [(1.0,), (1.0, 2.0, 3.0)])
def test_a_wrong_size_switches_the_forward_controller_off(data: tuple[float, ...]) -> None:
    made = ForwardController(JOINTS, (0.1, 0.2))
    refusal = made.take(data)
    assert refusal is not None
    assert f'command size ({len(data)}) does not match number of interfaces (2)' in refusal.words
    assert not made.is_active
    made.take((5.0, 5.0))
    made.switch(active=True)
    assert made.setpoint(NOW, measured((0.0, 0.0))) == pytest.approx([0.1, 0.2])
    assert made.take((5.0, 5.0)) is None
    assert made.setpoint(NOW, measured((0.0, 0.0))) == pytest.approx([5.0, 5.0])


@pytest.mark.parametrize('bad', [math.nan, math.inf])
def test_the_forward_controller_drops_what_is_not_finite(bad: float) -> None:
    made = ForwardController(JOINTS, (0.1, 0.2))
    refusal = made.take((bad, 1.0))
    assert refusal is not None
    assert made.is_active
    assert made.setpoint(NOW, measured((0.0, 0.0))) == pytest.approx([0.1, 0.2])


def test_a_trajectory_controller_that_was_inactive_holds_until_it_hears_more() -> None:
    """Then it goes by the time of the first point, like the real one: at once if that is due."""
    made, state = controller(), measured((0.0, 0.0))
    made.take(one_point((1.0, 1.0), 1.0), NOW)
    made.setpoint(NOW, state)
    held = at(made, 0.5, state).copy()
    made.switch(active=False)
    made.take(one_point((3.0, 3.0), 1.0), NOW)
    for seconds in (0.6, 2.0):
        assert at(made, seconds, state) == pytest.approx(held)
    made.switch(active=True)
    assert at(made, 2.1, state) == pytest.approx(held)
    made.take(one_point((2.0, 2.0), 1e-6), NOW)
    assert at(made, 2.2, state) == pytest.approx([2.0, 2.0])


def test_a_joint_that_a_message_names_twice_leaves_another_where_it_is() -> None:
    """The real controller accepts it by mistake."""
    made, state = controller(), measured((0.0, 0.0))
    made.take(Trajectory(('a', 'a'), (TrajectoryPoint((1.0, 2.0), SECOND),)), NOW)
    made.setpoint(NOW, state)
    assert at(made, 1.0, state) == pytest.approx([2.0, 0.0])

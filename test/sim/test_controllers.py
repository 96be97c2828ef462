"""The controllers of the simulation: what they take, refuse, and make of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.control.commands import Trajectory, TrajectoryPoint
from ik2d_ros.sim.controllers import Controller, trajectory_refusal

JOINTS = ('a', 'b')
CYCLE = 5_000_000  # ns
SECOND = 10**9
NOW = 100 * SECOND
FIRST, LAST = TrajectoryPoint((0.1, 0.2), 10**6), TrajectoryPoint((0.2, 0.3), 10**7)
GOOD = Trajectory(('b', 'a'), (FIRST, LAST))

pairs = st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))


@pytest.mark.parametrize(
    ('changes', 'refusal'),
    [
        ({}, None),
        ({'stamp': NOW}, None),
        ({'joints': ('a',)}, 'it is for the joints a, not a, b'),
        ({'joints': ('a', 'gripper')}, 'it is for the joints a, gripper, not a, b'),
        ({'points': ()}, 'it has no points'),
        ({'stamp': NOW - SECOND}, 'it ends in the past'),
        (
            {'points': (FIRST, replace(LAST, time=FIRST.time))},
            'the times of its points do not increase',
        ),
        ({'points': (FIRST, replace(LAST, positions=(0.1,)))}, 'a point has not 2 positions'),
        # Accepted by mistake:
        ({'points': (FIRST, replace(LAST, positions=(math.nan, 0.0)))}, None),
        ({'stamp': NOW + 10**12}, None),
    ],
)
def test_a_trajectory_is_refused_where_the_real_controller_refuses_it(
    changes: dict[str, object], refusal: str | None
) -> None:
    assert trajectory_refusal(replace(GOOD, **changes), JOINTS, NOW) == refusal


def controller(continuous: bool = False) -> Controller:
    return Controller(JOINTS, (0.0, 0.0), (continuous,) * 2, CYCLE)


def one_point(positions: tuple[float, float], seconds: float) -> Trajectory:
    return Trajectory(JOINTS, (TrajectoryPoint(positions, round(seconds * SECOND)),))


def at(made: Controller, seconds: float, *measured: float) -> np.ndarray:
    """The setpoint for a time after ``NOW``; that of a cycle is for its end."""
    return made.setpoint(NOW + round(seconds * SECOND) - CYCLE, np.array(measured or (0.0, 0.0)))


@given(pairs, pairs, st.floats(0.0, 1.0))
def test_positions_are_joined_by_straight_lines_from_the_measured_pose_and_the_last_one_is_held(
    start: tuple[float, float], goal: tuple[float, float], share: float
) -> None:
    made = controller()
    assert made.take_trajectory(one_point(goal, 1.0), NOW) is None
    assert made.take_trajectory(Trajectory(JOINTS, ()), NOW)  # refused: the other one goes on
    made.setpoint(NOW, np.array(start))
    straight = np.array(start) + share * np.subtract(goal, start)
    assert at(made, share, *start) == pytest.approx(straight, abs=1e-6)
    for seconds in (1.0, 5.0):
        assert at(made, seconds, 0.9, 0.9) == pytest.approx(goal)


@given(st.floats(-20.0, 20.0), st.floats(-20.0, 20.0))
def test_a_continuous_joint_goes_the_short_way(start: float, goal: float) -> None:
    made, state = controller(continuous=True), np.array([start, start])
    assert made.take_trajectory(one_point((goal, goal), 1.0), NOW) is None
    made.setpoint(NOW, state)
    first = at(made, 1e-9 * CYCLE, *state)
    assert np.abs(first - goal).max() <= math.pi + 1e-9
    turns = (at(made, 1e-9, *state) - start) / math.tau
    assert np.abs(turns - np.round(turns)).max() < 0.01


def test_a_trajectory_controller_that_was_inactive_holds_until_it_hears_more() -> None:
    """Then it goes by the time of the first point, like the real one: at once if that is due."""
    made = controller()
    made.take_trajectory(one_point((1.0, 1.0), 1.0), NOW)
    made.setpoint(NOW, np.zeros(2))
    held = at(made, 0.5).copy()
    made.switch(active=False)
    made.take_trajectory(one_point((3.0, 3.0), 1.0), NOW)
    for seconds in (0.6, 2.0):
        assert at(made, seconds) == pytest.approx(held)
    made.switch(active=True)
    assert at(made, 2.1) == pytest.approx(held)
    made.take_trajectory(one_point((2.0, 2.0), 1e-6), NOW)
    assert at(made, 2.2) == pytest.approx([2.0, 2.0])


@pytest.mark.parametrize(
    ('data', 'words', 'is_active'),
    [
        ((), 'it has 0 numbers, not 2', True),
        ((math.nan, 1.0), 'not all of its numbers are finite', True),
        ((1.0,), 'it has 1 numbers, not 2', False),
        ((1.0, 2.0, 3.0), 'it has 3 numbers, not 2', False),
    ],
)
def test_the_forward_controller_passes_on_what_it_does_not_refuse(
    data: tuple[float, ...], words: str, is_active: bool
) -> None:
    """A wrong size switches it off; active again, it holds until it hears more."""
    made = Controller(JOINTS, (0.1, 0.2), (True, True), CYCLE)
    assert (made.take_array(data), made.is_active) == (words, is_active)
    if not is_active:
        assert made.take_array((5.0, 5.0)) is None
    made.switch(active=True)
    assert made.setpoint(NOW, np.zeros(2)) == pytest.approx([0.1, 0.2])
    assert made.take_array((5.0, 6.0)) is None
    assert made.setpoint(NOW, np.zeros(2)) == pytest.approx([5.0, 6.0])

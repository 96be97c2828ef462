"""The rules of the real controllers: one planted bad message for each, and good ones."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.control.acceptance import (
    Consequence,
    TrajectoryController,
    array_refusal,
    trajectory_refusal,
)
from ik2d_ros.control.trajectory import Trajectory, TrajectoryPoint, read_trajectory

NOW = 100 * 10**9  # ns
CONTROLLER = TrajectoryController(('j1', 'j2'))
HUMBLE = TrajectoryController(('j1', 'j2'), release='humble')
GOOD = Trajectory(
    ('j2', 'j1'),
    (
        TrajectoryPoint((0.1, 0.2), 10**6, velocities=(0.5, 0.5)),
        TrajectoryPoint((0.2, 0.3), 10**7, velocities=(0.0, 0.0), accelerations=(0.0, 0.0)),
    ),
)
FIRST, LAST = GOOD.points

REFUSED = {
    'a joint is missing': (
        replace(GOOD, joints=('j1',)),
        "Joints on incoming trajectory don't match the controller joints.",
    ),
    'a joint too many': (
        replace(GOOD, joints=('j1', 'j2', 'j3')),
        "Joints on incoming trajectory don't match the controller joints.",
    ),
    'no points': (replace(GOOD, points=()), 'Empty trajectory received.'),
    'an unknown joint': (
        replace(GOOD, joints=('j1', 'gripper')),
        "Incoming joint gripper doesn't match the controller's joints.",
    ),
    'a velocity at the end': (
        replace(GOOD, points=(FIRST, replace(LAST, velocities=(0.0, -0.25)))),
        'Velocity of last trajectory point of joint j1 is not zero: -0.250000000000000',
    ),
    'in the past': (
        replace(GOOD, stamp=NOW - 10**9),
        (
            'Received trajectory with non-zero start time (99.000000) that ends in the past '
            '(99.010000)'
        ),
    ),
    'times that stand still': (
        replace(GOOD, points=(FIRST, replace(LAST, time=FIRST.time))),
        (
            'Time between points 0 and 1 is not strictly increasing, it is 0.001000 and 0.001000 '
            'respectively'
        ),
    ),
    'a position is missing': (
        replace(GOOD, points=(FIRST, replace(LAST, positions=(0.1,)))),
        'Mismatch between joint_names size (2) and positions (1) at point #1.',
    ),
    'no positions': (
        replace(GOOD, points=(FIRST, replace(LAST, positions=()))),
        'Mismatch between joint_names size (2) and positions (0) at point #1.',
    ),
    'a velocity is missing': (
        replace(GOOD, points=(replace(FIRST, velocities=(0.1,)), LAST)),
        'Mismatch between joint_names size (2) and velocities (1) at point #0.',
    ),
    'an acceleration is missing': (
        replace(GOOD, points=(FIRST, replace(LAST, accelerations=(0.1,)))),
        'Mismatch between joint_names size (2) and accelerations (1) at point #1.',
    ),
    'effort': (
        replace(GOOD, points=(replace(FIRST, effort=(0.1, 0.1)), LAST)),
        (
            'Trajectories with effort fields are only supported for controllers using the '
            "'effort' command interface."
        ),
    ),
}


@pytest.mark.parametrize('planted', REFUSED)
def test_a_bad_trajectory_is_refused_in_the_words_of_the_real_controller(planted: str) -> None:
    trajectory, words = REFUSED[planted]
    refusal = trajectory_refusal(trajectory, CONTROLLER, NOW)
    assert refusal is not None
    assert refusal.words == words
    assert refusal.consequence is Consequence.IGNORED


def test_a_good_trajectory_is_accepted() -> None:
    assert trajectory_refusal(GOOD, CONTROLLER, NOW) is None
    assert trajectory_refusal(replace(GOOD, stamp=NOW), CONTROLLER, NOW) is None
    assert trajectory_refusal(GOOD, HUMBLE, NOW) is None


def test_what_the_controllers_accept_by_mistake_is_accepted_here() -> None:
    nan = replace(LAST, positions=(math.nan, 0.0), velocities=(math.nan, 0.0))
    for trajectory in (
        replace(GOOD, points=(FIRST, nan)),
        replace(GOOD, joints=('j1', 'j1')),
        replace(GOOD, points=(replace(LAST, time=-(10**9)),)),
        replace(GOOD, stamp=NOW + 10**12),
    ):
        assert trajectory_refusal(trajectory, CONTROLLER, NOW) is None


def test_surplus_velocities_at_the_end_end_the_controller_manager() -> None:
    surplus = replace(GOOD, points=(replace(LAST, velocities=(0.0, 0.0, 0.1)),))
    refusal = trajectory_refusal(surplus, CONTROLLER, NOW)
    assert refusal is not None
    assert refusal.consequence is Consequence.ENDED


def test_parameters_and_release_decide_what_is_allowed() -> None:
    moving = replace(GOOD, points=(replace(LAST, velocities=(0.3, 0.3)),))
    allowing = replace(CONTROLLER, allow_nonzero_velocity_at_trajectory_end=True)
    assert trajectory_refusal(moving, CONTROLLER, NOW) is not None
    assert trajectory_refusal(moving, allowing, NOW) is None
    assert trajectory_refusal(moving, HUMBLE, NOW) is None
    partial = Trajectory(('j1',), (TrajectoryPoint((0.1,), 1),))
    assert trajectory_refusal(partial, CONTROLLER, NOW) is not None
    allowing = replace(CONTROLLER, allow_partial_joints_goal=True)
    assert trajectory_refusal(partial, allowing, NOW) is None
    nothing = trajectory_refusal(Trajectory((), ()), allowing, NOW)
    assert nothing is not None
    assert nothing.words == 'Empty joint names on incoming trajectory.'
    efforts = trajectory_refusal(REFUSED['effort'][0], HUMBLE, NOW)
    assert efforts is not None
    assert efforts.words == 'Trajectories with effort fields are currently not supported.'


@given(st.lists(st.floats(), max_size=4), st.integers(1, 4))
def test_an_array_needs_exactly_the_right_number_of_finite_numbers(
    data: list[float], count: int
) -> None:
    refusal = array_refusal(data, count)
    is_good = len(data) == count and all(map(math.isfinite, data))
    assert (refusal is None) == is_good
    humble = array_refusal(data, count, 'humble')
    assert (humble is None) == (len(data) == count)
    if humble is not None:
        assert humble.words == (
            f'command size ({len(data)}) does not match number of interfaces ({count})'
        )
        assert humble.consequence is Consequence.IGNORED


@pytest.mark.parametrize(
    ('data', 'words', 'consequence'),
    [
        ([], '', Consequence.IGNORED),
        ([0.0, math.nan], 'Non-finite value received. Dropping message', Consequence.IGNORED),
        (
            [0.0],
            'command size (1) does not match number of interfaces (2)',
            Consequence.DEACTIVATED,
        ),
    ],
)
def test_a_bad_array_has_its_words_and_its_consequence(
    data: list[float], words: str, consequence: Consequence
) -> None:
    refusal = array_refusal(data, 2)
    assert refusal is not None
    assert (refusal.words, refusal.consequence) == (words, consequence)


def test_a_message_is_read_field_by_field() -> None:
    message = SimpleNamespace(
        header=SimpleNamespace(stamp=SimpleNamespace(sec=1, nanosec=2)),
        joint_names=['j1'],
        points=[
            SimpleNamespace(
                positions=[0.1],
                velocities=[0.2],
                accelerations=[],
                effort=[],
                time_from_start=SimpleNamespace(sec=-1, nanosec=500_000_000),
            )
        ],
    )
    point = TrajectoryPoint((0.1,), -500_000_000, velocities=(0.2,))
    assert read_trajectory(message) == Trajectory(('j1',), (point,), stamp=10**9 + 2)

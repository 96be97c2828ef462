"""The rules of the real controllers: one planted bad message for each, and good ones."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.control.commands import Trajectory, TrajectoryPoint
from ik2d_ros.sim.acceptance import array_refusal, trajectory_refusal
from ik2d_ros.sim.controllers import read_trajectory

NOW = 100 * 10**9  # ns
JOINTS = ('j1', 'j2')
GOOD = Trajectory(
    ('j2', 'j1'),
    (
        TrajectoryPoint((0.1, 0.2), 10**6),
        TrajectoryPoint((0.2, 0.3), 10**7),
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
}


@pytest.mark.parametrize('planted', REFUSED)
def test_a_bad_trajectory_is_refused_in_the_words_of_the_real_controller(planted: str) -> None:
    trajectory, words = REFUSED[planted]
    refusal = trajectory_refusal(trajectory, JOINTS, NOW)
    assert refusal is not None
    assert refusal.words == words
    assert not refusal.deactivates


def test_a_good_trajectory_is_accepted() -> None:
    assert trajectory_refusal(GOOD, JOINTS, NOW) is None
    assert trajectory_refusal(replace(GOOD, stamp=NOW), JOINTS, NOW) is None


def test_what_the_controllers_accept_by_mistake_is_accepted_here() -> None:
    nan = replace(LAST, positions=(math.nan, 0.0))
    for trajectory in (
        replace(GOOD, points=(FIRST, nan)),
        replace(GOOD, joints=('j1', 'j1')),
        replace(GOOD, points=(replace(LAST, time=-(10**9)),)),
        replace(GOOD, stamp=NOW + 10**12),
    ):
        assert trajectory_refusal(trajectory, JOINTS, NOW) is None


@given(st.lists(st.floats(), max_size=4), st.integers(1, 4))
def test_an_array_needs_exactly_the_right_number_of_finite_numbers(
    data: list[float], count: int
) -> None:
    refusal = array_refusal(data, count)
    is_good = len(data) == count and all(map(math.isfinite, data))
    assert (refusal is None) == is_good


@pytest.mark.parametrize(
    ('data', 'words', 'deactivates'),
    [
        ([], '', False),
        ([0.0, math.nan], 'Non-finite value received. Dropping message', False),
        ([0.0], 'command size (1) does not match number of interfaces (2)', True),
    ],
)
def test_a_bad_array_has_its_words_and_its_consequence(
    data: list[float], words: str, deactivates: bool
) -> None:
    refusal = array_refusal(data, 2)
    assert refusal is not None
    assert (refusal.words, refusal.deactivates) == (words, deactivates)


def test_a_message_is_read_field_by_field() -> None:
    message = SimpleNamespace(
        header=SimpleNamespace(stamp=SimpleNamespace(sec=1, nanosec=2)),
        joint_names=['j1'],
        points=[
            SimpleNamespace(
                positions=[0.1],
                time_from_start=SimpleNamespace(sec=-1, nanosec=500_000_000),
            )
        ],
    )
    point = TrajectoryPoint((0.1,), -500_000_000)
    assert read_trajectory(message) == Trajectory(('j1',), (point,), stamp=10**9 + 2)

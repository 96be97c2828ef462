"""The strict checker: one planted dangerous message for each rule, and good ones."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from strict import Stance, array_fault, trajectory_fault

from ik2d_ros.control.commands import Trajectory, TrajectoryPoint

NOW = 100 * 10**9  # ns
PERIOD = 0.02  # s
STEP = 2.0 * PERIOD  # rad, at max_velocity
STANCE = Stance(
    joints=('j1', 'j2', 'gripper'),
    period=PERIOD,
    limits={'j1': (-2.6, 2.6)},
    max_velocity={'j1': 2.0, 'j2': 2.0},
    last={'j1': 0.1, 'j2': 0.2, 'gripper': 0.0},
)
FIRST = TrajectoryPoint((0.1, 0.2, 0.0), 1000)
LAST = TrajectoryPoint((0.1 + STEP, 0.2, 0.0), 1000 + 20_000_000)
GOOD = Trajectory(('j1', 'j2', 'gripper'), (FIRST, LAST))
NEAR_LIMIT = replace(STANCE, last={**STANCE.last, 'j1': 2.59})


def moved(j1: float) -> Trajectory:
    return replace(GOOD, points=(replace(FIRST, positions=(j1, 0.2, 0.0)),))


DANGEROUS = {
    'what the real one refuses': (replace(GOOD, points=()), 'Empty trajectory received.'),
    'a joint twice': (replace(GOOD, joints=('j1', 'j2', 'j2')), "'j2' is given twice"),
    'a stamp in the future': (replace(GOOD, stamp=NOW + 10**9), 'stamp is 101.000000 s'),
    'no time': (replace(GOOD, points=(replace(LAST, time=0),)), 'at 0.000000 s'),
    'a negative time': (replace(GOOD, points=(replace(LAST, time=-1),)), 'must be later than 0'),
    'NaN': (moved(math.nan), 'not finite'),
    'infinity': (moved(math.inf), 'not finite'),
    'a jump to the first point': (moved(0.1 + 1.02 * STEP), "'j1' moves by 0.0408 rad in 0.02 s"),
    'a jump between points': (
        replace(GOOD, points=(FIRST, replace(LAST, time=10_000_000))),
        "point 1: joint 'j1' moves by",
    ),
}


@pytest.mark.parametrize('planted', DANGEROUS)
def test_a_dangerous_trajectory_is_refused(planted: str) -> None:
    trajectory, words = DANGEROUS[planted]
    fault = trajectory_fault(trajectory, STANCE, NOW)
    assert fault is not None
    assert words in fault


def test_a_good_trajectory_passes() -> None:
    assert trajectory_fault(GOOD, STANCE, NOW) is None
    assert trajectory_fault(moved(0.1 + STEP), STANCE, NOW) is None


def test_a_position_beyond_a_limit_is_refused() -> None:
    fault = trajectory_fault(moved(2.6 + 1e-12), NEAR_LIMIT, NOW)
    assert fault is not None
    assert 'its limits are -2.6 to 2.6 rad' in fault
    assert trajectory_fault(moved(2.6), NEAR_LIMIT, NOW) is None


def test_an_arm_outside_its_limits_may_only_move_back() -> None:
    outside = replace(STANCE, last={**STANCE.last, 'j1': 2.65})
    assert trajectory_fault(moved(2.65), outside, NOW) is None
    assert trajectory_fault(moved(2.64), outside, NOW) is None
    assert trajectory_fault(moved(2.651), outside, NOW) is not None
    assert trajectory_fault(moved(2.6), outside, NOW) is not None  # a jump


def test_a_motion_may_start_where_the_arm_was_measured() -> None:
    by_hand = replace(STANCE, measured={'j1': 1.0, 'j2': 0.2})
    assert trajectory_fault(moved(1.0 + STEP), STANCE, NOW) is not None
    assert trajectory_fault(moved(1.0 + STEP), by_hand, NOW) is None
    assert array_fault((1.0 + STEP, 0.2, 0.0), by_hand) is None
    assert array_fault((1.0 + 2 * STEP, 0.2, 0.0), by_hand) is not None


def test_without_a_last_command_any_pose_within_the_limits_passes() -> None:
    first = replace(STANCE, last={})
    assert trajectory_fault(moved(2.0), first, NOW) is None
    assert trajectory_fault(moved(2.7), first, NOW) is not None


@pytest.mark.parametrize(
    'data',
    [
        (),
        (0.1, 0.2),
        (0.1, 0.2, 0.0, 0.0),
        (0.1, math.nan, 0.0),
        (0.1 + 1.02 * STEP, 0.2, 0.0),
    ],
)
def test_a_dangerous_array_is_refused(data: tuple[float, ...]) -> None:
    assert array_fault(data, STANCE)
    assert array_fault((0.1 + STEP, 0.2, 5.0), STANCE) is None

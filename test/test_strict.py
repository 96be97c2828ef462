"""The strict checker refuses a dangerous message for each rule, and passes good ones."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from strict import Stance, trajectory_fault

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
AT_LIMIT, OUTSIDE = ({'last': {**STANCE.last, 'j1': j1}} for j1 in (2.59, 2.65))
BY_HAND = {'measured': {'j1': 1.0, 'j2': 0.2}}


@pytest.mark.parametrize(
    ('changes', 'words'),
    [
        ({}, ''),
        ({'stamp': NOW + 10**9}, 'later than now'),
        ({'points': (replace(LAST, time=0),)}, 'or is over'),
        ({'points': (FIRST, replace(LAST, time=10_000_000))}, 'at 0.010000 s'),
    ],
)
def test_a_trajectory_is_held_to_the_rules(changes: dict[str, object], words: str) -> None:
    fault = trajectory_fault(replace(GOOD, **changes), STANCE, NOW)
    assert words in fault if fault else not words


@pytest.mark.parametrize(
    ('j1', 'changes', 'words'),
    [
        (0.1 + STEP, {}, ''),
        (0.1 + 1.02 * STEP, {}, "'j1' moves by 0.0408 in 0.02 s"),
        (math.nan, {}, 'goes to nan'),
        (2.6 + 1e-12, AT_LIMIT, 'its limits are -2.6, 2.6'),
        (2.64, OUTSIDE, ''),
        (2.651, OUTSIDE, 'its limits'),
        (1.0 + STEP, BY_HAND, ''),
        (1.0 + 2 * STEP, BY_HAND, 'moves by'),
    ],
)
def test_a_pose_is_within_the_limits_and_a_step_from_the_last_or_the_measured_one(
    j1: float, changes: dict[str, object], words: str
) -> None:
    stance = replace(STANCE, **changes)
    trajectory = replace(GOOD, points=(replace(FIRST, positions=(j1, 0.2, 0.0)),))
    fault = trajectory_fault(trajectory, stance, NOW)
    assert words in fault if fault else not words

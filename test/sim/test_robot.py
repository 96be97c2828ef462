"""The robot as its driver sees it: parameters, controller and physics together."""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from harness import ROOT
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.control.trajectory_messages import TrajectoryMessage, TrajectoryPoint
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.sim.parameters import settings_from_parameters
from ik2d_ros.sim.robot import Controller, SimulatedRobot, accepts

ARM = load_parameters(ROOT / 'config/two_bone.yaml', 'ik2d_sim')
GRIPPER = {
    'command_joints': ['elbow', 'gripper', 'shoulder'],
    'hold_limits.gripper': [0.1, 0.4],
    'initial.gripper': 0.15,
}
SECOND = 10**9


def robot(**parameters: object) -> SimulatedRobot:
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    given = {name.replace('__', '.'): value for name, value in parameters.items()}
    return SimulatedRobot(settings_from_parameters({**ARM, **given}))


def test_joints_beside_the_arm_follow_by_themselves_between_their_limits() -> None:
    assert robot(**dict(list(GRIPPER.items())[:2])).positions[1] == 0.1
    made = robot(**GRIPPER)
    assert made.positions == pytest.approx([0.8, 0.15, 0.4])
    joints = tuple(GRIPPER['command_joints'])
    for goal, end in ((0.9, 0.4), (-0.9, 0.1), (0.2, 0.2)):
        point = TrajectoryPoint((0.7, goal, 0.5), 1)
        assert made.controller.take(TrajectoryMessage(joints, (point,)), SECOND)
        for now in range(SECOND, 2 * SECOND, made.cycle):
            made.pass_cycle(now)
        assert made.positions == pytest.approx([0.7, end, 0.5], abs=1e-3)


def test_servos_ignore_setpoints_that_are_not_finite() -> None:
    made = robot()
    trajectory = TrajectoryMessage(
        ('shoulder', 'elbow'), (TrajectoryPoint((math.nan, 0.5), SECOND),)
    )
    assert made.controller.take(trajectory, SECOND)
    made.pass_cycle(SECOND)
    assert np.isfinite(made.positions).all()


@pytest.mark.parametrize(
    ('parameters', 'said'),
    [
        ({'initial__shoulder': 3.0}, 'initial.shoulder'),
        ({'controller': 'a/b'}, 'controller'),
        ({'command_joints': ['shoulder']}, 'elbow'),
        ({'joints': None}, 'joints'),
    ],
)
def test_a_refusal_names_the_parameter(parameters: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        robot(**parameters)


def test_without_mujoco_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'mujoco', None)
    with pytest.raises(ConfigError, match='pip install mujoco'):
        SimulatedRobot(settings_from_parameters(ARM))


JOINTS = ('a', 'b')
CYCLE = 5_000_000  # ns
NOW = 100 * SECOND
FIRST, LAST = TrajectoryPoint((0.1, 0.2), 10**6), TrajectoryPoint((0.2, 0.3), 10**7)
GOOD = TrajectoryMessage(('b', 'a'), (FIRST, LAST))

pairs = st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))


@pytest.mark.parametrize(
    ('changes', 'is_accepted'),
    [
        ({}, True),
        ({'stamp': NOW}, True),
        ({'joints': ('a',)}, False),
        ({'joints': ('a', 'gripper')}, False),
        ({'points': ()}, False),
        ({'stamp': NOW - SECOND}, False),
        ({'points': (FIRST, replace(LAST, time=FIRST.time))}, False),
        ({'points': (FIRST, replace(LAST, positions=(0.1,)))}, False),
        # Accepted by mistake:
        ({'points': (FIRST, replace(LAST, positions=(math.nan, 0.0)))}, True),
        ({'stamp': NOW + 10**12}, True),
    ],
)
def test_a_trajectory_is_refused_where_the_real_controller_refuses_it(
    changes: dict[str, object], is_accepted: bool
) -> None:
    assert accepts(replace(GOOD, **changes), JOINTS, NOW) is is_accepted


@given(pairs, pairs, st.floats(0.0, 1.0))
def test_positions_are_joined_by_straight_lines_from_the_measured_pose_and_the_last_one_is_held(
    start: tuple[float, float], goal: tuple[float, float], share: float
) -> None:
    made = Controller(JOINTS, np.zeros(2), CYCLE)
    assert made.take(TrajectoryMessage(JOINTS, (TrajectoryPoint(goal, SECOND),)), NOW)
    assert not made.take(TrajectoryMessage(JOINTS, ()), NOW)  # refused: the other one goes on
    made.setpoint(NOW, np.array(start))
    straight = np.array(start) + share * np.subtract(goal, start)
    for seconds, pose in ((share, straight), (1.0, goal), (5.0, goal)):
        cycle = NOW + round(seconds * SECOND) - CYCLE  # the setpoint is for its end
        assert made.setpoint(cycle, np.zeros(2)) == pytest.approx(pose, abs=1e-6)

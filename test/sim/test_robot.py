"""The robot as its driver sees it: parameters, controller and physics together."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from harness import ROOT

from ik2d_ros.control.commands import Trajectory, TrajectoryPoint
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.sim.parameters import settings_from_parameters
from ik2d_ros.sim.robot import SimulatedRobot

ARM = load_parameters(ROOT / 'config/two_bone.yaml', 'ik2d_sim')
GRIPPER = {
    'command_joints': ['elbow', 'gripper', 'shoulder'],
    'hold_limits.gripper': [0.1, 0.4],
    'initial.gripper': 0.15,
}
SECOND = 10**9


@pytest.fixture(autouse=True)
def _mujoco() -> None:
    pytest.importorskip('mujoco', reason='mujoco is not installed')


def robot(**parameters: object) -> SimulatedRobot:
    given = {name.replace('__', '.'): value for name, value in parameters.items()}
    return SimulatedRobot(settings_from_parameters({**ARM, **given}))


def test_joints_beside_the_arm_follow_by_themselves_between_their_limits() -> None:
    assert robot(**dict(list(GRIPPER.items())[:2])).positions[1] == 0.1
    made = robot(**GRIPPER)
    assert made.positions == pytest.approx([0.8, 0.15, 0.4])
    joints = tuple(GRIPPER['command_joints'])
    for goal, end in ((0.9, 0.4), (-0.9, 0.1), (0.2, 0.2)):
        point = TrajectoryPoint((0.7, goal, 0.5), 1)
        assert made.controller.take(Trajectory(joints, (point,)), SECOND)
        for now in range(SECOND, 2 * SECOND, made.cycle):
            made.pass_cycle(now)
        assert made.positions == pytest.approx([0.7, end, 0.5], abs=1e-3)


def test_servos_ignore_setpoints_that_are_not_finite() -> None:
    made = robot()
    trajectory = Trajectory(('shoulder', 'elbow'), (TrajectoryPoint((math.nan, 0.5), SECOND),))
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
        robot()

"""A parameter file with a robot description in it, for the tools that read the node's files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from descriptions import ARM, fixed, joint, robot

from ik2d_ros import cli
from ik2d_ros.node.parameters import load_configuration
from ik2d_ros.parameters.file import as_file
from ik2d_ros.robot.described import load_completed, load_described_arm
from ik2d_ros.sim.parameters import completed, settings_from_parameters

ROLL = joint('roll', 'fore', 'hand', axis='1 0 0', xyz=(0.1, 0.0, 0.0))
TEXT = robot(*ARM[:2], ROLL, fixed('hand', 'tool', (0.1, 0.0, 0.02)))
OWN = {'robot_description': TEXT, 'tip_frame': 'tool', 'chain.elbow.max_velocity': 0.5}

Ik2d = Callable[..., str]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / 'arm.yaml'
    path.write_text(as_file(OWN))
    return path


@pytest.fixture
def ik2d(capsys: pytest.CaptureFixture[str]) -> Ik2d:
    def run(*arguments: object) -> str:
        assert cli.main([str(argument) for argument in arguments]) == 0
        out, err = capsys.readouterr()
        assert not err
        return out

    return run


def test_every_tool_reads_the_same_arm(file: Path, ik2d: Ik2d, tmp_path: Path) -> None:
    arm = load_configuration(file).arm
    assert arm.names == ('shoulder', 'elbow')
    assert arm.motion[1].velocity == 0.5
    assert load_described_arm(file) == arm
    assert settings_from_parameters(completed(OWN)).arm == arm
    x, y, z = arm.kinematics.forward([0.3, 0.4]).tolist()
    solved = json.loads(ik2d('solve', file, x, y, z, '--json'))
    assert solved['joints'].keys() == set(arm.names)
    assert solved['reachable'] is True
    described = tmp_path / 'arm.urdf'
    described.write_text(ik2d('urdf', file))
    assert 'verdict:    the same' in ik2d('check', file, '--urdf', described, '--tip', 'tip')


def test_without_the_description_the_parameters_still_say_all(file: Path, tmp_path: Path) -> None:
    """What the demo hands on, with other motion limits: they are not read again."""
    parameters = load_completed(file)
    assert 'robot_description' not in parameters
    copy = tmp_path / 'copy.yaml'
    copy.write_text(as_file(parameters))
    assert load_configuration(copy) == load_configuration(file)


def test_a_description_that_is_refused_is_refused_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / 'arm.yaml'
    path.write_text(as_file({**OWN, 'tip_frame': 'tol'}))
    with pytest.raises(Exception, match=r"arm\.yaml: .*'tol'.*did you mean 'tool'"):
        load_described_arm(path)

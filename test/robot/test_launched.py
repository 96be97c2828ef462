"""The launch arguments for a robot description, as the launch files read them."""

from __future__ import annotations

from pathlib import Path

import pytest
from descriptions import ARM, robot

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.ros.launching import ARM_ARGUMENTS, ArmLaunch, read_arguments

DEFAULTS = {name: row.default_value for name, row in ARM_ARGUMENTS.items()}


@pytest.fixture
def urdf(tmp_path: Path) -> str:
    path = tmp_path / 'arm.urdf'
    path.write_text(robot(*ARM))
    return str(path)


def read(**arguments: str) -> ArmLaunch:
    return read_arguments({**DEFAULTS, **arguments})


def test_the_arm_of_a_robot_replaces_the_default_arm(urdf: str) -> None:
    launched = read(urdf=urdf)
    (file,) = launched.node['parameters']
    assert load_parameters(file) == launched.parameters
    assert launched.base_frame == 'base'
    assert launched.parameters['tip_frame'] == 'tool'
    assert launched.arm.names == ('shoulder', 'elbow')
    assert launched.arm.base_frame == 'base'


def test_a_parameter_file_adds_settings(urdf: str, tmp_path: Path) -> None:
    file = tmp_path / 'settings.yaml'
    file.write_text('/**: {ros__parameters: {solver: ccd, chain: {elbow: {max_velocity: 0.5}}}}')
    launched = read(urdf=urdf, params_file=str(file), base='base', tip='tool')
    assert launched.node['parameters'][0] == str(file)
    assert launched.arm.motion[1].velocity == 0.5


def test_a_parameter_file_with_an_arm_takes_precedence(urdf: str) -> None:
    """For example, a bringup has an argument `urdf` for robot_state_publisher."""
    launched = read(urdf=urdf, params_file='three_link')
    assert 'robot_description' not in launched.parameters
    assert len(launched.node['parameters']) == 1
    assert len(launched.arm.names) == 3


def test_the_file_may_be_in_the_home_directory(urdf: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('HOME', str(Path(urdf).parent))
    assert read(urdf='~/arm.urdf').arm.names == ('shoulder', 'elbow')


def test_invalid_arguments_are_refused(urdf: str) -> None:
    with pytest.raises(ConfigError, match='frame_prefix'):
        read(urdf=urdf, frame_prefix='left/')
    with pytest.raises(ConfigError, match="the tip: there is no link 'tol'"):
        read(urdf=urdf, tip='tol')
    with pytest.raises(ConfigError, match='cannot be read'):
        read(urdf='nothing.urdf')

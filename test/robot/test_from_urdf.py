"""An arm from the parameter for a robot description; other parameters override it."""

from __future__ import annotations

from pathlib import Path

import pytest
from descriptions import ARM, ROLL, fixed, robot
from harness import load_configuration

from ik2d_ros import cli
from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import as_file
from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.robot.from_urdf import load_arm, load_completed, with_description
from ik2d_ros.sim.parameters import settings_from_parameters

TEXT = robot(*ARM[:2], ROLL, fixed('hand', 'tool', (0.1, 0.0, 0.02)))


@pytest.mark.parametrize('more', [{}, {'tip_frame': 'tool'}, {'base_frame': 'base'}])
def test_the_arm_is_read_from_the_description(more: dict[str, object]) -> None:
    parameters, remarks = with_description({'robot_description': TEXT, **more})
    configuration = configuration_from_parameters(parameters)
    assert configuration.arm.names == ('shoulder', 'elbow', 'roll')
    assert configuration.arm.base_frame == 'base'
    assert configuration.control.command_joints == ()  # those of the controller, or the arm's
    assert parameters['tip_frame'] == 'tool'
    assert any("roll: 'roll'" in remark.text for remark in remarks)


def test_given_parameters_override_the_description() -> None:
    given = {
        'robot_description': TEXT,
        'chain.elbow.min_position': -0.5,
        'chain.elbow.max_velocity': 0.7,
        'chain.elbow.home': 0.1,
        'chain.shoulder.length': 0.25,
        'base.xyz': [1.0, 2.0, 3.0],
        'hold.roll': 0.3,
    }
    arm = arm_from_parameters(with_description(given)[0])
    assert arm.limits == ((-2.0, 2.0), (-0.5, 2.0))
    assert arm.motion[1].velocity == 0.7
    assert arm.home == (0.0, 0.1)
    assert arm.chain.joints[0].link == (0.25, 0.0)
    assert arm.base_xyz == (1.0, 2.0, 3.0)
    other = arm_from_parameters(with_description({'robot_description': TEXT})[0])
    assert arm.chain.joints[1].link != other.chain.joints[1].link  # the roll moves the tip


OWN = {'robot_description': TEXT, 'tip_frame': 'tool', 'chain.elbow.max_velocity': 0.5}


def test_every_tool_reads_the_same_arm_from_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, urdf, copy = (tmp_path / name for name in ('arm.yaml', 'arm.urdf', 'copy.yaml'))
    file.write_text(as_file(OWN))
    arm = load_configuration(file).arm
    assert arm.names == ('shoulder', 'elbow', 'roll')
    assert arm.motion[1].velocity == 0.5
    assert load_arm(file) == arm
    assert settings_from_parameters(with_description(OWN)[0]).arm == arm
    assert cli.main(['urdf', str(file), '-o', str(urdf)]) == 0
    assert cli.main(['check', str(file), '--urdf', str(urdf), '--tip', 'tip']) == 0
    assert 'verdict:     the same' in capsys.readouterr().out
    parameters = load_completed(file)
    assert 'robot_description' not in parameters
    copy.write_text(as_file(parameters))
    # As text: NaN, for no tip angle, is not equal to NaN from Python 3.13 on.
    assert repr(load_configuration(copy)) == repr(load_configuration(file))
    file.write_text(as_file({**OWN, 'tip_frame': 'tol'}))
    with pytest.raises(ConfigError, match=r"arm\.yaml: .*'tol'.*did you mean 'tool'"):
        load_arm(file)

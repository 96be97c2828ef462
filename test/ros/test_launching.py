"""The meaning of launch arguments, and what programs say of themselves: without ROS."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from descriptions import ARM, robot
from harness import CONFIG
from hypothesis import given
from hypothesis import strategies as st
from space import random_pose

from ik2d_ros import programs
from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.drawing.extent import skeleton
from ik2d_ros.kinematics import Ik2dError
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.robot.from_urdf import load_arm, with_description
from ik2d_ros.ros.launching import (
    ARM_ARGUMENTS,
    DRIVE_ARGUMENTS,
    FLEET_ARGUMENTS,
    Argument,
    fitted_rviz_config,
    full_namespace,
    read_arguments,
    read_fleet_arguments,
)

TWO_BONE = CONFIG / 'two_bone.yaml'
PRESETS = {'use_measured_state': True, 'publish_joint_states': False}

paths = st.lists(st.sampled_from(['a', 'b', 'left', '_2']), max_size=3).map('/'.join)


def values(rows: dict[str, Argument], given: dict[str, str]) -> dict[str, str]:
    return {**{name: row.default_value for name, row in rows.items()}, **given}


def launched(**given: str) -> tuple[dict[str, Any], dict[str, object]]:
    return read_arguments(values(ARM_ARGUMENTS, given))


def parameters_of(**given: str) -> list[object]:
    return launched(**given)[0]['parameters']


def arm_of(parameters: dict[str, object]) -> ArmDescription:
    return arm_from_parameters(with_description(parameters)[0])


def driving(**given: str) -> dict[str, Any]:
    return read_arguments(values(DRIVE_ARGUMENTS, given), drives=True)[0]


def fleet(**given: str) -> dict[str, Any]:
    return read_fleet_arguments(values(FLEET_ARGUMENTS, given))


@given(paths, paths)
def test_a_namespace_is_below_the_pushed_one_unless_it_is_the_same(pushed: str, inner: str) -> None:
    def full(before: str, given: str) -> str:
        return full_namespace({'ros_namespace': before, 'namespace': given})

    whole = full(f'/{pushed}', inner)
    assert whole.startswith('/')
    assert whole == '/' or not whole.endswith('/')
    if f'/{pushed}'.endswith(f'/{inner}') or not inner:
        assert whole == f'/{pushed}'
    else:
        assert whole == '/' + '/'.join(filter(None, [pushed, inner]))
    # Included once more, with the same argument, below the result.
    assert full(whole, inner) == whole
    assert full(f'/{pushed}', f'/{inner}') == f'/{inner}'


def test_clock_and_frame_prefix_are_set_only_by_arguments(tmp_path: Path) -> None:
    assert parameters_of() == [str(TWO_BONE)]
    assert parameters_of(use_sim_time='True') == [str(TWO_BONE), {'use_sim_time': True}]
    assert parameters_of(frame_prefix='left/') == [str(TWO_BONE), {'base_frame': 'left/base_link'}]
    file = tmp_path / 'arm.yaml'
    file.write_text(TWO_BONE.read_text().replace('base_frame: base_link', 'base_frame: shelf'))
    assert parameters_of(params_file=str(file), frame_prefix='l_')[-1] == {'base_frame': 'l_shelf'}


def test_a_file_for_another_node_is_refused(tmp_path: Path) -> None:
    file = tmp_path / 'arm.yaml'
    file.write_text(TWO_BONE.read_text().replace('/**:', '/right/ik2d:'))
    assert parameters_of(params_file=str(file), namespace='right') == [str(file)]
    with pytest.raises(Ik2dError, match="no parameters for node '/left/ik2d', only for: /right"):
        launched(params_file=str(file), namespace='left')


def test_a_robot_is_driven_only_by_drive_launch() -> None:
    alone, _ = launched(controller='arm_controller', joint_states_topic='joints')
    assert alone['arguments'] == []  # arguments of an including file, which mean something else
    assert alone['remappings'] == [('~/target', '~/target')]
    node = driving(params_file='two_bone', controller='arm_controller')
    assert node['arguments'] == ['--controller', 'arm_controller']
    assert node['parameters'] == [PRESETS, str(TWO_BONE)]  # the file overrides the presets
    assert ('measured_joint_states', 'joint_states') in node['remappings']
    assert driving(params_file='two_bone', controller='')['arguments'] == []
    with pytest.raises(Ik2dError, match="'urdf' is required"):
        driving(param_file='so101')


ARMS = '/**: {ros__parameters: {arms: [left, right], joints: [shoulder]}}'


@pytest.fixture
def arms(tmp_path: Path) -> str:
    """A parameter file of two arms."""
    (tmp_path / 'arms.yaml').write_text(ARMS)
    return str(tmp_path / 'arms.yaml')


def test_the_arms_of_a_fleet_are_those_of_its_file(arms: str) -> None:
    node = fleet(params_file=arms, namespace='robot1')
    assert (node['namespace'], node['parameters']) == ('/robot1', [arms])
    limbs = fleet(params_file='pxmark4')['parameters'][-1]['arms']
    assert len(limbs) == 6
    assert '/left_front' in limbs
    with pytest.raises(Ik2dError, match="'params_file' is required"):
        fleet()


def test_a_fleet_that_is_driven_starts_from_measured_poses(arms: str) -> None:
    assert fleet(params_file=arms)['remappings'] == []
    each = fleet(params_file=arms, controller='arm_controller')
    assert each['parameters'][0] == PRESETS
    assert each['arguments'] == ['--controller', 'arm_controller']
    assert each['remappings'] == [('measured_joint_states', 'joint_states')]
    # One broadcaster for all limbs; the file says what each commands.
    limbs = fleet(params_file=arms, joint_states_topic='/joint_states')
    assert (limbs['parameters'][0], limbs['arguments']) == (PRESETS, [])
    assert limbs['remappings'] == [('measured_joint_states', '/joint_states')]


@pytest.fixture
def urdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A robot description in the home directory."""
    pytest.importorskip('defusedxml', reason='defusedxml is not installed')
    monkeypatch.setenv('HOME', str(tmp_path))
    (tmp_path / 'arm.urdf').write_text(robot(*ARM))
    return '~/arm.urdf'


def test_the_arm_is_read_from_a_robot_unless_the_file_has_one(urdf: str, tmp_path: Path) -> None:
    """For example, a bringup has an argument `urdf` for robot_state_publisher."""
    node, found = launched(urdf=urdf)
    assert load_parameters(*node['parameters']) == found
    assert arm_of(found).names == ('shoulder', 'elbow')
    assert arm_of(found).base_frame == 'base'

    more = tmp_path / 'settings.yaml'
    more.write_text('/**: {ros__parameters: {solver: ccd, chain: {elbow: {max_velocity: 0.5}}}}')
    node, found = launched(urdf=urdf, params_file=str(more), base='base', tip='tool')
    assert node['parameters'][0] == str(more)
    assert arm_of(found).motion[1].velocity == 0.5

    *_, file, own = parameters_of(urdf=urdf, frame_prefix='left/')
    assert arm_of({**load_parameters(file), **own}).base_frame == 'left/base'

    _, found = launched(urdf=urdf, params_file='three_link')
    assert 'robot_description' not in found
    assert len(arm_of(found).names) == 3
    with pytest.raises(Ik2dError, match='cannot be read'):
        launched(urdf='nothing.urdf')


@pytest.mark.parametrize('name', ['two_bone', 'excavator', 'scara_icube', 'mini_pupper_2/lf'])
def test_the_view_of_rviz_fits_an_arm_of_any_size(name: str) -> None:
    file, _, limb = name.partition('/')
    arm = load_arm(find_config(file), f'/{limb}/ik2d' if limb else 'ik2d')
    text = fitted_rviz_config((CONFIG / 'ik2d.rviz').read_text(), arm)
    view = yaml.safe_load(text)['Visualization Manager']['Views']['Current']
    rng = np.random.default_rng(1)
    focus = [view['Focal Point'][axis] for axis in 'XYZ']
    furthest = max(
        math.dist(focus, point)
        for _ in range(300)
        for point in skeleton(arm, random_pose(arm.kinematics, rng).tolist())
    )
    seen = view['Distance'] * math.sin(math.radians(22.5))  # radius of the sphere that it shows
    assert 0.5 * seen < furthest < seen


@pytest.mark.parametrize('name', ['node', 'sim', 'target', 'teleop', 'viewer'])
def test_every_node_prints_help(name, capsys, monkeypatch):
    monkeypatch.setattr(sys, 'argv', [f'ik2d_{name}', '--help'])
    assert getattr(programs, name)() == 0
    out = capsys.readouterr().out
    assert out.startswith(f'usage: ik2d_{name} ')
    assert ('--controller NAME' in out) == (name == 'node')

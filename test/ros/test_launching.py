"""What launch arguments mean: plain data, without ROS."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import ROOT
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.kinematics import Ik2dError
from ik2d_ros.ros.launching import (
    CONTROLLER,
    MEASURED_TOPIC,
    ArmLaunch,
    full_name,
    full_namespace,
    limb_namespaces,
    read_arguments,
)

TWO_BONE = ROOT / 'config/two_bone.yaml'

names = st.from_regex(r'[a-z_][a-z0-9_]{0,3}', fullmatch=True)
paths = st.lists(names, max_size=3).map('/'.join)


def launched(**values: str) -> ArmLaunch:
    defaults = {
        'params_file': str(TWO_BONE),
        'namespace': '',
        'node_name': 'ik2d',
        'frame_prefix': '',
        'target_topic': '~/target',
        'use_sim_time': '',
        'log_level': 'info',
    }
    return read_arguments(defaults | values)


@given(paths, paths)
def test_a_namespace_is_put_below_what_was_pushed_unless_it_is_there_already(
    pushed: str, inner: str
) -> None:
    whole = full_namespace(f'/{pushed}', inner)
    assert whole.startswith('/')
    assert whole == '/' or not whole.endswith('/')
    if f'/{pushed}'.endswith(f'/{inner}') or not inner:
        assert whole == f'/{pushed}'
    else:
        assert whole == '/' + '/'.join(filter(None, [pushed, inner]))
    # Included once more, with the same argument, below what that has made.
    assert full_namespace(whole, inner) == whole


@given(paths, paths)
def test_an_absolute_namespace_stands_for_itself(pushed: str, inner: str) -> None:
    assert full_namespace(f'/{pushed}', f'/{inner}') == f'/{inner}'


def test_names_from_the_root_on() -> None:
    assert full_name('/', 'ik2d') == '/ik2d'
    assert full_name('/left', 'ik2d') == '/left/ik2d'


@pytest.mark.parametrize(
    ('argument', 'value', 'part'),
    [
        ('node_name', 'my arm', 'my arm'),
        ('node_name', '', ''),
        ('node_name', 'left/ik2d', 'left/ik2d'),
        ('namespace', 'left/2nd', '2nd'),
        ('namespace', 'left//ik2d', ''),
    ],
)
def test_a_name_that_ros_would_not_take_is_refused(argument: str, value: str, part: str) -> None:
    with pytest.raises(Ik2dError, match=f"launch argument '{argument}' is '{part}'; it must be"):
        launched(**{argument: value})


def test_the_clock_is_left_alone_unless_something_was_said_of_it(tmp_path: Path) -> None:
    assert launched().clock_parameters == {}
    assert launched(use_sim_time='True').clock_parameters == {'use_sim_time': True}
    assert launched(use_sim_time='false').clock_parameters == {'use_sim_time': False}
    file = tmp_path / 'arm.yaml'
    file.write_text(TWO_BONE.read_text() + '    use_sim_time: true\n')
    assert launched(params_file=str(file)).clock_parameters == {'use_sim_time': True}
    said_last = launched(params_file=str(file), use_sim_time='False')
    assert said_last.clock_parameters == {'use_sim_time': False}


def test_a_prefix_stands_before_the_base_frame_of_the_file(tmp_path: Path) -> None:
    assert launched().base_frame == 'base_link'
    assert launched().node['parameters'] == [str(TWO_BONE)]
    prefixed = launched(frame_prefix='left/').node['parameters']
    assert prefixed == [str(TWO_BONE), {'base_frame': 'left/base_link'}]
    file = tmp_path / 'arm.yaml'
    file.write_text(TWO_BONE.read_text().replace('base_frame: base_link', 'base_frame: shelf'))
    assert launched(params_file=str(file), frame_prefix='l_').base_frame == 'l_shelf'


def test_the_log_level_is_that_of_one_logger() -> None:
    arm = launched(namespace='left/arm', log_level='debug')
    assert arm.log_arguments('ik2d') == ['--log-level', 'left.arm.ik2d:=debug']
    assert launched().log_arguments('ik2d') == ['--log-level', 'ik2d:=info']


def test_the_home_of_a_target_topic_is_the_arm_s_node() -> None:
    assert launched(node_name='arm').target_topic == 'arm/target'
    assert launched(target_topic='/aim').target_topic == '/aim'


def test_shipped_names_and_the_home_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert launched(params_file='three_link').params_file == ROOT / 'config/three_link.yaml'
    monkeypatch.setenv('HOME', str(tmp_path))
    (tmp_path / 'arm.yaml').write_text(TWO_BONE.read_text())
    assert launched(params_file='~/arm.yaml').params_file == tmp_path / 'arm.yaml'


def test_a_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(Ik2dError, match=r'/nowhere/arm\.yaml: no such file; .*two_bone'):
        launched(params_file='/nowhere/arm.yaml')
    file = tmp_path / 'arm.yaml'
    file.write_text(TWO_BONE.read_text().replace('/**:', '/right/ik2d:'))
    with pytest.raises(Ik2dError, match="no parameters for node '/left/ik2d', only for: /right"):
        launched(params_file=str(file), namespace='left')
    assert launched(params_file=str(file), namespace='right').parameters['joints']


def test_the_limbs_of_a_robot_are_the_sections_of_its_file() -> None:
    sides, places = ('right', 'left'), ('front', 'middle', 'back')
    assert limb_namespaces('pxmark4') == [f'/{side}_{place}' for side in sides for place in places]
    with pytest.raises(Ik2dError, match=r'two_bone\.yaml: holds no limbs, only parameters for any'):
        limb_namespaces('two_bone')


def test_a_robot_is_driven_only_where_drive_launch_says_so() -> None:
    alone = launched(controller='arm_controller').node  # of an including file: something else
    assert alone['arguments'] == []
    assert alone['parameters'] == [str(TWO_BONE)]
    assert dict(alone['remappings']).keys() == {'~/target'}
    driving = launched(**{CONTROLLER: 'arm_controller', MEASURED_TOPIC: 'joint_states'}).node
    assert driving['arguments'] == ['--controller', 'arm_controller']
    presets = {'use_measured_state': True, 'publish_joint_states': False}
    assert driving['parameters'] == [presets, str(TWO_BONE)]  # which the file overrides
    assert ('measured_joint_states', 'joint_states') in driving['remappings']
    # What the node commands may be in its parameter file.
    assert launched(**{CONTROLLER: '', MEASURED_TOPIC: 'joint_states'}).node['arguments'] == []

"""What the arguments of the launch file for several arms mean."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import ROOT

from ik2d_ros.kinematics import Ik2dError
from ik2d_ros.parameters.file import load_parameters, read_sections
from ik2d_ros.ros.launching_fleet import FleetLaunch, read_fleet_arguments

DEFAULTS = {
    'arms': '',
    'params_file': '',
    'namespace': '',
    'controller': '',
    'merge_commands': 'false',
    'joint_states_topic': '',
    'use_sim_time': '',
    'log_level': 'info',
}


def read(**arguments: str) -> FleetLaunch:
    return read_fleet_arguments({**DEFAULTS, **arguments})


def test_each_arm_may_have_a_file_of_its_own() -> None:
    fleet = read(arms='left:two_bone, right:three_link', namespace='robot1')
    assert fleet.arms == ('/robot1/left', '/robot1/right')
    assert fleet.node['parameters'][-1] == {'arms': [*fleet.arms], 'merge_commands': False}
    for arm, file, shipped in zip(fleet.arms, fleet.files, ('two_bone', 'three_link'), strict=True):
        # For this arm alone, whatever the file itself says.
        assert [name for name, _ in read_sections(file)] == [f'{arm}/ik2d']
        assert load_parameters(file, f'{arm}/ik2d') == load_parameters(
            ROOT / f'config/{shipped}.yaml'
        )


def test_one_file_for_all_arms() -> None:
    fleet = read(arms='left,right', params_file='two_bone')
    assert fleet.arms == ('/left', '/right')
    assert [Path(file).name for file in fleet.files] == ['two_bone.yaml']
    limbs = read(params_file='pxmark4')
    assert len(limbs.arms) == 6
    assert '/left_front' in limbs.arms


def test_a_controller_means_that_the_arms_start_where_they_are_measured() -> None:
    presets = {'use_measured_state': True, 'publish_joint_states': False}
    assert presets not in read(arms='left', params_file='two_bone').node['parameters']
    each = read(arms='left', params_file='two_bone', controller='arm_controller').node
    assert each['parameters'][0] == presets
    assert each['arguments'] == ['--controller', 'arm_controller']
    assert each['remappings'] == [('measured_joint_states', 'joint_states')]
    # One controller has one broadcaster beside it, not one for each limb.
    all_of_them = read(
        params_file='pxmark4', controller='legs', merge_commands='True', namespace='robot1'
    )
    assert all_of_them.merge_commands is True
    assert all_of_them.node['remappings'] == [('measured_joint_states', '/robot1/joint_states')]


def test_the_log_level_is_that_of_every_node() -> None:
    said = read(arms='left,right', params_file='two_bone', log_level='debug').node
    assert said['ros_arguments'][1::2] == [
        'left.ik2d:=debug',
        'right.ik2d:=debug',
        'ik2d_merge:=debug',
    ]


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        ({}, "'params_file' and 'arms' are both empty"),
        ({'arms': 'left:two_bone,right'}, "'arms' has no file for '/right'"),
        ({'arms': 'left,left', 'params_file': 'two_bone'}, "each one once: 'left'"),
        ({'arms': 'left,le ft', 'params_file': 'two_bone'}, "'le ft'"),
        ({'arms': ':two_bone'}, 'it must be namespaces with commas between'),
        ({'arms': 'left:no_such_file'}, 'no_such_file'),
        ({'params_file': 'two_bone'}, 'holds no limbs'),
    ],
)
def test_what_cannot_be_launched_is_said(arguments: dict[str, str], said: str) -> None:
    with pytest.raises(Ik2dError) as raised:
        read(**arguments)
    assert said in str(raised.value)

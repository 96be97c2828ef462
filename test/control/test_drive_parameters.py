"""How the arm is driven: what is accepted, and what is refused with what words."""

from __future__ import annotations

import math

import pytest

from ik2d_ros.control.drive import (
    ARRAY,
    DRIVE_PARAMETERS,
    Drive,
    drive_from_parameters,
)
from ik2d_ros.parameters.checks import ConfigError

ARM = ('shoulder', 'elbow')
ALL = ['shoulder', 'gripper', 'elbow']


def drive(**parameters: object) -> Drive:
    dotted = {name.replace('__', '.'): value for name, value in parameters.items()}
    return drive_from_parameters(dotted, ARM)


def test_the_defaults_of_parameters_and_type_agree() -> None:
    assert drive() == Drive()
    assert drive_from_parameters(DRIVE_PARAMETERS.defaults, ARM) == Drive()


def test_other_joints_are_held_at_a_position_or_where_they_are_measured() -> None:
    measured = drive(command_joints=ALL, use_measured_state=True)
    assert measured.command_joints == tuple(ALL)
    assert measured.holds.keys() == {'gripper'}
    assert math.isnan(measured.holds['gripper'])
    told = drive(command_joints=ALL, hold__gripper=1)
    assert dict(told.holds) == {'gripper': 1.0}
    dotted = drive(command_joints=[*ARM, 'left.finger'], **{'hold.left.finger': 0.5})
    assert dict(dotted.holds) == {'left.finger': 0.5}


def test_without_measurements_they_are_at_0_as_the_arm_is_at_home() -> None:
    assert dict(drive(command_joints=ALL).holds) == {'gripper': 0.0}


REFUSED: list[tuple[dict[str, object], list[str]]] = [
    (
        {'command_out_type': 'trajectory_msgs/JointTrajectri'},
        ["'trajectory_msgs/JointTrajectri'", 'empty for no commands', "did you mean 'traj"],
    ),
    ({'command_out_type': 1}, ['command_out_type', '1']),
    ({'command_out_topic': ''}, ["'command_out_topic' is ''", 'not empty']),
    ({'use_measured_state': 'yes'}, ["'use_measured_state' is 'yes'", 'true or false']),
    ({'publish_joint_states': 1}, ["'publish_joint_states' is 1", 'true or false']),
    ({'command_joints': ['shoulder']}, ['command_joints', "['shoulder']", 'missing: elbow']),
    ({'command_joints': [*ARM, 'elbow']}, ['command_joints', 'given twice: elbow']),
    ({'command_joints': 'shoulder'}, ['command_joints', "'shoulder'", 'a list']),
    ({'command_joints': [1, 2]}, ['command_joints', '[1, 2]']),
    (
        {'command_joints': ALL, 'command_out_type': ARRAY},
        ["'hold.gripper' is nan", 'finite', 'use_measured_state'],
    ),
    ({'command_joints': ALL, 'hold.gripper': math.inf}, ["'hold.gripper' is inf", 'NaN']),
    ({'command_joints': ALL, 'hold.gripper': 'open'}, ["'hold.gripper' is 'open'", 'in rad']),
    ({'command_joints': ALL, 'hold.griper': 1.0}, ["'hold.griper' is 1.0", "mean 'gripper'?"]),
    ({'command_joints': ALL, 'hold.elbow': 1.0}, ["'hold.elbow' is 1.0", 'a joint of gripper']),
    ({'hold.gripper': 1.0}, ["'hold.gripper' is 1.0", 'there are none']),
    ({'hold': 1.0}, ["'hold' is 1.0", 'hold.<joint>']),
]


@pytest.mark.parametrize(('parameters', 'words'), REFUSED)
def test_a_refusal_names_the_parameter_and_the_allowed_values(
    parameters: dict[str, object], words: list[str]
) -> None:
    with pytest.raises(ConfigError) as raised:
        drive(**parameters)
    assert all(word in str(raised.value) for word in words)

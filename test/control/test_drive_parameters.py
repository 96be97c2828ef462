"""How the arm is driven: what is accepted, and what is refused with what words."""

from __future__ import annotations

import math

import pytest

from ik2d_ros.control.drive import (
    ARRAY,
    Drive,
    drive_from_parameters,
)
from ik2d_ros.parameters.checks import ConfigError

ARM = ('shoulder', 'elbow')
ALL = ['shoulder', 'gripper', 'elbow']


def drive(**parameters: object) -> Drive:
    dotted = {name.replace('__', '.'): value for name, value in parameters.items()}
    return drive_from_parameters(dotted, ARM)


def test_other_joints_are_held_at_a_position_or_where_they_are_measured() -> None:
    """Without measurements that is 0, as the arm is at home."""
    (measured,) = drive(command_joints=ALL, use_measured_state=True).holds.items()
    assert str(measured) == "('gripper', nan)"
    told = drive(command_joints=ALL, hold__gripper=1)
    assert dict(told.holds) == {'gripper': 1.0}
    dotted = drive(command_joints=[*ARM, 'left.finger'], **{'hold.left.finger': 0.5})
    assert dict(dotted.holds) == {'left.finger': 0.5}
    assert dict(drive(command_joints=ALL).holds) == {'gripper': 0.0}


REFUSED: list[tuple[dict[str, object], list[str]]] = [
    ({'command_out_type': 'JointTrajectory'}, ["'JointTrajectory'", 'empty for no commands']),
    ({'command_out_topic': ''}, ["'command_out_topic' is ''", 'not empty']),
    ({'use_measured_state': 'yes'}, ["'use_measured_state' is 'yes'", 'true or false']),
    ({'command_joints': ['shoulder']}, ['command_joints', "['shoulder']", 'missing: elbow']),
    ({'command_joints': [*ARM, 'elbow']}, ['command_joints', 'given twice: elbow']),
    ({'command_joints': 'shoulder'}, ['command_joints', "'shoulder'", 'a list']),
    (
        {'command_joints': ALL, 'command_out_type': ARRAY},
        ["'hold.gripper' is nan", 'finite', 'use_measured_state'],
    ),
    ({'command_joints': ALL, 'hold.gripper': math.inf}, ["'hold.gripper' is inf", 'NaN']),
    ({'command_joints': ALL, 'hold.griper': 1.0}, ["'hold.griper' is 1.0", "mean 'gripper'?"]),
    ({'command_joints': ALL, 'hold.elbow': 1.0}, ["'hold.elbow' is 1.0", 'a joint of gripper']),
    ({'hold.gripper': 1.0}, ["'hold.gripper' is 1.0", 'there are none']),
]


@pytest.mark.parametrize(('parameters', 'words'), REFUSED)
def test_a_refusal_names_the_parameter_and_the_allowed_values(
    parameters: dict[str, object], words: list[str]
) -> None:
    with pytest.raises(ConfigError) as raised:
        drive(**parameters)
    assert all(word in str(raised.value) for word in words)

"""Which controller is there, since when, and what the node must send to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.control.discovery import (
    COMMAND_TYPES,
    DISCOVERY_TIME,
    Controller,
    ControllerPresence,
    controllers,
    joints_refusal,
    parameters_for,
)
from ik2d_ros.kinematics import Ik2dError

TRAJECTORY = ['trajectory_msgs/msg/JointTrajectory']
ARRAY = ['std_msgs/msg/Float64MultiArray']

parts = st.text('ab_', min_size=1, max_size=3)
names = st.lists(parts, min_size=1, max_size=3).map(lambda each: '/' + '/'.join(each))
found = st.builds(
    lambda name, command: Controller(name, f'{name}/{command}', COMMAND_TYPES[command]),
    names,
    st.sampled_from(sorted(COMMAND_TYPES)),
)

OTHERS = [
    ('/arm/joint_trajectory', ARRAY),
    ('/arm/commands', TRAJECTORY),
    ('/arm/commands', []),
    ('/arm/state', TRAJECTORY),
    ('/joint_trajectory', TRAJECTORY),  # below no name
    ('/my_commands', ARRAY),
]


@given(st.sets(found))
def test_controllers_are_known_by_their_topic_and_its_type(present: set[Controller]) -> None:
    topics = [(each.topic, [each.command_type.replace('/', '/msg/')]) for each in present]
    assert set(controllers([*OTHERS, *topics])) == present


def test_the_parameters_have_topic_type_and_joints() -> None:
    arm = Controller('/left/arm', '/left/arm/joint_trajectory', 'trajectory_msgs/JointTrajectory')
    assert parameters_for(arm, {'joints': ['b', 'a'], 'command_interfaces': ['velocity']}) == {
        'command_out_type': 'trajectory_msgs/JointTrajectory',
        'command_out_topic': '/left/arm/joint_trajectory',
        'command_joints': ['b', 'a'],
    }
    group = Controller('/arm', '/arm/commands', 'std_msgs/Float64MultiArray')
    assert parameters_for(group, {'joints': ['a'], 'interface_name': 'position'}) == {
        'command_out_type': 'std_msgs/Float64MultiArray',
        'command_out_topic': '/arm/commands',
        'command_joints': ['a'],
    }
    assert parameters_for(group, {}, 125)['publish_rate'] == 125.0
    assert 'publish_rate' not in parameters_for(group, {}, 0)
    assert 'publish_rate' not in parameters_for(arm, {}, 125.0)  # which interpolates
    # A driver that is no controller of ros2_control tells nothing.
    assert 'command_joints' not in parameters_for(group, {})


joints = st.lists(st.sampled_from('abcd'), unique=True, min_size=1)


@given(joints, joints, st.booleans())
def test_joints_are_refused_that_the_controller_refuses_or_would_take_for_others(
    its: list[str], ours: list[str], is_partial: bool
) -> None:
    its_parameters = {'joints': its, 'allow_partial_joints_goal': is_partial}
    in_order = joints_refusal('/arm', its_parameters, COMMAND_TYPES['commands'], ours)
    by_name = joints_refusal('/arm', its_parameters, COMMAND_TYPES['joint_trajectory'], ours)
    assert (in_order == '') == (its == ours)
    others, missing = set(ours) - set(its), set(its) - set(ours)
    assert (by_name == '') == (not others and (is_partial or not missing))
    for unknown in ({}, {'joints': []}, {'joints': 'a'}):  # not reported: not compared
        assert joints_refusal('/arm', unknown, COMMAND_TYPES['commands'], ours) == ''
    for words in filter(None, (in_order, by_name)):
        assert f"'/arm' has the joints {', '.join(its)}" in words
        assert f'commands {", ".join(ours)}' in words


def test_a_controller_of_velocities_is_refused() -> None:
    arm = Controller('/arm', '/arm/commands', 'std_msgs/Float64MultiArray')
    with pytest.raises(Ik2dError, match=r"'/arm' passes its commands on as 'velocity'.*position"):
        parameters_for(arm, {'interface_name': 'velocity'})


@pytest.mark.parametrize(
    'looks',
    [
        [('a', 0.0, False), ('a', 0.9, False), ('a', 1.0, True)],
        [('a', 0.0, False), ('a', 1.0, True), ('', 5.0, False), ('a', 6.0, False)],
        # Unloaded and loaded again between two looks:
        [('a', 0.0, False), ('a', 1.0, True), ('b', 5.0, False), ('b', 6.0, True)],
        # Killed and started again; the dead one is known for as long as its lease:
        [('a', 0, False), ('a', 1.0, True), ('ab', 5.0, False), ('ab', 6.0, True), ('b', 7, True)],
    ],
)
def test_a_subscription_receives_once_it_is_known_for_a_while(
    looks: list[tuple[str, float, bool]],
) -> None:
    presence = ControllerPresence()
    for listeners, seconds, is_there in looks:
        presence.update(listeners, seconds * DISCOVERY_TIME)
        assert presence.is_present == is_there

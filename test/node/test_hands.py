"""Joint targets, the gripper, poses and jogging, through a real node."""

from __future__ import annotations

import math

import numpy as np
import pytest
from harness import HAS_ROS, once
from node_client import TWO, values

if HAS_ROS:
    from geometry_msgs.msg import TwistStamped
    from sensor_msgs.msg import JointState

ARM = {
    **TWO,
    'command_joints': ['shoulder', 'elbow', 'gripper'],
    'hold_limits.gripper': [0.0, 0.8],
    'poses.rest.shoulder': 0.2,
    'poses.rest.elbow': 1.2,
    'poses.rest.gripper': 0.5,
    'poses.open.gripper': 0.8,
    'chain.shoulder.max_velocity': 2.0,
    'chain.elbow.max_velocity': 2.0,
    'hold_velocity': 3.0,
}


def held(client):
    """The newest second status."""
    client.wait(lambda: client.statuses, 'a status')
    status = client.statuses[-1].status[1]
    assert status.name == 'ik2d: held joints'
    return {pair.key: pair.value for pair in status.values}


def stamp_of(message):
    return message.header.stamp.sec % 1000 + message.header.stamp.nanosec * 1e-9


@once
def test_a_person_jogs_and_a_program_moves_joints_and_gripper(start, ros_node):
    from ik2d_ros.client import ArmClient

    _, client = start(ARM)
    node = client.node
    joints = node.create_publisher(JointState, '/ik2d/joint_target', 1)
    twists = node.create_publisher(TwistStamped, '/ik2d/jog', 1)
    client.wait(joints.get_subscription_count, 'joint_target')
    client.wait(twists.get_subscription_count, 'jog')
    client.wait(lambda: client.joint_states, 'joint_states')
    assert [*client.joint_states[-1].name] == ['shoulder', 'elbow', 'gripper']

    def positions():
        return tuple(client.joint_states[-1].position)

    grip = JointState(name=['gripper'], position=[2.0])

    def is_closed():
        joints.publish(grip)  # again: it is lost before the node has found its publisher
        return held(client)['at_goal'] == 'true' and positions()[2] == 0.8

    client.wait(is_closed, 'the gripper')
    assert held(client)['gripper.goal'] == '0.8'
    joints.publish(JointState(name=['elbow', 'knee'], position=[0.4, 0.1]))
    client.wait(lambda: values(client.statuses[-1])['code'] == 'INVALID_TARGET', 'a refusal')
    assert 'knee' in client.statuses[-1].status[0].message

    begin = positions()
    push = TwistStamped()
    push.twist.linear.y = 0.1

    def has_moved():
        twists.publish(push)
        return abs(positions()[0] - begin[0]) > 0.05

    client.wait(has_moved, 'the jogged arm')
    stamps = [stamp_of(message) for message in client.joint_states]
    ticks = np.diff(stamps) * 50.0  # of the default publish_rate
    assert np.median(np.abs(ticks - ticks.round())) < 1e-3  # however late each came
    client.wait(lambda: values(client.statuses[-1])['code'] == 'READY', 'the end of the jog')
    assert values(client.statuses[-1])['moving'] == 'false'

    arm, patient = ArmClient(ros_node), {'timeout': 90.0}
    there = arm.move_joints({'elbow': 0.4}, **patient)
    assert there, there
    assert str(there).startswith('REACHED: ')
    there = arm.hold({'gripper': 0.31254}, **patient)
    assert there
    name, at, position = there.message.rstrip('.').split()
    assert (name, at) == ('gripper', 'at')
    assert float(position) == pytest.approx(0.31254, abs=0.02)  # goal_tolerance
    assert arm.hold({'gripper': 0.31254}, **patient).message == 'gripper at 0.31254.'  # not before
    assert not arm.hold({'gripper': 3.0}, **patient)  # beyond its limits: at the nearest
    refused = arm.hold({'griper': 0.3}, **patient)
    assert not refused
    assert "did you mean 'gripper'?" in refused.message
    with pytest.raises(ValueError, match=r"has no pose 'rset'; .* did you mean 'rest'\?"):
        arm.go_to_pose('rset', timeout=math.inf)
    assert arm.move_joints({'gripper': 0.6, 'elbow': 0.5}, **patient)
    assert arm.go_to_pose('rest', **patient)
    client.wait(lambda: positions() == (0.2, 1.2, 0.5), 'the pose rest')
    assert arm.home(**patient)
    begun = len(client.joint_states)
    assert arm.go_to_pose('open', **patient)
    assert arm.hold({'gripper': 0.1}, **patient)
    client.wait(
        lambda: any(state.position[2] > 0.77 for state in client.joint_states[begun:]),
        'the gripper to have opened',
    )
    assert not arm.move_joints({'nobody': 1.0}, **patient)
    arm.destroy()

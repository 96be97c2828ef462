"""Poses with an orientation, one and many, through the node: tip angle and roll together."""

from __future__ import annotations

from typing import Any

import numpy as np
from harness import HAS_ROS, load_configuration, once

from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.parameters.shipped import find_config

if HAS_ROS:
    from geometry_msgs.msg import PoseStamped
    from nav_msgs.msg import Path

pytestmark = once
TURN = 1.2  # rad


def pose_of(place: Any, rotation: Any) -> PoseStamped:
    message = PoseStamped()
    at, turn = message.pose.position, message.pose.orientation
    at.x, at.y, at.z = place
    turn.x, turn.y, turn.z, turn.w = rotation
    return message


def test_a_path_of_poses_turns_the_roll(start: Any) -> None:
    given = load_parameters(find_config('px150'), 'ik2d')
    _, client = start({**given, 'path_speed': 0.5})
    client.connect()
    arm = load_configuration(find_config('px150')).arm
    begin = np.array(arm.home)
    ends = begin + np.array([0.0, 0.1, -0.15, 0.1, TURN])
    poses = np.linspace(begin, ends, 12)
    path = Path()
    for q in map(tuple, poses.tolist()):
        angle = float(arm.kinematics.tip_angles(np.array(q)))
        rotation = arm.tip_rotation(arm.plane_at(q), angle, q[-1])
        path.poses.append(pose_of(arm.kinematics.tip(q), rotation))
    path.header.stamp.sec = 7
    follow = client.node.create_publisher(Path, '/ik2d/path_poses', 1)
    client.wait(follow.get_subscription_count, 'the subscription')
    follow.publish(path)
    client.wait(lambda: client.status.get('at_goal') == 'true', 'the end of the path')
    assert client.status['code'] == 'REACHED', client.status['message']
    np.testing.assert_allclose(client.pose(), ends, atol=0.02)
    rolls = [message.position[-1] for message in client.joint_states]
    assert len({round(roll, 2) for roll in rolls}) > 5  # it turns on the way

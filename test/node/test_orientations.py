"""Poses with an orientation, one and many, through the node: tip angle and roll together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from harness import HAS_ROS, load_configuration, once

from ik2d_ros.kinematics.plane import Plane, product
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


def test_a_path_of_poses_turns_the_roll_and_a_direction_may_lean(start: Any) -> None:
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

    # About an axis in the plane, the direction leans out by so much.
    lean = 0.2
    q = tuple(ends.tolist())
    _, y_axis, _ = arm.plane_at(q).axes
    tilt = (*(math.sin(0.5 * lean) * part for part in y_axis), math.cos(0.5 * lean))
    flat = arm.plane_at(q).quaternion()
    message = pose_of(arm.kinematics.tip(q), product(tilt, flat))
    expected = abs(
        np.dot(
            Plane.from_quaternion((0, 0, 0), product(tilt, flat)).axes[0], arm.plane_at(q).axes[2]
        )
    )
    publisher = client.node.create_publisher(PoseStamped, '/ik2d/target_pose', 1)
    client.wait(publisher.get_subscription_count, 'the subscription')
    publisher.publish(message)
    words = f'leans {math.asin(expected):.3g} rad out'
    client.wait(lambda: words in client.status['message'], words)

"""No command of a limb gets the merging node down; none that is wrong gets to the controller."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from random import Random
from typing import Any

from harness import HAS_ROS
from peer import count

from ik2d_ros.control.acceptance import TrajectoryController, trajectory_refusal
from ik2d_ros.control.content import read_trajectory

if HAS_ROS:
    from builtin_interfaces.msg import Duration
    from rclpy.qos import QoSProfile
    from sensor_msgs.msg import JointState
    from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

JOINTS = ('hip', 'knee', 'tail')
NAMES = ['hip', 'knee', 'tail', 'stranger', '', 'hip' * 100, 'h\n\x1b[2J', 'hüfte']
VALUES = [0.0, -0.5, 1e-300, 1e9, 1e300, math.nan, math.inf, -math.inf]
GARBAGE = [b'\0\1\0\0', b'\0\1\0\0' + b'\xff' * 40]


def wrong_commands(random: Random) -> Iterator[Any]:
    """Commands of all kinds, most of them wrong in some way; some are bytes that are no message."""
    while True:
        points = [
            JointTrajectoryPoint(
                positions=random.choices(VALUES, k=random.randrange(4)),
                velocities=random.choices(VALUES, k=random.randrange(4)),
                time_from_start=Duration(
                    sec=random.choice([0, 1, -1, 2**31 - 1, -(2**31)]),
                    nanosec=random.choice([0, 20_000_000, 2**32 - 1]),
                ),
            )
            for _ in range(random.randrange(4))
        ]
        names = random.choices(NAMES, k=random.randrange(4))
        yield JointTrajectory(joint_names=names, points=points)
        # Neither random bytes nor none: the middleware makes room for as many names as they
        # announce, be it for many seconds, before it looks whether they are there.
        yield random.choice(GARBAGE)


def test_wrong_commands_of_limbs_are_survived_and_kept_from_the_controller(
    ros_node: Any, start_process: Any, spin_until: Any
) -> None:
    process = start_process(
        *('-m', 'ik2d_ros.merge', '--ros-args'),
        *('-p', f'command_joints:=[{", ".join(JOINTS)}]'),
    )
    heard: list[Any] = []
    deep = QoSProfile(depth=1000)
    ros_node.create_subscription(JointTrajectory, '/ik2d_merge/command', heard.append, deep)
    measured = ros_node.create_publisher(JointState, '/measured_joint_states', 10)
    limbs = ros_node.create_publisher(JointTrajectory, '/limb_commands', deep)
    spin_until(ros_node, limbs.get_subscription_count, what='the subscription to the limbs')

    commands = wrong_commands(Random(1))
    for number, command in enumerate(itertools.islice(commands, count(4000, 400))):
        limbs.publish(command)
        if number % 10 == 0:
            names = NAMES[number % len(NAMES) :]
            measured.publish(JointState(name=names, position=VALUES[: number % 7]))
    turns = itertools.count()

    def is_passed_on() -> bool:
        measured.publish(JointState(name=list(JOINTS), position=[0.1, 0.2, 0.3]))
        position = 0.4 + 0.001 * (next(turns) % 2)
        point = JointTrajectoryPoint(positions=[position], time_from_start=Duration(nanosec=20))
        limbs.publish(JointTrajectory(joint_names=['knee'], points=[point]))
        return any(0.4 <= message.points[-1].positions[1] < 0.5 for message in heard)

    spin_until(ros_node, is_passed_on, what='a sound command after the wrong ones')
    assert process.is_running()
    assert 'Traceback' not in process.output
    assert 'internal error' not in process.output
    now = ros_node.get_clock().now().nanoseconds
    for message in heard:
        trajectory = read_trajectory(message)
        assert trajectory.joints == JOINTS
        assert trajectory_refusal(trajectory, TrajectoryController(JOINTS), now) is None, message
        positions = [position for point in trajectory.points for position in point.positions]
        assert all(map(math.isfinite, positions))
    assert process.stop() == 0

"""The node waits for the controller that it is to command, and reads its parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from harness import HAS_ROS, ROOT, once
from node_client import Client

if HAS_ROS:
    import rclpy
    from std_msgs.msg import Float64MultiArray
    from trajectory_msgs.msg import JointTrajectory
CONFIG = ROOT / 'config/two_bone.yaml'


def unheard(message: Any) -> None:
    """Take a message; rclpy looks for a signature, which `print` has not on Python 3.10."""


@pytest.fixture
def start_node(start_process: Any, ros_environment: int) -> Callable[..., Any]:
    return lambda name, *arguments: start_process(
        *('-m', 'ik2d_ros.node', '--controller', name, '--ros-args', '--params-file', CONFIG),
        *arguments,
    )


def test_the_node_takes_type_topic_and_joints_from_a_controller_that_starts_later(
    client_of: Callable[..., Client], start_node: Callable[..., Any]
) -> None:
    client = client_of()
    # A tool that looks on makes no controller, nor does another one.
    client.node.create_subscription(Float64MultiArray, 'arm_controller/commands', unheard, 1)
    other = rclpy.create_node('grip_controller', context=client.node.context)
    other.create_subscription(Float64MultiArray, 'grip_controller/commands', unheard, 1)
    # Measured, so that the gripper, which is not the arm's, can be held.
    process = start_node('arm_controller', '-p', 'use_measured_state:=true')
    client.wait(lambda: 'controllers that are there: /grip' in process.output, 'who is missing')
    assert "waiting for controller '/arm_controller'" in process.output
    assert 'ready' not in process.output
    controller = rclpy.create_node('arm_controller', context=client.node.context)
    joints, topic = ['gripper', 'elbow', 'shoulder'], '/arm_controller/joint_trajectory'
    controller.declare_parameter('joints', joints)
    controller.create_subscription(JointTrajectory, topic, unheard, 1)
    client.executor.add_node(controller)
    names = ['command_out_type', 'command_out_topic', 'command_joints']
    assert client.get(*names) == ['trajectory_msgs/JointTrajectory', topic, joints]
    assert 'Traceback' not in process.output


@once
@pytest.mark.parametrize(
    ('own', 'given', 'taken'),
    [(0, [], 125.0), (125, ['-p', 'publish_rate:=124.9'], 124.9)],
)
def test_commands_of_single_poses_come_in_each_cycle_of_the_controller(
    client_of: Callable[..., Client],
    start_node: Callable[..., Any],
    own: int,
    given: list[str],
    taken: float,
) -> None:
    """The controller has its rate, or its manager; a rate that is lower is warned of."""
    rates = {'arm_controller': own, 'controller_manager': 125 if own == 0 else 200}
    client = client_of()
    for name, rate in rates.items():
        node = rclpy.create_node(name, context=client.node.context)
        node.declare_parameter('update_rate', rate)
        client.executor.add_node(node)
        if name == 'arm_controller':
            node.declare_parameter('joints', ['shoulder', 'elbow'])
            node.create_subscription(Float64MultiArray, f'{name}/commands', unheard, 1)
    process = start_node('arm_controller', *given)
    assert client.get('publish_rate') == [taken]
    warning = 'publish_rate is 124.9 Hz; it should be at least 125 Hz'
    assert (warning in process.output) is bool(given)

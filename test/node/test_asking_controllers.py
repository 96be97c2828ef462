"""The node waits for the controller that it is to command, and reads its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harness import HAS_ROS, ROOT
from node_client import Client

if HAS_ROS:
    import rclpy
    from std_msgs.msg import Float64MultiArray
    from trajectory_msgs.msg import JointTrajectory

CONFIG = ROOT / 'config/two_bone.yaml'


@pytest.fixture
def client(ros: int, spin_until: Any) -> Iterator[Client]:
    client = Client(None, spin_until)
    yield client
    client.close()


@pytest.fixture
def controller(client: Client) -> Iterator[Callable[..., None]]:
    """Start a node that listens to commands and has parameters, as a controller does."""
    nodes = []

    def start(name: str, topic: str, kind: type, **parameters: object) -> None:
        node = rclpy.create_node(name)
        nodes.append(node)
        for each, value in parameters.items():
            node.declare_parameter(each, value)
        node.create_subscription(kind, topic, lambda _: None, 1)
        client.executor.add_node(node)

    yield start
    for node in nodes:
        node.destroy_node()


@pytest.fixture
def start_node(start_process: Any, ros_environment: int) -> Callable[..., Any]:
    return lambda name, *arguments: start_process(
        *('-m', 'ik2d_ros.node', '--controller', name, '--ros-args', '--params-file', CONFIG),
        *arguments,
    )


def test_the_node_takes_type_topic_and_joints_from_a_controller_that_starts_later(
    controller: Callable[..., None], client: Client, start_node: Callable[..., Any]
) -> None:
    # A tool that looks on makes no controller, nor does another one.
    client.node.create_subscription(Float64MultiArray, 'arm_controller/commands', print, 1)
    controller('grip_controller', 'grip_controller/commands', Float64MultiArray)
    # Measured, so that the gripper, which is not the arm's, can be held.
    process = start_node('arm_controller', '-p', 'use_measured_state:=true')
    client.wait(lambda: 'controllers that are there: /grip' in process.output, 'what is missing')
    assert "waiting for controller '/arm_controller'" in process.output
    assert '/arm_controller/joint_trajectory or /arm_controller/commands' in process.output
    assert 'ready' not in process.output
    joints = ['gripper', 'elbow', 'shoulder']
    topic = '/arm_controller/joint_trajectory'
    controller('arm_controller', topic, JointTrajectory, joints=joints)
    names = ['command_out_type', 'command_out_topic', 'command_joints']
    assert client.get(*names) == ['trajectory_msgs/JointTrajectory', topic, joints]
    assert 'Traceback' not in process.output


def test_a_signal_ends_the_wait_and_an_invalid_name_is_refused(
    start_node: Callable[..., Any],
) -> None:
    process = start_node('arm_controller')
    process.wait_for_output("waiting for controller '/arm_controller'")
    assert process.stop() == 0
    assert 'Traceback' not in process.output
    process = start_node('my arm')
    assert process.wait() == 1
    assert "the name of the controller is 'my arm'" in process.output
    assert 'Traceback' not in process.output

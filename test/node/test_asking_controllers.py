"""The node waits for the controller that it is to command, and reads its parameters."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from harness import HAS_ROS, ROOT, once
from node_client import NEAR, TWO, Client

from ik2d_ros.control.discovery import DISCOVERY_TIME
from ik2d_ros.control.settings import ARRAY, ControlSettings

if HAS_ROS:
    import rclpy
    from std_msgs.msg import Float64MultiArray
    from trajectory_msgs.msg import JointTrajectory

    from ik2d_ros.node import outputs
    from ik2d_ros.node.outputs import PATIENCE, CommandSender
    from ik2d_ros.ros.other_nodes import UNKNOWN
CONFIG = ROOT / 'config/two_bone.yaml'


def unheard(message: Any) -> None:
    """Take a message; rclpy looks for a signature, which `print` has not on Python 3.10."""


def stand_in(client: Client, kind: Any, heard: Any = unheard, **parameters: object) -> Any:
    """A node that listens and has parameters as the controller of the arm."""
    node = rclpy.create_node('arm_controller', context=client.node.context)
    for name, value in parameters.items():
        node.declare_parameter(name, value)
    topic = 'commands' if kind is Float64MultiArray else 'joint_trajectory'
    node.create_subscription(kind, f'arm_controller/{topic}', heard, 1)
    client.executor.add_node(node)
    return node


@pytest.fixture
def start_node(start_process: Any, ros_environment: int) -> Callable[..., Any]:
    return lambda name, *arguments: start_process(
        *('node', '--controller', name, '--ros-args', '--params-file', CONFIG),
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
    joints, topic = ['gripper', 'elbow', 'shoulder'], '/arm_controller/joint_trajectory'
    stand_in(client, JointTrajectory, joints=joints)
    names = ['command_out_type', 'command_out_topic', 'command_joints']
    assert client.get(*names) == ['trajectory_msgs/JointTrajectory', topic, joints]
    assert f'commands (trajectory_msgs/JointTrajectory) on {topic}' in process.output
    assert 'Traceback' not in process.output


@once
def test_an_invalid_name_of_a_controller_is_refused(start_node: Callable[..., Any]) -> None:
    process = start_node('my arm')
    assert process.wait() == 1
    assert "the name of the controller is 'my arm': " in process.output
    assert 'Traceback' not in process.output


@once
def test_single_poses_are_commanded_at_the_rate_of_the_controller(
    client_of: Callable[..., Client], start_node: Callable[..., Any]
) -> None:
    """A controller without a rate of its own has its manager's."""
    client = client_of()
    manager = rclpy.create_node('controller_manager', context=client.node.context)
    manager.declare_parameter('update_rate', 125)
    client.executor.add_node(manager)
    stand_in(client, Float64MultiArray, update_rate=0, joints=['shoulder', 'elbow'])
    start_node('arm_controller')
    assert client.get('publish_rate') == [125.0]


@once
def test_commands_wait_for_the_name_of_a_listener_which_may_be_the_controller(
    ros_packages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But not for ever: not all that listen are nodes."""
    clock = [100.0]
    ends = [SimpleNamespace(node_name=UNKNOWN, node_namespace='/', endpoint_gid=[1])]
    publisher = Mock(topic_name='/arm/commands', **{'get_subscription_count.return_value': 1})
    node = Mock(**{'create_publisher.return_value': publisher})
    node.get_subscriptions_info_by_topic.return_value = ends
    monkeypatch.setattr(outputs.time, 'monotonic', lambda: clock[0])
    sender = CommandSender(node, ControlSettings(command_out_type=ARRAY), ['a'], Mock(names=['a']))
    heard = []
    for _ in range(60):
        clock[0] += 0.1
        heard.append(not sender.fault(has_goal=True))
    assert heard.index(True) == pytest.approx(10.0 * (PATIENCE + DISCOVERY_TIME), abs=2)
    ends.append(SimpleNamespace(node_name=UNKNOWN, node_namespace='/', endpoint_gid=[2]))
    assert not sender.fault(has_goal=True)  # a tool that looks on stops no motion


@once
def test_nothing_is_commanded_before_the_joints_of_a_controller_are_the_commanded_ones(
    client_of: Callable[..., Client], start: Callable[..., Any]
) -> None:
    """A controller that is only known by the topic of the commands may come, and come back."""
    commands: list[Any] = []
    driven = {
        **TWO,
        'command_joints': [],  # the arm's; ROS reads no type in this
        'command_out_type': ARRAY,
        'command_out_topic': 'arm_controller/commands',
        'publish_rate': 50.0,
        **{f'chain.{joint}.max_velocity': 1.0 for joint in TWO['joints']},
    }
    process, client = start(driven)
    client.connect().send(NEAR)
    controller = stand_in(client, Float64MultiArray, commands.append, joints=['elbow', 'shoulder'])
    client.wait(lambda: 'the arm waits: controller' in process.output, 'the other order')
    assert commands == []
    client.executor.remove_node(controller)
    controller.destroy_node()
    controller = stand_in(client, Float64MultiArray, commands.append, joints=[*TWO['joints']])
    client.executor.remove_node(controller)  # it is too busy to answer
    client.wait(lambda: 'has not answered which joints' in process.output, 'patience')
    client.executor.add_node(controller)
    client.wait(lambda: commands, 'a command')
    assert 'Traceback' not in process.output

"""The node that is told a controller's name: it waits for it and asks how to command it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harness import ROOT

CONFIG = ROOT / 'config/two_bone.yaml'
TRAJECTORY = 'trajectory_msgs/JointTrajectory'
ARRAY = 'std_msgs/Float64MultiArray'


@pytest.fixture
def controller(ros: int) -> Iterator[Callable[..., Any]]:
    """Start a node that listens to commands and has parameters, as a controller does."""
    import rclpy

    nodes = []

    def start(name: str, topic: str, kind: type, **parameters: object) -> Any:
        node = rclpy.create_node(name)
        nodes.append(node)
        for each, value in parameters.items():
            node.declare_parameter(each, value)
        node.create_subscription(kind, topic, lambda _: None, 1)
        return node

    yield start
    for node in nodes:
        node.destroy_node()


@pytest.fixture
def read(ros_node: Any, spin_until: Callable[..., Any]) -> Callable[..., list[Any]]:
    """``read(others, names)``: parameters of the arm's node, while other nodes run, too."""
    from rclpy.executors import SingleThreadedExecutor

    from ik2d_ros.ros.remote_parameters import RemoteParameters

    def ask(others: list[Any], names: list[str]) -> list[Any]:
        executor = SingleThreadedExecutor()
        for node in (ros_node, *others):
            executor.add_node(node)
        remote = RemoteParameters(ros_node, 'ik2d')
        answers: list[dict[str, object] | None] = [None]

        def is_read() -> bool:
            """Whether an answer has come; a first question may be lost."""
            remote.tick()
            if answers == [None] and remote.is_there():
                answers.clear()
                remote.read(answers.append)
            return bool(answers and answers[0])

        spin_until(executor, is_read, what='the parameters of the node')
        executor.shutdown()
        assert answers[0] is not None
        return [answers[0][name] for name in names]

    return ask


def start_node(start_process: Any, name: str, *arguments: str) -> Any:
    return start_process(
        *('-m', 'ik2d_ros.node', '--controller', name, '--ros-args', '--params-file', CONFIG),
        *arguments,
    )


def test_type_topic_and_joints_are_those_of_a_controller_that_comes_later(
    controller: Callable[..., Any],
    read: Callable[..., list[Any]],
    ros_node: Any,
    start_process: Any,
) -> None:
    from std_msgs.msg import Float64MultiArray
    from trajectory_msgs.msg import JointTrajectory

    # A tool that looks on makes no controller.
    ros_node.create_subscription(Float64MultiArray, 'arm_controller/commands', print, 1)
    # Measured, so that the gripper, which is not the arm's, can be held.
    process = start_node(start_process, 'arm_controller', '-p', 'use_measured_state:=true')
    joints = ['gripper', 'elbow', 'shoulder']
    arm = controller(
        'arm_controller', 'arm_controller/joint_trajectory', JointTrajectory, joints=joints
    )
    names = ['command_out_type', 'command_out_topic', 'command_joints']
    assert read([arm], names) == [TRAJECTORY, '/arm_controller/joint_trajectory', joints]
    assert 'Traceback' not in process.output


def test_the_parameter_file_has_the_last_word(
    controller: Callable[..., Any], read: Callable[..., list[Any]], start_process: Any
) -> None:
    from std_msgs.msg import Float64MultiArray

    arm = controller('group', 'group/commands', Float64MultiArray, joints=['elbow', 'shoulder'])
    start_node(start_process, 'group', '-p', 'command_joints:=[shoulder, elbow]')
    names = ['command_out_type', 'command_joints']
    assert read([arm], names) == [ARRAY, ['shoulder', 'elbow']]


def test_it_says_what_it_waits_for_and_ends_with_a_signal(
    controller: Callable[..., Any], start_process: Any
) -> None:
    from std_msgs.msg import Float64MultiArray

    controller('grip_controller', 'grip_controller/commands', Float64MultiArray)
    process = start_node(start_process, 'arm_controller')
    process.wait_for_output('controllers that are there: /grip_controller')
    assert "waiting for controller '/arm_controller'" in process.output
    assert '/arm_controller/joint_trajectory or /arm_controller/commands' in process.output
    assert process.stop() == 0
    assert 'ready' not in process.output
    assert 'Traceback' not in process.output


def test_a_name_that_is_none_is_refused(start_process: Any, ros_environment: int) -> None:
    process = start_node(start_process, 'my arm')
    assert process.wait() == 1
    assert "the name of the controller is 'my arm'" in process.output
    assert 'Traceback' not in process.output

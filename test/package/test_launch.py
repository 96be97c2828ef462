"""The launch file: its description, and the real thing where launch and launch_ros are there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness import ROOT
from launch_files import ARGUMENTS, LAUNCH, calls

LAUNCH_FILE = ROOT / 'launch/ik2d.launch.py'


def test_the_arguments_are_the_documented_ones() -> None:
    declared = [call.args[0].value for call in calls(LAUNCH_FILE, 'DeclareLaunchArgument')]
    assert sorted(declared) == sorted(ARGUMENTS)


@pytest.fixture
def description(launch: Any) -> Any:
    """The description that the launch file makes."""
    source = launch.launch_description_sources.PythonLaunchDescriptionSource(str(LAUNCH_FILE))
    return source.get_launch_description(launch.LaunchContext())


def test_the_description_explains_every_argument(description: Any) -> None:
    declared = {argument.name: argument for argument in description.get_launch_arguments()}
    assert declared.keys() == ARGUMENTS
    for argument in declared.values():
        assert argument.description
        assert argument.default_value is not None


def test_the_default_arm_is_an_installed_file(
    launch: Any, description: Any, colcon_prefix: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(colcon_prefix))
    (params_file,) = (
        argument
        for argument in description.get_launch_arguments()
        if argument.name == 'params_file'
    )
    default = launch.utilities.perform_substitutions(
        launch.LaunchContext(), params_file.default_value
    )
    assert Path(default) == colcon_prefix / 'share/ik2d_ros/config/two_bone.yaml'
    assert Path(default).is_file()


@pytest.fixture
def start_launch(
    launch: Any,
    ros_environment: int,
    colcon_prefix: Path,
    start_installed: Callable[..., Any],
) -> Callable[..., Any]:
    """Launch the installed file, with arguments such as ``'namespace:=left'``."""
    path = colcon_prefix / 'share/ik2d_ros/launch/ik2d.launch.py'
    return lambda *arguments: start_installed(sys.executable, '-c', LAUNCH, path, *arguments)


def parameters_of(node_name: str, names: list[str], ros_node: Any, spin_until: Any) -> list[Any]:
    """Ask a running node for its parameters."""
    from rcl_interfaces.srv import GetParameters
    from rclpy.parameter import parameter_value_to_python

    client = ros_node.create_client(GetParameters, f'{node_name}/get_parameters')
    spin_until(ros_node, client.service_is_ready, what=f'the node {node_name}')
    future = client.call_async(GetParameters.Request(names=names))
    spin_until(ros_node, future.done, what=f'the parameters of {node_name}')
    return [parameter_value_to_python(value) for value in future.result().values]


@pytest.mark.slow
def test_launched_without_arguments_the_default_arm_is_there(
    start_launch: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    from sensor_msgs.msg import JointState

    received: list[JointState] = []
    ros_node.create_subscription(JointState, 'joint_states', received.append, 10)
    launched = start_launch()
    spin_until(ros_node, lambda: received or not launched.is_running(), what='joint states')
    assert received, launched.output
    assert len(received[0].position) == 2
    assert parameters_of('/ik2d', ['use_sim_time'], ros_node, spin_until) == [False]

    launched.stop()
    assert 'process has finished cleanly' in launched.output
    assert 'Traceback' not in launched.output


@pytest.mark.slow
def test_the_arguments_reach_the_node(
    start_launch: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    launched = start_launch(
        f'params_file:={ROOT / "config/three_link.yaml"}',
        'namespace:=left',
        'use_sim_time:=True',
        'log_level:=debug',
    )
    use_sim_time, joints = parameters_of(
        '/left/ik2d', ['use_sim_time', 'joints'], ros_node, spin_until
    )
    assert use_sim_time is True
    assert len(joints) == 3
    topics = dict(ros_node.get_topic_names_and_types())
    assert {'/left/joint_states', '/left/ik2d/status'} <= topics.keys()
    launched.wait_for_output('[DEBUG]')

    launched.stop()
    assert 'process has finished cleanly' in launched.output


@pytest.mark.slow
@pytest.mark.parametrize('argument', ['log_level:=loud', 'use_sim_time:=maybe'])
def test_a_value_that_is_not_allowed_is_refused(
    start_launch: Callable[..., Any], argument: str
) -> None:
    launched = start_launch(argument)
    assert launched.wait() != 0
    name, _, value = argument.partition(':=')
    assert name in launched.output
    assert value in launched.output


@pytest.mark.slow
def test_a_parameter_file_that_is_not_there_is_named(start_launch: Callable[..., Any]) -> None:
    launched = start_launch('params_file:=/nowhere/arm.yaml')
    launched.wait()
    assert 'not a file: /nowhere/arm.yaml' in launched.output
    assert 'process has died' in launched.output
    assert 'Traceback' not in launched.output

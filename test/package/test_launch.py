"""The launch file: its description, and the real thing where launch and launch_ros are there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from descriptions import ARM, robot
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
        'params_file:=three_link',
        'namespace:=left',
        'node_name:=arm',
        'frame_prefix:=left/',
        'target_topic:=aim',
        'use_sim_time:=True',
    )
    use_sim_time, joints, base_frame = parameters_of(
        '/left/arm', ['use_sim_time', 'joints', 'base_frame'], ros_node, spin_until
    )
    assert use_sim_time is True
    assert len(joints) == 3
    assert base_frame == 'left/base_link'
    topics = dict(ros_node.get_topic_names_and_types())
    assert {'/left/joint_states', '/left/arm/status', '/left/aim'} <= topics.keys()

    launched.stop()
    assert 'process has finished cleanly' in launched.output


@pytest.mark.slow
def test_the_log_level_is_that_of_the_node_and_not_of_what_it_is_built_on(
    start_launch: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    loud = start_launch('namespace:=loud', 'log_level:=debug')
    quiet = start_launch('namespace:=quiet', 'log_level:=error')
    for name in ('/loud/ik2d', '/quiet/ik2d'):
        parameters_of(name, ['joints'], ros_node, spin_until)
    assert 'ready' in loud.output
    assert '[rcl' not in loud.output
    assert 'ready' not in quiet.output


@pytest.mark.slow
def test_the_arm_of_a_robot_description_is_there(
    start_launch: Callable[..., Any],
    ros_node: Any,
    spin_until: Callable[..., Any],
    tmp_path: Path,
) -> None:
    pytest.importorskip('defusedxml', reason='defusedxml is not installed')
    file = tmp_path / 'robot.urdf'
    file.write_text(f'<?xml version="1.0"?>\n<!-- a: b, "c" -->\n{robot(*ARM)}')
    launched = start_launch(f'urdf:={file}', 'base:=base', 'tip:=tool')
    joints, base_frame = parameters_of('/ik2d', ['joints', 'base_frame'], ros_node, spin_until)
    assert list(joints) == ['shoulder', 'elbow']
    assert base_frame == 'base'
    launched.stop()
    assert 'Traceback' not in launched.output


BRINGUP = """
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import PushRosNamespace, SetParameter


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument('namespace', default_value='robot1'),
        GroupAction([
            SetParameter('use_sim_time', True),
            PushRosNamespace(LaunchConfiguration('namespace')),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(%r)),
        ]),
    ])
"""


@pytest.mark.slow
def test_a_bringup_has_the_last_word_on_clock_and_namespace(
    launch: Any,
    ros_environment: int,
    colcon_prefix: Path,
    start_installed: Callable[..., Any],
    ros_node: Any,
    spin_until: Callable[..., Any],
    tmp_path: Path,
) -> None:
    """What it sets is not undone by defaults, and a namespace that it pushes counts once."""
    bringup = tmp_path / 'bringup.launch.py'
    bringup.write_text(BRINGUP % str(colcon_prefix / 'share/ik2d_ros/launch/ik2d.launch.py'))
    launched = start_installed(sys.executable, '-c', LAUNCH, bringup)
    assert parameters_of('/robot1/ik2d', ['use_sim_time'], ros_node, spin_until) == [True]
    launched.stop()
    assert 'Traceback' not in launched.output


@pytest.mark.slow
def test_the_clock_of_the_parameter_file_holds(
    start_launch: Callable[..., Any],
    ros_node: Any,
    spin_until: Callable[..., Any],
    tmp_path: Path,
) -> None:
    file = tmp_path / 'arm.yaml'
    file.write_text((ROOT / 'config/two_bone.yaml').read_text() + '    use_sim_time: true\n')
    start_launch(f'params_file:={file}')
    assert parameters_of('/ik2d', ['use_sim_time'], ros_node, spin_until) == [True]


@pytest.mark.slow
@pytest.mark.parametrize(
    ('argument', 'said'),
    [
        ('log_level:=loud', ['log_level', 'loud']),
        ('use_sim_time:=maybe', ['use_sim_time', 'maybe']),
        ('node_name:=my arm', ['node_name', 'my arm', 'letters']),
        ('params_file:=/nowhere/arm.yaml', ['/nowhere/arm.yaml: no such file', 'two_bone']),
        ('params_file:=~/nowhere.yaml', ['~/nowhere.yaml: no such file']),
        ('params_file:=three_lnik', ["did you mean 'three_link'?"]),
    ],
)
def test_a_value_that_is_not_allowed_is_refused(
    start_launch: Callable[..., Any], argument: str, said: list[str]
) -> None:
    launched = start_launch(argument)
    assert launched.wait() != 0
    for words in said:
        assert words in launched.output
    assert 'Traceback' not in launched.output
    assert 'process started' not in launched.output

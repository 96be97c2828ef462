"""The demo in RViz: its launch file, and what its processes do with a click."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from harness import ROOT
from launch_files import ARGUMENTS, LAUNCH, calls, described

from ik2d_ros.arm.description import load_arm
from ik2d_ros.arm.urdf import urdf_of
from ik2d_ros.ros.rviz_config import fitted

LAUNCH_FILE = ROOT / 'launch/demo.launch.py'
OWN_ARGUMENTS = {'use_rviz', 'rviz_config_file', 'target_topic'}
CLICK = (0.2, 0.25)


def test_the_arguments_of_its_own_are_the_documented_ones() -> None:
    declared = [call.args[0].value for call in calls(LAUNCH_FILE, 'DeclareLaunchArgument')]
    assert sorted(declared) == sorted(OWN_ARGUMENTS)


@pytest.fixture
def context(
    launch: Any, colcon_prefix: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Any:
    """Where a description is carried out, with the installed package and what else it starts."""
    index = tmp_path / 'share/ament_index/resource_index/packages'
    index.mkdir(parents=True)
    for package in ('robot_state_publisher', 'rviz2'):
        (index / package).touch()
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'{colcon_prefix}{os.pathsep}{tmp_path}')
    return launch.LaunchContext()


@pytest.fixture
def description(launch: Any, colcon_prefix: Path) -> Any:
    path = colcon_prefix / 'share/ik2d_ros/launch/demo.launch.py'
    source = launch.launch_description_sources.PythonLaunchDescriptionSource(str(path))
    return source.get_launch_description(launch.LaunchContext())


def test_all_arguments_are_there_and_explained(description: Any) -> None:
    declared = {argument.name: argument for argument in description.get_launch_arguments()}
    assert declared.keys() == OWN_ARGUMENTS | ARGUMENTS
    assert all(argument.description for argument in declared.values())


def test_what_is_started(description: Any, context: Any) -> None:
    nodes = described(description, context)
    assert set(nodes) == {'ik2d_node', 'robot_state_publisher', 'ik2d_target', 'rviz2'}
    # Relative, so that it follows the namespace as all else does.
    assert nodes['ik2d_node'].remappings == [('~/target', 'clicked_point')]
    assert nodes['ik2d_target'].remappings == [
        ('ik2d/target', 'clicked_point'),
        ('ik2d/target_pose', 'ik2d/target_pose'),
    ]
    arm = load_arm(ROOT / 'config/two_bone.yaml')
    publisher = nodes['robot_state_publisher'].parameters
    assert publisher['robot_description'] == urdf_of(arm)
    # Its default of 20 Hz drops what comes at 50 Hz, and all of what comes at once.
    assert publisher['publish_frequency'] > 500.0
    assert publisher['ignore_timestamp'] is True
    arguments = nodes['rviz2'].arguments
    shown = Path(arguments[arguments.index('-d') + 1])
    assert shown.read_text() == fitted((ROOT / 'config/ik2d.rviz').read_text(), arm)
    assert arguments[arguments.index('-f') + 1] == arm.base_frame
    assert not any('use_sim_time' in node.parameters for node in nodes.values())


def test_without_rviz_there_is_no_screen_needed(description: Any, context: Any) -> None:
    nodes = described(description, context, use_rviz='false')
    assert set(nodes) == {'ik2d_node', 'robot_state_publisher', 'ik2d_target'}


def test_the_arguments_reach_everyone(description: Any, context: Any) -> None:
    nodes = described(
        description,
        context,
        params_file='three_link',
        namespace='left',
        node_name='arm',
        frame_prefix='left/',
        use_sim_time='True',
        log_level='warn',
        target_topic='/aim',
        rviz_config_file='/mine.rviz',
    )
    assert len(nodes) == 4
    for executable, node in nodes.items():
        assert node.parameters['use_sim_time'] is True
        name = 'arm' if executable == 'ik2d_node' else executable
        assert node.arguments[node.arguments.index('--log-level') + 1] == f'left.{name}:=warn'
    assert nodes['ik2d_node'].remappings == [('~/target', '/aim')]
    assert nodes['ik2d_node'].parameters['base_frame'] == 'left/base_link'
    assert nodes['ik2d_target'].remappings == [
        ('ik2d/target', '/aim'),
        ('ik2d/target_pose', 'arm/target_pose'),
    ]
    expected = urdf_of(load_arm(ROOT / 'config/three_link.yaml'), prefix='left/')
    assert nodes['robot_state_publisher'].parameters['robot_description'] == expected
    rviz = nodes['rviz2']
    assert {('/clicked_point', '/aim'), ('/ik2d/markers', 'arm/markers')} <= set(rviz.remappings)
    assert '/mine.rviz' in rviz.arguments
    assert rviz.arguments[rviz.arguments.index('-f') + 1] == 'left/base_link'


@pytest.mark.parametrize('missing', ['robot_state_publisher', 'rviz2'])
def test_what_only_the_demo_needs_is_asked_for(
    description: Any, context: Any, tmp_path: Path, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    (tmp_path / 'share/ament_index/resource_index/packages' / missing).unlink()
    package = f'ros-jazzy-{missing.replace("_", "-")}'
    with pytest.raises(RuntimeError, match=f'needs {missing}.*sudo apt install {package}'):
        described(description, context, found := {})
    assert not found  # nothing that would be left behind


def test_a_file_that_holds_several_arms_is_asked_for_the_one_in_the_namespace(
    description: Any, context: Any, tmp_path: Path
) -> None:
    text = (ROOT / 'config/two_bone.yaml').read_text()
    assert '/**:' in text
    file = tmp_path / 'arms.yaml'
    longer = text.replace('length: 0.30', 'length: 0.70')
    file.write_text(text.replace('/**:', '/left/ik2d:') + longer.replace('/**:', '/right/ik2d:'))
    nodes = described(description, context, params_file=str(file), namespace='/right')
    expected = urdf_of(load_arm(file, '/right/ik2d'))
    assert '0.7 0.0' in expected
    assert nodes['robot_state_publisher'].parameters['robot_description'] == expected


def test_a_refused_file_is_explained(description: Any, context: Any, tmp_path: Path) -> None:
    from ik2d_ros.arm.description import ConfigError

    with pytest.raises(ConfigError, match=r'/nowhere\.yaml: no such file'):
        described(description, context, params_file='/nowhere.yaml')


@pytest.fixture
def demo(
    start_process: Callable[..., Any], ros_environment: int, spin_until: Callable[..., Any]
) -> Callable[..., Any]:
    """The node and the demo targets on one topic, as the launch file arranges them."""

    def start() -> tuple[Any, Any]:
        remapped = ['-r', 'ik2d/target:=clicked_point']
        config = str(ROOT / 'config/two_bone.yaml')
        return (
            start_process(
                *('-m', 'ik2d_ros.node', '--ros-args', '--params-file', config, *remapped)
            ),
            start_process(
                *('-m', 'ik2d_ros.target', '--ros-args', '-p', 'yields:=true', *remapped)
            ),
        )

    return start


def test_the_first_click_takes_over_from_the_demo_path(
    demo: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    click_and_see(demo()[1], ros_node, spin_until)


def click_and_see(targets: Any, ros_node: Any, spin_until: Callable[..., Any]) -> None:
    """Wait for the demo path, click as RViz does, and see the arm go there and stay."""
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import PointStamped
    from sensor_msgs.msg import JointState

    chain = load_arm(ROOT / 'config/two_bone.yaml').chain
    poses: list[tuple[tuple[int, int], float]] = []
    statuses: list[dict[str, str]] = []

    def time_of(header: Any) -> tuple[int, int]:
        return header.stamp.sec, header.stamp.nanosec

    def on_pose(message: JointState) -> None:
        tip = chain.forward(message.position)[-1].tolist()
        poses.append((time_of(message.header), math.dist(tip, CLICK)))

    def on_status(message: DiagnosticArray) -> None:
        statuses.append({value.key: value.value for value in message.status[0].values})

    ros_node.create_subscription(JointState, 'joint_states', on_pose, 1000)
    ros_node.create_subscription(DiagnosticArray, 'ik2d/status', on_status, 1000)
    clicks = ros_node.create_publisher(PointStamped, '/clicked_point', 5)
    spin_until(ros_node, lambda: len({(s['x'], s['y']) for s in statuses}) > 5, what='the path')
    spin_until(ros_node, lambda: clicks.get_subscription_count() == 2, what='both to listen')

    def click() -> tuple[int, int]:
        message = PointStamped()
        message.header.frame_id = 'base_link'
        message.header.stamp = ros_node.get_clock().now().to_msg()
        message.point.x, message.point.y = CLICK
        message.point.z = 1e-9  # RViz picks from a depth image
        clicks.publish(message)
        return time_of(message.header)

    def is_quiet() -> bool:
        """Whether the path has ended; the first clicks may be lost."""
        if 'paused' in targets.output:
            return True
        click()
        return False

    spin_until(ros_node, is_quiet, what='the end of the path')
    clicked = click()
    spin_until(
        ros_node,
        lambda: any(stamp > clicked and distance < 1e-5 for stamp, distance in poses),
        what='the arm at the click',
    )
    there = len(poses)
    spin_until(ros_node, lambda: len(poses) > there + 20, what='poses')
    assert max(distance for _, distance in poses[there:]) < 1e-5
    # What robot_state_publisher does not drop: stamps that go up, whatever comes at once.
    stamps = [stamp for stamp, _ in poses]
    assert min(stamps) > (0, 0)
    assert all(before < after for before, after in pairwise(stamps))


def test_a_path_gives_way_only_when_it_is_told_to(
    start_process: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    from geometry_msgs.msg import PointStamped
    from rcl_interfaces.srv import SetParametersAtomically
    from rclpy.parameter import Parameter

    heard: list[PointStamped] = []
    ros_node.create_subscription(PointStamped, 'ik2d/target', heard.append, 1000)
    ours = ros_node.create_publisher(PointStamped, 'ik2d/target', 10)
    targets = start_process('-m', 'ik2d_ros.target', '--ros-args', '-p', 'rate:=100.0')
    client = ros_node.create_client(
        SetParametersAtomically, 'ik2d_target/set_parameters_atomically'
    )
    spin_until(ros_node, client.service_is_ready, what='the parameter service')

    def set_parameter(name: str, value: object) -> None:
        request = SetParametersAtomically.Request()
        request.parameters = [Parameter(name, value=value).to_parameter_msg()]
        future = client.call_async(request)
        spin_until(ros_node, future.done, what='an answer')
        assert future.result().result.successful, future.result().result.reason

    def has_paused() -> bool:
        ours.publish(PointStamped())
        return 'paused' in targets.output

    def goes_on(count: int) -> None:
        heard.clear()
        spin_until(
            ros_node,
            lambda: len([m for m in heard if m.header.stamp.sec]) > count,
            what='targets of the path',
        )

    assert not has_paused()
    goes_on(20)
    set_parameter('yields', True)
    goes_on(20)  # its own targets come back to it, and they do not stop it
    spin_until(ros_node, has_paused, what='the pause')
    set_parameter('yields', False)
    set_parameter('paused', False)
    ours.publish(PointStamped())
    goes_on(20)


@pytest.fixture
def start_demo(
    launch: Any, colcon_prefix: Path, start_installed: Callable[..., Any]
) -> Callable[..., Any]:
    """Launch a file beside the installed demo, or that itself, with arguments."""
    packages = pytest.importorskip('ament_index_python.packages')
    try:
        packages.get_package_prefix('robot_state_publisher')
    except packages.PackageNotFoundError:
        pytest.skip('robot_state_publisher is not installed (no PyPI wheels)')

    def start(*arguments: str, file: Path | None = None) -> Any:
        path = file or colcon_prefix / 'share/ik2d_ros/launch/demo.launch.py'
        return start_installed(sys.executable, '-c', LAUNCH, path, *arguments)

    return start


@pytest.mark.slow
def test_the_whole_demo_without_a_screen(
    start_demo: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from std_msgs.msg import String

    kept = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    descriptions: list[String] = []
    ros_node.create_subscription(String, 'robot_description', descriptions.append, kept)
    launched = start_demo('use_rviz:=false')
    spin_until(
        ros_node, lambda: descriptions or not launched.is_running(), what='a robot description'
    )
    assert descriptions, launched.output
    assert descriptions[0].data == urdf_of(load_arm(ROOT / 'config/two_bone.yaml'))
    click_and_see(launched, ros_node, spin_until)
    launched.stop()
    assert 'Traceback' not in launched.output


TWO_DEMOS = """
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource


def generate_launch_description():
    return LaunchDescription([
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(%r),
            launch_arguments={
                'use_rviz': 'false',
                'namespace': side,
                'frame_prefix': f'{side}/',
                'params_file': file,
            }.items(),
        )
        for side, file in {'left': 'two_bone', 'right': 'three_link'}.items()
    ])
"""


@pytest.mark.slow
def test_two_demos_beside_each_other(
    start_demo: Callable[..., Any],
    colcon_prefix: Path,
    ros_node: Any,
    spin_until: Callable[..., Any],
    tmp_path: Path,
) -> None:
    """They share no topic but those of TF, and no frame; a click moves the one that is meant."""
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import PointStamped
    from rclpy.qos import DurabilityPolicy, QoSProfile

    TFMessage = pytest.importorskip('tf2_msgs.msg', reason='tf2_msgs is missing').TFMessage  # noqa: N806
    parents: dict[str, set[str]] = {}
    statuses: dict[str, list[DiagnosticArray]] = {'left': [], 'right': []}

    def on_transforms(message: Any) -> None:
        for transform in message.transforms:
            parents.setdefault(transform.child_frame_id, set()).add(transform.header.frame_id)

    kept = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    ros_node.create_subscription(TFMessage, '/tf', on_transforms, 1000)
    ros_node.create_subscription(TFMessage, '/tf_static', on_transforms, kept)
    for side, heard in statuses.items():
        ros_node.create_subscription(DiagnosticArray, f'/{side}/ik2d/status', heard.append, 100)
    file = tmp_path / 'two.launch.py'
    file.write_text(TWO_DEMOS % str(colcon_prefix / 'share/ik2d_ros/launch/demo.launch.py'))
    launched = start_demo(file=file)
    frames = {
        f'{side}/{frame}'
        for side, name in (('left', 'two_bone'), ('right', 'three_link'))
        for frame in (
            'tip',
            *(f'{joint}_link' for joint in load_arm(ROOT / f'config/{name}.yaml').chain.names),
        )
    }
    spin_until(
        ros_node,
        lambda: (frames <= parents.keys() and all(statuses.values())) or not launched.is_running(),
        what='both arms and all their frames',
    )
    assert launched.is_running(), launched.output
    assert all(len(found) == 1 for found in parents.values()), parents
    assert all(frame.startswith(('left/', 'right/')) for frame in parents)
    for side, heard in statuses.items():
        assert {message.header.frame_id for message in heard} == {f'{side}/base_link'}
    others = {
        topic
        for topic, _ in ros_node.get_topic_names_and_types()
        if not topic.startswith(('/left/', '/right/'))
    }
    assert others <= {'/tf', '/tf_static', '/parameter_events', '/rosout'}

    click = PointStamped()
    click.header.frame_id = 'left/base_link'
    click.point.x, click.point.y = CLICK
    clicks = ros_node.create_publisher(PointStamped, '/left/clicked_point', 5)
    spin_until(ros_node, lambda: clicks.get_subscription_count() == 2, what='both to listen')

    def has_stopped() -> bool:
        clicks.publish(click)
        return 'paused' in launched.output

    spin_until(ros_node, has_stopped, what='the end of the path on the left')
    count = len(statuses['right'])
    spin_until(ros_node, lambda: len(statuses['right']) > count + 20, what='the path on the right')
    assert 'left/clicked_point' in launched.output
    assert launched.output.count('paused: another node') == 1
    launched.stop()
    assert 'Traceback' not in launched.output

"""The launch file for a robot under ros2_control."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from descriptions import ARM, robot
from harness import ROOT
from launch_files import ARGUMENTS, LAUNCH, Described, calls, described

from ik2d_ros.parameters.checks import ConfigError

LAUNCH_FILE = ROOT / 'launch/drive.launch.py'
OWN_ARGUMENTS = {'params_file', 'controller', 'joint_states_topic'}
TWO_BONE = str(ROOT / 'config/two_bone.yaml')


def test_the_arguments_of_its_own_are_the_documented_ones() -> None:
    declared = [call.args[0].value for call in calls(LAUNCH_FILE, 'DeclareLaunchArgument')]
    assert sorted(declared) == sorted(OWN_ARGUMENTS)


@pytest.fixture
def context(launch: Any, colcon_prefix: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(colcon_prefix))
    return launch.LaunchContext()


@pytest.fixture
def path(colcon_prefix: Path) -> Path:
    return colcon_prefix / 'share/ik2d_ros/launch/drive.launch.py'


@pytest.fixture
def start(launch: Any, context: Any, path: Path) -> Callable[..., Described]:
    """The node as the file would start it with these arguments."""
    source = launch.launch_description_sources.PythonLaunchDescriptionSource(str(path))
    description = source.get_launch_description(context)

    def started(**arguments: str) -> Described:
        nodes = described(description, context, **arguments)
        assert set(nodes) == {'ik2d_node'}
        return nodes['ik2d_node']

    return started


def test_all_arguments_are_there_and_explained(launch: Any, path: Path) -> None:
    source = launch.launch_description_sources.PythonLaunchDescriptionSource(str(path))
    description = source.get_launch_description(launch.LaunchContext())
    declared = {argument.name: argument for argument in description.get_launch_arguments()}
    assert declared.keys() == OWN_ARGUMENTS | ARGUMENTS
    assert all(argument.description for argument in declared.values())


def test_the_node_is_told_controller_and_measured_pose(start: Callable[..., Described]) -> None:
    node = start(params_file=TWO_BONE)
    assert node.arguments[:2] == ['--controller', 'joint_trajectory_controller']
    assert node.parameters['use_measured_state'] is True
    assert node.parameters['publish_joint_states'] is False
    assert ('measured_joint_states', 'joint_states') in node.remappings


@pytest.mark.parametrize(
    'mistyped', [{}, {'param_file': TWO_BONE}, {'params_file': ''}, {'param_file': '', 'urdf': ''}]
)
def test_without_an_arm_nothing_starts(
    start: Callable[..., Described], mistyped: dict[str, str]
) -> None:
    with pytest.raises(ConfigError, match="'params_file' or 'urdf' is required") as caught:
        start(**mistyped)
    assert ("did you mean params_file by 'param_file'?" in str(caught.value)) == (
        'param_file' in mistyped
    )


def test_the_parameter_file_has_the_last_word(
    start: Callable[..., Described], tmp_path: Path
) -> None:
    file = tmp_path / 'arm.yaml'
    text = (ROOT / 'config/two_bone.yaml').read_text()
    file.write_text(f'{text}    publish_joint_states: true\n')
    node = start(params_file=str(file), controller='', joint_states_topic='measured')
    assert '--controller' not in node.arguments
    assert node.parameters['publish_joint_states'] is True
    assert ('measured_joint_states', 'measured') in node.remappings


def test_a_robot_description_takes_the_place_of_the_default_arm(
    start: Callable[..., Described], tmp_path: Path
) -> None:
    pytest.importorskip('defusedxml', reason='defusedxml is not installed')
    file = tmp_path / 'robot.urdf'
    # In YAML, this would be no text.
    file.write_text(f'<?xml version="1.0"?>\n<!-- a: {{b: "c"}} -->\n{robot(*ARM)}')
    node = start(urdf=str(file), base='base', tip='tool')
    assert 'joints' not in node.parameters
    assert '<!-- a: {b: "c"} -->' in node.parameters['robot_description']
    assert node.parameters['base_frame'] == 'base'
    assert node.parameters['tip_frame'] == 'tool'
    assert node.parameters['use_measured_state'] is True


def test_nothing_of_it_reaches_what_is_launched_after_it(
    start: Callable[..., Described], context: Any
) -> None:
    before = dict(context.launch_configurations)
    start(params_file=TWO_BONE)
    after = context.launch_configurations.keys() - before.keys()
    assert after <= OWN_ARGUMENTS | ARGUMENTS


TWO_ARMS = """
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource


def generate_launch_description():
    return LaunchDescription([
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(%r),
            launch_arguments={
                'namespace': side, 'controller': controller, 'params_file': 'two_bone'
            }.items(),
        )
        for side, controller in {'left': 'arm_controller', 'right': 'group'}.items()
    ])
"""


@pytest.fixture
def named_node(ros: int) -> Iterator[Callable[[str, str], Any]]:
    """Create a node with a name and a namespace."""
    import rclpy

    nodes = []

    def create(name: str, namespace: str) -> Any:
        nodes.append(rclpy.create_node(name, namespace=namespace))
        return nodes[-1]

    yield create
    for node in nodes:
        node.destroy_node()


@pytest.mark.slow
def test_two_arms_in_one_file(
    launch: Any,
    named_node: Callable[[str, str], Any],
    ros_node: Any,
    path: Path,
    start_installed: Callable[..., Any],
    spin_until: Callable[..., Any],
    tmp_path: Path,
) -> None:
    """Each finds its own controller, and no topic but those of ROS is outside its namespace."""
    from std_msgs.msg import Float64MultiArray
    from trajectory_msgs.msg import JointTrajectory

    topics = {
        '/left/arm_controller/joint_trajectory': JointTrajectory,
        '/right/group/commands': Float64MultiArray,
    }
    for topic, kind in topics.items():
        _, side, name, _ = topic.split('/')
        controller = named_node(name, side)
        controller.create_subscription(kind, topic, lambda _: None, 1)
    file = tmp_path / 'two.launch.py'
    file.write_text(TWO_ARMS % str(path))
    launched = start_installed(sys.executable, '-c', LAUNCH, file)

    def namespaces(topic: str) -> list[str]:
        return [each.node_namespace for each in ros_node.get_publishers_info_by_topic(topic)]

    expected = {topic: ['/' + topic.split('/')[1]] for topic in topics}
    spin_until(
        ros_node,
        lambda: (
            {topic: namespaces(topic) for topic in topics} == expected or not launched.is_running()
        ),
        what='commands of both',
    )
    assert launched.is_running(), launched.output
    for side in ('left', 'right'):
        assert ros_node.count_subscribers(f'/{side}/joint_states') == 1
        assert ros_node.count_publishers(f'/{side}/joint_states') == 0
    found = ros_node.get_topic_names_and_types()
    assert {'/left/ik2d/target', '/right/ik2d/target'} <= {topic for topic, _ in found}
    outside = {topic for topic, _ in found if not topic.startswith(('/left/', '/right/'))}
    assert outside <= {'/tf', '/tf_static', '/parameter_events', '/rosout'}
    launched.stop()
    assert 'Traceback' not in launched.output

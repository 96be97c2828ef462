"""The launch files: their arguments, and the real thing where launch and launch_ros are there."""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from descriptions import ARM, robot
from harness import ROOT

from ik2d_ros.arm.description import load_arm
from ik2d_ros.arm.urdf import urdf_of

ARM_ARGUMENTS = {
    *('params_file', 'urdf', 'base', 'tip', 'namespace', 'node_name', 'frame_prefix'),
    *('target_topic', 'use_sim_time', 'log_level'),
}
OWN_ARGUMENTS = {
    'ik2d': ARM_ARGUMENTS,
    'demo': {'use_rviz', 'rviz_config_file', 'target_topic'},
    'drive': {'params_file', 'controller', 'joint_states_topic'},
    'fleet': {
        *('arms', 'params_file', 'namespace', 'controller', 'merge_commands'),
        *('joint_states_topic', 'use_sim_time', 'log_level'),
    },
}
"""The arguments that each launch file declares itself; demo and drive include the first."""

CLICK = (0.2, 0.25)  # m

# What `ros2 launch FILE NAME:=VALUE ...` does, where there is no ros2 command.
LAUNCH = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

path, *arguments = sys.argv[1:]
included = IncludeLaunchDescription(
    PythonLaunchDescriptionSource(path),
    launch_arguments=[argument.split(':=', 1) for argument in arguments],
)
service = LaunchService(noninteractive=True)
service.include_launch_description(LaunchDescription([included]))
sys.exit(service.run())
"""


@pytest.mark.parametrize('name', OWN_ARGUMENTS)
def test_the_arguments_are_the_documented_ones(name: str) -> None:
    declared = [
        call
        for call in ast.walk(ast.parse((ROOT / f'launch/{name}.launch.py').read_text()))
        if isinstance(call, ast.Call) and getattr(call.func, 'id', '') == 'DeclareLaunchArgument'
    ]
    assert {call.args[0].value for call in declared} == OWN_ARGUMENTS[name]
    for call in declared:
        assert {keyword.arg for keyword in call.keywords} >= {'default_value', 'description'}
    pages = [(ROOT / page).read_text() for page in ('docs/reference.md', 'docs/scaling.md')]
    assert all(f'`{argument}`' in ''.join(pages) for argument in OWN_ARGUMENTS[name])


@pytest.fixture
def start_launch(
    launch: Any,
    ros_environment: int,
    colcon_prefix: Path,
    start_installed: Callable[..., Any],
) -> Callable[..., Any]:
    """Launch an installed file, by name, with arguments such as ``'namespace:=left'``."""
    folder = colcon_prefix / 'share/ik2d_ros/launch'
    return lambda name, *arguments: start_installed(
        sys.executable, '-c', LAUNCH, folder / f'{name}.launch.py', *arguments
    )


@pytest.fixture
def start_bringup(
    start_launch: Callable[..., Any], colcon_prefix: Path, tmp_path: Path
) -> Callable[..., Any]:
    """Launch a file of our own, whose text has the path of an installed one in it."""

    def start(text: str, name: str) -> Any:
        included = colcon_prefix / f'share/ik2d_ros/launch/{name}.launch.py'
        (tmp_path / 'bringup.launch.py').write_text(text % str(included))
        return start_launch(tmp_path / 'bringup')

    return start


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
    launched = start_launch('ik2d')
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
        'ik2d',
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
    loud = start_launch('ik2d', 'namespace:=loud', 'log_level:=debug')
    quiet = start_launch('ik2d', 'namespace:=quiet', 'log_level:=error')
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
    launched = start_launch('ik2d', f'urdf:={file}', 'base:=base', 'tip:=tool')
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
    start_bringup: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    """What it sets is not undone by defaults, and a namespace that it pushes counts once."""
    launched = start_bringup(BRINGUP, 'ik2d')
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
    start_launch('ik2d', f'params_file:={file}')
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
    launched = start_launch('ik2d', argument)
    assert launched.wait() != 0
    for words in said:
        assert words in launched.output
    assert 'Traceback' not in launched.output
    assert 'process started' not in launched.output


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
    named_node: Callable[[str, str], Any],
    ros_node: Any,
    start_bringup: Callable[..., Any],
    spin_until: Callable[..., Any],
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
    launched = start_bringup(TWO_ARMS, 'drive')

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


@pytest.mark.slow
def test_the_arms_of_two_files_answer_from_one_process(
    start_launch: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    from sensor_msgs.msg import JointState

    heard: dict[str, list[str]] = {}
    for arm in ('left', 'right'):
        ros_node.create_subscription(
            JointState,
            f'/{arm}/joint_states',
            lambda message, arm=arm: heard.update({arm: list(message.name)}),
            10,
        )
    arguments = ('arms:=left:two_bone,right:three_link', 'use_sim_time:=false')
    launched = start_launch('fleet', *arguments)
    spin_until(ros_node, lambda: len(heard) == 2 or not launched.is_running(), what='poses of both')
    assert launched.is_running(), launched.output
    assert {arm: len(joints) for arm, joints in heard.items()} == {'left': 2, 'right': 3}
    launched.stop()
    assert 'Traceback' not in launched.output


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


def test_the_first_click_takes_over_from_the_demo_path(
    start_process: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    remapped = ['-r', 'ik2d/target:=clicked_point']
    config = str(ROOT / 'config/two_bone.yaml')
    start_process('-m', 'ik2d_ros.node', '--ros-args', '--params-file', config, *remapped)
    targets = ('-m', 'ik2d_ros.target', '--ros-args', '-p', 'yields:=true', *remapped)
    click_and_see(start_process(*targets), ros_node, spin_until)


@pytest.fixture
def demo_packages() -> None:
    """What the demo needs beside the package."""
    packages = pytest.importorskip('ament_index_python.packages')
    try:
        packages.get_package_prefix('robot_state_publisher')
    except packages.PackageNotFoundError:
        pytest.skip('robot_state_publisher is not installed (no PyPI wheels)')


@pytest.mark.slow
def test_the_whole_demo_without_a_screen(
    demo_packages: None,
    start_launch: Callable[..., Any],
    ros_node: Any,
    spin_until: Callable[..., Any],
) -> None:
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from std_msgs.msg import String

    kept = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    descriptions: list[String] = []
    ros_node.create_subscription(String, 'robot_description', descriptions.append, kept)
    launched = start_launch('demo', 'use_rviz:=false')
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
    demo_packages: None,
    start_bringup: Callable[..., Any],
    ros_node: Any,
    spin_until: Callable[..., Any],
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
    launched = start_bringup(TWO_DEMOS, 'demo')
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

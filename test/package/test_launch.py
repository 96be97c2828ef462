"""The launch files, run where launch and launch_ros are installed.

`ros/test_launching.py` has the meaning of their arguments.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from harness import LAUNCH, ROOT, asking

from ik2d_ros.robot.export import urdf_of
from ik2d_ros.robot.from_urdf import load_arm

CLICK = (0.2, 0.25)  # m


@pytest.fixture
def start_launch(
    launch: Any,
    ros_environment: int,
    colcon_prefix: Path,
    start_installed: Callable[..., Any],
) -> Iterator[Callable[..., Any]]:
    """Launch an installed file, by name, with arguments such as ``'namespace:=left'``.

    At the end, the output must hold no traceback.
    """
    processes = []

    def start(name: str | Path, *arguments: str) -> Any:
        file = colcon_prefix / 'share/ik2d_ros/launch' / f'{name}.launch.py'
        processes.append(start_installed(sys.executable, '-c', LAUNCH, file, *arguments))
        return processes[-1]

    yield start
    for process in processes:
        if process.is_running():
            process.stop()
        assert 'Traceback' not in process.output


def parameters_of(node_name: str, names: list[str], ros_node: Any, spin_until: Any) -> list[Any]:
    """Ask a running node for its parameters."""
    from rcl_interfaces.srv import GetParameters
    from rclpy.parameter import parameter_value_to_python

    client = ros_node.create_client(GetParameters, f'{node_name}/get_parameters')
    answer = asking(client, GetParameters.Request(names=names))
    found = spin_until(ros_node, answer, what=f'the parameters of {node_name}')
    return [parameter_value_to_python(value) for value in found.values]


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
def test_the_demo_runs_without_a_display(
    start_launch: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    """A click on the topic that RViz uses takes the arm over from the demo path."""
    from ament_index_python.packages import get_packages_with_prefixes
    from geometry_msgs.msg import PointStamped
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from sensor_msgs.msg import JointState
    from std_msgs.msg import String

    if 'robot_state_publisher' not in get_packages_with_prefixes():
        pytest.skip('robot_state_publisher is not installed (no PyPI wheels)')
    arm = load_arm(ROOT / 'config/two_bone.yaml')
    kept = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    descriptions: list[String] = []
    poses: list[JointState] = []
    ros_node.create_subscription(String, 'robot_description', descriptions.append, kept)
    ros_node.create_subscription(JointState, 'joint_states', poses.append, 1000)
    clicks = ros_node.create_publisher(PointStamped, '/clicked_point', 5)
    launched = start_launch('demo', 'use_rviz:=false')
    spin_until(
        ros_node, lambda: descriptions or not launched.is_running(), what='a robot description'
    )
    assert descriptions, launched.output
    assert descriptions[0].data == urdf_of(arm)

    def is_at_the_click() -> bool:
        click = PointStamped()
        click.header.frame_id = 'base_link'
        click.point.x, click.point.y = CLICK
        clicks.publish(click)  # again: the first ones may be lost
        tip = arm.chain.forward(poses[-1].position)[-1].tolist()
        return 'paused' in launched.output and math.dist(tip, CLICK) < 1e-5

    spin_until(ros_node, lambda: poses and is_at_the_click(), what='the arm at the click')
    stamps = [(pose.header.stamp.sec, pose.header.stamp.nanosec) for pose in poses]
    assert all(before < after for before, after in pairwise(stamps))

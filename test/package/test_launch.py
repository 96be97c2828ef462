"""The demo's launch file, run where launch and launch_ros are installed.

`ros/test_launching.py` has the meaning of the arguments of all launch files.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness import LAUNCH, ROOT

from ik2d_ros.robot.export import urdf_of
from ik2d_ros.robot.from_urdf import load_arm

CLICK = (0.2, 0.25)  # m


@pytest.mark.slow
def test_the_demo_runs_without_a_display(
    launch: Any,
    colcon_prefix: Path,
    start_installed: Callable[..., Any],
    ros_node: Any,
    spin_until: Callable[..., Any],
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
    ros_node.create_subscription(JointState, 'joint_states', poses.append, 10)
    clicks = ros_node.create_publisher(PointStamped, '/clicked_point', 5)
    file = colcon_prefix / 'share/ik2d_ros/launch/demo.launch.py'
    launched = start_installed(sys.executable, '-c', LAUNCH, file, 'use_rviz:=false')
    click = PointStamped()
    click.header.frame_id = 'base_link'
    click.point.x, click.point.y = CLICK

    def is_at_the_click() -> bool:
        assert launched.is_running(), launched.output
        clicks.publish(click)  # again: the first ones may be lost
        tip = arm.chain.forward(poses[-1].position)[-1].tolist() if poses else (0.0, 0.0)
        return 'paused' in launched.output and math.dist(tip, CLICK) < 1e-5

    spin_until(ros_node, is_at_the_click, what='the arm at the click')
    assert descriptions[0].data == urdf_of(arm)
    launched.stop()
    assert 'Traceback' not in launched.output

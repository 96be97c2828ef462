"""Somebody sets the system's clock while a node runs: the arm moves on."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from harness import HAS_ROS

if HAS_ROS:
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import PointStamped
    from sensor_msgs.msg import JointState

ARM = """
/**:
  ros__parameters:
    joints: [a, b]
    chain: {a: {length: 0.3, max_velocity: 1.0}, b: {length: 0.25, max_velocity: 1.0}}
"""


@pytest.fixture
def shim(tmp_path: Path) -> dict[str, str]:
    """The environment of a process whose clock :func:`set_clock` sets."""
    compiler = shutil.which('cc')
    if compiler is None:
        pytest.skip('there is no C compiler')
    library, source = tmp_path / 'set_clock.so', Path(__file__).with_name('set_clock.c')
    subprocess.run([compiler, '-shared', '-fPIC', '-o', library, source, '-ldl'], check=True)
    file = tmp_path / 'seconds'
    file.write_bytes(bytes(8))
    return {'LD_PRELOAD': str(library), 'SECONDS_ADDED': str(file)}


def set_clock(shim: dict[str, str], seconds: int) -> None:
    with Path(shim['SECONDS_ADDED']).open('r+b') as file:  # not truncated: it is mapped
        file.write(struct.pack('q', seconds))


@pytest.mark.parametrize('executor', ['auto', 'single'])
@pytest.mark.parametrize('seconds', [-3600, 3600])
def test_the_arm_moves_on_when_the_clock_is_set(
    ros_node: Any,
    started: Any,
    spin_until: Any,
    tmp_path: Path,
    shim: Any,
    executor: str,
    seconds: int,
) -> None:
    file = tmp_path / 'arm.yaml'
    file.write_text(ARM)
    poses: list[JointState] = []
    codes: list[tuple[str, str]] = []

    def on_status(message: DiagnosticArray) -> None:
        said = {pair.key: pair.value for pair in message.status[0].values}
        codes.append((said['code'], said['at_goal']))

    ros_node.create_subscription(JointState, 'joint_states', poses.append, 10)
    ros_node.create_subscription(DiagnosticArray, 'ik2d/status', on_status, 10)
    targets = ros_node.create_publisher(PointStamped, 'ik2d/target', 10)
    arguments = ('--executor', executor, '--ros-args', '--params-file', file)
    started('-m', 'ik2d_ros.node', *arguments, env=shim)
    spin_until(ros_node, lambda: poses and targets.get_subscription_count(), what='the node')
    before = poses[-1].header.stamp.sec
    set_clock(shim, seconds)
    spin_until(
        ros_node,
        lambda: abs(poses[-1].header.stamp.sec - before - seconds) < 1800,
        what='a pose with the new time',
    )
    message = PointStamped()
    message.point.x, message.point.y = 0.1, 0.3
    targets.publish(message)
    spin_until(ros_node, lambda: ('REACHED', 'true') in codes, what='the arrival')

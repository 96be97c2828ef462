"""A node with an arm of one's own, in a process of its own, and the poses that it publishes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription

PATIENCE = 60.0  # s
DOMAIN = '83'


class Node:
    """A running ``ik2d_node``, as a context manager."""

    def __init__(self, arm: ArmDescription, rate: float, folder: Path) -> None:
        """Start it.

        Args:
            arm: its arm.
            rate: its publish_rate in Hz.
            folder: for its parameter file.
        """
        os.environ.setdefault('ROS_DOMAIN_ID', DOMAIN)
        os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        import rclpy
        from geometry_msgs.msg import PointStamped
        from sensor_msgs.msg import JointState

        file = folder / 'arm.yaml'
        file.write_text(yaml.safe_dump({'/**': {'ros__parameters': parameters(arm, rate)}}))
        command = [sys.executable, '-m', 'ik2d_ros.node', '--ros-args', '--params-file', str(file)]
        namespace = f'/bench_{os.getpid()}'  # apart from whatever else runs in this domain
        arguments = ['-r', f'__ns:={namespace}', '--log-level', 'error']
        self._process = subprocess.Popen([*command, *arguments])
        self._rclpy, self._point = rclpy, PointStamped
        self._states: list[Any] = []
        rclpy.init(args=[])
        self._node = rclpy.create_node('driver', namespace=namespace)
        self._executor = rclpy.executors.SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._node.create_subscription(JointState, 'joint_states', self._states.append, 10_000)
        self._targets = self._node.create_publisher(PointStamped, 'ik2d/target', 1)

    def __enter__(self) -> Node:
        """Wait until both hear one another."""
        deadline = time.monotonic() + PATIENCE
        while not (self._states and self._targets.get_subscription_count()):
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise TimeoutError('the node is not heard')
            self.spin(0.05)
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._executor.shutdown()
        self._node.destroy_node()
        self._rclpy.try_shutdown()
        self._process.terminate()
        self._process.wait(PATIENCE)

    def send(self, x: float, y: float) -> None:
        """Send a target, in m in the plane."""
        message = self._point()
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.point.x, message.point.y = x, y
        self._targets.publish(message)

    def spin(self, seconds: float) -> None:
        """Receive for some time."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0.0:
            self._executor.spin_once(timeout_sec=left)

    def spin_until_it_stands(self) -> None:
        """Receive until the pose has not changed for a while."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            before = self._states[-1].position
            self.spin(0.5)
            if self._states[-1].position == before:
                return
        raise TimeoutError('the arm does not come to rest')

    def forget(self) -> None:
        """Forget the poses so far."""
        del self._states[:]

    def poses(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the (k,) stamps in s and the (k, n) poses in rad."""
        stamps = [s.header.stamp.sec + 1e-9 * s.header.stamp.nanosec for s in self._states]
        return np.array(stamps), np.array([list(state.position) for state in self._states])


def parameters(arm: ArmDescription, rate: float) -> dict[str, Any]:
    """Return the parameters of a node with an arm."""
    found: dict[str, Any] = {'joints': list(arm.chain.names), 'publish_rate': rate, 'chain': {}}
    for joint, motion, home in zip(arm.chain.joints, arm.motion, arm.home, strict=True):
        fields = {
            'link': list(joint.link),
            'home': home,
            'min_position': joint.lower,
            'max_position': joint.upper,
            'max_velocity': motion.velocity,
            'max_acceleration': motion.acceleration,
            'max_jerk': motion.jerk,
        }
        found['chain'][joint.name] = {k: v for k, v in fields.items() if v is not None}
    return found

"""Bare rclpy nodes beside which many arms in one process are measured; nothing is solved.

Each has the topics of an arm that is looked at: a target comes in, a status leaves, and a timer
publishes joint states. The messages are made once.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PointStamped
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState

VALUES = 14
TURN = 1.0  # s


class Relay(Node):
    """As little as a node with these topics can do."""

    def __init__(self, namespace: str, rate: float) -> None:
        """Create what it has."""
        super().__init__('ik2d', namespace=namespace)
        self._pose = JointState(
            name=['shoulder', 'elbow'], position=[0.0, 0.0], velocity=[0.0, 0.0]
        )
        values = [KeyValue(key=f'key{number}', value='0.123456') for number in range(VALUES)]
        status = DiagnosticStatus(name='relay: reachability', message='here', values=values)
        self._status = DiagnosticArray(status=[status])
        self._poses = self.create_publisher(JointState, 'joint_states', 10)
        self._statuses = self.create_publisher(DiagnosticArray, '~/status', 10)
        self.create_subscription(PointStamped, '~/target', self._on_target, 1)
        self.create_timer(1.0 / rate, self._tick)

    def _on_target(self, message: PointStamped) -> None:
        self._status.header.stamp = message.header.stamp
        self._pose.position = [message.point.x, message.point.y]
        self._statuses.publish(self._status)

    def _tick(self) -> None:
        self._pose.header.stamp = self.get_clock().now().to_msg()
        self._poses.publish(self._pose)


def main() -> int:
    """Relay until a signal; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--arms', type=int, required=True)
    parser.add_argument('--cycle', type=float, required=True)
    options, rest = parser.parse_known_args()
    rclpy.init(args=rest)
    nodes = [Relay(f'/arm{number}', options.cycle) for number in range(options.arms)]
    executor: Any = SingleThreadedExecutor()
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        pass
    else:
        executor = EventsExecutor()
    for node in nodes:
        executor.add_node(node)
    try:
        while rclpy.ok():
            executor.spin_until_future_complete(rclpy.task.Future(), TURN)
    except (ExternalShutdownException, KeyboardInterrupt):
        pass
    return 0


if __name__ == '__main__':
    sys.exit(main())

"""A bare rclpy node to measure others against: a point comes in, a pose and a status leave.

Nothing is checked, solved or decided, and the messages are made once: no node in Python that
publishes as much can do less.
"""

from __future__ import annotations

import argparse
import contextlib
import sys

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PointStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ik2d_ros.node.outcome import Code
from ik2d_ros.node.report import Report
from ik2d_ros.ros import qos
from ik2d_ros.ros.executors import EVENTS, SINGLE, create_executor, turns


class Relay(Node):
    """Answers a point with a pose, and with a status if asked to."""

    def __init__(self, with_status: bool) -> None:
        """Create the publishers and the subscription."""
        super().__init__('relay')
        self._pose = JointState(name=['shoulder', 'elbow'], position=[0.0, 0.0])
        report = Report(Code.REACHED, 'The target is reached, to 1.234e-17 m.', error=1.234e-17)
        self._values = [KeyValue(key=k, value=v or 'two_bone') for k, v in report.values()]
        status = DiagnosticStatus(
            name='ik2d: reachability',
            message=report.message,
            hardware_id='/relay/ik2d',
            values=self._values,
        )
        self._status = DiagnosticArray(status=[status])
        self._places = [i for i, pair in enumerate(self._values) if pair.key in {'x', 'y'}]
        self._poses = self.create_publisher(JointState, 'joint_states', qos.EACH)
        self._statuses = None
        if with_status:
            self._statuses = self.create_publisher(DiagnosticArray, 'ik2d/status', qos.EACH_KEPT)
        self.create_subscription(PointStamped, 'ik2d/target', self._on_target, qos.LATEST)

    def _on_target(self, message: PointStamped) -> None:
        pose, point = self._pose, message.point
        pose.header.stamp = self.get_clock().now().to_msg()
        pose.position = [point.x, point.y]
        self._poses.publish(pose)
        if self._statuses is not None:
            self._status.header.stamp = message.header.stamp
            for place, value in zip(self._places, (point.x, point.y), strict=True):
                self._values[place].value = repr(value)
            self._statuses.publish(self._status)


def main() -> int:
    """Relay until a signal; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--executor', choices=(EVENTS, SINGLE), required=True)
    parser.add_argument('--status', action='store_true', help='publish a status, too')
    options, rest = parser.parse_known_args()
    rclpy.init(args=[sys.argv[0], *rest])
    executor = create_executor(options.executor)
    executor.add_node(Relay(options.status))
    turn = turns(executor)
    with contextlib.suppress(ExternalShutdownException):
        while rclpy.ok():
            turn()
    return 0


if __name__ == '__main__':
    sys.exit(main())

"""The demo's ROS node: hears what the arm's node tells, and which arm is to be shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.parameter import Parameter

from ik2d_ros.node.status import read
from ik2d_ros.parameters.checks import listed
from ik2d_ros.pilot.clock import Stamp
from ik2d_ros.pilot.report import Report
from ik2d_ros.ros import qos


class Listener:
    """Subscribes to the statuses of targets, in the default context, which must be initialised.

    Attributes:
        wanted: name of the arm that is to be shown.
    """

    def __init__(
        self, name: str, arms: Sequence[str], tell: Callable[[Report, Stamp], object]
    ) -> None:
        """Create the node; an arm of the name is shown, each of ``arms`` can be."""
        self.wanted, self._tell = name, tell
        self._arms = [*arms]
        self._node = rclpy.create_node('ik2d_demo')
        fixed = ParameterDescriptor(read_only=True)
        self._node.declare_parameter('arms', self._arms, fixed)
        self._node.declare_parameter('arm', name)
        self._node.add_on_set_parameters_callback(self._on_set)
        self._node.create_subscription(DiagnosticArray, 'ik2d/status', self._on_status, qos.ALL)
        self._executor = rclpy.executors.SingleThreadedExecutor()
        self._executor.add_node(self._node)

    def hear(self, seconds: float) -> None:
        """Wait up to ``seconds`` for a message."""
        self._executor.spin_once(timeout_sec=seconds)

    def _on_status(self, message: DiagnosticArray) -> None:
        stamp = message.header.stamp
        self._tell(read(message.status[0]), Stamp(stamp.sec, stamp.nanosec))

    def _on_set(self, parameters: Sequence[Parameter]) -> SetParametersResult:
        for name in (each.value for each in parameters if each.name == 'arm'):
            if name not in self._arms:
                reason = f'arm must be one of {listed(self._arms)}'
                return SetParametersResult(successful=False, reason=reason)
            self.wanted = name
        return SetParametersResult(successful=True)

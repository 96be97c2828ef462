"""The demo's ROS node: hears what the arm's node tells, and which arm is to be shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.parameter import Parameter

from ik2d_ros.node.status import read
from ik2d_ros.parameters.checks import listed
from ik2d_ros.pilot.outcome import Code
from ik2d_ros.pilot.report import Report
from ik2d_ros.ros import qos
from ik2d_ros.ros.stamps import nanoseconds


class Listener:
    """Subscribes to the statuses of targets, in the default context, which must be initialised.

    Attributes:
        wanted: name of the arm that is to be shown.
        codes: how often each status was told, since the arm is shown; a repeated one counts once.
    """

    def __init__(self, name: str, arms: Sequence[str]) -> None:
        """Create the node.

        Args:
            name: name of the arm that is shown.
            arms: names of all arms that can be shown.
        """
        self.wanted = name
        self.codes: Counter[str] = Counter()
        self._last: tuple[int, str] | None = None
        self._heard: Report | None = None
        self._arms = [*arms]
        self._node = rclpy.create_node('ik2d_demo')
        fixed = ParameterDescriptor(read_only=True)
        self._node.declare_parameter('arms', self._arms, fixed)
        self._node.declare_parameter('arm', name)
        self._node.add_on_set_parameters_callback(self._on_set)
        self._node.create_subscription(DiagnosticArray, 'ik2d/status', self._on_status, qos.ALL)
        self._executor = rclpy.executors.SingleThreadedExecutor()
        self._executor.add_node(self._node)

    def hear(self, seconds: float) -> Report | None:
        """Wait up to ``seconds`` for a message; return the status of a target that it is."""
        self._heard = None
        self._executor.spin_once(timeout_sec=seconds)
        return self._heard

    def _on_status(self, message: DiagnosticArray) -> None:
        report = read(message.status[0])
        if report.code == Code.READY.name:
            return
        self._heard, last = report, (nanoseconds(message.header.stamp), report.code)
        self.codes[report.code] += last != self._last
        self._last = last

    def _on_set(self, parameters: Sequence[Parameter]) -> SetParametersResult:
        for name in (each.value for each in parameters if each.name == 'arm'):
            if name not in self._arms:
                reason = f'arm must be one of {listed(self._arms)}'
                return SetParametersResult(successful=False, reason=reason)
            self.wanted = name
        return SetParametersResult(successful=True)

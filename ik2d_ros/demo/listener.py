"""The demo's ROS node: passes messages to the monitor as plain data."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from math import nan
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.parameter import Parameter
from rclpy.subscription import Subscription
from sensor_msgs.msg import JointState

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.demo.monitor import Monitor, SentPose, SentStatus
from ik2d_ros.node.status import read
from ik2d_ros.parameters.checks import listed
from ik2d_ros.ros import qos
from ik2d_ros.ros.stamps import nanoseconds


class Listener:
    """Subscribes to targets and answers, in the default context, which must be initialised.

    Attributes:
        wanted: name of the arm that is to be shown.
        monitor: what the arm that is shown has sent.
    """

    def __init__(self, name: str, arms: Sequence[str]) -> None:
        """Create the node.

        Args:
            name: name of the arm that is shown.
            arms: names of all arms that can be shown.
        """
        self.wanted = name
        self._arms = [*arms]
        self._node = rclpy.create_node('ik2d_demo')
        fixed = ParameterDescriptor(read_only=True)
        self._node.declare_parameter('arms', self._arms, fixed)
        self._node.declare_parameter('arm', name)
        self._node.add_on_set_parameters_callback(self._on_set)
        self._executor = rclpy.executors.SingleThreadedExecutor()
        self._executor.add_node(self._node)

    def watch(self, arm: ArmDescription) -> None:
        """Listen to this arm from now on; what the one before has sent is forgotten."""
        for subscription in [*self._node.subscriptions]:
            self._node.destroy_subscription(subscription)
        subscribe = self._node.create_subscription
        subscribe(PointStamped, 'ik2d/target', self._on_target, qos.ALL)
        subscribe(JointState, 'joint_states', timed(self._on_pose), qos.ALL)
        subscribe(JointState, 'measured_joint_states', self._on_measured, qos.LATEST_BEST_EFFORT)
        subscribe(DiagnosticArray, 'ik2d/status', timed(self._on_status), qos.ALL)
        self.monitor = Monitor(arm)

    def _on_set(self, parameters: Sequence[Parameter]) -> SetParametersResult:
        for name in (each.value for each in parameters if each.name == 'arm'):
            if name not in self._arms:
                reason = f'arm must be one of {listed(self._arms)}'
                return SetParametersResult(successful=False, reason=reason)
            self.wanted = name
        return SetParametersResult(successful=True)

    def listen(self, seconds: float) -> None:
        """Process one message, waiting up to ``seconds`` for it."""
        self._executor.spin_once(timeout_sec=seconds)

    def is_disturbed(self, target_sources: int) -> bool:
        """Return whether more nodes than the demo's own publish on its topics."""
        own = {'joint_states': 1, 'ik2d/status': 1, 'ik2d/target': target_sources}
        return any(self._node.count_publishers(topic) > count for topic, count in own.items())

    def _on_target(self, message: PointStamped) -> None:
        point, frame = message.point, message.header.frame_id
        # Only the node may know where another frame is.
        is_known = frame in ('', self.monitor.arm.base_frame)
        place = (point.x, point.y, point.z) if is_known else (nan, nan, nan)
        self.monitor.add_target(nanoseconds(message.header.stamp), place)

    def _positions(self, message: JointState) -> list[float] | None:
        """Return (m,) in the arm's order; None if some are missing."""
        positions = dict(zip(message.name, message.position, strict=False))
        names = self.monitor.arm.names
        return [positions[name] for name in names] if positions.keys() >= {*names} else None

    def _on_pose(self, message: JointState, info: Mapping[str, int]) -> None:
        positions = self._positions(message)
        if positions is not None:
            number = info.get('publication_sequence_number', 0)
            self.monitor.add_pose(SentPose(info['source_timestamp'], positions, number))

    def _on_measured(self, message: JointState) -> None:
        positions = self._positions(message)
        if positions is not None:
            self.monitor.add_measured(positions)

    def _on_status(self, message: DiagnosticArray, info: Mapping[str, int]) -> None:
        for status in message.status[:1]:
            stamp = nanoseconds(message.header.stamp)
            self.monitor.add_status(SentStatus(info['source_timestamp'], stamp, read(status)))


def timed(callback: Callable[[Any, Mapping[str, int]], None]) -> Callable[..., None]:
    """Return a subscription callback that also passes when (ns) a message was sent, and its number.

    Only the source timestamp gives the true order across topics. On Humble callbacks do not get
    it, so the time of arrival is used.
    """
    if hasattr(Subscription, 'CallbackType'):
        return callback
    return lambda message: callback(message, {'source_timestamp': time.time_ns()})

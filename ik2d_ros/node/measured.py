"""Listening to the joint states that a driver measures."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

from sensor_msgs.msg import JointState

from ik2d_ros.control.measurements import Measurements
from ik2d_ros.ros import qos, stamps
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.warn_after import WarnAfter

TOPIC = 'measured_joint_states'
PERIOD = 0.1  # s between checks for silence
NEWEST = 50  # messages from which the lead of the controller's clock is taken


class MeasuredStates:
    """Hands measured joint states on, and the time that passes between them."""

    def __init__(
        self,
        node: ParameterNode[Any],
        measurements: Measurements,
        on_change: Callable[[], object] = lambda: None,
    ) -> None:
        """Start listening.

        Args:
            node: the node that listens.
            measurements: of the joints.
            on_change: called when there was a message, or some time without.
        """
        self._node, self._measurements, self._on_change = node, measurements, on_change
        self._leads: deque[int] = deque(maxlen=NEWEST)
        self._patience = WarnAfter(first=1.0, following=10.0)
        node.create_subscription(JointState, TOPIC, self._on_message, qos.EACH_BEST_EFFORT)
        node.poll_every(PERIOD, self._look)

    @property
    def clock_lead(self) -> int:
        """How far in ns the clock of the stamps is ahead of the node's."""
        # A message is late rather than early.
        return max(self._leads, default=0)

    def _on_message(self, message: JointState) -> None:
        now = self._pass_time()
        stamp = stamps.nanoseconds(message.header.stamp)
        if stamp > 0:
            self._leads.append(stamp - now)
        for problem in self._measurements.hear(message.name, message.position):
            self._warn(f'{problem} (said once)')
        self._on_change()

    def _look(self) -> None:
        self._pass_time()
        if self._patience.is_due(bool(self._measurements.doubts)):
            self._warn(f'not believed: {self._measurements.doubts}')
        self._on_change()

    def _pass_time(self) -> int:
        """Let the measurements grow older, and return the time of the clock in ns."""
        now: int = self._node.get_clock().now().nanoseconds
        self._measurements.pass_time(now * 1e-9, time.monotonic())
        return now

    def _warn(self, text: str) -> None:
        self._node.get_logger().warning(f'{self._node.resolve_topic_name(TOPIC)}: {text}')

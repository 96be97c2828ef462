"""Listening to the joint states that a driver measures."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from sensor_msgs.msg import JointState

from ik2d_ros.parameters.checks import refuse
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.ros import qos, stamps
from ik2d_ros.ros.parameter_node import ParameterNode

TOPIC = 'measured_joint_states'
NEWEST = 50  # messages from which the lead of the controller's clock is taken


class MeasuredStates:
    """Hands measured joint states on, and warns of those that make no sense."""

    def __init__(
        self, node: ParameterNode[Any], hear: Callable[[Sequence[str], Sequence[float]], list[str]]
    ) -> None:
        """Start listening; ``hear`` takes names and positions, and returns complaints."""
        self._node, self._hear = node, hear
        self._leads: deque[int] = deque(maxlen=NEWEST)
        node.create_subscription(JointState, TOPIC, self._on_message, qos.EACH_BEST_EFFORT)

    @property
    def clock_lead(self) -> int:
        """How far in ns the clock of the stamps is ahead of the node's."""
        # A message is late rather than early.
        return max(self._leads, default=0)

    def _on_message(self, message: JointState) -> None:
        stamp = stamps.nanoseconds(message.header.stamp)
        if stamp > 0:
            self._leads.append(stamp - self._node.get_clock().now().nanoseconds)
        for problem in self._hear(message.name, message.position):
            topic = self._node.resolve_topic_name(TOPIC)
            self._node.get_logger().warning(f'{topic}: {problem} (said once)')


def refuse_echo(node: ParameterNode[Configuration]) -> None:
    """Refuse to take the commanded pose for the measured one."""
    drive, topic = node.settings.drive, node.resolve_topic_name(TOPIC)
    is_published = drive.use_measured_state and drive.publish_joint_states
    if is_published and topic == node.resolve_topic_name('joint_states'):
        refuse(
            'publish_joint_states',
            True,
            f"false where '{TOPIC}' and 'joint_states' are the same topic, {topic}: the node "
            'would take the commanded pose for the measured one',
        )

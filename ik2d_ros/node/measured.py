"""The arm's true pose, as its driver measures it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

from rclpy.node import Node
from sensor_msgs.msg import JointState

from ik2d_ros.control.measurements import Measurements
from ik2d_ros.node.parameters import Configuration
from ik2d_ros.parameters.checks import refuse
from ik2d_ros.ros import qos
from ik2d_ros.ros.parameter_node import ParameterNode

TOPIC = 'measured_joint_states'
PERIOD = 0.1  # s between looks at the silence of the joints


class Measured:
    """Listens to the measured joint states, if the parameters say so.

    Attributes:
        is_used: whether it listens.
        fault: why the pose is not known; empty if it is, or if it does not matter.
        is_early: whether it was never known, but may be in a moment.
        first: the positions in rad that were measured first, by joint.
    """

    def __init__(
        self,
        node: ParameterNode[Configuration],
        configuration: Configuration,
        on_change: Callable[[], object],
    ) -> None:
        """Start listening.

        Args:
            node: the node that listens.
            configuration: its parameters.
            on_change: called when the pose becomes known or unknown.

        Raises:
            ConfigError: the node would listen to the pose that it commands.
        """
        self._node, self._on_change = node, on_change
        self._joints = configuration.arm.names
        self._holds: Mapping[str, float] = configuration.drive.holds
        self._measurements = Measurements(self._joints, self._holds)
        self.first = self._measurements.first
        self.fault, self.is_early = '', False
        self.is_used = configuration.drive.use_measured_state
        if not self.is_used:
            return
        _refuse_echo(node, configuration)
        self.fault, self.is_early = self._measurements.fault(self._needed()), True
        node.create_subscription(JointState, TOPIC, self._on_measured, qos.EACH_BEST_EFFORT)
        node.look_every(PERIOD, self._look)

    def configure(self, configuration: Configuration) -> None:
        """Take over where the other joints are held."""
        self._holds = configuration.drive.holds

    def pose(self) -> tuple[float, ...] | None:
        """Return the measured positions of the arm's joints in rad, if they are known."""
        if not self.is_used or self.fault:
            return None
        positions = self._measurements.positions
        return tuple(positions[name] for name in self._joints)

    def _on_measured(self, message: JointState) -> None:
        for problem in self._measurements.hear(message.name, message.position):
            topic = self._node.resolve_topic_name(TOPIC)
            self._node.get_logger().warning(f'{topic}: {problem} (said once)')
        self._look()

    def _look(self) -> None:
        """Let time pass, and tell if the pose has become known or unknown."""
        clock_time = self._node.get_clock().now().nanoseconds * 1e-9
        self._measurements.pass_time(clock_time, time.monotonic())
        fault = self._measurements.fault(self._needed())
        is_early = self.is_early and bool(fault) and self._measurements.are_new
        before = self.fault, self.is_early
        self.fault, self.is_early = fault, is_early
        if (fault, is_early) != before:
            self._on_change()

    def _needed(self) -> list[str]:
        return [name for name, position in self._holds.items() if math.isnan(position)]


def _refuse_echo(node: Node, configuration: Configuration) -> None:
    topic = node.resolve_topic_name(TOPIC)
    if configuration.drive.publish_joint_states and topic == node.resolve_topic_name(
        'joint_states'
    ):
        refuse(
            'publish_joint_states',
            True,
            f"false where '{TOPIC}' and 'joint_states' are the same topic, {topic}: the node "
            'would take the commanded pose for the measured one',
        )

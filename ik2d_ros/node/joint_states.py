"""Joint states: the commanded pose as such, and those that a driver measures."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic

from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState

from ik2d_ros.control.supervisor import Supervisor
from ik2d_ros.parameters.checks import listed, refuse
from ik2d_ros.pilot.clock import BILLION
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.ros import qos, stamps
from ik2d_ros.ros.other_nodes import other_publishers
from ik2d_ros.ros.parameter_node import ParameterNode

TOPIC, MEASURED = 'joint_states', 'measured_joint_states'
LOOK_PERIOD = 0.5  # s between checks for other publishers, which ask the middleware
DISCOVERY = 3.0  # s after the start in which they are looked for
NEWEST = 50  # messages from which the lead of the controller's clock is taken


class StatePublisher:
    """Publishes the commanded pose as ``joint_states``, if the parameters say so."""

    def __init__(self, node: ParameterNode[Configuration]) -> None:
        """Create the publisher."""
        control, arm = node.settings.control, node.settings.arm
        self._node = node
        self._publisher: Publisher | None = None
        # Without a controller, the driver takes joint_states; then they are the command.
        is_command = control.command_joints and not control.command_out_type
        joints = control.command_joints if is_command else arm.names
        names = *arm.names, *control.holds
        self._indices, self._still = [*map(names.index, joints)], [0.0] * len(control.holds)
        self._message = JointState(name=list(joints))
        self._looks_until = monotonic() + DISCOVERY
        if control.publish_joint_states:
            self._publisher = node.create_publisher(JointState, TOPIC, qos.EACH)
            node.poll_every(LOOK_PERIOD, self._look)

    def publish(self, supervisor: Supervisor, time: int) -> None:
        """Publish the pose commanded for a time in ns, if anybody listens: nobody may join late."""
        is_guess = supervisor.measurements is not None and not supervisor.start_pose
        if self._publisher is None or is_guess:
            return
        if not self._publisher.get_subscription_count():
            return
        message, state = self._message, supervisor.arm_motion.state
        stamp = message.header.stamp
        stamp.sec, stamp.nanosec = divmod(time, BILLION)
        positions, speeds = supervisor.commanded, [*state.velocities, *self._still]
        moving = self._indices if supervisor.arm_motion.limits.takes_time else ()
        # Arrays: rclpy checks every item of a list.
        message.position = array('d', [positions[i] for i in self._indices])
        message.velocity = array('d', [speeds[i] for i in moving])
        self._publisher.publish(message)

    def _look(self) -> None:
        """Warn, once, of others that publish there when the node starts."""
        if monotonic() > self._looks_until:
            return
        node, topic = self._node, self._node.resolve_topic_name(TOPIC)
        if others := other_publishers(node, topic):
            self._looks_until = 0.0
            node.get_logger().warning(
                f'{topic}: other nodes publish there, too: {listed(others)}; if they publish '
                "joints of this arm, start it with 'publish_joint_states: false'"
            )


class MeasuredStates:
    """Hands measured joint states on, and warns of those that make no sense."""

    def __init__(
        self,
        node: ParameterNode[Configuration],
        hear: Callable[[Sequence[str], Sequence[float]], list[str]],
    ) -> None:
        """Start listening; ``hear`` takes names and positions, and returns complaints.

        Raises:
            ConfigError: the node would take the commanded pose for the measured one.
        """
        topic = node.resolve_topic_name(MEASURED)
        if node.settings.control.publish_joint_states and topic == node.resolve_topic_name(TOPIC):
            refuse(
                'publish_joint_states',
                True,
                f"false where '{MEASURED}' and '{TOPIC}' are the same topic, {topic}: the node "
                'would take the commanded pose for the measured one',
            )
        self._node, self._hear, self._topic = node, hear, topic
        self._leads: deque[int] = deque(maxlen=NEWEST)
        node.create_subscription(JointState, MEASURED, self._on_message, qos.EACH_BEST_EFFORT)

    @property
    def clock_lead(self) -> int:
        """The time in ns by which the clock of the stamps is ahead of the node's."""
        # A message is late rather than early.
        return max(self._leads, default=0)

    def _on_message(self, message: JointState) -> None:
        stamp = stamps.nanoseconds(message.header.stamp)
        if stamp > 0:
            self._leads.append(stamp - self._node.get_clock().now().nanoseconds)
        for problem in self._hear(message.name, message.position):
            self._node.get_logger().warning(f'{self._topic}: {problem} (said once)')

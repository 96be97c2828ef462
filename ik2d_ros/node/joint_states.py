"""The commanded pose of a node as joint states."""

from __future__ import annotations

from array import array
from time import monotonic

from rclpy.publisher import Publisher
from rclpy.subscription import Subscription
from sensor_msgs.msg import JointState

from ik2d_ros.control.supervisor import Supervisor
from ik2d_ros.parameters.checks import listed
from ik2d_ros.pilot.clock import BILLION
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.rivals import Rivals
from ik2d_ros.ros import qos, stamps
from ik2d_ros.ros.endpoints import other_publishers
from ik2d_ros.ros.parameter_node import ParameterNode

TOPIC = 'joint_states'
LOOK_PERIOD = 0.5  # s between checks for other publishers, which ask the middleware


class StatePublisher:
    """Publishes the commanded pose as ``joint_states``, if the parameters say so.

    As long as another node publishes the same joints there, nothing is published.
    """

    def __init__(self, node: ParameterNode[Configuration]) -> None:
        """Create the publisher."""
        drive, arm = node.settings.drive, node.settings.arm
        self._node = node
        self._publisher: Publisher | None = None
        # Without a controller, the driver takes joint_states; then they are the command.
        is_command = drive.command_joints and not drive.command_out_type
        joints = drive.command_joints if is_command else arm.names
        names = *arm.names, *drive.holds
        self._places, self._still = [*map(names.index, joints)], [0.0] * len(drive.holds)
        self._message = JointState(name=list(joints))
        self._rivals = Rivals(joints, monotonic())
        self._is_first, self._is_told, self._told = True, False, list[str]()
        self._listener: Subscription | None = None
        self._kept_back = -1  # in the motion of this number
        if drive.publish_joint_states:
            self._publisher = node.create_publisher(JointState, TOPIC, qos.EACH)
            node.poll_every(LOOK_PERIOD, self._look)

    def publish(self, supervisor: Supervisor, time: int) -> None:
        """Publish the pose commanded for a time in ns, if anybody listens: nobody may join late."""
        is_measured, now = supervisor.measurements is not None, monotonic()
        if self._rivals.are_there(now):
            self._kept_back = supervisor.starts
        # Others may have moved a measured arm: it goes on with a motion from where it is.
        is_old = is_measured and supervisor.starts == self._kept_back
        may_publish = supervisor.is_placed and not is_old and self._rivals.may_publish(now)
        if self._publisher is None or not may_publish:
            return
        if not self._publisher.get_subscription_count():
            return
        if self._is_first:
            self._look()
            self._is_first = False
            if not self._rivals.may_publish(now):
                return
        message, state = self._message, supervisor.arm.state
        stamp = message.header.stamp
        stamp.sec, stamp.nanosec = divmod(time, BILLION)
        positions, speeds = supervisor.commanded, [*state.velocities, *self._still]
        moving = self._places if supervisor.arm.takes_time else ()
        # Arrays: rclpy checks every item of a list.
        message.position = array('d', [positions[place] for place in self._places])
        message.velocity = array('d', [speeds[place] for place in moving])
        self._rivals.send(time, message.position)
        self._publisher.publish(message)

    def _look(self) -> None:
        """Listen to the topic while others publish there; else each message costs for nothing."""
        node, now = self._node, monotonic()
        has_others = node.count_publishers(node.resolve_topic_name(TOPIC)) > 1
        if has_others and self._listener is None:
            self._rivals.appear(now)
            self._listener = node.create_subscription(
                JointState, TOPIC, self._hear, qos.EACH_BEST_EFFORT
            )
        elif self._listener is not None and not has_others:
            node.destroy_subscription(self._listener)
            self._listener = None
        if not self._rivals.are_there(now):
            self._is_told = False
        elif not self._is_told:
            self._tell()

    def _hear(self, message: JointState) -> None:
        stamp = stamps.nanoseconds(message.header.stamp)
        self._rivals.hear(stamp, message.name, message.position, monotonic())

    def _tell(self) -> None:
        """Tell who publishes the joints, once the node of each publisher is known."""
        node, topic = self._node, self._node.resolve_topic_name(TOPIC)
        others = other_publishers(node, topic)
        self._is_told = bool(others)
        if others not in ([], self._told):
            self._told = others
            node.get_logger().warning(
                f'{topic}: another node publishes joints of this arm: {listed(others)}; nothing is '
                "published there as long as that lasts (or with 'publish_joint_states: false')"
            )

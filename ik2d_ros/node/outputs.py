"""Commands to a controller, which is watched, and whose joints are compared."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence

from builtin_interfaces.msg import Duration
from rclpy.exceptions import InvalidTopicNameException
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ik2d_ros.control.discovery import ControllerPresence, joints_refusal
from ik2d_ros.control.settings import ARRAY, ControlSettings
from ik2d_ros.control.supervisor import Supervisor
from ik2d_ros.control.trajectory_messages import TrajectoryMessage, TrajectoryWriter
from ik2d_ros.motion.state import Positions
from ik2d_ros.parameters.checks import refuse
from ik2d_ros.pilot.clock import BILLION
from ik2d_ros.ros import qos
from ik2d_ros.ros.other_nodes import RemoteParameters, owner_subscriptions

LOOK_PERIOD = 0.1  # s between checks of the subscribers
# s until a controller that listens offers its parameters, or a name; not every one does
PATIENCE = 3.0
SECONDS_BETWEEN_LOGS = 10.0


class CommandSender:
    """Sends the commanded pose to one controller while it subscribes and has the joints."""

    def __init__(
        self, node: Node, control: ControlSettings, joints: Sequence[str], supervisor: Supervisor
    ) -> None:
        """Create the publisher for a controller's joints, in its order.

        Raises:
            ConfigError: the topic is not a valid name.
        """
        self._node, self._supervisor = node, supervisor
        # Where each joint of the controller is among the commanded ones.
        self._indices = [supervisor.names.index(name) for name in joints]
        is_array = control.command_out_type == ARRAY
        self._stream = None if is_array else TrajectoryWriter(joints)
        kind, topic = Float64MultiArray if is_array else JointTrajectory, control.command_out_topic
        try:
            self._publisher = node.create_publisher(kind, topic, qos.EACH)
        except InvalidTopicNameException as error:
            problem = str(error).replace('\n', ' ')
            refuse('command_out_topic', topic, f'a valid topic name ({problem})')
        self._joints, self._type = joints, control.command_out_type
        self._controller = self.topic.rpartition('/')[0]  # its full name, if there is one
        self._parameters: RemoteParameters | None = None  # of the controller
        self._compare_until: float | None = None  # in s; None once its joints are compared
        self._refusal = ''
        self._presence = ControllerPresence()
        self._looked_at, self._count = -math.inf, 0
        self._owner: frozenset[tuple[int, ...]] = frozenset()
        self._has_owner = False
        self._names_due: float | None = None  # wait so long, in s; None if all are known
        self._start: Positions = ()

    @property
    def topic(self) -> str:
        """Full name of the topic."""
        return self._publisher.topic_name

    def fault(self, has_goal: bool) -> str:
        """Return why the controller takes no commands; warn of that if the arm has a goal."""
        presence, now = self._presence, time.monotonic()
        presence.update(self._listeners(now), now)
        if has_goal and not presence.is_present:
            self._node.get_logger().warning(
                f'the arm waits: nobody has subscribed to its commands on {self.topic}; is the '
                'controller running?',
                throttle_duration_sec=SECONDS_BETWEEN_LOGS,
                skip_first=True,
            )
        if fault := self._joints_fault(now):
            return fault
        return '' if presence.is_present else f'nobody has subscribed to {self.topic}'

    def _joints_fault(self, now: float) -> str:
        """Return why the controller may not have the commanded joints; empty if it may.

        In another order, an array would send each joint to where another one is to go.
        """
        if self._parameters is not None and self._compare_until is not None:
            self._parameters.tick()
            its, is_there = self._parameters.newest, self._parameters.is_there
            fault = f"controller '{self._controller}' has not answered which joints it has"
            if its is None and is_there and now > self._compare_until:
                self._node.get_logger().warning(
                    f'the arm waits: {fault}', throttle_duration_sec=SECONDS_BETWEEN_LOGS
                )
            if its is None and (is_there or now < self._compare_until):
                return fault
            self._compare_until = None
            self._refusal = joints_refusal(self._controller, its or {}, self._type, self._joints)
        if self._refusal:
            self._node.get_logger().error(
                f'the arm waits: {self._refusal}', throttle_duration_sec=SECONDS_BETWEEN_LOGS
            )
        return self._refusal

    def send(self, now: int, span: float) -> None:
        """Send the commanded pose; also at rest, as a controller may lose a message.

        It is ``span`` s after the one before; the controller's clock shows ``now`` in ns.
        """
        supervisor, stream = self._supervisor, self._stream
        if not supervisor.is_commanding:
            return
        if self._refusal or self._compare_until is not None:
            return  # a controller that has restarted may have other joints
        pose = self._in_order(supervisor.commanded)
        if stream is None:
            self._publisher.publish(Float64MultiArray(data=pose))
            return
        if supervisor.start_pose is not self._start:  # equal ones may follow each other
            self._start = supervisor.start_pose
            stream.reset(self._in_order(self._start), now)
        self._publisher.publish(_trajectory_message(stream.append(pose, span, now)))

    def _in_order(self, pose: Positions) -> Positions:
        """Return a pose in the controller's order."""
        return tuple(pose[i] for i in self._indices)

    def _listeners(self, now: float) -> Iterable[object]:
        """Find the subscriptions that count: the controller alone if the topic has its name."""
        count = self._publisher.get_subscription_count()
        if count != self._count or now - self._looked_at >= LOOK_PERIOD:
            self._count, self._looked_at = count, now
            owner, are_named = owner_subscriptions(self._node, self.topic)
            if are_named:
                self._names_due = None
            elif self._names_due is None:
                self._names_due = now + PATIENCE
            if owner - self._owner:
                if self._parameters is None:
                    self._parameters = RemoteParameters(self._node, self._controller)
                self._parameters.forget()
                self._compare_until = now + PATIENCE
            self._owner, self._has_owner = owner, self._has_owner or bool(owner)
        if self._has_owner:
            return self._owner
        if self._names_due is not None and now < self._names_due and not self._presence.is_present:
            return ()  # one may be the controller, whose joints are to be compared
        return [True] * bool(count)


def _trajectory_message(trajectory: TrajectoryMessage) -> JointTrajectory:
    message = JointTrajectory(joint_names=list(trajectory.joints))
    stamp = message.header.stamp
    stamp.sec, stamp.nanosec = divmod(trajectory.stamp, BILLION)
    for point in trajectory.points:
        seconds, rest = divmod(point.time, BILLION)
        time = Duration(sec=seconds, nanosec=rest)
        message.points.append(JointTrajectoryPoint(positions=point.positions, time_from_start=time))
    return message

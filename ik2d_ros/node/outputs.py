"""What the node says of the motion: the commanded pose, and the commands for a controller."""

from __future__ import annotations

import math
import time
from array import array
from collections.abc import Mapping, Sequence

from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState

from ik2d_ros.control.commands import Pose, command_pose, streamed_trajectory
from ik2d_ros.control.drive import ARRAY
from ik2d_ros.control.hearing import PATIENCE, Hearing
from ik2d_ros.motion.mover import Mover
from ik2d_ros.motion.state import MotionState
from ik2d_ros.node.messages import array_message, command_publisher, trajectory_message
from ik2d_ros.node.parameters import Configuration
from ik2d_ros.node.process_context import Commands
from ik2d_ros.ros import qos
from ik2d_ros.ros.listeners import is_heard_by_its_owner
from ik2d_ros.ros.stamps import BILLION

LOOK_PERIOD = 0.1  # s between looks at who listens


class Outputs:
    """Publishes the commanded state of the arm, and commands for a controller.

    Attributes:
        is_commanding: whether the arm has been told where to go.
    """

    def __init__(
        self,
        node: Node,
        configuration: Configuration,
        measured: Mapping[str, float],
        commands: Commands | None = None,
    ) -> None:
        """Create the publishers.

        Args:
            node: the node that publishes.
            configuration: its parameters.
            measured: where joints were measured first, in rad; may change later.
            commands: where commands go; None for the topic that the parameters name.

        Raises:
            ConfigError: the topic of the commands is not a valid name.
        """
        self._node = node
        self._measured = measured
        self._hearing = Hearing()
        self._looked_at = -math.inf
        self._has_owner = self._is_owner_there = False
        self.is_commanding = False
        # Whether anybody listens to the pose, or did a moment ago, and when that was in ns.
        self._is_heard, self._heard_at = False, 0
        self._is_due = False  # whether a standing arm is told again where it stands
        self._last: Pose | None = None  # what the controller was sent last
        self.configure(configuration)
        drive = configuration.drive
        self._joint_states: Publisher | None = None
        if drive.publish_joint_states:
            self._joint_states = node.create_publisher(JointState, 'joint_states', qos.EACH)
        self._commands = commands
        if commands is None and drive.command_out_type:
            self._commands = command_publisher(node, drive)

    def configure(self, configuration: Configuration) -> None:
        """Take over new settings, and an arm with the same joints."""
        arm, drive = configuration.arm, configuration.drive
        self._configuration = configuration
        self._joints = drive.command_joints or arm.names
        # Without a controller, the driver takes joint_states; then they are the command.
        is_controlled = bool(drive.command_out_type)
        self._state_joints = arm.names if is_controlled else self._joints
        self._state_message = JointState(name=list(self._state_joints))

    def may_move(self) -> bool:
        """Return whether the arm may move: whether the controller hears the commands by now."""
        if self._commands is None:
            return True
        hearing, topic = self._hearing, self._commands.topic_name
        was_sure, was_alone = hearing.is_sure, hearing.is_alone
        listeners = self._listeners(self._commands)
        hearing.look(listeners, self.is_commanding, time.monotonic())
        if hearing.is_alone and not was_alone:
            self._node.get_logger().warning(
                f'no one has subscribed to the commands on {topic} for {PATIENCE:g} s; is the '
                'controller running?'
            )
        elif was_sure and not hearing.is_sure and not listeners:
            self._node.get_logger().warning(
                f'the controller is not subscribed to the commands on {topic} any more; the arm '
                'waits until it is back'
            )
        return hearing.is_sure

    def _listeners(self, commands: Commands) -> int:
        """Return how many listen: the controller alone, if the topic has its name."""
        count, topic = commands.get_subscription_count(), commands.topic_name
        now = time.monotonic()
        if count and now - self._looked_at >= LOOK_PERIOD:
            self._looked_at = now
            self._is_owner_there = is_heard_by_its_owner(self._node, topic)
            self._has_owner = self._has_owner or self._is_owner_there
        return min(count, int(self._is_owner_there)) if self._has_owner else count

    def begin(self) -> None:
        """Command from now on: a target was accepted, and is to be told to the controller."""
        self.is_commanding = self._is_due = True

    def restart(self) -> None:
        """Forget what was commanded: the arm starts from its measured pose."""
        self._last = None

    def publish(self, mover: Mover, time: int, step: float = 0.0) -> None:
        """Publish the commanded state, and the command for it if there is anything new to command.

        Args:
            mover: has the state.
            time: the time of the state in ns.
            step: s from the state before to this one.
        """
        if self._configuration.drive.use_measured_state and not self.is_commanding:
            return
        self._publish_state(mover.state, time)
        if self._commands is not None and self.is_commanding:
            period = 1.0 / self._configuration.settings.publish_rate
            self._command(self._commands, mover.state, mover.arrived, max(period, step))

    def _publish_state(self, state: MotionState, time: int) -> None:
        publisher, joints = self._joint_states, self._state_joints
        # Nothing is kept for those who come later: the next pose will do for them.
        if publisher is None:
            return
        if not (self._is_heard and 0 <= time - self._heard_at < LOOK_PERIOD * BILLION):
            self._is_heard, self._heard_at = bool(publisher.get_subscription_count()), time
            if not self._is_heard:
                return
        positions = self._pose(joints, state)
        if positions is None:
            return
        arm = self._configuration.arm
        velocities: Sequence[float] = ()
        if arm.has_motion_limits:
            known = dict(zip(arm.names, state.velocities, strict=True))
            velocities = [known.get(name, 0.0) for name in joints]
        message = self._state_message
        stamp = message.header.stamp
        stamp.sec, stamp.nanosec = divmod(time, BILLION)
        # Arrays: of a list, every item would be checked.
        message.position, message.velocity = array('d', positions), array('d', velocities)
        publisher.publish(message)

    def _command(
        self, publisher: Commands, state: MotionState, is_arrived: bool, span: float
    ) -> None:
        """Publish the command, unless it says what the one before said."""
        now, before = self._pose(self._joints, state), self._last
        if now is None or (now == before and not (is_arrived and self._is_due)):
            return
        if self._configuration.drive.command_out_type == ARRAY:
            publisher.publish(array_message(now))
            self._is_due = False
        else:
            trajectory = streamed_trajectory(self._joints, before, now, span)
            publisher.publish(trajectory_message(trajectory))
            # At the goal, once more: some drivers read no more than the first point.
            self._is_due = now != before
        self._last = now

    def _pose(self, joints: tuple[str, ...], state: MotionState) -> Pose | None:
        configuration = self._configuration
        arm = configuration.arm.names
        if joints == arm:
            return state.positions
        holds = {
            name: self._measured.get(name, math.nan) if math.isnan(position) else position
            for name, position in configuration.drive.holds.items()
        }
        return command_pose(joints, dict(zip(arm, state.positions, strict=True)), holds)

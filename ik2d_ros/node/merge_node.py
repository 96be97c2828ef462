"""The ROS node behind ``ik2d_merge``: commands of limbs in, one command for all of them out."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from rclpy.clock import Clock, ClockType
from rclpy.subscription import Subscription
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from ik2d_ros.control.commands import Pose, streamed_trajectory
from ik2d_ros.control.content import BILLION, read_trajectory
from ik2d_ros.control.drive import ARRAY
from ik2d_ros.control.hearing import Hearing
from ik2d_ros.control.merging import Merging
from ik2d_ros.node.fleet_parameters import FLEET_PARAMETERS
from ik2d_ros.node.measured import TOPIC as MEASURED
from ik2d_ros.node.merge_parameters import PARAMETERS, MergeSettings, settings_from_parameters
from ik2d_ros.node.messages import array_message, command_publisher, trajectory_message
from ik2d_ros.node.parameters import PARAMETERS as NODE_PARAMETERS
from ik2d_ros.parameters.checks import listed
from ik2d_ros.parameters.table import Effect
from ik2d_ros.ros import qos
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.patience import Patience
from ik2d_ros.ros.tick_timer import Spacing

LIMBS = 'limb_commands'

# Of its period, the share after which a command is replaced by the next one where several wait. The
# controller then goes the rest of the way in one step; all of them on time would be late for good.
HURRIED = 0.9


class MergeNode(ParameterNode[MergeSettings]):
    """Makes the commands of several limbs into one for a controller of all their joints.

    Raises:
        ConfigError: a parameter is refused; at construction only, a change at run time is
            answered with the message.
    """

    def __init__(
        self, defaults: Mapping[str, object] | None = None, arguments: Sequence[str] = ()
    ) -> None:
        """Read the parameters and start.

        Args:
            defaults: values that take the place of the parameters' defaults.
            arguments: ROS arguments for this node alone.
        """
        super().__init__(
            'ik2d_merge',
            PARAMETERS,
            settings_from_parameters,
            [NODE_PARAMETERS, FLEET_PARAMETERS],
            defaults,
            arguments=arguments,
        )
        drive = self.settings.drive
        self._merging = Merging(drive.command_joints, drive.holds)
        self._last: Pose | None = None
        self._hearing = Hearing()
        self._spacing = Spacing()
        self._patience = Patience(first=2.0, following=5.0)
        self._refusals: set[str] = set()
        self._commands = command_publisher(self, drive)
        self._limbs: Subscription | None = None
        self.create_subscription(JointState, MEASURED, self._on_measured, qos.EACH_BEST_EFFORT)
        self._create_timer()
        self.get_logger().info(
            f'ready: joints {listed(drive.command_joints)}; commands of limbs on '
            f'{self.resolve_topic_name(LIMBS)}, for {self._commands.topic_name}'
        )

    @property
    def topic_name(self) -> str:
        """Full name of the topic of the merged commands."""
        return self._commands.topic_name

    def get_subscription_count(self) -> int:
        """Return how many listen to the limbs: the controller, once it hears the commands."""
        return self._commands.get_subscription_count() if self._limbs is not None else 0

    def publish(self, msg: JointTrajectory) -> None:
        """Take the command of a limb in the same process, as if it had come on its topic."""
        if self._limbs is not None:
            self._on_limb(msg)

    def on_change(self, effects: frozenset[Effect]) -> None:
        """Apply the new settings."""
        self._merging.hold(self.settings.drive.holds)
        if Effect.PUBLISHING in effects:
            self.destroy_timer(self._timer)
            self._create_timer()

    def _create_timer(self) -> None:
        # Steady: the limbs move in simulated time if there is any, and command when they move.
        self._timer = self.create_timer(
            1.0 / self.settings.publish_rate,
            self._tick,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def _on_measured(self, message: JointState) -> None:
        self._merging.measure(message.name, message.position)

    def _on_limb(self, message: JointTrajectory) -> None:
        trajectory = read_trajectory(message)
        if not trajectory.points:
            return
        start = trajectory.points[0].time if len(trajectory.points) > 1 else 0
        end = trajectory.points[-1]
        span = (end.time - start) / BILLION
        refusal = self._merging.hear(trajectory.joints, end.positions, span)
        if refusal and refusal not in self._refusals:
            self._refusals.add(refusal)
            self.get_logger().error(f'a command was refused: {refusal} (said once)')

    def _tick(self) -> None:
        period = 1.0 / self.settings.publish_rate
        share = HURRIED if self._merging.is_behind else 1.0
        self._timer.timer_period_ns = round(share * period * BILLION)
        if not self._spacing.is_kept(period):
            return
        if self._limbs is None:
            self._listen_once_heard()
        missing = self._merging.missing()
        if self._patience.is_over(bool(missing), time.monotonic()):
            self.get_logger().warning(
                f'nothing is commanded yet: no position of {listed(missing)} was received on '
                f'{self.resolve_topic_name(MEASURED)}'
            )
        step = self._merging.step()
        if step is not None:
            self._command(step.pose, max(period, step.span))
            self._last = step.pose

    def _listen_once_heard(self) -> None:
        """Listen to the limbs when the controller listens: they do not move before."""
        self._hearing.look(self._commands.get_subscription_count(), False, time.monotonic())
        if self._hearing.is_sure:
            self._limbs = self.create_subscription(JointTrajectory, LIMBS, self._on_limb, qos.ALL)

    def _command(self, pose: Pose, span: float) -> None:
        drive = self.settings.drive
        if drive.command_out_type == ARRAY:
            self._commands.publish(array_message(pose))
            return
        trajectory = streamed_trajectory(drive.command_joints, self._last, pose, span)
        self._commands.publish(trajectory_message(trajectory))

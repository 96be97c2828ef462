"""The ROS node ``ik2d_merge``: the commands of all arms of a process in one message."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ik2d_ros.control.drive import (
    ARRAY,
    DRIVE_PARAMETERS,
    FOLLOWING_ROWS,
    TRAJECTORY,
    Drive,
    drive_from_parameters,
)
from ik2d_ros.control.joints import CommandedJoints
from ik2d_ros.control.supervisor import Course, Supervisor
from ik2d_ros.node.arm_node import LOOK_PERIOD, ArmNode
from ik2d_ros.node.asking_controllers import warn_of_rate
from ik2d_ros.node.measured import TOPIC, MeasuredStates
from ik2d_ros.node.outputs import CommandSender
from ik2d_ros.parameters.checks import Choice, ConfigError, listed, refuse
from ik2d_ros.parameters.table import Effect, Table
from ik2d_ros.pilot.parameters import SETTINGS
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.tick_timer import TickTimer
from ik2d_ros.ros.warn_after import WarnAfter

PARAMETERS = Table(
    (
        SETTINGS['publish_rate'],
        replace(
            DRIVE_PARAMETERS['command_out_type'],
            default=TRAJECTORY,
            allowed=f'{TRAJECTORY} or {ARRAY}',
            check=Choice((TRAJECTORY, ARRAY)),
        ),
        DRIVE_PARAMETERS['command_out_topic'],
        DRIVE_PARAMETERS['command_joints'],
        *FOLLOWING_ROWS,
    ),
    DRIVE_PARAMETERS.families,
)
"""Every parameter of ``ik2d_merge``, each with the same meaning as for ``ik2d_node``."""


@dataclass(frozen=True)
class MergeSettings:
    """Settings of the merged commands, checked.

    Attributes:
        publish_rate: rate of the commands in Hz, which is the rate of the arms, too.
        drive: the controller's topic, type and joints, and where joints are held.
    """

    publish_rate: float
    drive: Drive


def settings_from_parameters(parameters: Mapping[str, object]) -> MergeSettings:
    """Check parameters by name; missing or None means the default, unknown names are ignored.

    Raises:
        ConfigError: a value is refused, or the controller's joints are missing.
    """
    checked = {**PARAMETERS.defaults, **PARAMETERS.checked(parameters)}
    if not checked['command_joints']:
        words = "a list of the controller's joints, in its order"
        refuse('command_joints', None, f'{words}; or name the controller: --controller NAME')
    # Positions are always measured; joints that no arm commands are held there.
    drive = drive_from_parameters({**parameters, 'use_measured_state': True}, ())
    return MergeSettings(float(checked['publish_rate']), drive)


class MergeNode(ParameterNode[MergeSettings]):
    """Moves several arms in step, and sends their commands to one controller of all joints.

    Joints of the controller that are no arm's are held from the first command on.

    Attributes:
        timer: ticks for all arms.

    Raises:
        ConfigError: a parameter is refused; at construction only, a change at run time is
            answered with the message.
    """

    def __init__(
        self, defaults: Mapping[str, object] | None = None, arguments: Sequence[str] = ()
    ) -> None:
        """Read the parameters; the arguments of ROS are for this node alone."""
        super().__init__(
            'ik2d_merge', PARAMETERS, settings_from_parameters, defaults, arguments=arguments
        )
        drive = self.settings.drive
        self._sender = CommandSender(self, drive, drive.command_joints, [])
        self._arms: Sequence[ArmNode] = ()
        self._departures = 0  # of all arms
        self._held: Supervisor | None = None  # until all arms are there
        self._was_commanding = False
        self._patience = WarnAfter(first=2.0, following=5.0)
        self.timer = TickTimer(self, self.settings.publish_rate, self._tick)
        warn_of_rate(self, self.settings.publish_rate, defaults)

    def stop(self) -> bool:
        """Stop the joints that are no arm's; returns whether they stand."""
        if self._held is None:
            return True
        self._held.stop()
        return self._held.is_at_rest

    def start(self, arms: Sequence[ArmNode]) -> None:
        """Begin to command.

        Args:
            arms: all of them, with the timer of this node.

        Raises:
            ConfigError: an arm has a joint that the controller has not.
        """
        joints = self.settings.drive.command_joints
        supervisors = [arm.pilot.supervisor for arm in arms]
        own = [name for each in supervisors for name in each.names]
        if strangers := [name for name in own if name not in joints]:
            raise ConfigError(
                f"joints {listed(strangers)} of the arms are not the controller's; its joints are "
                f'{listed(joints)}'
            )
        if twice := sorted({name for name in own if own.count(name) > 1}):
            raise ConfigError(f'joints {listed(twice)} belong to more than one arm')
        self._others = [name for name in joints if name not in own]
        self._arms, self._held = arms, Supervisor(self._held_joints(), is_measured=True)
        assert self._held.measurements  # noqa: S101  # as it is measured
        self._measurements = self._held.measurements
        self._measured = MeasuredStates(self, self._hear)
        self.poll_every(LOOK_PERIOD, self._look)
        self._sender.supervisors = [*supervisors, self._held]
        self.get_logger().info(f'ready: joints {listed(joints)}, for {self._sender.topic}')

    def on_change(self, effects: frozenset[Effect]) -> None:
        """Apply the new settings."""
        if self._held is not None:
            self._held.configure(self._held_joints())
        if Effect.PUBLISHING in effects:
            self.timer.restart(self.settings.publish_rate)

    def _held_joints(self) -> CommandedJoints:
        drive = self.settings.drive
        holds = {name: drive.holds[name] for name in self._others}
        return CommandedJoints(None, holds, drive.following)

    def _hear(self, names: Sequence[str], positions: Sequence[float]) -> list[str]:
        self._pass_time()
        return self._measurements.hear(names, positions)

    def _look(self) -> None:
        self._pass_time()
        self._measured.warn_of(self._measurements)

    def _pass_time(self) -> None:
        now = self.get_clock().now().nanoseconds
        self._measurements.pass_time(now * 1e-9, time.monotonic())

    def _tick(self) -> None:
        held, sender = self._held, self._sender
        if held is None:
            return
        unknown = [each for each in sender.supervisors if not each.is_known]
        missing = [name for each in unknown for name in each.names]
        if self._patience.is_due(bool(missing)):
            self.get_logger().warning(
                f'nothing is commanded yet: no position of {listed(missing)} was received on '
                f'{self.resolve_topic_name(TOPIC)}'
            )
        departures = sum(arm.pilot.departures for arm in self._arms)
        if departures != self._departures:  # there is a target
            self._departures = departures
            held.go(Course())
        is_wanted = any(arm.pilot.supervisor.has_target for arm in self._arms)
        is_heard = sender.is_heard(is_wanted) and not missing
        held.is_heard, had_target = is_heard, held.has_target
        held.advance(self.timer.period)
        if had_target and held.complaint:
            self.get_logger().warning(f'{held.complaint}; it is no longer held')
        for arm in self._arms:
            arm.advance(is_heard)
        # A message has all joints: those of arms at rest are held.
        is_commanding = any(each.is_commanding for each in sender.supervisors)
        for each in sender.supervisors:
            if is_commanding and not each.is_commanding and each.measured is not None:
                each.stand(self.timer.period, begins=not self._was_commanding)
        self._was_commanding = is_commanding
        now = self.get_clock().now().nanoseconds + self._measured.clock_lead
        sender.send(now, self.timer.period)

"""The ROS node ``ik2d_merge``: the commands of all arms of a process in one message."""

from __future__ import annotations

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
from ik2d_ros.control.supervisor import Supervisor
from ik2d_ros.node.driver import Driver
from ik2d_ros.node.measured import TOPIC, MeasuredStates
from ik2d_ros.node.outputs import CommandSender
from ik2d_ros.parameters.checks import Choice, ConfigError, listed
from ik2d_ros.parameters.table import Effect, Table
from ik2d_ros.pilot.parameters import FLEET_PARAMETERS, SETTINGS
from ik2d_ros.pilot.parameters import PARAMETERS as NODE_PARAMETERS
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
        raise ConfigError(
            "parameter 'command_joints' is missing; it must be a list of the controller's joints, "
            'in its order; or name the controller: --controller NAME'
        )
    # Positions are always measured; joints that no arm commands are held there.
    drive = drive_from_parameters({**parameters, 'use_measured_state': True}, ())
    return MergeSettings(float(checked['publish_rate']), drive)


class MergeNode(ParameterNode[MergeSettings]):
    """Moves several arms in step, and sends their commands to one controller of all joints.

    Joints of the controller that are no arm's are held from the first command on.

    Raises:
        ConfigError: a parameter is refused; at construction only, a change at run time is
            answered with the message.
    """

    def __init__(
        self, defaults: Mapping[str, object] | None = None, arguments: Sequence[str] = ()
    ) -> None:
        """Read the parameters.

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
        self._sender = CommandSender(self, drive, drive.command_joints, [])
        self._drivers: list[Driver] = []
        self._held: Supervisor | None = None  # until all arms are there
        self._was_commanding = False
        self._patience = WarnAfter(first=2.0, following=5.0)
        self._timer = TickTimer(self, self.settings.publish_rate, self._tick)

    def join(self, driver: Driver) -> TickTimer:
        """Take an arm in, and return the timer for all of them."""
        self._drivers.append(driver)
        return self._timer

    def begin(self) -> None:
        """Hold the joints that are no arm's: there is a target."""
        self._sender.tell_again()
        if self._held is not None:
            self._held.go(())

    def stop(self) -> bool:
        """Stop the joints that are no arm's; returns whether they stand."""
        if self._held is None:
            return True
        self._held.stop()
        return self._held.is_at_rest

    def start(self) -> None:
        """Begin to command, once all arms are there.

        Raises:
            ConfigError: an arm has a joint that the controller has not.
        """
        joints, drivers = self.settings.drive.command_joints, self._drivers
        own = [name for driver in drivers for name in driver.supervisor.names]
        if strangers := [name for name in own if name not in joints]:
            raise ConfigError(
                f"joints {listed(strangers)} of the arms are not the controller's; its joints are "
                f'{listed(joints)}'
            )
        if twice := sorted({name for name in own if own.count(name) > 1}):
            raise ConfigError(f'joints {listed(twice)} belong to more than one arm')
        self._others = [name for name in joints if name not in own]
        self._held = Supervisor(self._held_joints(), is_measured=True)
        assert self._held.measurements  # noqa: S101  # as it is measured
        self._measured = MeasuredStates(self, self._held.measurements)
        self._sender.supervisors = [*(driver.supervisor for driver in drivers), self._held]
        self.get_logger().info(f'ready: joints {listed(joints)}, for {self._sender.topic}')

    def on_change(self, effects: frozenset[Effect]) -> None:
        """Apply the new settings."""
        if self._held is not None:
            self._held.configure(self._held_joints())
        if Effect.PUBLISHING in effects:
            self._timer.restart(self.settings.publish_rate)

    def _held_joints(self) -> CommandedJoints:
        drive = self.settings.drive
        holds = {name: drive.holds[name] for name in self._others}
        return CommandedJoints(None, holds, drive.following)

    def _tick(self) -> None:
        held, sender = self._held, self._sender
        if held is None:
            return
        unknown = [each for each in sender.supervisors if not (each.is_placed or each.measured)]
        missing = [name for each in unknown for name in each.names]
        if self._patience.is_due(bool(missing)):
            self.get_logger().warning(
                f'nothing is commanded yet: no position of {listed(missing)} was received on '
                f'{self.resolve_topic_name(TOPIC)}'
            )
        is_wanted = any(driver.supervisor.has_target for driver in self._drivers)
        is_heard = sender.is_heard(is_wanted) and not missing
        held.is_heard, had_target = is_heard, held.has_target
        held.advance(self._timer.period)
        if had_target and held.complaint:
            self.get_logger().warning(f'{held.complaint}; it is no longer held')
        for driver in self._drivers:
            driver.advance(is_heard)
        # A message has all joints: those of arms at rest are held.
        is_commanding = any(each.is_commanding for each in sender.supervisors)
        for each in sender.supervisors:
            if is_commanding and not each.is_commanding and each.measured is not None:
                each.hold(self._timer.period, begins=not self._was_commanding)
        self._was_commanding = is_commanding
        now = self.get_clock().now().nanoseconds + self._measured.clock_lead
        sender.send(now, self._timer.period)

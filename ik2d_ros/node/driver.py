"""Driving of the arm: from answers to the commanded pose, tick by tick, and to the outputs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ik2d_ros.control.joints import CommandedJoints
from ik2d_ros.control.supervisor import LOST, Supervisor
from ik2d_ros.node.measured import TOPIC, MeasuredStates
from ik2d_ros.node.outputs import CommandSender, StatePublisher
from ik2d_ros.parameters.checks import refuse
from ik2d_ros.pilot.answer import Answer
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.ros import stamps
from ik2d_ros.ros.clock_watch import ClockWatch
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.stamps import BILLION
from ik2d_ros.ros.tick_timer import TickTimer

if TYPE_CHECKING:
    from ik2d_ros.node.merge_node import MergeNode


class Driver:
    """Tells the supervisor of answers, measurements and time, and publishes its commands.

    Attributes:
        supervisor: decides what is commanded.
        timer: ticks at ``publish_rate``.
        is_early: whether the true pose is not known yet, but may be in a moment.
    """

    def __init__(
        self,
        node: ParameterNode[Configuration],
        clock_watch: ClockWatch,
        on_change: Callable[[], object],
        merger: MergeNode | None = None,
    ) -> None:
        """Start to publish.

        Args:
            node: the node that drives.
            clock_watch: knows whether its clock gives a time.
            on_change: called when the status of the motion changes.
            merger: sends the commands of several arms, and has the timer; None if there is none.

        Raises:
            ConfigError: a topic is refused.
        """
        _refuse_echo(node)
        self._node, self._clock_watch = node, clock_watch
        self._on_change, self._merger = on_change, merger
        drive = node.settings.drive
        self.supervisor = Supervisor(self._joints, drive.use_measured_state)
        measurements = self.supervisor.measurements
        self._measured = measurements and MeasuredStates(node, measurements, self._look)
        self.is_early = measurements is not None
        self._told = self._state()
        self._tick_clock = TickClock()
        self._states = StatePublisher(node)
        self._pose_times = stamps.Increasing()
        self._sender: CommandSender | None = None
        if merger is not None:
            self.timer = merger.join(self)
            return
        self.timer = TickTimer(node, node.settings.settings.publish_rate, self._tick)
        if drive.command_out_type:
            joints = drive.command_joints or node.settings.arm.names
            self._sender = CommandSender(node, drive, joints, [self.supervisor])

    @property
    def was_placed(self) -> bool:
        """Whether anything was ever commanded, or the true pose ever known."""
        seen = self.supervisor.measurements
        was_measured = seen is not None and not any(map(math.isnan, seen.positions))
        return self.supervisor.has_begun or was_measured

    @property
    def _joints(self) -> CommandedJoints:
        configuration = self._node.settings
        drive = configuration.drive
        return CommandedJoints(configuration.arm, drive.holds, drive.following)

    def configure(self) -> None:
        """Take over the node's new settings, and an arm with the same joints."""
        self.supervisor.configure(self._joints)

    def restart_timer(self) -> None:
        """Publish at another rate."""
        if self._merger is None:
            self.timer.restart(self._node.settings.settings.publish_rate)

    def follow(self, answer: Answer, is_new: bool) -> None:
        """Move as an answer says: to its pose, or not at all.

        Args:
            answer: the answer.
            is_new: whether it is to a new target, which may be one of a stream.
        """
        supervisor = self.supervisor
        takes_time = supervisor.arm.takes_time
        if answer.goes:
            now = self._clock_watch.now()
            way = answer.judged.way if answer.judged else None
            # An arm that moves at once follows no stream of targets.
            since = self._tick_clock.since(now) if is_new and takes_time else None
            supervisor.go(way.start if way else answer.positions, since, way)
            if self._merger is not None:
                self._merger.begin()
            elif self._sender is not None:
                self._sender.tell_again()
            if not takes_time and self._merger is None:
                self.publish(now=now)
        else:
            supervisor.stop()
        self._told = self._state()

    def publish(self, step: float = 0.0, now: int | None = None) -> None:
        """Publish the commanded pose.

        Args:
            step: s since the pose before.
            now: time of the clock in ns; None to look at it.
        """
        if now is None:
            now = self._clock_watch.now()
        if self._clock_watch.fault_at(now):
            return  # Consumers drop a pose without a stamp.
        stamp = self._pose_times.after(now)
        if stamps.fault(stamp):
            return
        self._states.publish(self.supervisor, stamp)
        if self._sender is not None:
            lead = self._measured.clock_lead if self._measured else 0
            self._sender.send(now + lead, max(self.timer.period, step))

    def advance(self, is_heard: bool) -> None:
        """Go on with the motion, and publish where that leads.

        Args:
            is_heard: whether the controller listens.
        """
        now = self._clock_watch.now()
        if self._clock_watch.fault_at(now):
            return
        period = self.timer.period
        is_simulated = self._clock_watch.is_simulated
        # After a late tick the next one follows sooner.
        due = now if is_simulated else now + self.timer.left - round(period * BILLION)
        step, elapsed = self._tick_clock.step(due, period, is_simulated)
        lost = self._tick_clock.lost(time.monotonic(), elapsed, period)
        self.supervisor.is_heard = is_heard
        self.supervisor.advance(step, elapsed, lost)
        self.publish(step)
        self._look()

    def _tick(self) -> None:
        sender, has_target = self._sender, self.supervisor.has_target
        self.advance(sender is None or sender.is_heard(has_target))

    def _look(self) -> None:
        """Tell if the state has changed."""
        before, self._told = self._told, self._state()
        if self._told != before:
            self._on_change()

    def _state(self) -> tuple[object, ...]:
        """Return the state of the motion, as the status tells it."""
        supervisor = self.supervisor
        fault, measurements = supervisor.fault, supervisor.measurements
        is_new = measurements is not None and measurements.are_new
        self.is_early = self.is_early and bool(fault) and is_new
        return (
            *(supervisor.has_target, supervisor.is_at_goal, supervisor.is_off_goal),
            *(supervisor.complaint, fault, self.is_early, supervisor.waits_for),
        )


class TickClock:
    """Turns the ticks of a timer into steps of a motion.

    On a real clock each tick stands for one period: a tick that comes late makes no longer step,
    and missed ticks are not made up for.

    On a simulated clock, which may move in strides longer than a period, a tick stands for the time
    since the one before. A stride more than twice as long as the one before it is a jump, and
    counts as no more than that; one back does not count at all.
    """

    def __init__(self) -> None:
        """Start before the first tick."""
        self._due: int | None = None
        self._stride = 0
        self._ticked = math.inf

    def step(self, due: int, period: float, is_simulated: bool) -> tuple[float, float]:
        """Return the time by which the motion goes on with a tick, and the time that passed, in s.

        The second one is longer where ticks were missed, or the clock jumped.

        Args:
            due: the time in ns for which the tick was due; on a simulated clock, its time.
            period: s between ticks.
            is_simulated: whether the clock is driven by messages.
        """
        stride = 0 if self._due is None else max(due - self._due, 0)
        longest = max(period, 2.0 * self._stride / BILLION)
        self._due, self._stride = due, stride
        elapsed = stride / BILLION
        return (min(elapsed, longest), elapsed) if is_simulated else (period, max(elapsed, period))

    def lost(self, steady: float, elapsed: float, period: float) -> float:
        """Return the s in which ticks were missed, if they are a fault; else 0.

        Args:
            steady: time of a steady clock in s.
            elapsed: s that passed by the clock, which stands while a simulation is paused.
            period: s between ticks.
        """
        before, self._ticked = self._ticked, steady
        gap = min(steady - before, elapsed)
        return gap if gap > max(LOST, 3.0 * period) else 0.0

    def since(self, now: int) -> float:
        """Return the time since the last tick was due in s; 0 before the first one.

        Args:
            now: time of the clock in ns.
        """
        return 0.0 if self._due is None else max(now - self._due, 0) / BILLION


def _refuse_echo(node: ParameterNode[Configuration]) -> None:
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

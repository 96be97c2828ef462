"""Driving of the arm: from answers to the commanded pose, tick by tick, and to the outputs."""

from __future__ import annotations

from collections.abc import Callable

from ik2d_ros.control.standing import Standing, has_departed
from ik2d_ros.motion.mover import Mover
from ik2d_ros.node.answer import Answer
from ik2d_ros.node.measured import Measured
from ik2d_ros.node.outputs import Outputs
from ik2d_ros.node.pace import Pace
from ik2d_ros.node.parameters import Configuration
from ik2d_ros.node.process_context import Commands
from ik2d_ros.ros import stamps
from ik2d_ros.ros.clock_watch import ClockWatch
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.tick_timer import TickTimer

TOGETHER = 0.25
"""Share of a period within which the pose for a target does for that of the tick, too."""


class Driver:
    """Moves the commanded pose to where the answers say, and publishes it at ``publish_rate``.

    Attributes:
        is_on_the_way: whether the arm is still moving to its goal.
        timer: calls the driver at ``publish_rate``.
    """

    def __init__(
        self,
        node: ParameterNode[Configuration],
        configuration: Configuration,
        clock_watch: ClockWatch,
        on_arrival: Callable[[], object],
        on_measured_change: Callable[[], object],
        commands: Commands | None = None,
    ) -> None:
        """Start to publish.

        Args:
            node: the node that drives.
            configuration: its parameters.
            clock_watch: knows whether its clock gives a time.
            on_arrival: called when the arm arrives at its goal, once for each motion.
            on_measured_change: called when the measured pose becomes known or unknown.
            commands: where commands go; None for the topic that the parameters name.

        Raises:
            ConfigError: a topic is refused.
        """
        self._node, self._configuration = node, configuration
        self._clock_watch = clock_watch
        self._on_arrival, self._on_measured_change = on_arrival, on_measured_change
        self._mover = Mover(configuration.arm)
        self._pace = Pace()
        self._measured = Measured(node, configuration, self._on_measured)
        self._standing = Standing(configuration.arm.units)
        self._outputs = Outputs(node, configuration, self._measured.first, commands)
        self._pose_times = stamps.Increasing()
        self.is_on_the_way = self._is_heard = False
        self._answered_at = -stamps.BILLION  # ns, when a pose was last published for a target
        self.timer = TickTimer(node, configuration.settings.publish_rate, self._tick)

    @property
    def fault(self) -> str:
        """Why the arm's true pose is not known; empty if it is, or if it does not matter."""
        return self._measured.fault

    @property
    def is_early(self) -> bool:
        """Whether the true pose was never known, but may be in a moment."""
        return self._measured.is_early

    @property
    def has_arrived(self) -> bool:
        """Whether the arm is at its goal, at rest."""
        return self._mover.arrived

    def configure(self, configuration: Configuration) -> None:
        """Take over new settings, and an arm with the same joints."""
        if configuration.arm.units != self._configuration.arm.units:
            self._standing = Standing(configuration.arm.units)
        self._configuration = configuration
        self._mover.configure(configuration.arm)
        self._measured.configure(configuration)
        self._outputs.configure(configuration)

    def restart_timer(self) -> None:
        """Publish at another rate."""
        self.timer.restart(self._configuration.settings.publish_rate)

    def start(self, goes_on: bool = False) -> tuple[float, ...]:
        """Return the pose (m,) where the next motion starts.

        It is the commanded pose, but before the first command, and where a standing arm was moved,
        the measured one. In motion, a servo is behind its command, and starting from there again
        with every target would slow it down.

        Args:
            goes_on: whether it is to the last target, to which the arm is on its way. It goes on to
                the pose that was found before: solved anew from wherever it is by then, the target
                would lead a redundant arm elsewhere each time, and it would never arrive.
        """
        if goes_on:
            return self._mover.goal
        measured = self._measured.pose()
        if measured is None:
            return self._commanded
        if not self._outputs.is_commanding:
            return measured
        return measured if self._standing.was_moved(measured) else self._commanded

    def follow(self, answer: Answer, is_new: bool) -> None:
        """Move as an answer says: to its pose, or not at all.

        Args:
            answer: the answer.
            is_new: whether it is to a new target, which may be one of a stream.
        """
        accepted, takes_time = answer.accepted, self._configuration.arm.has_motion_limits
        if accepted:
            if self._measured.is_used or not self._outputs.is_commanding:
                self._place()
            self._outputs.begin()  # to command, from now on
        if answer.goes:
            # An arm that does not move yet, or moves at once, follows no stream of targets.
            since = None
            if is_new and takes_time and self._outputs.may_move():
                since = self._pace.since(self._clock_watch.now())
            self._mover.aim(answer.positions, since)
        else:
            self._mover.halt()
        self.is_on_the_way = answer.goes and takes_time and not self._mover.arrived
        if accepted and not takes_time:
            self._answered_at = self._clock_watch.now()
            self.publish(now=self._answered_at)

    def publish(self, step: float = 0.0, now: int | None = None) -> None:
        """Publish the commanded pose.

        Args:
            step: s since the pose before.
            now: time of the clock in ns; None to look at it.
        """
        if now is None:
            now = self._clock_watch.now()
        if self._clock_watch.look(now):
            return  # Consumers drop a pose without a stamp.
        time = self._pose_times.after(now)
        if stamps.fault(time):
            return
        if self._measured.is_used:
            self._standing.look(self._commanded, self._measured.pose(), time / stamps.BILLION)
        self._outputs.publish(self._mover, time, step)

    @property
    def _commanded(self) -> tuple[float, ...]:
        return self._mover.state.positions

    def _place(self) -> None:
        """Let the commands begin where the arm is."""
        start = self.start()
        if start != self._commanded or not self._outputs.is_commanding:
            self._mover.place(start)
            self._outputs.restart()

    def _tick(self) -> None:
        """Go on with the motion, and publish where that leads."""
        now = self._clock_watch.now()
        if self._clock_watch.look(now):
            return
        period = 1.0 / self._configuration.settings.publish_rate
        is_simulated = self._clock_watch.is_simulated
        # Of a timer that is called late, the next call comes the sooner.
        due = now if is_simulated else now + self.timer.left - round(period * stamps.BILLION)
        step = self._pace.step(due, period, is_simulated)
        was_heard, self._is_heard = self._is_heard, self._outputs.may_move()
        if self._is_heard != was_heard:
            self._on_hearing()
        if self._is_heard:
            self._mover.advance(step.motion, step.elapsed)
        if not 0 <= now - self._answered_at < TOGETHER * period * stamps.BILLION:
            self.publish(step.motion)
        if self._is_heard and self.is_on_the_way and self._mover.arrived:
            self.is_on_the_way = False
            self._on_arrival()

    def _on_hearing(self) -> None:
        """Stand when the controller has ended; when there is one, go on from where the arm is."""
        if not self._is_heard:
            self._mover.place(self._commanded)
        elif self.is_on_the_way:
            pose, units = self._measured.pose() or self._commanded, self._configuration.arm.units
            if self._mover.arrived or has_departed(pose, self._commanded, units):
                self._mover.place(pose)
                self._outputs.restart()
                self._on_measured_change()

    def _on_measured(self) -> None:
        """Stop when the true pose is no longer known; go on from it when it is."""
        pose = self._measured.pose()
        if pose is None:
            self._mover.halt()
            self.is_on_the_way = False
        elif self._mover.arrived and has_departed(
            pose, self._commanded, self._configuration.arm.units
        ):
            self._mover.place(pose)
            self._outputs.restart()
        self._on_measured_change()

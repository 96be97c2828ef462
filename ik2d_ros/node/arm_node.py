"""The ROS node: it stores, calls and publishes; ``answer`` decides what it answers."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from builtin_interfaces.msg import Time

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.suspicion import suspicious_values
from ik2d_ros.motion import smooth
from ik2d_ros.node.answer import (
    Answer,
    Target,
    answer,
    described,
    no_clock,
    no_state,
    on_the_way,
    ready,
)
from ik2d_ros.node.driver import Driver
from ik2d_ros.node.explanation import load_solvers
from ik2d_ros.node.fleet_parameters import FLEET_PARAMETERS
from ik2d_ros.node.incoming import Incoming
from ik2d_ros.node.marker_publisher import AnsweredTarget, MarkerPublisher, Snapshot
from ik2d_ros.node.parameters import PARAMETERS, Configuration, configuration_from_parameters
from ik2d_ros.node.process_context import ProcessContext
from ik2d_ros.node.report import Report
from ik2d_ros.node.status import Statuses
from ik2d_ros.parameters.checks import ConfigError, listed
from ik2d_ros.parameters.table import Effect
from ik2d_ros.robot.described import with_description
from ik2d_ros.ros.advice import how_to_install
from ik2d_ros.ros.clock_watch import ClockWatch
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.stamps import stamp_at


class MissingJointsError(ConfigError):
    """The node was started without the parameter ``joints``.

    Attributes:
        node: full name of the node.
        given: names of the parameters that it was given.
    """

    def __init__(self, node: str, given: Sequence[str]) -> None:
        super().__init__(f"parameter 'joints' is missing; node '{node}' was given {list(given)}")
        self.node = node
        self.given = tuple(given)


class ArmNode(ParameterNode[Configuration]):
    """Moves the tip of a planar arm to targets, and reports the outcome.

    Raises:
        ConfigError: a parameter is refused; at construction only, a change at run time is
            answered with the message.
    """

    def __init__(
        self,
        defaults: Mapping[str, object] | None = None,
        context: ProcessContext | None = None,
    ) -> None:
        """Read the parameters and start.

        Args:
            defaults: values that take the place of the parameters' defaults.
            context: what it shares with other nodes of its process; None if it is alone.
        """
        context = context or ProcessContext()
        super().__init__(
            'ik2d',
            PARAMETERS,
            self._judged,
            neighbours=[FLEET_PARAMETERS],
            defaults=defaults,
            complete=self._completed,
            arguments=context.arguments,
            first=context.first,
        )
        self._goal: _Goal | None = None
        self._postponed: Target | None = None
        self._shown: Report | None = None  # of the target in the markers
        self._clock_watch = ClockWatch(self, self._on_senses)
        self._driver = Driver(
            self,
            self.settings,
            self._clock_watch,
            self._on_arrival,
            self._on_senses,
            context.commands,
        )
        self._statuses = Statuses(self, self.settings.arm.base_frame)
        self._incoming = Incoming(
            self,
            context.frames(self),
            self._clock_watch,
            lambda: self._driver.fault,
            self._answer_target,
            self._answer_query,
        )
        self._incoming.start(context.turns, self._driver.timer)
        self._configure(self.settings)
        self._markers = MarkerPublisher(self, self._snapshot)
        self._driver.publish()
        self._on_senses()
        self._log_start()
        # In a thread, as the next ticks are due by now.
        threading.Thread(target=load_solvers, args=(self.settings.arm,), daemon=True).start()

    def _answer_target(self, target: Target) -> None:
        result = self._answer(target)
        if result.postponed:
            self._postponed = target
            if self._driver.is_early and not self._clock_watch.fault:
                return  # it is told when the pose is known, or missed
        told = self._follow(result, is_new=True)
        if result.accepted:
            self._postponed = None
            self._goal = _Goal(target, result.report, told)
        self._publish_status(told, target.stamp)
        self.debug(lambda: described(target, result))

    def _answer_query(self, target: Target) -> None:
        result = self._answer(target, moves=False)
        self._statuses.answer_query(result.report, target.stamp)
        self.debug(lambda: described(target, result))

    def on_change(self, effects: frozenset[Effect]) -> None:
        """Apply new settings: clamp the pose to the limits, and solve the last target again.

        Args:
            effects: what the changed parameters affect.
        """
        self._configure(self.settings)
        if Effect.PUBLISHING in effects:
            self._driver.restart_timer()
        if Effect.SOLVING not in effects:
            return
        if self._goal is None or self._clock_watch.look() or self._driver.fault:
            self._driver.publish()
            return
        before = self._goal.told
        self._goal = self._solve_again(self._goal)
        if not self._goal.told.says_the_same(before):
            self._publish_status(self._goal.told, self._goal.target.stamp)

    def _solve_again(self, goal: _Goal) -> _Goal:
        place, direction = goal.target.in_base()
        target = Target(place, direction=direction)
        result = self._answer(target)
        self.debug(lambda: described(target, result))
        return goal._replace(report=result.report, told=self._follow(result, is_new=False))

    def _follow(self, result: Answer, is_new: bool) -> Report:
        """Move as an answer says, and return what to tell of it now."""
        self._driver.follow(result, is_new)
        report = result.report
        if self._driver.is_on_the_way:
            return on_the_way(report)
        # An arm that holds where it was told to go may still have to brake.
        if report.at_goal and not (result.goes or self._driver.has_arrived):
            return report._replace(at_goal=False)
        return report

    def _on_arrival(self) -> None:
        goal = self._goal
        if goal is not None:
            self._goal = goal._replace(told=goal.report)
            self._publish_status(goal.report, goal.target.stamp)

    def _on_senses(self) -> None:
        """Hold when the clock or the true pose is lost; once both are there, go on.

        The waiting target is answered then, or the last one again. Right after the start, nothing
        is said of a pose that may be known in a moment.
        """
        asked, goal = self._postponed, self._goal
        if self._clock_watch.fault:
            self._statuses.publish(no_clock(self._clock_watch.fault), self._stamp_of_last())
        elif self._driver.is_early:
            return
        elif asked is not None:
            # Not through the line of those that wait for transforms: they are newer.
            self._answer_target(self._incoming.updated(asked))
        elif self._driver.fault:
            self._statuses.publish(no_state(self._driver.fault), self._stamp_of_last())
        elif goal is not None:
            self._goal = self._solve_again(goal)
            self._publish_status(self._goal.told, goal.target.stamp)
        else:
            self._statuses.publish(ready(), self._stamp_of_last())

    def _stamp_of_last(self) -> Time | None:
        """Return the stamp of the last solved target, or the current time if there is none."""
        if self._goal is not None:
            return self._goal.target.stamp
        return stamp_at(self._clock_watch.now())

    def _completed(self, given: Mapping[str, object]) -> Mapping[str, object]:
        completed, remarks = with_description(given)
        for remark in remarks:
            text = f'robot_description: {remark.text}'
            if remark.doubt:  # not one call: each place in the code has one level
                self.get_logger().warning(text)
            else:
                self.get_logger().info(text)
        return completed

    def _judged(self, values: Mapping[str, object]) -> Configuration:
        if 'joints' not in values:
            raise MissingJointsError(self.get_fully_qualified_name(), self.given)
        configuration = configuration_from_parameters(values)
        _check_motion(configuration.arm)
        return configuration

    def _configure(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._driver.configure(configuration)
        self._incoming.configure(configuration.arm.base_frame, configuration.settings.tf_timeout)

    def _answer(self, target: Target, moves: bool = True) -> Answer:
        goal = self._goal
        goes_on = (
            goal is not None and self._driver.is_on_the_way and goal.target.asks_the_same(target)
        )
        return answer(target, self._configuration, self._driver.start(goes_on), moves)

    def _snapshot(self) -> Snapshot:
        shown = self._shown and AnsweredTarget(self._shown.code, self._shown.place)
        return Snapshot(self._configuration.arm, self._driver.start(), shown)

    def _publish_status(self, report: Report, stamp: Time | None) -> None:
        self._shown = report
        self._statuses.answer_target(report, stamp)

    def _log_start(self) -> None:
        arm = self._configuration.arm
        for text in suspicious_values(arm):
            self.get_logger().warning(text)
        self.get_logger().info(
            f'ready: joints {listed(arm.names)}; reach {arm.chain.reach.inner:.4g} m to '
            f'{arm.chain.reach.outer:.4g} m; targets on {self.resolve_topic_name("~/target")} '
            f"in frame '{arm.base_frame}'"
        )
        if self._configuration.drive.command_out_type and not arm.has_motion_limits:
            self.get_logger().warning(
                'no joint has a max_velocity: the controller is commanded to be at each target '
                'within one period of publish_rate'
            )


class _Goal(NamedTuple):
    """The last solved target.

    Attributes:
        target: the target, whose frame is known.
        report: the status of it once the arm is there.
        told: the status that was published.
    """

    target: Target
    report: Report
    told: Report


def _check_motion(arm: ArmDescription) -> None:
    """Check that what the motion limits need is installed.

    Raises:
        ConfigError: it is not; the message names the parameter that needs it.
    """
    if not smooth.is_needed(arm.motion) or smooth.is_available():
        return
    name, value = next(
        (f'{prefix}.{field}', value)
        for prefix, limits in zip(arm.prefixes, arm.motion, strict=True)
        for field, value in (
            ('max_acceleration', limits.acceleration),
            ('max_jerk', limits.jerk),
        )
        if value is not None
    )
    raise ConfigError(
        f"parameter '{name}' is {value}, which needs the Python package ruckig (the "
        "extra 'motion'), and that is not installed; leave out max_acceleration and max_jerk of "
        f'all joints, or: {how_to_install("ruckig", "ik2d_ros.node")}'
    )

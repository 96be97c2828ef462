"""The ROS node: it stores, calls and publishes; ``answer`` decides what it answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from builtin_interfaces.msg import Time as TimeMessage
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PointStamped
from rclpy.clock import Clock, ClockType, ROSClock
from rclpy.timer import Timer

from ik2d_ros.arm.plane import Vector, plane_from_pose
from ik2d_ros.control.standing import Standing, has_departed
from ik2d_ros.motion.mover import Mover
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
from ik2d_ros.node.frames import Frames, Lookup, NoTransformError
from ik2d_ros.node.installed import check_motion
from ik2d_ros.node.marker_publisher import MarkerPublisher
from ik2d_ros.node.markers import AnsweredTarget, Snapshot
from ik2d_ros.node.measured import Measured
from ik2d_ros.node.outcome import Code, Level
from ik2d_ros.node.outputs import Outputs
from ik2d_ros.node.pace import Pace
from ik2d_ros.node.parameters import PARAMETERS, Configuration, configuration_from_parameters
from ik2d_ros.node.report import Report
from ik2d_ros.node.waiting import WaitingLine
from ik2d_ros.parameters.checks import ConfigError, listed
from ik2d_ros.parameters.table import Effect
from ik2d_ros.ros import qos, stamps
from ik2d_ros.ros.clock_watch import ClockWatch
from ik2d_ros.ros.parameter_node import ParameterNode

SECONDS_BETWEEN_LOGS = 1.0

# A status is repeated after this time without a new one: a diagnostic aggregator reports as stale
# what was silent for a few seconds.
REPEAT_AFTER = 0.6  # s
REPEAT_PERIOD = 0.2  # s between checks; the sum stays below a second

TRANSFORM_PERIOD = 0.01  # s between looks for the transforms of waiting targets

LATE = 0.75  # a tick is late if less than this share of its period is left


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

    def __init__(self, defaults: Mapping[str, object] | None = None) -> None:
        """Read the parameters and start.

        Args:
            defaults: values that take the place of the parameters' defaults.
        """
        super().__init__('ik2d', PARAMETERS, self._judged, defaults=defaults)
        self._mover = Mover(self.settings.arm)
        self._pace = Pace()
        self._is_on_the_way = False
        self._measured = Measured(self, self.settings, self._on_measured_change)
        self._standing = Standing()
        self._outputs = Outputs(self, self.settings, self._measured.first)
        self._configure(self.settings)
        self._goal: _Goal | None = None
        self._postponed: PointStamped | None = None
        self._pose_times = stamps.Increasing()
        self._shown_target: AnsweredTarget | None = None
        self._logged_code: Code | None = None
        self._logged_at = -SECONDS_BETWEEN_LOGS
        self._told: DiagnosticArray | None = None
        self._told_at = 0.0

        self._status = self.create_publisher(DiagnosticArray, '~/status', qos.EACH_KEPT)
        self._query_status = self.create_publisher(DiagnosticArray, '~/query_status', qos.EACH)
        self._frames = Frames(partial(_load_tf, self))
        self._targets = WaitingLine(self._target_of, self._answer_target, self._gives_up_at, True)
        self._queries = WaitingLine(self._target_of, self._answer_query, self._gives_up_at, False)
        self.subscribe_overridable(PointStamped, '~/target', self._on_target, qos.LATEST)
        self.create_subscription(PointStamped, '~/query', self._on_query, qos.EACH)
        self._timer = self._create_timer()
        self._clock_watch = ClockWatch(self, self._on_senses)
        # Steady, so that a paused simulation does not make the node look dead.
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(REPEAT_PERIOD, self._repeat_status, clock=steady)
        self._transform_timer = self.create_timer(
            TRANSFORM_PERIOD, self._look_for_transforms, clock=steady
        )
        self._transform_timer.cancel()
        self._markers = MarkerPublisher(self, self._snapshot)
        self._publish_pose()
        self._on_senses()
        self._log_start()

    def _on_target(self, message: PointStamped) -> None:
        self._targets.add(self._arrival(message))
        self._wait_for_transforms()

    def _on_query(self, message: PointStamped) -> None:
        self._queries.add(self._arrival(message))
        self._wait_for_transforms()

    def _answer_target(self, arrival: _Arrival, target: Target) -> None:
        result = self._answer(target)
        if result.postponed:
            self._postponed = arrival.message
        if result.accepted:
            self._postponed = None
        since = self._pace.since(self.get_clock().now().nanoseconds)
        # An arm that does not move yet follows no stream of targets.
        told = self._follow(result, since if self._outputs.may_move() else None)
        if result.accepted:
            self._goal = _Goal(target.in_base, arrival.stamp, result.report, told)
        self._publish_status(told, arrival.stamp)

    def _answer_query(self, arrival: _Arrival, target: Target) -> None:
        report = self._answer(target, moves=False).report
        self._query_status.publish(self._diagnostics(report, arrival.stamp))

    def _look_for_transforms(self) -> None:
        self._targets.look()
        self._queries.look()
        self._wait_for_transforms()

    def _wait_for_transforms(self) -> None:
        """Let the timer run while anything waits for a transform."""
        if self._targets.is_empty and self._queries.is_empty:
            self._transform_timer.cancel()
        elif self._transform_timer.is_canceled():
            self._transform_timer.reset()

    def _gives_up_at(self, arrival: float) -> float:
        return self._frames.gives_up_at(arrival, self._configuration.settings.tf_timeout)

    def on_change(self, effects: frozenset[Effect]) -> None:
        """Apply new settings: clamp the pose to the limits, and solve the last target again.

        Args:
            effects: what the changed parameters affect.
        """
        self._configure(self.settings)
        if Effect.PUBLISHING in effects:
            self.destroy_timer(self._timer)
            self._timer = self._create_timer()
        if Effect.SOLVING not in effects:
            return
        if self._goal is None or self._clock_watch.look() or self._measured.fault:
            self._publish_pose()
            return
        before = self._goal.told
        self._goal = self._solve_again(self._goal)
        if not self._goal.told.says_the_same(before):
            self._publish_status(self._goal.told, self._goal.stamp)

    def _solve_again(self, goal: _Goal) -> _Goal:
        result = self._answer(Target(goal.point))
        return goal._replace(report=result.report, told=self._follow(result))

    def _follow(self, result: Answer, since: float | None = None) -> Report:
        """Move as an answer says, and return what to tell of it now."""
        if result.accepted:
            self._begin()
        if result.goes:
            self._mover.aim(result.positions, since)
        else:
            self._mover.halt()
        self._is_on_the_way = result.goes and not self._mover.arrived
        if result.accepted and not self._configuration.arm.has_motion_limits:
            self._publish_pose()
        if self._is_on_the_way:
            return on_the_way(result.report)
        at_goal = result.report.at_goal and self._mover.arrived
        return replace(result.report, at_goal=at_goal)

    def _on_measured_change(self) -> None:
        """Stop when the true pose is no longer known; go on from it when it is."""
        pose = self._measured.pose()
        if pose is None:
            self._mover.halt()
            self._is_on_the_way = False
        elif self._mover.arrived and has_departed(pose, self._commanded):
            self._mover.place(pose)
            self._outputs.restart()
        self._on_senses()

    def _on_senses(self) -> None:
        """Hold when the clock or the true pose is lost; once both are there, go on.

        The waiting target is answered then, or the last one again.
        """
        message, goal = self._postponed, self._goal
        if self._clock_watch.fault:
            self._tell(no_clock(self._clock_watch.fault), self._stamp_of_last())
        elif self._measured.fault:
            self._tell(no_state(self._measured.fault), self._stamp_of_last())
        elif message is not None:
            # Not through the line of those that wait for transforms: they are newer.
            arrival = self._arrival(message)
            self._answer_target(arrival, self._target_of(arrival))
        elif goal is not None:
            self._goal = self._solve_again(goal)
            self._publish_status(self._goal.told, goal.stamp)
        else:
            self._tell(ready(), self._stamp_of_last())

    def _stamp_of_last(self) -> TimeMessage:
        """Return the stamp of the last solved target, or the current time if there is none."""
        if self._goal is not None:
            return self._goal.stamp
        return stamps.stamp_at(self.get_clock().now().nanoseconds) or TimeMessage()

    def _judged(self, values: Mapping[str, object]) -> Configuration:
        if 'joints' not in values:
            raise MissingJointsError(self.get_fully_qualified_name(), self.given)
        configuration = configuration_from_parameters(values)
        check_motion(configuration.arm)
        return configuration

    def _configure(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._mover.configure(configuration.arm)
        self._measured.configure(configuration)
        self._outputs.configure(configuration)
        self._plane = plane_from_pose(configuration.arm.base_xyz, configuration.arm.base_rpy)

    def _create_timer(self) -> Timer:
        period = 1.0 / self._configuration.settings.publish_rate
        return self.create_timer(period, self._tick)

    def _arrival(self, message: PointStamped) -> _Arrival:
        # Unchanged to the bit: clients identify their target by it.
        stamp = stamps.copied(message.header.stamp)
        if not (stamp.sec or stamp.nanosec):
            stamp = stamps.stamp_at(self.get_clock().now().nanoseconds) or stamp
        return _Arrival(message, stamp)

    def _target_of(self, arrival: _Arrival) -> Target:
        """Return a target as plain data, as it is now: its age, and whether its frame is known."""
        message, stamp = arrival
        now, time_of_stamp = self.get_clock().now().nanoseconds, stamps.nanoseconds(stamp)
        point = message.point
        clock_fault = self._clock_watch.look()
        target = Target(
            point=(point.x, point.y, point.z),
            frame_id=message.header.frame_id,
            age=0.0 if clock_fault else (now - time_of_stamp) * 1e-9,
            stamp_fault=stamps.fault(time_of_stamp),
            clock_fault=clock_fault,
            state_fault=self._measured.fault,
        )
        base_frame = self._configuration.arm.base_frame
        if target.stamp_fault or not target.is_finite or target.is_in(base_frame):
            return target
        try:
            # A target without a stamp means the latest transform.
            time_of_frame = stamps.nanoseconds(message.header.stamp)
            return replace(
                target, frame=self._frames.pose(target.frame_id, base_frame, time_of_frame)
            )
        except NoTransformError as error:
            return replace(target, frame_fault=str(error))

    def _answer(self, target: Target, moves: bool = True) -> Answer:
        result = answer(target, self._configuration, self._plane, self._start(), moves)
        self.debug(lambda: described(target, result))
        return result

    @property
    def _commanded(self) -> tuple[float, ...]:
        return self._mover.state.positions

    def _start(self) -> tuple[float, ...]:
        """Return where the next motion starts, in rad.

        It is the commanded pose, but before the first command, and where a standing arm was moved,
        the measured one. In motion, a servo is behind its command, and starting from there again
        with every target would slow it down.
        """
        measured = self._measured.pose()
        if measured is None:
            return self._commanded
        if not self._outputs.is_commanding:
            return measured
        return measured if self._standing.was_moved(measured) else self._commanded

    def _begin(self) -> None:
        """Command from now on, from where the arm is."""
        start = self._start()
        if start != self._commanded or not self._outputs.is_commanding:
            self._mover.place(start)
            self._outputs.restart()
        self._outputs.begin()

    def _tick(self) -> None:
        """Go on with the motion, and publish where that leads."""
        if self._clock_watch.look():
            return
        clock = self.get_clock()
        now, period = clock.now().nanoseconds, 1.0 / self._configuration.settings.publish_rate
        is_simulated = isinstance(clock, ROSClock) and clock.ros_time_is_active
        # Of a timer that is called late, the next call comes the sooner.
        left = self._timer.time_until_next_call() or 0
        due = now if is_simulated else now + left - round(period * stamps.BILLION)
        if not is_simulated and left < LATE * period * stamps.BILLION:
            # Otherwise two commands, of a period each, could come at the same time: the controller
            # would carry them out in one step.
            self._timer.reset()
        step = self._pace.step(due, period, is_simulated)
        if self._outputs.may_move():
            self._mover.advance(step.motion, step.elapsed)
        self._publish_pose(step.motion)
        goal = self._goal
        if self._is_on_the_way and goal is not None and self._mover.arrived:
            self._is_on_the_way = False
            self._goal = goal._replace(told=goal.report)
            self._publish_status(goal.report, goal.stamp)

    def _publish_pose(self, step: float = 0.0) -> None:
        """Publish the commanded pose.

        Args:
            step: s since the pose before.
        """
        if self._clock_watch.look():
            return  # Consumers drop a pose without a stamp.
        stamp = stamps.stamp_at(self._pose_times.after(self.get_clock().now().nanoseconds))
        if stamp is None:
            return
        now = stamps.nanoseconds(stamp) / stamps.BILLION
        self._standing.look(self._commanded, self._measured.pose(), now)
        self._outputs.publish(self._mover.state, self._mover.arrived, stamp, step)

    def _snapshot(self) -> Snapshot:
        return Snapshot(self._configuration.arm, self._plane, self._start(), self._shown_target)

    def _publish_status(self, report: Report, stamp: TimeMessage) -> None:
        self._shown_target = AnsweredTarget(report.code, report.point, self._plane)
        self._tell(report, stamp)
        self._log(report)

    def _tell(self, report: Report, stamp: TimeMessage) -> None:
        self._told = self._diagnostics(report, stamp)
        self._send_status(self._told)

    def _repeat_status(self) -> None:
        """Publish the last status again, unchanged."""
        if self._told is not None and time.monotonic() - self._told_at >= REPEAT_AFTER:
            self._send_status(self._told)

    def _send_status(self, message: DiagnosticArray) -> None:
        self._told_at = time.monotonic()
        self._status.publish(message)

    def _diagnostics(self, report: Report, stamp: TimeMessage) -> DiagnosticArray:
        message = DiagnosticArray()
        message.header.stamp = stamp
        message.header.frame_id = self._configuration.arm.base_frame
        status = DiagnosticStatus(
            level=bytes([report.code.level]),
            name=f'{self.get_fully_qualified_name().lstrip("/")}: reachability',
            message=f'{report.message}{self.faults.remark()}',
            hardware_id=self.get_fully_qualified_name(),
            values=[KeyValue(key=key, value=value) for key, value in report.values()],
        )
        message.status = [status]
        return message

    def _log(self, report: Report) -> None:
        """Log changes of the code, at most once a second."""
        now = time.monotonic()
        if report.code is self._logged_code or now - self._logged_at < SECONDS_BETWEEN_LOGS:
            return
        if self._logged_code is None and report.code.level is Level.OK:
            return  # Success is worth logging only after a failure.
        self._logged_code, self._logged_at = report.code, now
        text = f'{report.code.name}: {report.message}'
        if report.code.level is Level.OK:
            self.get_logger().info(text)
        else:
            self.get_logger().warning(text)

    def _log_start(self) -> None:
        arm = self._configuration.arm
        self.get_logger().info(
            f'ready: joints {listed(arm.chain.names)}; reach {arm.chain.reach.inner:.4g} m to '
            f'{arm.chain.reach.outer:.4g} m; targets on {self.resolve_topic_name("~/target")} '
            f"in frame '{arm.base_frame}'"
        )
        if self._configuration.drive.command_out_type and not arm.has_motion_limits:
            self.get_logger().warning(
                'no joint has a max_velocity: the controller is commanded to be at each target '
                'within one period of publish_rate'
            )


def _load_tf(node: ArmNode) -> Callable[[], Lookup]:
    from ik2d_ros.node.tf_listener import TfListener  # noqa: PLC0415  # slow, and may be missing

    return partial(TfListener, node)


class _Arrival(NamedTuple):
    """A target or query, and its stamp, by default the time of its arrival."""

    message: PointStamped
    stamp: TimeMessage


class _Goal(NamedTuple):
    """The last solved target.

    Attributes:
        point: x, y, z in m in the base frame.
        stamp: its stamp.
        report: the status of it once the arm is there.
        told: the status that was published.
    """

    point: Vector
    stamp: TimeMessage
    report: Report
    told: Report

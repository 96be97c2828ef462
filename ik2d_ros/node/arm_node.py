"""The ROS node: it stores, calls and publishes; ``answer.py`` decides on the answers."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from builtin_interfaces.msg import Time
from std_srvs.srv import Trigger

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.suspicion import suspicious_values
from ik2d_ros.kinematics.kernel import kernel_name
from ik2d_ros.kinematics.pointing import angle_refusal
from ik2d_ros.motion import smooth
from ik2d_ros.node.driver import Driver
from ik2d_ros.node.incoming import Incoming, Shared, with_points
from ik2d_ros.node.markers import MarkerPublisher, Snapshot
from ik2d_ros.node.status import Statuses
from ik2d_ros.parameters.checks import ConfigError, listed, refuse
from ik2d_ros.parameters.table import Effect
from ik2d_ros.pilot.answer import Answer, Target, answer, under_way, without_target
from ik2d_ros.pilot.outcome import Code
from ik2d_ros.pilot.parameters import (
    FLEET_PARAMETERS,
    PARAMETERS,
    Configuration,
    configuration_from_parameters,
)
from ik2d_ros.pilot.path_answer import answer_path
from ik2d_ros.pilot.report import Report
from ik2d_ros.robot.from_urdf import with_description
from ik2d_ros.ros.clock_watch import ClockWatch
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.stamps import stamp_at

if TYPE_CHECKING:
    from ik2d_ros.node.merge_node import MergeNode

REPEAT_PERIOD = 0.6  # s; a diagnostic aggregator calls a status stale after a few seconds


class ArmNode(ParameterNode[Configuration]):
    """Moves the tip of a planar arm to targets, and reports the outcome.

    Attributes:
        shared: what the arms of a process share.

    Raises:
        ConfigError: a parameter is refused; at construction only, a change at run time is
            answered with the message.
    """

    def __init__(
        self,
        defaults: Mapping[str, object] | None = None,
        arguments: Sequence[str] = (),
        first: ArmNode | None = None,
        merger: MergeNode | None = None,
    ) -> None:
        """Read the parameters and start.

        Args:
            defaults: values that take the place of the parameters' defaults.
            arguments: ROS arguments for this node alone, such as its namespace.
            first: the first arm of the process; None for that arm itself.
            merger: sends its commands with the others'; None if it sends its own.
        """
        super().__init__(
            'ik2d',
            PARAMETERS,
            self._judged,
            neighbours=[FLEET_PARAMETERS],
            defaults=defaults,
            complete=self._completed,
            arguments=arguments,
            first=first,
        )
        self.shared: Shared = Shared() if first is None else first.shared
        self._goal: Answer | None = None  # to the last target that was solved
        self._refusal: Report | None = None  # of a target after that
        self._judging: Target | None = None  # a path, in the worker
        self._waiting: Target | None = None  # for the measured pose, or the time
        self._was_placed, self._faults = False, (False, 0)  # when this looked last
        self._stamp: Time | None = None  # of the last target
        self._doubts: list[str] = []  # of the arm, as they were logged
        self._clock_watch = ClockWatch(self, self._update)
        watch = self._clock_watch
        self._driver = Driver(self, watch, self._update, merger)
        self._statuses = Statuses(self, self.settings.arm.base_frame)
        self._incoming = Incoming(
            self,
            watch,
            self._driver,
            self._answer_target,
            self._answer_query,
            self.shared,
        )
        self._configure()
        self._markers = MarkerPublisher(self, self._snapshot)
        self.create_service(Trigger, '~/stop', self._stop)
        self.create_service(Trigger, '~/home', self._go_home)
        self.poll_every(REPEAT_PERIOD, self._refresh)
        self._driver.publish()
        self._update()
        self._log_start()

    def _answer_target(self, target: Target) -> None:
        self._judging = target if target.message else None
        if not target.message:
            self._take(self._answer(target))
            return
        configuration, start = self.settings, self._driver.supervisor.start()

        def work() -> Answer | None:
            if self._judging is not target:
                return None
            return answer_path(with_points(target), configuration, start)

        def take(result: Answer | None) -> None:
            if result is None or self._judging is not target:
                return
            self._judging = None
            is_known = not (self._clock_watch.fault_at() or self._driver.supervisor.fault)
            if configuration is self.settings and (is_known or not result.goes):
                self._take(result)
            else:
                self._answer_target(self._incoming.updated(target))

        self._incoming.worker.add(work, take)

    def _take(self, result: Answer) -> None:
        """Follow the answer to a target, and tell it."""
        target = result.target
        if result.accepted:
            self._waiting = None
        if result.postponed and not self._driver.was_placed:
            self._waiting, self._stamp = target, target.stamp
            if self._driver.is_early and not self._clock_watch.fault:
                return  # it is told when the pose is known, or missed
        self._driver.follow(result, is_new=True)
        if result.accepted:
            is_end = result.report.code is Code.READY  # of a path
            self._goal, self._refusal = None if is_end else result, None
        elif not result.postponed:
            self._refusal = result.report
        self._stamp = target.stamp
        self._publish_status(self._report() if result.accepted else result.report)
        self.debug(result.described)

    def _answer_query(self, target: Target) -> None:
        if not target.message:
            self._tell(self._answer(target, moves=False))
            return
        configuration, start = self.settings, self._driver.supervisor.start()
        self._incoming.worker.add(
            lambda: answer_path(with_points(target), configuration, start, moves=False), self._tell
        )

    def _tell(self, result: Answer) -> None:
        """Tell the answer to a query."""
        self._statuses.answer_query(result.report, result.target.stamp)
        self.debug(result.described)

    def on_change(self, effects: frozenset[Effect]) -> None:
        """Apply new settings: clamp the pose to the limits, and solve the last target again.

        Args:
            effects: the effects of the changed parameters.
        """
        self._configure()
        if Effect.PUBLISHING in effects:
            self._driver.restart_timer()
        if Effect.SOLVING not in effects:
            return
        goal, supervisor = self._goal, self._driver.supervisor
        if goal is None or self._clock_watch.fault_at() or supervisor.fault:
            self._driver.publish()
            return
        if goal.judged is not None:  # for another arm, or another solver
            if supervisor.is_under_way:
                self._goal = None
                supervisor.stop()
                self._update()
            return
        place, direction = goal.target.in_base()
        result = self._answer(Target(place, direction=direction, stamp=goal.target.stamp))
        self._goal, self._refusal = result, None
        self._driver.follow(result, is_new=False)
        self.debug(result.described)
        report = self._report()
        told = self._statuses.last
        if told is None or not report.says_the_same(told):
            self._stamp = result.target.stamp
            self._publish_status(report)

    def stop(self) -> bool:
        """Brake; returns whether the arm stands."""
        self._driver.supervisor.stop()
        return self._driver.supervisor.is_at_rest

    def _stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._goal = self._refusal = None
        self._forget_waiting()
        is_at_rest = self.stop()
        self._update()
        arm, supervisor = self.settings.arm, self._driver.supervisor
        pose = supervisor.arm.goal if supervisor.is_commanding else supervisor.start()
        tip = ', '.join(f'{x:.4g}' for x in arm.kinematics.forward(pose))
        joints = ', '.join(f'{name} {q:.4g}' for name, q in zip(arm.names, pose, strict=True))
        stands = 'The arm stands' if is_at_rest else 'The arm brakes. It will stand'
        response.success = True
        response.message = f'{stands} with its tip at ({tip}) m, {joints}.'
        if supervisor.fault:
            response.message = f'Where the arm stands is unknown: {supervisor.fault}.'
        return response

    def _go_home(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._forget_waiting()
        arm = self.settings.arm
        x, y, z = arm.kinematics.forward(arm.home).tolist()
        home = Target((x, y, z), stamp=Time(), pose=arm.home)
        result = self._answer(self._incoming.updated(home))
        self._take(result)
        if not result.accepted:
            self._waiting = None  # a refused call must not move the arm later
        response.success, response.message = result.accepted, result.report.message
        return response

    def _update(self) -> None:
        """Tell a change of the motion, the measured pose or the clock.

        A target that waits for the pose or the time is answered once both are known. Right after
        the start, an unknown pose is not reported yet: it may be known in a moment.
        """
        supervisor, fault = self._driver.supervisor, self._clock_watch.fault_at()
        if fault:
            supervisor.lose_clock()
        is_lost = bool(self._goal and self._goal.goes and not supervisor.has_target)
        if is_lost if self._refusal is None else (fault or supervisor.fault):
            self._goal = self._refusal = None
        faults = bool(fault or supervisor.fault), supervisor.faults
        if self._was_placed and faults != self._faults:
            self._forget_waiting()
        self._was_placed = self._driver.was_placed and (self._was_placed or not faults[0])
        self._faults = faults
        waiting = self._waiting
        if self._driver.is_early and not fault:
            return
        if waiting is not None and not (fault or supervisor.fault):
            # Targets that wait for their transforms are newer: this one goes ahead of them.
            self._waiting = None
            self._answer_target(self._incoming.updated(waiting))
        else:
            self._publish_status(self._report(fault))

    def _forget_waiting(self) -> None:
        """Forget the targets that are not answered yet; the next status is the newest one's."""
        forgotten = self._incoming.forget_targets() or self._judging or self._waiting
        if forgotten is not None:
            self._stamp = forgotten.stamp
        self._judging = self._waiting = None

    def _refresh(self) -> None:
        """Repeat the status, with the present distance from the target."""
        supervisor = self._driver.supervisor
        changes = supervisor.is_under_way or supervisor.measured is not None
        if self._goal is not None and self._refusal is None and changes:
            self._publish_status(self._report(self._clock_watch.fault_at()))
        else:
            self._statuses.repeat()

    def _report(self, clock_fault: str = '') -> Report:
        """Return the present status.

        Args:
            clock_fault: what is wrong with the clock; empty for nothing.
        """
        supervisor, goal = self._driver.supervisor, self._goal
        if clock_fault:
            return without_target(Code.NO_CLOCK, clock_fault)
        if supervisor.fault:
            return without_target(Code.NO_STATE, supervisor.fault)
        if self._refusal is not None:
            return self._refusal
        if goal is None:
            code = Code.NOT_FOLLOWING if supervisor.complaint else Code.READY
            return without_target(code, supervisor.complaint)
        report, arm, measured = goal.report, self.settings.arm, supervisor.measured
        if measured is not None:
            tip = arm.kinematics.forward(measured[: len(arm.names)])
            report = report._replace(measured_error=math.dist(tip, report.place))
        judged = goal.judged
        if judged is not None:
            report = report._replace(path_progress=judged.progress(supervisor.arm.way_time))
        if not goal.goes:
            # An arm that is told to hold may still have to brake.
            return report._replace(at_goal=report.at_goal and supervisor.is_at_rest)
        if supervisor.is_at_goal:
            return report
        if judged is not None and not supervisor.is_off_goal:
            return under_way(report, judged.left(supervisor.arm.way_time))
        ends = supervisor.start() if measured is None else measured, goal.positions
        left = math.dist(*(arm.kinematics.forward(pose[: len(arm.names)]) for pose in ends))
        return under_way(report, left, supervisor.is_off_goal, supervisor.waits_for)

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
            node = self.get_fully_qualified_name()
            raise ConfigError(
                f"parameter 'joints' is missing: no parameter file with an arm reached node "
                f"'{node}'; start it with: ik2d_node --ros-args --params-file FILE, where the "
                f"parameters must be under '/**:' (any node) or '{node}:', and there under "
                "'ros__parameters:'"
            )
        configuration = configuration_from_parameters(values)
        _check_motion(configuration.arm)
        if hasattr(self, '_driver') and (
            problem := self._driver.supervisor.refusal(configuration.arm)
        ):
            raise ConfigError(problem)
        return configuration

    def _configure(self) -> None:
        arm = self.settings.arm
        before, self._doubts = self._doubts, [*suspicious_values(arm)]
        for text in self._doubts:
            if text not in before:
                self.get_logger().warning(text)
        if not angle_refusal(arm.chain):
            # No target waits for these tables; in a thread, as the next ticks may be due.
            prepare = arm.chain.solver.solver.prepare_angles
            threading.Thread(target=prepare, daemon=True).start()
        self._driver.configure()

    def _answer(self, target: Target, moves: bool = True) -> Answer:
        goal, supervisor = self._goal, self._driver.supervisor
        start = supervisor.start()
        # The same target, solved anew from the present pose, would lead a redundant arm elsewhere
        # each time, and it would never arrive.
        if goal and supervisor.is_under_way and goal.target.asks_the_same(target):
            start = goal.positions
        return answer(target, self.settings, start, moves)

    def _snapshot(self) -> Snapshot:
        arm, start = self.settings.arm, self._driver.supervisor.start()
        told = self._statuses.last
        if self._stamp is None or told is None:
            return Snapshot(arm, start)
        path = self._goal.judged if self._goal and self._refusal is None else None
        return Snapshot(arm, start, told.code, told.place, path)

    def _publish_status(self, report: Report) -> None:
        self._statuses.answer_target(report, self._stamp or stamp_at(self._clock_watch.now()))

    def _log_start(self) -> None:
        arm, logger = self.settings.arm, self.get_logger()
        logger.info(
            f'ready: joints {listed(arm.names)}; reach {arm.chain.reach.inner:.4g} m to '
            f'{arm.chain.reach.outer:.4g} m; targets on {self.resolve_topic_name("~/target")} '
            f"in frame '{arm.base_frame}'; solver: {kernel_name()}"
        )
        drive = self.settings.drive
        is_at_once = not (drive.use_measured_state or arm.has_motion_limits)
        if drive.command_out_type and is_at_once:
            logger.warning(
                'no joint has a max_velocity: the controller is commanded to be at each target '
                'within one period of publish_rate'
            )


def _check_motion(arm: ArmDescription) -> None:
    """Check that the package for the motion limits is installed.

    Raises:
        ConfigError: it is not; the message names the parameter that needs it.
    """
    if not smooth.is_needed(arm.motion) or smooth.is_available():
        return
    for prefix, limits in zip(arm.prefixes, arm.motion, strict=True):
        for field in ('acceleration', 'jerk'):
            if (value := getattr(limits, field)) is not None:
                words = 'omitted, or the Python package ruckig installed: pip install ruckig'
                refuse(f'{prefix}.max_{field}', value, words)

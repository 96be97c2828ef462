"""The ROS node of an arm: it passes messages to the pilot, and publishes poses and statuses."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ik2d_ros.control.settings import ARRAY
from ik2d_ros.control.supervisor import Supervisor
from ik2d_ros.kinematics.arguments import suggest_units
from ik2d_ros.kinematics.kernel import kernel_name
from ik2d_ros.motion.profile import has_ruckig
from ik2d_ros.node.frames import Frames
from ik2d_ros.node.handle import Handle
from ik2d_ros.node.incoming import listen
from ik2d_ros.node.joint_states import MeasuredStates, StatePublisher
from ik2d_ros.node.markers import MarkerPublisher
from ik2d_ros.node.outputs import CommandSender
from ik2d_ros.node.schedule import Schedule
from ik2d_ros.node.status import Statuses
from ik2d_ros.parameters.checks import ConfigError, listed, refuse
from ik2d_ros.parameters.table import Effect
from ik2d_ros.pilot.clock import BILLION, Now, stamp_fault
from ik2d_ros.pilot.outcome import wall_text
from ik2d_ros.pilot.parameters import (
    OF_ANY_NODE,
    PARAMETERS,
    Configuration,
    check_occupied,
    configuration_from_parameters,
)
from ik2d_ros.pilot.pilot import Pilot
from ik2d_ros.pilot.request import Reply, Request
from ik2d_ros.pilot.status import REPEAT_PERIOD
from ik2d_ros.pilot.waiting import Worker
from ik2d_ros.robot.from_urdf import with_description
from ik2d_ros.ros.parameter_node import ParameterNode

T = TypeVar('T')

LOOK_PERIOD = 0.1  # s between checks of the clock and of the measurements

# rosdep has no key for it. Without the variable, pip refuses on newer systems.
INSTALL_RUCKIG = 'PIP_BREAK_SYSTEM_PACKAGES=1 pip install ruckig'


class ArmNode(ParameterNode[Configuration]):
    """Moves the tip of a planar arm to targets, and reports the outcome.

    Attributes:
        pilot: decides.
        schedule: when it ticks and answers; the arms of a process share it.
        frames: poses of foreign frames; shared, too.
    """

    ignored = OF_ANY_NODE
    _supervisor: Supervisor | None = None  # before there is a pilot

    def __init__(
        self,
        defaults: Mapping[str, object] | None = None,
        arguments: Sequence[str] = (),
        first: ArmNode | None = None,
    ) -> None:
        """Read the parameters and start.

        ``defaults`` follow from the controller on the command line, ``arguments`` of ROS are for
        this node alone, such as its namespace, and ``first`` is the first arm of the process.
        """
        super().__init__(
            'ik2d',
            PARAMETERS,
            self._configuration_from,
            complete=lambda given: self._completed({**(defaults or {}), **given}),
            arguments=arguments,
            first=first,
        )
        control, arm = self.settings.control, self.settings.arm
        self.schedule: Schedule = first.schedule if first else Schedule(self)
        self.frames: Frames = first.frames if first else Frames(self)
        self.pilot = Pilot(self.settings, self._now(), self.frames.pose, self._publish_pose)
        self._supervisor = self.pilot.supervisor
        self._prepare_solver()
        self._statuses = Statuses(self, arm.base_frame)
        self._states = StatePublisher(self)
        self._posed_at = self._pose_time = 0  # clock and stamp of the last pose, in ns
        self._sender: CommandSender | None = None
        if control.command_out_type:
            joints = control.command_joints or arm.names
            self._sender = CommandSender(self, control, joints, self.pilot.supervisor)
        self.schedule.tick_at(self, self._rate, self._tick)
        self._worker = Worker()
        self._measured: MeasuredStates | None = None
        if control.use_measured_state:
            self._measured = MeasuredStates(
                self,
                lambda names, q: self._call_pilot(lambda now: self.pilot.measure(names, q, now)),
            )
        self._handovers: list[Callable[[], None]] = []  # answers that wait until nothing is sent
        listen(self, self._ask, self.settings.poses, self._once_silent)
        MarkerPublisher(self, self.pilot)
        if self.settings.settings.handle:
            Handle(self, self.pilot, self._ask)
        self.poll_every(LOOK_PERIOD, lambda: self._call_pilot(self.pilot.look))
        self.poll_every(REPEAT_PERIOD, lambda: self._call_pilot(self.pilot.repeat))
        self._publish_results(self._now())
        self._log_start()

    @property
    def _rate(self) -> float:
        return self.settings.settings.publish_rate

    def _now(self) -> Now:
        clock = self.schedule.clock
        if not clock.ros_time_is_active:
            return Now.here()  # what the clock would say, in a fifth of the time
        return Now(int(clock.now().nanoseconds), time.monotonic(), is_simulated=True)

    def stop(self) -> bool:
        """Brake; return whether the arm is at rest."""
        self.pilot.supervisor.stop()
        return self.pilot.supervisor.is_at_rest

    def on_change(self, effects: frozenset[Effect]) -> None:
        """Apply new settings."""
        self._prepare_solver()
        if Effect.PUBLISHING in effects:
            self.schedule.tick_at(self, self._rate, self._tick)
        self._call_pilot(lambda now: self.pilot.configure(self.settings, effects, now))

    # --- to the pilot -----------------------------------------------------------------------------

    def _call_pilot(self, act: Callable[[Now], T]) -> T:
        """Call the pilot with the present time, and publish its results."""
        now = self._now()
        try:
            return act(now)
        finally:
            self._publish_results(now)

    def _tick(self) -> None:
        """Go on with the motion, which waits until the controller listens; publish the pose."""
        sender, has_goal = self._sender, self.pilot.supervisor.has_goal
        problem = '' if sender is None else sender.fault(has_goal)
        now, period = self._now(), 1.0 / self._rate
        # After a late tick the next one follows sooner; none was due more than a period ago.
        due = now.clock + max(self.schedule.time_left(self._rate), 0) - round(period * BILLION)
        due = now.clock if now.is_simulated else due
        self.pilot.tick(now, due, period, problem)
        self._publish_results(now, due)

    def _ask(self, request: Request) -> Reply:
        reply = self._call_pilot(lambda now: self.pilot.ask(request, now))
        self.schedule.queue(self)
        self.schedule.answer()
        return reply

    def _once_silent(self, answer: Callable[[], None]) -> None:
        self._handovers.append(answer)
        self._publish_results(self._now())

    @property
    def is_waiting(self) -> bool:
        """Whether a target or a query waits, or is being judged."""
        return self.pilot.waiting.has_queued or self._worker.unfinished > 0

    def answer_next(self) -> bool:
        """Answer the next request; return False if none can be answered now."""
        done = self._worker.take()
        if done is None:
            return self._call_pilot(self.pilot.answer_next)
        result, error = done
        self._call_pilot(lambda now: self.pilot.finish(result, now))
        if error is not None:
            raise error
        return True

    # --- from the pilot ---------------------------------------------------------------------------

    def _publish_results(self, now: Now, due: int | None = None) -> None:
        """Publish the pose, then the statuses of the pilot, and run its job.

        The pose is for the time ``due`` in ns, if that is not now: each tick goes on by a period.
        """
        pilot = self.pilot
        if pilot.publish_interval is not None:
            self._publish_pose(now, due)
        while pilot.updates:
            self._statuses.publish(pilot.updates.popleft(), pilot.supervisor.auxiliary_positions)
        while self._handovers and not (pilot.is_disabled and pilot.supervisor.is_commanding):
            self._handovers.pop(0)()
        if (job := pilot.job(now)) is not None:
            self._worker.add(job)
            self.schedule.queue(self)

    def _publish_pose(self, now: Now, due: int | None = None) -> None:
        """Publish the commanded pose, if it is to be, for a time in ns or for now."""
        step, self.pilot.publish_interval = self.pilot.publish_interval, None
        if step is None or now.fault:
            return
        stamp = now.clock if due is None else due
        if now.clock >= self._posed_at:  # it may also jump back
            # Even while simulated time stands still: TF keeps only the first transform for a stamp.
            stamp = max(stamp, self._pose_time + 1)
        self._posed_at, self._pose_time = now.clock, stamp
        if stamp_fault(stamp):
            return  # consumers drop a pose without a stamp
        self._states.publish(self.pilot.supervisor, stamp)
        if self._sender is not None:
            lead = self._measured.clock_lead if self._measured else 0
            self._sender.send(now.clock + lead, max(1.0 / self._rate, step))

    # --- parameters -------------------------------------------------------------------------------

    def _completed(self, given: Mapping[str, object]) -> Mapping[str, object]:
        """Complete parameters by a robot description, whose remarks are logged."""
        parameters, remarks = with_description(given)
        for remark in remarks:
            text = f'robot_description: {remark.text}'
            if remark.doubt:  # not one call: each place in the code has one level
                self.get_logger().warning(text)
            else:
                self.get_logger().info(text)
        return parameters

    def _configuration_from(self, values: Mapping[str, object]) -> Configuration:
        """Return the configuration of parameters, checked as a whole and for this node.

        Raises:
            ConfigError: a value is refused, a package is missing, or a joint that a controller is
                to move in steps has no velocity limit.
        """
        if 'joints' not in values:
            node = self.get_fully_qualified_name()
            raise ConfigError(
                f"parameter 'joints' is missing: no parameter file with an arm reached node "
                f"'{node}'; start it with: ik2d_node --ros-args --params-file FILE, where the "
                f"parameters must be under '/**:' (any node) or '{node}:', and there under "
                "'ros__parameters:'"
            )
        configuration = configuration_from_parameters(values)
        arm = configuration.arm
        for prefix, unit, limits in zip(arm.prefixes, arm.units, arm.motion, strict=True):
            for field in ('acceleration', 'jerk'):
                if (value := getattr(limits, field)) is not None and not has_ruckig():
                    words = f'omitted, or the Python package ruckig installed: {INSTALL_RUCKIG}'
                    refuse(f'{prefix}.max_{field}', value, words)
            if configuration.control.command_out_type == ARRAY and limits.velocity is None:
                words = f'a number > 0 {unit}/s: each command, {ARRAY}, is taken at once'
                refuse(f'{prefix}.max_velocity', None, words)
        if self._supervisor is not None:
            check_occupied(configuration.arm, self.settings.arm, self._supervisor.braking_ranges)
        return configuration

    def _prepare_solver(self) -> None:
        """Compute the solver's tables in a thread: the next ticks may be due."""
        chain = self.settings.arm.chain

        def prepare() -> None:
            chain.solver.solver.prepare_angles()

        threading.Thread(target=prepare, daemon=True).start()

    def _log_start(self) -> None:
        arm, control, logger = self.settings.arm, self.settings.control, self.get_logger()
        commands = ''
        if self._sender is not None:
            commands = f'; commands ({control.command_out_type}) on {self._sender.topic}'
        elif control.publish_joint_states:
            commands = f'; commands on {self.resolve_topic_name("joint_states")}'
        logger.info(
            f'ready: joints {listed(arm.names)}; reach {arm.reach.inner:.4g} m to '
            f'{arm.reach.outer:.4g} m; targets on {self.resolve_topic_name("~/target")} '
            f"in frame '{arm.base_frame}'{commands}; solver: {kernel_name()}"
        )
        for text in suggest_units(arm.quantities):
            logger.warning(text)
        if words := wall_text(arm, arm.home, 'home'):
            logger.warning(words)
        is_at_once = not (control.use_measured_state or any(map(any, arm.motion)))
        if control.command_out_type and is_at_once:
            logger.warning(
                'no joint has a max_velocity: the controller is commanded to be at each target '
                'within one period of publish_rate'
            )

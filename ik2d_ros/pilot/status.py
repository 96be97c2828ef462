"""The state of the arm as far as it is known, and the current status of the newest target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.measurements import MeasurementBounds, Measurements
from ik2d_ros.control.supervisor import Supervisor
from ik2d_ros.pilot.answer import Answer, Going, Solved, Staying
from ik2d_ros.pilot.clock import Now
from ik2d_ros.pilot.outcome import SMALLEST_LENGTH, Code, Report, length, report_of, wall_text
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.request import Jog, OfJoints, Path, Target
from ik2d_ros.pilot.waiting import PendingRequest

REPEAT_PERIOD = 0.6  # s; a diagnostic aggregator calls a status stale after a few seconds


class StatusUpdate(NamedTuple):
    """A status that is to be published.

    Attributes:
        report: its content.
        request: the target or query that it is about.
    """

    report: Report
    request: PendingRequest


class StateWatch:
    """Watches whether the pose is known, and the joints of ``assumes`` are in place.

    One of these that is not measured counts as in place.

    Attributes:
        configuration: the arm, and the assumed positions of joints.
        supervisor: has the measurements of the arm.
    """

    def __init__(self, configuration: Configuration, supervisor: Supervisor) -> None:
        """Begin with nothing measured."""
        self.configuration, self.supervisor = configuration, supervisor
        control = configuration.control
        # With a velocity, no single wrong sample is believed.
        speed = control.following.hold_velocity
        self._others = [name for name in control.assumes if name not in supervisor.names]
        self._measured_others = Measurements(
            [MeasurementBounds(name, velocity=speed) for name in self._others]
        )
        others = self._measured_others if self._others else None
        self._measured = [*filter(None, (supervisor.measurements, others))]
        self._was_checked = False  # whether the arm was checked for being across a wall
        self._was_placed, self._faults = False, (False, 0)  # when they were noted last

    def pass_time(self, now: Now) -> None:
        """Let time pass to the present."""
        for measurements in self._measured:
            measurements.pass_time(now.clock * 1e-9, now.steady)

    def measure(self, names: Sequence[str], positions: Sequence[float], now: Now) -> list[str]:
        """Take positions by the names of joints; return the problems that are new."""
        self.pass_time(now)
        if self.supervisor.measurements is None:
            return []
        for measurements in self._measured:
            measurements.update(names, positions)
        if not self._was_checked and (measured := self.supervisor.measured) is not None:
            self._was_checked, arm = True, self.configuration.arm
            if words := wall_text(arm, measured[: len(arm.names)], 'the arm'):
                return [words]
        return []

    def confirm(self) -> None:
        """Believe implausible positions, as an operator has confirmed them."""
        for measurements in self._measured:
            measurements.confirm()

    def fault(self, now: Now) -> str:
        """Return why the time or the pose is not known; empty if they are."""
        return now.fault or self.state_fault

    def note_placed(self, now: Now) -> None:
        """Note whether the arm was placed once, at a valid time."""
        if not self._was_placed and self.supervisor.was_ever_known:
            self._was_placed = not self.fault(now)

    def note_faults(self, now: Now) -> bool:
        """Note the faults; return whether they are others than before, of an arm once placed."""
        was_placed = self._was_placed or bool(self.supervisor.start_pose)
        faults = bool(self.fault(now)), self.supervisor.fault_count
        before, self._faults = self._faults, faults
        self.note_placed(now)
        return was_placed and before != faults

    @property
    def state_fault(self) -> str:
        """Why the pose is unknown, or a joint off its assumed position; empty if all is well."""
        return self.supervisor.fault or self.assumed_fault

    def fault_for(self, target: Target) -> str:
        """Return why a target finds no known pose; held joints alone need no assumed ones."""
        control, fault = self.configuration.control, self.supervisor.fault
        names = target.names if isinstance(target, OfJoints) else ()
        if not control.assumes or (names and {*names} <= {*control.holds}):
            return fault
        if problem := fault or self.assumed_fault:
            return problem
        for name, q in self.misplaced.items() if isinstance(target, Jog | Path) else ():
            if control.off_by(name, q) > control.following.tolerance:
                return (
                    f"joint '{name}' is at {q:.5g}, and the tip is on no line before it is at "
                    f'{control.assumes[name]:.5g}: send it there first (~/joint_target)'
                )
        return ''

    @property
    def misplaced(self) -> dict[str, float]:
        """Positions of the joints that are not where ``assumes`` has them, by name."""
        control, ours = self.configuration.control, self.supervisor.measurements
        if ours is None or not control.assumes:
            return {}
        seen = dict(zip(self._others, self._measured_others.positions, strict=True))
        seen |= dict(zip(self.supervisor.names, ours.positions, strict=True))
        return {
            name: q
            for name, needed in control.assumes.items()
            if control.off_by(name, q := seen.get(name, needed)) > control.following.goal_tolerance
        }

    @property
    def assumed_fault(self) -> str:
        """The joint that stays off its assumed position, and the remedy; empty if all are there."""
        control = self.configuration.control
        if not control.assumes:
            return ''
        if jump := self._measured_others.jump_fault:
            return jump
        goals = {joint.name: joint.nearest_target for joint in self.supervisor.auxiliary}
        for name, q in self.misplaced.items():
            needed, goal = control.assumes[name], goals.get(name, math.nan)
            if not control.off_by(name, goal) <= control.following.goal_tolerance:
                hold = f'move it there, let the node hold it there (command_joints, hold.{name})'
                remedy = 'send it there (~/joint_target)' if name in goals else hold
                return (
                    f"joint '{name}' is at {q:.5g} rad or m, but the arm's numbers are those with "
                    f'it at {needed:.5g} (assumes.{name}): {remedy}, or describe the arm with it '
                    f'at {q:.5g}'
                )
        return ''

    @property
    def is_returning(self) -> bool:
        """Whether a joint may be on its way to where the tip needs it."""
        may_move = self.supervisor.has_goal and not self.supervisor.is_settled
        return may_move and bool(self.misplaced)


def current_report(answer: Answer | None, known: StateWatch, now: Now, is_disabled: bool) -> Report:
    """Return the current status."""
    supervisor = known.supervisor
    if now.fault:
        return with_rest_words(report_of(Code.NO_CLOCK, problem=now.fault), supervisor)
    problem, misplaced = known.state_fault, known.misplaced
    if isinstance(answer, Going) and not problem:
        report = _of_motion(answer, supervisor, known.configuration, is_in_place=not misplaced)
    else:
        if problem:
            report = report_of(Code.NO_STATE, problem=problem)
        elif isinstance(answer, Staying):
            is_there = answer.at_goal and not (misplaced or supervisor.is_braking)
            progress = 0.0 if answer.path else math.nan
            error = _measured_error(answer, supervisor, known.configuration.arm)
            state = {'measured_error': error, 'path_progress': progress}
            report = answer.make_report(is_there, at_goal=answer.at_goal, **state)
        elif answer is not None:
            report = answer.report
        elif is_disabled:
            report = report_of(Code.DISABLED)
        elif supervisor.stop_reason:
            report = report_of(Code.NOT_FOLLOWING, problem=supervisor.stop_reason)
        else:
            report = report_of(Code.READY)
        report = with_rest_words(report, supervisor)
    if not misplaced:
        return report
    moving = report.moving or known.is_returning
    report = report._replace(at_goal=False, moving=moving, measured_error=math.nan)
    if problem:
        return report
    name, position = next(iter(misplaced.items()))
    needed = known.configuration.control.assumes[name]
    words = f"Joint '{name}' is at {position:.5g}; the tip needs it at {needed:.5g}."
    return report._replace(message=f'{words} {report.message}')


def _of_motion(
    going: Going, supervisor: Supervisor, configuration: Configuration, is_in_place: bool
) -> Report:
    """Return the report on a target to which the arm goes, for its present state."""
    if going.goal.velocities is not None:
        return going.report
    path, time, arm = going.path, supervisor.arm_motion.trajectory_time, configuration.arm
    at_goal, progress = supervisor.is_at_goal, path.progress(time) if path else math.nan
    state = {'measured_error': _measured_error(going, supervisor, arm), 'path_progress': progress}
    report = going.make_report(is_in_place and at_goal, at_goal=at_goal, **state)
    if at_goal:
        return report
    if path is not None and not supervisor.is_off_goal:
        left = path.remaining(time)
    else:
        here = supervisor.measured or supervisor.planning_start
        tip = arm.kinematics.tip
        left = math.dist(tip(here[: len(arm.names)]), tip(going.positions))
    moving = supervisor.is_under_way and not supervisor.is_off_goal
    waits = f', waiting for {late}' if (late := supervisor.waits_for) else ''
    if left < SMALLEST_LENGTH:  # joints that do not move the tip, or turn it where it is
        words = 'Moving: the tip is there' if moving else 'The tip is at its goal, joints are not'
    else:
        off = length(left)
        words = f'Moving: {off} to go' if moving else f'The arm is {off} off its goal'
    return report._replace(message=f'{words}{waits}. {report.message}', moving=moving)


def _measured_error(answer: Solved, supervisor: Supervisor, arm: ArmDescription) -> float:
    """Return how far in m the measured tip is from a target; NaN if it is not measured."""
    measured = supervisor.measured
    if measured is None:
        return math.nan
    place = answer.aim.place if answer.aim else answer.report.target
    return math.dist(arm.kinematics.tip(measured[: len(arm.names)]), place)


def describe_rest(supervisor: Supervisor, arm: ArmDescription) -> str:
    """Return a sentence on where an arm has stopped, or will."""
    if supervisor.fault:
        return f'The position of the arm is unknown: {supervisor.fault}.'
    motion, is_braking = supervisor.arm_motion, supervisor.is_braking
    if is_braking and motion.trajectory_time is not None:
        return 'The arm is braking along its path.'
    here = supervisor.measured or supervisor.commanded
    pose = motion.goal if is_braking else here[: len(arm.names)]
    numbers = [f'{round(x, 4) + 0.0:.6g}' for x in (*arm.kinematics.tip(pose), *pose)]  # no 1e-5
    tip = ', '.join(numbers[:3])
    joints = ', '.join(map(' '.join, zip(arm.names, numbers[3:], strict=True)))
    words = 'The arm is braking. It will stop' if is_braking else 'The arm stands'
    return f'{words} with its tip at ({tip}) m, {joints}.'


def with_rest_words(report: Report, supervisor: Supervisor) -> Report:
    """Return the report of an arm that holds its position, or brakes to do so."""
    moving = supervisor.is_braking
    message = f'{report.message} The arm {"is braking" if moving else "holds"}.'
    return report._replace(message=message, at_goal=report.at_goal and not moving, moving=moving)

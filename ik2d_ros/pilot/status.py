"""The current status of the newest target."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from typing import NamedTuple

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.supervisor import Supervisor
from ik2d_ros.pilot.answer import Answer, Going, Solved, Staying
from ik2d_ros.pilot.clock import Now
from ik2d_ros.pilot.outcome import SMALLEST_LENGTH, Code, length
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.refusal import report_of
from ik2d_ros.pilot.report import Report
from ik2d_ros.pilot.state_watch import StateWatch
from ik2d_ros.pilot.waiting import PendingRequest

REPEAT_PERIOD = 0.6  # s; a diagnostic aggregator calls a status stale after a few seconds


class StatusUpdate(NamedTuple):
    """A status that is to be published.

    Attributes:
        report: its content.
        request: the target or query that it is about.
        answer: the answer that it reports for the first time, if any.
        held: position and goal of each held joint, by name.
        tolerance: distance from its goal at which a held joint has arrived.
    """

    report: Report
    request: PendingRequest
    answer: Answer | None = None
    held: Mapping[str, tuple[float, float]] = {}
    tolerance: float = 0.0


def state_of(known: StateWatch, now: Now, jogged: Container[str]) -> tuple[object, ...]:
    """Return the values whose change triggers a status; not the goals of jogged joints."""
    supervisor = known.supervisor
    held = [joint.motion.goal for joint in supervisor.others if joint.name not in jogged]
    return (
        supervisor.has_target,
        supervisor.is_at_goal,
        supervisor.is_off_goal,
        supervisor.is_braking,
        supervisor.fault_count,
        supervisor.complaint,
        supervisor.waits_for,
        held,
        now.fault,
        supervisor.fault,
        bool(known.state_fault),
        known.is_returning,
        bool(known.strays),
    )


def current_report(answer: Answer | None, known: StateWatch, now: Now, is_disabled: bool) -> Report:
    """Return the current status."""
    supervisor = known.supervisor
    if now.fault:
        return with_rest_words(report_of(Code.NO_CLOCK, problem=now.fault), supervisor)
    problem, strays = known.state_fault, known.strays
    if isinstance(answer, Going) and not problem:
        report = _of_motion(answer, supervisor, known.configuration, is_in_place=not strays)
    else:
        if problem:
            report = report_of(Code.NO_STATE, problem=problem)
        elif isinstance(answer, Staying):
            is_there = answer.at_goal and not (strays or supervisor.is_braking)
            progress = 0.0 if answer.path else math.nan
            error = _measured_error(answer, supervisor, known.configuration.arm)
            state = {'measured_error': error, 'path_progress': progress}
            report = answer.make_report(is_there, at_goal=answer.at_goal, **state)
        elif answer is not None:
            report = answer.report
        elif is_disabled:
            report = report_of(Code.DISABLED)
        elif supervisor.complaint:
            report = report_of(Code.NOT_FOLLOWING, problem=supervisor.complaint)
        else:
            report = report_of(Code.READY)
        report = with_rest_words(report, supervisor)
    if not strays:
        return report
    moving = report.moving or known.is_returning
    report = report._replace(at_goal=False, moving=moving, measured_error=math.nan)
    if problem:
        return report
    name, position = next(iter(strays.items()))
    needed = known.configuration.drive.assumes[name]
    words = f"Joint '{name}' is at {position:.5g}; the tip needs it at {needed:.5g}."
    return report._replace(message=f'{words} {report.message}')


def _of_motion(
    going: Going, supervisor: Supervisor, configuration: Configuration, is_in_place: bool
) -> Report:
    """Return the report on a target to which the arm goes, for its present state."""
    if going.command.velocities is not None:
        return going.report
    path, time, arm = going.path, supervisor.arm_motion.trajectory_time, configuration.arm
    at_goal, progress = supervisor.is_at_goal, path.progress(time) if path else math.nan
    state = {'measured_error': _measured_error(going, supervisor, arm), 'path_progress': progress}
    report = going.make_report(is_in_place and at_goal, at_goal=at_goal, **state)
    if at_goal:
        return report
    if path is not None and not supervisor.is_off_goal:
        left = path.left(time)
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
    if supervisor.is_braking and supervisor.arm_motion.trajectory_time is not None:
        return 'The arm is braking along its path.'
    here = supervisor.measured or supervisor.commanded
    pose = supervisor.arm_motion.goal if supervisor.is_braking else here[: len(arm.names)]
    tip = ', '.join(f'{x:.5g}' for x in arm.kinematics.tip(pose))
    joints = ', '.join(f'{name} {q:.5g}' for name, q in zip(arm.names, pose, strict=True))
    stands = 'The arm is braking. It will stop' if supervisor.is_braking else 'The arm stands'
    return f'{stands} with its tip at ({tip}) m, {joints}.'


def with_rest_words(report: Report, supervisor: Supervisor) -> Report:
    """Return the report of an arm that holds its position, or brakes to do so."""
    moving = supervisor.is_braking
    message = f'{report.message} The arm {"is braking" if moving else "holds"}.'
    return report._replace(message=message, at_goal=report.at_goal and not moving, moving=moving)

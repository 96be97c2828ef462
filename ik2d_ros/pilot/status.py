"""The current status of the newest target."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from typing import NamedTuple

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.supervisor import Supervisor
from ik2d_ros.pilot.answer import Answer, report_of
from ik2d_ros.pilot.clock import Now, Stamp
from ik2d_ros.pilot.outcome import CAN_BE_REACHED, IS_REACHED, Code, length
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.report import Report
from ik2d_ros.pilot.request import Jog, JogJoints
from ik2d_ros.pilot.state_watch import StateWatch

REPEAT_PERIOD = 0.6  # s; a diagnostic aggregator calls a status stale after a few seconds


class StatusUpdate(NamedTuple):
    """A status that is to be published.

    Attributes:
        report: its content.
        stamp: the stamp of its target.
        is_query: whether that is a query.
        answer: the answer that it reports for the first time, if any.
        held: position and goal of each held joint, by name.
        tolerance: distance from its goal at which a held joint has arrived.
    """

    report: Report
    stamp: Stamp
    is_query: bool = False
    answer: Answer | None = None
    held: Mapping[str, tuple[float, float]] = {}
    tolerance: float = 0.0


def state_of(known: StateWatch, now: Now, jogged: Container[str]) -> tuple[object, ...]:
    """Return the values whose change triggers a status; not the goals of jogged joints."""
    supervisor = known.supervisor
    held = [goal for name, (_, goal) in supervisor.held.items() if name not in jogged]
    return (
        *(supervisor.has_target, supervisor.is_at_goal, supervisor.is_off_goal, supervisor.brakes),
        *(supervisor.fault_count, supervisor.complaint, supervisor.waits_for, held),
        *(now.fault, problem := supervisor.fault, bool(problem or known.assumed_fault)),
        *(known.is_returning, bool(known.strays)),
    )


def present(
    goal: Answer | None, known: StateWatch, now: Now, is_disabled: bool, forgotten: str
) -> Report:
    """Return the current status; ``forgotten`` is a sentence on a dropped target, or empty."""
    report, strays = _without_strays(goal, known, now, is_disabled, forgotten), known.strays
    if now.fault or not strays:
        words = IS_REACHED if report.at_goal else CAN_BE_REACHED
        return report._replace(message=report.message.replace(CAN_BE_REACHED, words))
    moving = report.moving or known.is_returning
    report = report._replace(at_goal=False, moving=moving, measured_error=math.nan)
    if known.state_fault:
        return report
    name, position = next(iter(strays.items()))
    needed = known.configuration.drive.assumes[name]
    words = f"Joint '{name}' is at {position:.5g}; the tip needs it at {needed:.5g}."
    return report._replace(message=f'{words} {report.message}')


def _without_strays(
    goal: Answer | None, known: StateWatch, now: Now, is_disabled: bool, forgotten: str
) -> Report:
    """Return the same if all joints are where the tip needs them."""
    supervisor = known.supervisor
    if now.fault:
        report = report_of(Code.NO_CLOCK, problem=now.fault)
    elif problem := known.state_fault:
        report = report_of(Code.NO_STATE, problem=problem)
    elif goal is not None:
        return _about(goal, supervisor, known.configuration)
    elif is_disabled:
        report = report_of(Code.DISABLED)
    elif supervisor.complaint:
        report = report_of(Code.NOT_FOLLOWING, problem=supervisor.complaint)
    else:
        report = report_of(Code.READY)
    return holding(report._replace(message=report.message + forgotten), supervisor)


def _about(goal: Answer, supervisor: Supervisor, configuration: Configuration) -> Report:
    """Return the report on a target for the current state of the arm."""
    report, judged = goal.report, goal.judged
    tip, count = configuration.arm.kinematics.tip, len(configuration.arm.names)
    measured = supervisor.measured
    if isinstance(goal.target, Jog | JogJoints) and goal.goes:
        return report
    if measured is not None and goal.accepted:
        off = math.dist(tip(measured[:count]), report.target)
        report = report._replace(measured_error=off)
    if judged is not None:
        report = report._replace(path_progress=judged.progress(supervisor.arm.trajectory_time))
    if not goal.goes:
        return holding(report, supervisor)
    if supervisor.is_at_goal:
        return report
    if judged is not None and not supervisor.is_off_goal:
        left = judged.left(supervisor.arm.trajectory_time)
    else:
        here = supervisor.start() if measured is None else measured
        left = math.dist(tip(here[:count]), tip(goal.positions))
    moving = supervisor.is_under_way and not supervisor.is_off_goal
    waits = f', waiting for joint {late}' if (late := supervisor.waits_for) else ''
    state = ('Moving: {} to go' if moving else 'The arm is {} off its goal').format(length(left))
    message = f'{state}{waits}. {report.message}'
    return report._replace(message=message, at_goal=False, moving=moving)


def standing(supervisor: Supervisor, arm: ArmDescription) -> str:
    """Return a sentence on where an arm has stopped, or will."""
    if supervisor.fault:
        return f'The position of the arm is unknown: {supervisor.fault}.'
    if supervisor.brakes and supervisor.arm.trajectory_time is not None:
        return 'The arm is braking along its path.'
    here = supervisor.measured or supervisor.commanded
    pose = supervisor.arm.goal if supervisor.brakes else here[: len(arm.names)]
    tip = ', '.join(f'{x:.5g}' for x in arm.kinematics.tip(pose))
    joints = ', '.join(f'{name} {q:.5g}' for name, q in zip(arm.names, pose, strict=True))
    stands = 'The arm is braking. It will stop' if supervisor.brakes else 'The arm stands'
    return f'{stands} with its tip at ({tip}) m, {joints}.'


def holding(report: Report, supervisor: Supervisor) -> Report:
    """Return the report of an arm that holds its position, or brakes to do so."""
    moving = supervisor.brakes
    message = f'{report.message} The arm {"is braking" if moving else "holds"}.'
    return report._replace(message=message, at_goal=report.at_goal and not moving, moving=moving)

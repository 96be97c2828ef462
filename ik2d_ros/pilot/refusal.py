"""Reasons for which targets are not solved, in the order of their checks."""

from __future__ import annotations

import math

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.options import angle_refusal
from ik2d_ros.kinematics.orientation import has_direction
from ik2d_ros.parameters.checks import closest, listed, printable
from ik2d_ros.pilot.answer import Aim, Situation
from ik2d_ros.pilot.clock import stamp_fault
from ik2d_ros.pilot.outcome import TARGET, Code, Report
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.request import (
    Jogging,
    JogJoints,
    Joints,
    Missing,
    OfJoints,
    Point,
    Target,
    fault_of,
)


def refusal(
    target: Target,
    aim: Aim,
    situation: Situation,
    configuration: Configuration,
    moves: bool,
    problem: str = '',
    subject: str = TARGET,
) -> Report | None:
    """Return the report that refuses a target; None if it is to be solved.

    ``moves`` is false for a query, which needs no known pose. For a path, the aim is its point that
    is farthest off the plane, the subject is that point's name, and the problem is the path's.
    """
    settings, arm, frame = configuration.settings, configuration.arm, situation.frame
    age, timeout, most = situation.age, settings.target_timeout, settings.most_out_of_plane(arm)

    def placed(report: Report) -> Report:
        point = arm.plane_at(situation.start).locate(aim.place)
        return report._replace(point=point, target=aim.place)

    def invalid(words: str) -> Report:
        x, y, z = target.point if isinstance(target, Point) else aim.place
        place = '' if isinstance(target, Joints | Jogging) else f' ({x}, {y}, {z})'
        return report_of(Code.INVALID_TARGET, place=place, problem=words)

    if moves and situation.is_disabled:
        return placed(report_of(Code.DISABLED))
    if problem := problem or fault_of(target) or _fault_here(target, aim, situation, configuration):
        return invalid(problem)
    if isinstance(frame, Missing):
        names = {'frame_id': printable(target.frame_id), 'base_frame': arm.base_frame}
        return report_of(Code.UNKNOWN_FRAME, cause=frame.cause, **names)
    if situation.clock_fault:
        return placed(report_of(Code.NO_CLOCK, problem=situation.clock_fault))
    if 0.0 < timeout < abs(age):
        when = 'old' if age > 0.0 else 'in the future'
        facts = {'off': abs(age), 'when': when, 'target_timeout': timeout}
        return placed(report_of(Code.STALE_TARGET, **facts))
    off = 0.0 if most == math.inf else abs(arm.kinematics.plane.locate(aim.place).out_of_plane)
    if off > most:
        facts = {'off': off, 'plane_tolerance': most, 'subject': subject}
        return placed(report_of(Code.OUT_OF_PLANE, **facts))
    if problem := _direction_fault(aim, arm):
        return invalid(problem)
    if moves and situation.state_fault:
        return placed(report_of(Code.NO_STATE, problem=situation.state_fault))
    return None


def report_of(code: Code, **facts: object) -> Report:
    """Return the report of a code, with facts in its message."""
    return Report.of(code, code.words.format(**facts))


def held_positions(target: Joints, configuration: Configuration) -> dict[str, float]:
    """Return where a target wants held joints, by name, as far as their limits let it."""
    found = {}
    for name, q in zip(target.names, target.positions, strict=True):
        if name in configuration.control.holds:
            lower, upper = configuration.control.ends(name)
            found[name] = min(max(q, lower), upper)
    return found


def _direction_fault(aim: Aim, arm: ArmDescription) -> str:
    """Return why the tip cannot point as a target wants, to follow "The target"; or nothing."""
    if aim.orientation is None:
        return ''
    if problem := angle_refusal(arm.chain):
        return f'has an orientation, but {problem}: send it without one, to ~/target'
    if not has_direction(arm.kinematics, aim.place, aim.orientation.along):
        words = "has an orientation without a direction in the arm's plane: its x-axis is along"
        return f"{words} the plane's normal"
    return ''


def _fault_here(
    target: Target, aim: Aim, situation: Situation, configuration: Configuration
) -> str:
    """Return the fault of a target for this arm now, to follow "The target"; or nothing."""
    if problem := stamp_fault(target.stamp.time):
        return f'is stamped {problem}'
    is_jog = isinstance(target, Jogging)
    if is_jog and situation.age < -configuration.settings.jog_timeout:
        return f'is stamped {-situation.age:.3g} s in the future'
    if not math.isfinite(math.hypot(*aim.place)):
        return 'is too far away for computation'
    return _joints_fault(target, configuration) if isinstance(target, OfJoints) else ''


def _joints_fault(target: OfJoints, configuration: Configuration) -> str:
    """Return which joints are unknown, beyond limits, or led from where the tip needs them."""
    drive = configuration.control
    known = [*configuration.arm.names, *drive.holds]
    if unknown := [name for name in target.names if name not in known]:
        meant = closest(unknown[0], known)
        joints = f'{meant} The joints' if meant else '; the joints'
        return f'names {listed(unknown)}, which are not commanded{joints} are {listed(known)}'
    is_jog, tolerance = isinstance(target, JogJoints), drive.following.goal_tolerance
    values = target.velocities if isinstance(target, JogJoints) else target.positions
    holds = isinstance(target, Joints) and configuration.settings.unreachable == 'hold'
    for name, value in zip(target.names, values, strict=True):
        lower, upper = drive.ends(name) if holds and name in drive.holds else (value, value)
        if not lower <= value <= upper:
            return f"takes '{name}' to {value:.5g}, beyond its limits {lower:.5g} to {upper:.5g}"
        needed = drive.assumes.get(name)
        if needed is not None and (value if is_jog else drive.off_by(name, value) > tolerance):
            return (
                f"takes '{name}' from {needed:.5g}, where the arm's numbers need it "
                f'(assumes.{name}); ~/joint_target brings it back there, and to use the arm with '
                'it elsewhere, describe it so (ik2d import-urdf --hold)'
            )
    return ''

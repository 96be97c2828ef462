"""Targets in the base frame, or the reasons for which they are refused."""

from __future__ import annotations

import math

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.options import angle_refusal
from ik2d_ros.kinematics.orientation import Orientation, has_direction
from ik2d_ros.kinematics.plane import Plane, Vector, combined
from ik2d_ros.parameters.checks import closest, listed, printable
from ik2d_ros.pilot import request as requests
from ik2d_ros.pilot.answer import Aim, Refused, Situation
from ik2d_ros.pilot.outcome import TARGET, Code, report_of
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.request import Missing, Target


def aim_of(target: Target, situation: Situation, configuration: Configuration) -> Aim | Refused:
    """Return a target that is no path in the base frame, or as it is refused."""
    arm, frame = configuration.arm, situation.frame
    kinematics = arm.kinematics
    match target:
        case requests.Point(place):
            axes = target.axes[0] if isinstance(target, requests.Pose) else None
            if isinstance(frame, Plane):
                place = frame.point(*place)
                axes = axes and (combined(frame.axes, *axes[0]), combined(frame.axes, *axes[1]))
            aim = Aim(place, axes and Orientation.of_tip(kinematics, *axes))
        case requests.Home():
            aim = Aim(kinematics.tip(arm.home), pose=arm.home)
        case requests.Joints(names, positions) if not target.fault:
            given = dict(zip(names, positions, strict=True))
            going = zip(arm.names, situation.going, strict=True)  # where the others stay
            pose = tuple(given.get(name, q) for name, q in going)
            aim = Aim(kinematics.tip(pose), pose=pose)
        case _:  # a jog, or joints with a fault
            aim = Aim(kinematics.tip(situation.start))
    return refusal(target, aim, situation, configuration) or aim


def refusal(
    target: Target,
    aim: Aim,
    situation: Situation,
    configuration: Configuration,
    problem: str = '',
    subject: str = TARGET,
) -> Refused | None:
    """Return a target as it is refused, for the first reason found; None if it is to be solved.

    For a path, the aim is its point that is farthest off the plane, the subject is that point's
    name, and the problem is the path's.
    """
    settings, arm, frame = configuration.settings, configuration.arm, situation.frame
    age, timeout, most = situation.age, settings.target_timeout, settings.most_out_of_plane(arm)

    def placed(code: Code, **facts: object) -> Refused:
        point = arm.plane_at(situation.start).locate(aim.place)
        return Refused(target, report_of(code, **facts)._replace(point=point, target=aim.place))

    def invalid(words: str) -> Refused:
        x, y, z = target.point if isinstance(target, requests.Point) else aim.place
        place = '' if isinstance(target, requests.OfJoints | requests.Jog) else f' ({x}, {y}, {z})'
        return Refused(target, report_of(Code.INVALID_TARGET, place=place, problem=words))

    if situation.moves and situation.is_disabled:
        return placed(Code.DISABLED)
    if problem := problem or target.fault or _fault_here(target, aim, situation, configuration):
        return invalid(problem)
    if isinstance(frame, Missing):
        names = {'frame_id': printable(target.frame_id), 'base_frame': arm.base_frame}
        return Refused(target, report_of(Code.UNKNOWN_FRAME, cause=frame.cause, **names))
    if situation.clock_fault:
        return placed(Code.NO_CLOCK, problem=situation.clock_fault)
    if 0.0 < timeout < abs(age):
        when = 'old' if age > 0.0 else 'in the future'
        return placed(Code.STALE_TARGET, off=abs(age), when=when, target_timeout=timeout)
    off = 0.0 if most == math.inf else abs(arm.kinematics.plane.locate(aim.place).out_of_plane)
    if off > most:
        return placed(Code.OUT_OF_PLANE, off=off, plane_tolerance=most, subject=subject)
    if aim.orientation and (problem := _direction_fault(aim.place, aim.orientation, arm)):
        return invalid(problem)
    if situation.moves and situation.state_fault:
        return placed(Code.NO_STATE, problem=situation.state_fault)
    return None


def _direction_fault(place: Vector, orientation: Orientation, arm: ArmDescription) -> str:
    """Return why the tip cannot point as a target wants, to follow "The target"; or nothing."""
    if problem := angle_refusal(arm.chain):
        return f'has an orientation, but {problem}: send it without one, to ~/target'
    if not has_direction(arm.kinematics, place, orientation.along):
        words = "has an orientation without a direction in the arm's plane: its x-axis is along"
        return f"{words} the plane's normal"
    return ''


def _fault_here(
    target: Target, aim: Aim, situation: Situation, configuration: Configuration
) -> str:
    """Return the fault of a target for this arm now, to follow "The target"; or nothing."""
    if problem := target.stamp.fault:
        return f'is stamped {problem}'
    is_jog = isinstance(target, requests.Jogging)
    if is_jog and situation.age < -configuration.settings.jog_timeout:
        return f'is stamped {-situation.age:.3g} s in the future'
    if not math.isfinite(math.hypot(*aim.place)):
        return 'is too far away for computation'
    return _joints_fault(target, configuration) if isinstance(target, requests.OfJoints) else ''


def _joints_fault(target: requests.OfJoints, configuration: Configuration) -> str:
    """Return which joints are unknown, beyond limits, or led from where the tip needs them."""
    control = configuration.control
    known = [*configuration.arm.names, *control.holds]
    if unknown := [name for name in target.names if name not in known]:
        meant = closest(unknown[0], known)
        joints = f'{meant} The joints' if meant else '; the joints'
        return f'names {listed(unknown)}, which are not commanded{joints} are {listed(known)}'
    is_jog, tolerance = isinstance(target, requests.JogJoints), control.following.goal_tolerance
    values = target.velocities if isinstance(target, requests.JogJoints) else target.positions
    holds = not is_jog and configuration.settings.unreachable == 'hold'
    for name, value in zip(target.names, values, strict=True):
        lower, upper = control.ends(name) if holds and name in control.holds else (value, value)
        if not lower <= value <= upper:
            return f"takes '{name}' to {value:.5g}, beyond its limits {lower:.5g} to {upper:.5g}"
        needed = control.assumes.get(name)
        if needed is not None and (value if is_jog else control.off_by(name, value) > tolerance):
            return (
                f"takes '{name}' from {needed:.5g}, where the arm's numbers need it "
                f'(assumes.{name}); ~/joint_target brings it back there, and to use the arm with '
                'it elsewhere, describe it so (ik2d import-urdf --hold)'
            )
    return ''

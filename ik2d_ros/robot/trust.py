"""Limits of joints as robot descriptions give them, and which of them are to be believed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ik2d_ros.kinematics.bounds import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.choice import Choice, Remark
from ik2d_ros.robot.model import RobotJoint
from ik2d_ros.robot.wording import Named, Wording

TWO_TURNS = 4.0 * math.pi - 1e-2  # rad; some files write 6.28 and the like
NARROWER = 1e-3  # rad or m; less is rounding
LARGEST = {'rad': LARGEST_ANGLE, 'm': LARGEST_LENGTH}
FAST = {'rad': 100.0, 'm': 10.0}  # per s; velocities from here on stand for "not known"
LONGEST_LIFT = 2.0  # m; beyond that of any SCARA


@dataclass(frozen=True)
class Trusted:
    """Limits of a joint.

    Attributes:
        named: the joint.
        lower: smallest position in rad or m, or None together with ``upper``.
        upper: largest position.
        velocity: limit per s, or None.
        notes: where it came from, by parameter field, where not from the description.
        remarks: what is doubtful.
        missed: what the description has for a velocity where that is not usable, or empty.
        question: what has to be given, or empty.
    """

    named: Named
    lower: float | None
    upper: float | None
    velocity: float | None
    notes: dict[str, str]
    remarks: tuple[Remark, ...] = ()
    question: str = ''
    missed: str = ''


def trusted(joint: RobotJoint, prefix: str, choice: Choice) -> Trusted:
    """Decide the limits of a joint, whose parameters have a prefix."""
    notes: dict[str, str] = {}
    remarks: list[Remark] = []
    name, named = printable(joint.name), Named(joint.name, prefix)
    velocity, missed = _velocity(joint, choice, notes)
    pair, question = _positions(joint, named, choice.wording)
    if joint.name in choice.limits:
        pair, question = choice.limits[joint.name], ''
        notes['min_position'] = 'given by --limits'
    elif not question:
        if pair is not None:
            span = pair[1] - pair[0]
            if joint.unit == 'rad' and (span >= TWO_TURNS or max(map(abs, pair)) >= TWO_TURNS):
                remarks.append(
                    Remark(
                        f"joint '{name}': limits {pair[0]:g} to {pair[1]:g} rad are two turns "
                        'or more, and may stand for "not known"'
                    )
                )
            if joint.unit == 'm' and span > LONGEST_LIFT:
                remarks.append(
                    Remark(
                        f"joint '{name}': limits {pair[0]:g} to {pair[1]:g} m are more than "
                        f'{LONGEST_LIFT:g} m apart, and may stand for "not known"'
                    )
                )
        for where, narrow in joint.elsewhere.items():
            if pair is None or narrow[0] > pair[0] + NARROWER or narrow[1] < pair[1] - NARROWER:
                remarks.append(
                    Remark(
                        f"joint '{name}': {where} in the same file has narrower limits, "
                        f'{narrow[0]:g} to {narrow[1]:g} {joint.unit}; to have them: '
                        f'{choice.wording.set_limits(named, *narrow)}'
                    )
                )
    lower, upper = (None, None) if pair is None else pair
    return Trusted(named, lower, upper, velocity, notes, tuple(remarks), question, missed)


def _positions(
    joint: RobotJoint, named: Named, wording: Wording
) -> tuple[tuple[float, float] | None, str]:
    """Return the limits of the description, or what is to be asked."""
    if joint.kind == 'continuous':
        return None, ''
    lower, upper = joint.lower, joint.upper
    name, unit = printable(joint.name), joint.unit
    give, endless = f'give {wording.limits(named)} in {unit}', ''
    if joint.kind == 'revolute' and wording.endless is not None:
        endless = f', or {wording.endless(named)} if it turns without end'
    ask = f'{give}{endless}'
    if lower is None or upper is None:
        return None, f"joint '{name}' has no limits, though its type is {joint.kind}: {ask}"
    if max(abs(lower), abs(upper)) > LARGEST[unit]:
        return None, (
            f"joint '{name}' has the limits {lower:g} to {upper:g} {unit}, which are too large to "
            f'be meant: {ask}'
        )
    if lower == upper:
        why = 'leave it no way to move' if lower else 'exporters write for "not set"'
        return None, (
            f"joint '{name}' has the limits {lower:g} to {upper:g}, which {why}: {ask}, "
            f'or hold it: {wording.hold(joint.name, lower)}'
        )
    if lower > upper:
        return None, (
            f"joint '{name}' has a lower limit, {lower:g}, above the upper one, {upper:g}: "
            f'{give}, such as {wording.set_limits(named, upper, lower)}{endless}'
        )
    return (lower, upper), ''


def _velocity(joint: RobotJoint, choice: Choice, notes: dict[str, str]) -> tuple[float | None, str]:
    if joint.name in choice.velocities:
        notes['max_velocity'] = 'given by --velocity'
        return choice.velocities[joint.name], ''
    given, unit = joint.velocity, joint.unit
    if given is not None and 0.0 < given < FAST[unit]:
        return given, ''
    if choice.velocity is not None:
        notes['max_velocity'] = 'given by --velocity'
        return choice.velocity, ''
    return None, 'missing' if given is None else f'{given:g} {unit}/s'

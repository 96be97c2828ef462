"""Converts a robot description to the parameters of an arm, with remarks for the user."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ik2d_ros.parameters.checks import ConfigError, is_sequence
from ik2d_ros.parameters.numerals import with_unit
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.robot.find import Found, find_arm, the_tip
from ik2d_ros.robot.geometry import flatten
from ik2d_ros.robot.model import FREE, Placed, Robot, RobotJoint
from ik2d_ros.robot.options import NO_OPTIONS, ImportOptions, Remark, pasted, to_hold
from ik2d_ros.robot.remarks import remarks_on

NO_LIMIT = (None, -math.inf, math.inf)


class Imported(NamedTuple):
    """An arm from a robot description.

    Attributes:
        parameters: values by flat dotted name, as the node takes them.
        remarks: for the user.
    """

    parameters: Mapping[str, object]
    remarks: Sequence[Remark]


def import_arm(robot: Robot, base: str, tip: str, options: ImportOptions = NO_OPTIONS) -> Imported:
    """Return the parameters of the arm from a base link to a tip link.

    Args:
        robot: the robot.
        base: name of the link that targets are given in.
        tip: name of the link whose origin is to reach them; empty for the only one possible.
        options: the user's additions to the description.

    Raises:
        ConfigError: there is no arm of a supported kind, or the user has to give something; the
            message says what.
    """
    tip = tip or the_tip(robot, base, options)
    robot = _with_limits(robot, options)
    found = find_arm(robot, base, tip, options)
    parameters: dict[str, object] = {'base_frame': base, 'tip_frame': tip}
    if any(options.tip):
        parameters['tip_offset'] = [*options.tip]
    parameters |= flatten(found, options.parameters)
    joints = found.joints
    for prefix, joint in joints.items():
        parameters |= _limit_parameters(joint, prefix, options.parameters)
    questions = [_question_about(joint, prefix, parameters) for prefix, joint in joints.items()]
    questions += [_question_about_held(one, found, options) for one in found.held_joints]
    if any(questions):
        raise ConfigError('; '.join(filter(None, questions)))
    # Controllers command the joints on the way, except followers.
    commanded = [
        one.name
        for one in found.order
        if one.kind not in FREE and (one.mimic is None or one in found.chain)
    ]
    if found.held.keys() & {*commanded}:  # otherwise a controller's own list counts
        parameters['command_joints'] = commanded
    parameters |= _held_parameters(robot, found, options, commanded)
    return Imported(parameters, [*remarks_on(robot, found, parameters, options)])


def _with_limits(robot: Robot, options: ImportOptions) -> Robot:
    """Return a robot with the limits that the user gives."""
    joints = [
        replace(
            one,
            limits=options.limits.get(one.name, one.limits),
            velocity=options.velocities.get(one.name, one.velocity or options.velocities.get('')),
        )
        for one in robot.joints
    ]
    return replace(robot, joints=tuple(joints))


def _limit_parameters(
    joint: RobotJoint, prefix: str, given: Mapping[str, object]
) -> dict[str, object]:
    """Return the limits of a joint as parameters, whose names begin with a prefix."""
    lower, upper = joint.limits or (None, None)
    limits = {'min_position': lower, 'max_position': upper, 'max_velocity': joint.velocity}
    named = {f'{prefix}.{field}': value for field, value in limits.items()}
    values = {name: given.get(name, value) for name, value in named.items()}
    return {name: value for name, value in values.items() if value not in NO_LIMIT}


def _question_about(joint: RobotJoint, prefix: str, parameters: Mapping[str, object]) -> str:
    """Return the request for position limits of a joint; empty if none is needed."""
    least, most = f'{prefix}.min_position', f'{prefix}.max_position'
    if joint.kind == 'continuous' or joint.limits or {least, most} <= {*parameters}:
        return ''
    limits = pasted(f'{joint.name}=LOWER,UPPER')
    endless = f'; --limits {pasted(f"{joint.name}=none")}: no limits' if joint.turns else ''
    return (
        f'joint {joint.quoted} has no limits, or 0 to 0, reversed or absurd ones, though its type '
        f'is {joint.kind}: give --limits {limits} (parameters {printable(least)}: LOWER, '
        f'{printable(most)}: UPPER) in {joint.unit}{endless}; or hold it: {to_hold(joint.name)}'
    )


def _held_parameters(
    robot: Robot, found: Found, options: ImportOptions, commanded: Sequence[str]
) -> dict[str, object]:
    """Return where joints are held, between which limits, and where the arm assumes them."""
    given = options.parameters.get('command_joints')
    names = given if is_sequence(given) else commanded
    ours = {one.name for one in found.joints.values()}
    others = [one for one in robot.joints if one.name in names and one.name not in ours]
    # Of a joint that follows another one that is held, the position of that one counts.
    needed = [
        one.leader if one.leader in found.held else one.name
        for one in filter(found.depends_on, found.held_joints)
    ]
    return {
        **{f'hold.{name}': options.hold[name] for name in commanded if name in options.hold},
        **{f'hold_limits.{one.name}': [*one.limits] for one in others if one.limits},
        **{f'assumes.{name}': found.positions[name] for name in needed},
    }


def _question_about_held(one: Placed, found: Found, options: ImportOptions) -> str:
    """Return the request to hold a joint within its limits; empty if it is, or need not be."""
    position, limits = found.positions[one.name], one.limits
    is_relevant = one.name in options.hold or found.depends_on(one)
    if not is_relevant or limits is None or limits[0] <= position <= limits[1]:
        return ''
    lower, upper = (f'{limit:.12g}' for limit in limits)
    return (
        f'joint {one.quoted} would be at {with_unit(position, one.unit)}, outside its limits, '
        f'{lower} to {upper} {one.unit}: give {to_hold(one.name)}'
    )

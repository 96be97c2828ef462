"""Converts a robot description to the parameters of an arm, with remarks for the user."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ik2d_ros.parameters.checks import ConfigError, is_sequence
from ik2d_ros.parameters.numerals import with_unit
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.robot.find import Found, find_arm, the_tip
from ik2d_ros.robot.geometry import flatten
from ik2d_ros.robot.model import FREE, Placed, Robot
from ik2d_ros.robot.options import NO_OPTIONS, ImportOptions, Remark, pasted, to_hold
from ik2d_ros.robot.remarks import remarks_on

NO_LIMITS = (-math.inf, math.inf)


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
    joints = [
        replace(
            one,
            limits=options.limits.get(one.name, one.limits),
            velocity=options.velocities.get(one.name, one.velocity or options.velocities.get('')),
        )
        for one in robot.joints
    ]
    robot = replace(robot, joints=tuple(joints))
    found = find_arm(robot, base, tip, options)
    parameters: dict[str, object] = {'base_frame': base, 'tip_frame': tip}
    if any(options.tip):
        parameters['tip_offset'] = [*options.tip]
    parameters |= flatten(found, options.parameters)
    for prefix, joint in found.joints.items():
        lower, upper = joint.limits or (None, None)
        limits = {'min_position': lower, 'max_position': upper, 'max_velocity': joint.velocity}
        for field, limit in limits.items():
            value = options.parameters.get(name := f'{prefix}.{field}', limit)
            if value not in (None, *NO_LIMITS):
                parameters[name] = value
    held = [one for one in found.order if one.name in found.held and one.kind not in FREE]
    questions = [*_questions(found, held, parameters, options)]
    if questions:
        raise ConfigError('; '.join(questions))
    # Controllers command the joints on the way, except followers.
    commanded = [
        one.name
        for one in found.order
        if one.kind not in FREE and (one.mimic is None or one in found.chain)
    ]
    if found.held.keys() & {*commanded}:  # otherwise a controller's own list counts
        parameters['command_joints'] = commanded
    parameters |= {f'hold.{name}': options.hold[name] for name in commanded if name in options.hold}
    given = options.parameters.get('command_joints')
    others = {*(given if is_sequence(given) else commanded)}
    others -= {one.name for one in found.joints.values()}
    for other in robot.joints:
        if other.name in others and other.limits:
            parameters[f'hold_limits.{other.name}'] = [*other.limits]
    for one in filter(found.depends_on, held):
        # Of a joint that follows another one that is held, the position of that one counts.
        name = one.leader if one.leader in found.held else one.name
        parameters[f'assumes.{name}'] = found.positions[name]
    return Imported(parameters, [*remarks_on(robot, found, parameters, options)])


def _questions(
    found: Found, held: Sequence[Placed], parameters: Mapping[str, object], options: ImportOptions
) -> Iterator[str]:
    """Yield requests for position limits of joints, and to hold others within theirs."""
    for prefix, joint in found.joints.items():
        least, most = f'{prefix}.min_position', f'{prefix}.max_position'
        if not (joint.kind == 'continuous' or joint.limits or {least, most} <= {*parameters}):
            limits = pasted(f'{joint.name}=LOWER,UPPER')
            none = f'; --limits {pasted(f"{joint.name}=none")}: no limits' if joint.turns else ''
            yield (
                f'joint {joint.quoted} has no limits, or 0 to 0, reversed or absurd ones, though '
                f'its type is {joint.kind}: give --limits {limits} (parameters '
                f'{printable(least)}: LOWER, {printable(most)}: UPPER) in {joint.unit}{none}; or '
                f'hold it: {to_hold(joint.name)}'
            )
    for joint in held:
        position, (lower, upper) = found.positions[joint.name], joint.limits or NO_LIMITS
        is_relevant = joint.name in options.hold or found.depends_on(joint)
        if is_relevant and not lower <= position <= upper:
            yield (
                f'joint {joint.quoted} would be at {with_unit(position, joint.unit)}, outside its '
                f'limits, {lower:.12g} to {upper:.12g} {joint.unit}: give {to_hold(joint.name)}'
            )

"""Converts a robot description to the parameters of an arm, with remarks for the user."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.parameters.checks import ConfigError, listed
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.robot.comparison import WITHIN, compare
from ik2d_ros.robot.find import Found, find_arm, the_tip
from ik2d_ros.robot.geometry import flatten
from ik2d_ros.robot.linkages import about_linkages
from ik2d_ros.robot.locked_joints import about_held, held_parameters, questions_about_held
from ik2d_ros.robot.model import FREE, Robot, RobotJoint
from ik2d_ros.robot.options import NO_OPTIONS, ImportOptions, Remark, pasted, to_hold

POSES = 200  # random ones, to compare the arm with the robot
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
    parameters |= flatten(found)
    joints = found.joints
    for prefix, joint in joints.items():
        parameters |= _limit_parameters(joint, prefix, options.parameters)
    questions = [_question_about(joint, prefix, parameters) for prefix, joint in joints.items()]
    questions += questions_about_held(found, options)
    if any(questions):
        raise ConfigError('; '.join(filter(None, questions)))
    # Controllers command the joints on the way, except followers.
    commanded = [
        one.name
        for one in found.order
        if one.kind not in FREE and (one.mimic is None or one in found.chain)
    ]
    parameters['command_joints'] = commanded
    parameters |= held_parameters(robot, found, options, commanded)
    summary = [
        f"from the link '{printable(base)}' to the link '{printable(tip)}'",
        f'joints in the plane: {listed(one.name for one in found.chain)}',
    ]
    summary += [f'{kind}: {one.quoted}' for kind, one in joints.items() if one not in found.chain]
    remarks = [
        Remark('; '.join(summary), doubt=False),
        *about_axes(robot, found, arm_from_parameters(parameters), options),
        *about_held(found, options),
        *about_linkages(robot, found, parameters),
        *_about_limits(joints, parameters),
    ]
    return Imported(parameters, remarks)


def about_axes(
    robot: Robot, found: Found, arm: ArmDescription, options: ImportOptions
) -> Iterator[Remark]:
    """Yield a remark on the axis that is farthest from parallel to the others."""
    angle, joint = max(_lean(found))
    if angle > 1e-9:
        off = compare(arm, robot, found.route.tip, options, POSES)
        most = 'less than 1 um' if off < 1e-6 else f'{off:.2g} m at most'
        yield Remark(
            f"axes are not quite parallel: the worst is that of joint '{printable(joint)}', by "
            f'{angle:.2g} rad; in {POSES} random poses the tip is off by {most}',
            doubt=off > WITHIN,
        )


def _lean(found: Found) -> Iterator[tuple[float, str]]:
    """Yield the angular error of each joint's axis in rad, with its name."""
    for one in found.joints.values():
        angle = one.angle_to(found.turning[0])
        yield min(angle, math.pi / 2.0 - angle), one.name
    if (turntable := found.joints.get('turntable')) is not None:
        # Those that slide before the turntable are taken for ones behind it.
        for one in found.order[: found.order.index(turntable)]:
            if one in found.chain:
                yield one.angle_to(turntable), one.name


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


def _about_limits(
    joints: Mapping[str, RobotJoint], parameters: Mapping[str, object]
) -> Iterator[Remark]:
    """Yield remarks on joints without limits, by the prefix of their parameters."""
    endless = [
        joint.name
        for prefix, joint in joints.items()
        if joint.limits is None and f'{prefix}.min_position' not in parameters
    ]
    if endless:
        yield Remark(
            f'no limits for {listed(endless)}: the file calls them continuous, as exports from CAD '
            'do; give --limits JOINT=LOWER,UPPER (parameters min_position and max_position of each)'
        )
    unknown = [
        joint.name for prefix, joint in joints.items() if f'{prefix}.max_velocity' not in parameters
    ]
    if unknown:
        yield Remark(
            'joints without a velocity limit, as theirs is missing, 0, or too large to be meant: '
            f'{listed(unknown)}; give --velocity JOINT=NUMBER (parameter max_velocity of each)'
        )

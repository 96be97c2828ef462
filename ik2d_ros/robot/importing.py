"""Turns a robot description into the parameters of an arm, with remarks for the user."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.parameters.checks import ConfigError, listed
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.comparison import WITHIN, compare
from ik2d_ros.robot.find import STILL, Found, find_arm
from ik2d_ros.robot.geometry import Geometry, flatten, rounded
from ik2d_ros.robot.limits import JointLimits, joint_limits, remarks_on_limits
from ik2d_ros.robot.model import Robot, RobotJoint
from ik2d_ros.robot.options import NO_OPTIONS, ImportOptions, Remark, said, to_hold
from ik2d_ros.robot.route import angle_between, find_route, followed, place, quoted

MOST_LINKS = 200  # behind the last joint that are looked at
POSES = 200  # that the arm and the robot are compared in
OTHER_TIP = 'another --tip (parameter tip_frame), or --tip-offset X,Y,Z'


@dataclass(frozen=True)
class Imported:
    """An arm from a robot description.

    Attributes:
        parameters: values by flat dotted name, as the node takes them.
        joints: names of the joints that move in the plane.
        remarks: for the user.
        base: name of the base link.
        tip: name of the tip link.
    """

    parameters: Mapping[str, object]
    joints: tuple[str, ...]
    remarks: tuple[Remark, ...]
    base: str
    tip: str


def import_arm(robot: Robot, base: str, tip: str, options: ImportOptions = NO_OPTIONS) -> Imported:
    """Return the parameters of the arm from a base link to a tip link.

    Args:
        robot: the robot.
        base: name of the link that targets are given in.
        tip: name of the link whose origin is to reach them.
        options: what the user says beside the description.

    Raises:
        ConfigError: there is no arm of a supported kind, or the user has to say something; the
            message says what.
    """
    found = find_arm(robot, base, tip, options)
    geometry = flatten(robot, found)
    limits = {
        prefix: joint_limits(one.joint, prefix, options) for prefix, one in found.by_prefix.items()
    }
    questions = [one.question for one in limits.values() if one.question]
    if questions:
        raise ConfigError('; '.join(questions))
    parameters: dict[str, object] = {
        'base_frame': base,
        'tip_frame': tip,
        'base.xyz': list(geometry.xyz),
        'base.rpy': list(geometry.rpy),
    }
    if found.turntable is not None:
        parameters |= {
            'turntable.joint': found.turntable.joint.name,
            'turntable.xyz': list(rounded(found.turntable.point)),
            'turntable.axis': list(rounded(found.turntable.axis)),
        }
        _limit(parameters, limits['turntable'])
    if found.lift is not None:
        parameters |= {'lift.joint': found.lift.joint.name, 'lift.axis': geometry.lift_axis}
        _limit(parameters, limits['lift'])
    joints = [one.joint.name for one in found.chain]
    parameters['joints'] = joints
    if any(geometry.tool):
        parameters['tool'] = list(geometry.tool)
    for one, link, offset, axis, absolute in zip(
        found.chain,
        geometry.links,
        geometry.offsets,
        geometry.axes,
        geometry.absolute,
        strict=True,
    ):
        prefix = f'chain.{one.joint.name}'
        if one in found.slides:
            parameters[f'{prefix}.type'] = 'prismatic'
        parameters[f'{prefix}.link'] = list(link)
        if offset:
            parameters[f'{prefix}.offset'] = offset
        parameters[f'{prefix}.axis'] = axis
        if absolute:
            parameters[f'{prefix}.absolute'] = True
        _limit(parameters, limits[prefix])
    commanded = [one.joint for one in found.order if _is_commanded(one.joint, joints)]
    parameters['command_joints'] = [joint.name for joint in commanded]
    for joint in commanded:
        if joint.name in found.held and joint.name in options.hold:
            parameters[f'hold.{joint.name}'] = options.hold[joint.name]
    off = compare(arm_from_parameters(parameters), robot, tip, options, POSES).largest
    remarks = (
        *_remarks(robot, found, geometry, options, off),
        *remarks_on_limits(limits.values()),
    )
    return Imported(parameters, tuple(joints), remarks, base, tip)


def _limit(parameters: dict[str, object], limits: JointLimits) -> None:
    fields: dict[str, object] = {}
    if limits.pair is not None:
        fields = {'min_position': limits.pair[0], 'max_position': limits.pair[1]}
    if limits.velocity is not None:
        fields['max_velocity'] = limits.velocity
    parameters |= {f'{limits.prefix}.{field}': value for field, value in fields.items()}


def _is_commanded(joint: RobotJoint, chain: list[str]) -> bool:
    """Return whether a controller may want a joint that is on the way."""
    if joint.kind in ('floating', 'planar'):
        return False
    return joint.mimic is None or joint.name in chain


def _remarks(
    robot: Robot, found: Found, geometry: Geometry, options: ImportOptions, off: float
) -> Iterator[Remark]:
    """Yield what was found, and what is doubtful about it, but for limits.

    Args:
        robot: the robot.
        found: its joints.
        geometry: the arm's.
        options: what the user says.
        off: largest distance between the arm's tip and the robot's that was seen, in m.
    """
    parts = [f'joints in the plane: {listed(one.joint.name for one in found.chain)}']
    if found.slides:
        parts.append(f'of these slide: {listed(one.joint.name for one in found.slides)}')
    for what, one in (('turntable', found.turntable), ('lift', found.lift)):
        if one is not None:
            parts.append(f'{what}: {printable(one.joint.name)}')
    yield Remark('; '.join(parts), doubt=False)
    angle, joint = max(_lean(found))
    if angle > 1e-9:
        most = 'less than 1 um' if off < 1e-6 else f'{off:.2g} m at most'
        yield Remark(
            f"axes are not quite parallel: the worst is that of joint '{printable(joint)}', by "
            f'{angle:.2g} rad; in {POSES} random poses the tip is off by {most}',
            doubt=off > WITHIN,
        )
    yield from _about_held(found, options)
    last = found.chain[-1]
    if last in found.planar and not any(options.tip) and np.abs(geometry.links[-1]).max() < STILL:
        end = ' (it has no tip link)' if last.joint.child == found.route.tip else ''
        yield Remark(
            f'joint {quoted(last)} does not move the tip, which is on its axis{end}: give '
            f'{OTHER_TIP}, or hold it: {to_hold(last.joint.name, 0.0)}'
        )
    own = found.route.joints[-1]
    if (
        own.turns
        and own.name in found.held
        and own.name not in options.hold
        and not any(options.tip)
    ):
        yield Remark(
            f"the tip '{printable(found.route.tip)}' is at the hinge of its own joint "
            f"'{printable(own.name)}'; if the tool ends farther out, give {OTHER_TIP}"
        )
    yield from _about_farther_links(robot, found, options)
    yield from _about_mimics(robot, found)
    for one, absolute in zip(found.chain, geometry.absolute, strict=True):
        if absolute:
            yield Remark(
                f'joint {quoted(one)} is absolute: joints before it mimic the others with '
                'multiplier -1, as in a linkage, so its position is the direction of its link; '
                'give min_bend and max_bend if the linkage can fold'
            )
    if any(geometry.tool):
        yield Remark(
            'the tool stays level: joints before it mimic the others with multiplier -1',
            doubt=False,
        )
    on_the_way = {link for joint in found.route.joints for link in (joint.parent, joint.child)}
    closed = sorted(on_the_way & set(robot.loops))
    if closed:
        yield Remark(
            f'a linkage is closed at {listed(closed)}: its motors may move other joints '
            'than these, which is not supported'
        )


def _lean(found: Found) -> Iterator[tuple[float, str]]:
    """Yield by how much the axis of each joint is off in rad, with its name."""
    for one in found.by_prefix.values():
        angle = angle_between(one.axis, found.normal)
        along = one in found.planar or one is found.lift
        yield angle if along else math.pi / 2.0 - angle, one.joint.name
    for one in found.slides:  # one before the turntable is put behind it
        if found.turntable and found.order.index(one) < found.order.index(found.turntable):
            yield angle_between(one.axis, found.turntable.axis), one.joint.name


def _about_held(found: Found, options: ImportOptions) -> Iterator[Remark]:
    ours = [one.joint for one in found.by_prefix.values()]
    moved = False  # whether a joint of the arm is behind
    for one in reversed(found.order):
        joint = one.joint
        moved = moved or joint in ours
        if joint.name not in found.held:
            continue
        across = found.tip - one.point
        beside = np.linalg.norm(across - (across @ one.axis) * one.axis)
        why = found.held[joint.name]
        position = found.positions.get(joint.name, 0.0)
        at = said(position, joint.unit)
        if joint.name in options.hold or joint.mimic is not None:
            yield Remark(f'joint {quoted(one)} is held at {at}: {why}', doubt=False)
        elif joint.turns and not moved and beside < STILL:
            yield Remark(
                f'joint {quoted(one)} is held where it stands: {why}; any position will do, as the '
                'tip is on its axis',
                doubt=False,
            )
        else:
            yield Remark(
                f'joint {quoted(one)} is held where it stands: {why}; the link vectors are right '
                f'with it at {at}; to have it moved there: '
                f'{to_hold(joint.name, position)}'
            )


def _about_farther_links(robot: Robot, found: Found, options: ImportOptions) -> Iterator[Remark]:
    """Tell of a tip that is not the outermost point of what the last joint moves."""
    last, base, tip = found.chain[-1], found.route.base, found.route.tip
    behind = islice(robot.behind(last.joint.child), MOST_LINKS)
    places = {
        link: place(find_route(robot, base, link), found.positions)[1][:3, 3]
        for link in (tip, last.joint.child, *(joint.child for joint in behind))
    }
    farthest = max(places, key=lambda link: float(np.linalg.norm(places[link] - last.point)))
    more = np.linalg.norm(places[farthest] - last.point) - np.linalg.norm(found.tip - last.point)
    if more > STILL and not any(options.tip):
        beyond = float(np.linalg.norm(places[farthest] - found.tip))
        yield Remark(
            f"the tip '{printable(tip)}' is not the outermost link: '{printable(farthest)}' is "
            f'{beyond:.3g} m from it; if the tool ends there, give {OTHER_TIP}'
        )


def _about_mimics(robot: Robot, found: Found) -> Iterator[Remark]:
    for one in found.by_prefix.values():
        if one.joint.mimic is not None:
            first, multiplier, offset = followed(robot, one.joint)
            yield Remark(
                f"joint {quoted(one)} follows '{printable(first.name)}' (mimic, {multiplier:g} "
                f'times its position, plus {offset:g}), which is not on the way to the tip: a '
                'controller moves that one, which is not supported'
            )
    for one in found.followers:
        first = followed(robot, one.joint)[0]
        yield Remark(f"joint {quoted(one)} follows '{printable(first.name)}' (mimic)", doubt=False)

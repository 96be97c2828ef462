"""Converts a robot description to the parameters of an arm, with remarks for the user."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.kinematics.arm import MOST_LEAN
from ik2d_ros.kinematics.bounds import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.parameters.checks import MOST_ITEMS, ConfigError, listed
from ik2d_ros.parameters.numerals import with_unit
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.robot.comparison import WITHIN, compare
from ik2d_ros.robot.find import STILL, Found, find_arm, the_tip
from ik2d_ros.robot.geometry import flatten
from ik2d_ros.robot.model import Robot, RobotJoint, find_route, followed, place
from ik2d_ros.robot.options import NO_OPTIONS, ImportOptions, Limits, Remark, to_hold

MOST_LINKS = 200  # to search for struts
POSES = 200  # random ones, to compare the arm with the robot
NARROWER = 1e-3  # rad or m; less is rounding
LARGEST = {'rad': LARGEST_ANGLE, 'm': LARGEST_LENGTH}
FAST = {'rad': 100.0, 'm': 10.0}  # per s; higher velocities mean "not known"


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
    found = find_arm(robot, base, tip, options)
    parameters: dict[str, object] = {'base_frame': base, 'tip_frame': tip, **flatten(found)}
    joints = found.by_prefix
    questions = [_question_about(joint, prefix, options) for prefix, joint in joints.items()]
    if any(questions):
        raise ConfigError('; '.join(filter(None, questions)))
    for prefix, joint in joints.items():
        parameters |= _limit_parameters(joint, prefix, options)
    # Controllers command the joints on the way, except followers.
    commanded = [
        one.name
        for one in found.order
        if one.kind not in ('floating', 'planar') and (one.mimic is None or one in found.chain)
    ]
    parameters['command_joints'] = commanded
    parameters |= {f'hold.{name}': options.hold[name] for name in commanded if name in options.hold}
    summary = [
        f"from the link '{printable(base)}' to the link '{printable(tip)}'",
        f'joints in the plane: {listed(one.name for one in found.chain)}',
    ]
    summary += [f'{kind}: {one.quoted}' for kind, one in joints.items() if one not in found.chain]
    remarks = [
        Remark('; '.join(summary), doubt=False),
        *_about_axes(robot, found, arm_from_parameters(parameters), options),
        *_about_held(found, options),
        *_about_linkages(robot, found, parameters),
        *_about_limits(joints, options),
    ]
    return Imported(parameters, remarks)


def _about_axes(
    robot: Robot, found: Found, arm: ArmDescription, options: ImportOptions
) -> Iterator[Remark]:
    """Yield a remark on the axis that is farthest from parallel to the others."""
    angle, joint = max(_lean(found))
    if angle > 1e-9:
        off = compare(arm, robot, found.route.tip, options, POSES).largest
        most = 'less than 1 um' if off < 1e-6 else f'{off:.2g} m at most'
        yield Remark(
            f"axes are not quite parallel: the worst is that of joint '{printable(joint)}', by "
            f'{angle:.2g} rad; in {POSES} random poses the tip is off by {most}',
            doubt=off > WITHIN,
        )


def _lean(found: Found) -> Iterator[tuple[float, str]]:
    """Yield the angular error of each joint's axis in rad, with its name."""
    for one in found.by_prefix.values():
        angle = one.angle_to(found.planar[0])
        yield min(angle, math.pi / 2.0 - angle), one.name
    for one in found.slides:  # the arm has one before the turntable behind it
        if found.turntable and found.order.index(one) < found.order.index(found.turntable):
            yield one.angle_to(found.turntable), one.name


def _about_held(found: Found, options: ImportOptions) -> Iterator[Remark]:
    ours = set(found.by_prefix.values())
    for index, one in enumerate(found.order):
        if one.name not in found.held:
            continue
        position = found.positions.get(one.name, 0.0)
        at, why = with_unit(position, one.unit), found.held[one.name]
        if one.name in options.hold or one.mimic is not None:
            yield Remark(f'joint {one.quoted} is held at {at}: {why}', doubt=False)
        else:
            is_on_axis = one.turns and one.lever(found.tip) < STILL
            yield Remark(
                f'joint {one.quoted} is held where it stands: {why}; the link vectors are right '
                f'with it at {at}; to have it moved there: {to_hold(one.name, position)}',
                doubt=not (is_on_axis and ours.isdisjoint(found.order[index:])),
            )


def _about_linkages(
    robot: Robot, found: Found, parameters: Mapping[str, object]
) -> Iterator[Remark]:
    """Yield remarks on joints that do not move the tip as an open chain does, or not at all."""
    for one in found.by_prefix.values():
        if one.mimic is not None:
            first, multiplier, offset = followed(robot, one)
            yield Remark(
                f'joint {one.quoted} follows {first.quoted} (mimic, {multiplier:g} '
                f'times its position, plus {offset:g}), which is not on the way to the tip; '
                'controllers command that one. The arm is read as if both were free; describe a '
                'linkage with chain.<joint>.absolute'
            )
    for one in found.chain:
        if f'chain.{one.name}.absolute' in parameters:
            yield Remark(
                f'joint {one.quoted} is absolute: joints before it mimic the others with '
                'multiplier -1, as in a linkage, so its position is the direction of its link; '
                'give min_bend and max_bend if the linkage can fold'
            )
    last = found.chain[-1]
    if last.turns and last.lever(found.tip) < STILL:
        yield Remark(
            f'joint {last.quoted} does not move the tip, which is on its axis: give another --tip '
            f'(parameter tip_frame), or --tip-offset X,Y,Z, or hold it: {to_hold(last.name, 0.0)}'
        )
    on_the_way = {link for joint in found.route.joints for link in (joint.parent, joint.child)}
    closed, struts = sorted(on_the_way & set(robot.loops)), list(_struts(robot, found))
    for words, links in (('is closed at', closed), ('may be closed by a strut at', struts)):
        if links:
            yield Remark(
                f'a linkage {words} {listed(links)}: its motors may move other joints than these, '
                'which is not supported'
            )


def _struts(robot: Robot, found: Found) -> Iterator[str]:
    """Yield the ends of branches in the plane with a driven joint and, last, a passive one."""
    base, on_the_way = found.route.base, {joint.name for joint in found.route.joints}
    for end in islice(robot.behind(base), MOST_LINKS):
        joints, _ = place(find_route(robot, base, end.child), found.positions)
        beside = [one for one in joints if one.name not in on_the_way]
        if (
            not robot.below[end.child]
            and [one.kind for one in beside] == ['revolute', 'continuous']
            and all(one.angle_to(found.planar[0]) <= MOST_LEAN for one in beside)
        ):
            yield end.child


def _limit_parameters(joint: RobotJoint, prefix: str, options: ImportOptions) -> dict[str, object]:
    """Return the limits of a joint as parameters, whose names begin with a prefix."""
    lower, upper = _pair(joint, options) or (None, None)
    velocity = joint.velocity
    if velocity is None or not 0.0 < velocity < FAST[joint.unit]:
        velocity = options.velocities.get('')
    fields = {
        'min_position': lower,
        'max_position': upper,
        'max_velocity': options.velocities.get(joint.name, velocity),
    }
    named = {f'{prefix}.{field}': value for field, value in fields.items()}
    given = {name: options.parameters.get(name, value) for name, value in named.items()}
    return {name: value for name, value in given.items() if value is not None}


def _question_about(joint: RobotJoint, prefix: str, options: ImportOptions) -> str:
    """Return the request for position limits of a joint; empty if none is needed."""
    lower, upper, unit = joint.lower, joint.upper, joint.unit
    if joint.kind == 'continuous' or options.gives_limits(joint.name, prefix):
        return ''
    name, least, most = map(
        printable, (joint.name, f'{prefix}.min_position', f'{prefix}.max_position')
    )
    ask = f'give --limits {name}=LOWER,UPPER (parameters {least}: LOWER, {most}: UPPER) in {unit}'
    if joint.turns:
        ask += f'; --limits {name}=none: no limits'
    if lower is None or upper is None:
        return f'joint {joint.quoted} has no limits, though its type is {joint.kind}: {ask}'
    if max(abs(lower), abs(upper)) > LARGEST[unit]:
        why = 'which are too large to be meant'
    elif lower > upper:
        why = 'the lower above the upper'
    elif lower == upper:
        why = 'which leave it no way to move' if lower else 'which exporters write for "not set"'
        ask += f'; or hold it: {to_hold(joint.name, lower)}'
    else:
        return ''
    return f'joint {joint.quoted} has the limits {lower:g} to {upper:g} {unit}, {why}: {ask}'


def _about_limits(joints: Mapping[str, RobotJoint], options: ImportOptions) -> Iterator[Remark]:
    """Yield remarks on doubtful limits of joints, by the prefix of their parameters."""
    narrow: list[str] = []
    endless: list[str] = []
    unknown: list[str] = []
    for prefix, joint in joints.items():
        pair = _pair(joint, options)
        lower, upper = pair or (-math.inf, math.inf)
        least, most = joint.commanded or (lower, upper)
        if options.gives_limits(joint.name, prefix):
            pass
        elif least > lower + NARROWER or most < upper - NARROWER:
            narrow.append(f'--limits {printable(joint.name)}={least:g},{most:g}')
        elif pair is None:
            endless.append(joint.name)
        if f'{prefix}.max_velocity' not in _limit_parameters(joint, prefix, options):
            unknown.append(joint.name)
    limits = 'parameters min_position and max_position of each'
    if narrow:
        yield Remark(
            'ros2_control in the same file has narrower limits; to have them: '
            f'{" ".join(narrow[:MOST_ITEMS])} ({limits})'
        )
    if endless:
        yield Remark(
            f'no limits for {listed(endless)}: the file calls them continuous, as exports from CAD '
            f'do; give --limits JOINT=LOWER,UPPER ({limits})'
        )
    if unknown:
        yield Remark(
            'joints without a velocity limit, as theirs is missing, 0, or too large to be meant: '
            f'{listed(unknown)}; give --velocity JOINT=NUMBER (parameter max_velocity of each)'
        )


def _pair(joint: RobotJoint, options: ImportOptions) -> Limits:
    """Return the smallest and largest position of a joint; None for no limits."""
    if joint.name in options.limits:
        return options.limits[joint.name]
    if joint.kind == 'continuous' or joint.lower is None or joint.upper is None:
        return None
    return joint.lower, joint.upper

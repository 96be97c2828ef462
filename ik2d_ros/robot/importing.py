"""Converts a robot description to the parameters of an arm, with remarks for the user."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.kinematics.arm import MOST_LEAN
from ik2d_ros.kinematics.options import angle_refusal
from ik2d_ros.kinematics.orientation import Orientation
from ik2d_ros.parameters.checks import ConfigError, is_sequence, listed, printable, with_unit
from ik2d_ros.robot.find import (
    NEAR,
    NO_OPTIONS,
    STILL,
    TO_OFFSET,
    Found,
    ImportOptions,
    Remark,
    find_arm,
    pasted,
    the_tip,
    to_hold,
)
from ik2d_ros.robot.geometry import LEAST_FOR_ANGLE, flatten
from ik2d_ros.robot.model import FREE, Placed, Robot, all_positions, find_route, place

NO_LIMITS = (-math.inf, math.inf)
POSES = 200  # random ones, to compare the arm with the robot
FEW_POSES = 20  # of these, for a difference that hardly depends on the pose
WITHIN = 1e-4  # m; largest difference between an arm and its robot
WITHIN_ANGLE = MOST_LEAN  # rad; largest difference of their tip angles and rolls
STROKE = 10.0  # m; largest range of joints that slide, to either side


class Imported(NamedTuple):
    """An arm from a robot description: values by flat dotted name, and remarks for the user."""

    parameters: Mapping[str, object]
    remarks: Sequence[Remark]


def import_arm(robot: Robot, base: str, tip: str, options: ImportOptions = NO_OPTIONS) -> Imported:
    """Return the parameters of the arm from a base link to a tip link, or to the only possible one.

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
        if other.name in others and other.limits not in (None, NO_LIMITS):
            parameters[f'hold_limits.{other.name}'] = [*other.limits]
    for one in filter(found.depends_on, held):
        # Of a joint that follows another one that is held, the position of that one counts.
        name = one.leader if one.leader in found.held else one.name
        parameters[f'assumes.{name}'] = found.positions[name]
    return Imported(parameters, [*_remarks(robot, found, parameters, options)])


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
                f"joint '{joint.name}' has no limits, or 0 to 0, reversed or absurd ones, though "
                f'its type is {joint.kind}: give --limits {limits} (parameters '
                f'{printable(least)}: LOWER, {printable(most)}: UPPER) in {joint.unit}{none}; or '
                f'hold it: {to_hold(joint.name)}'
            )
    for joint in held:
        ends = f'hold_limits.{joint.name}'
        is_endless = joint.limits in (None, NO_LIMITS) and ends not in options.parameters
        if is_endless and not (joint.turns or joint.mimic):
            limits = pasted(f'{joint.name}=LOWER,UPPER')
            yield (
                f"joint '{joint.name}' has no limits, or 0 to 0, reversed or absurd ones, though "
                f'its type is {joint.kind}: give --limits {limits} (parameter {printable(ends)}: '
                f'[LOWER, UPPER]) in {joint.unit}'
            )
        position, (lower, upper) = found.positions[joint.name], joint.limits or NO_LIMITS
        is_relevant = joint.name in options.hold or found.depends_on(joint)
        if is_relevant and not lower <= position <= upper:
            yield (
                f"joint '{joint.name}' would be at {with_unit(position, joint.unit)}, outside its "
                f'limits, {lower:.12g} to {upper:.12g} {joint.unit}: give {to_hold(joint.name)}'
            )


def _remarks(
    robot: Robot, found: Found, parameters: Mapping[str, object], options: ImportOptions
) -> Iterator[Remark]:
    """Yield all remarks on the arm that was found in a robot, with its parameters."""
    base, tip = (printable(str(parameters[frame])) for frame in ('base_frame', 'tip_frame'))
    summary = [
        f"from the link '{base}' to the link '{tip}'",
        f'joints in the plane: {listed(one.name for one in found.chain)}',
    ]
    summary += [
        f"{kind}: '{one.name}'" for kind, one in found.joints.items() if one not in found.chain
    ]
    yield Remark('; '.join(summary), doubt=False)
    yield from _about_differences(robot, found, parameters, options)
    yield from _about_held(found, base, options)
    yield from _about_linkages(robot, found, parameters)
    endless = [
        one.name
        for prefix, one in found.joints.items()
        if one.limits is None and f'{prefix}.min_position' not in parameters
    ]
    if endless:
        yield Remark(
            f'no limits for {listed(endless)}: the file calls them continuous, as exports from CAD '
            'do; give --limits JOINT=LOWER,UPPER (parameters min_position and max_position of each)'
        )
    unknown = [
        one.name
        for prefix, one in found.joints.items()
        if f'{prefix}.max_velocity' not in parameters
    ]
    if unknown:
        yield Remark(
            'joints without a velocity limit, as theirs is missing, 0, or too large to be meant: '
            f'{listed(unknown)}; give --velocity JOINT=NUMBER (parameter max_velocity of each)'
        )


def _about_differences(
    robot: Robot, found: Found, parameters: Mapping[str, object], options: ImportOptions
) -> Iterator[Remark]:
    """Yield remarks where the tip, its angle and its roll are not quite those of the robot."""
    leans = []
    for one in found.joints.values():
        angle = one.angle_to(found.turning[0])
        leans.append((min(angle, math.pi / 2.0 - angle), one.name))
    if (turntable := found.joints.get('turntable')) is not None:
        # A joint that slides before the turntable is taken for one behind it.
        ahead = found.order[: found.order.index(turntable)]
        leans += [(one.angle_to(turntable), one.name) for one in ahead if one in found.chain]
    angle, joint = max(leans)
    tip = str(parameters['tip_frame'])
    is_leaning = angle > 1e-9
    count = POSES if is_leaning else FEW_POSES
    off, turn = compare(arm_from_parameters(parameters), robot, tip, options, count)
    if is_leaning:
        most = 'less than 1 um' if off < 1e-6 else f'{off:.2g} m at most'
        yield Remark(
            f"axes are not quite parallel: the worst is that of joint '{printable(joint)}', by "
            f'{angle:.2g} rad; in {POSES} random poses the tip is off by {most}',
            doubt=off > WITHIN,
            differs=True,
        )
    if not turn <= WITHIN_ANGLE:  # NaN
        how = 'has its x-axis out of the plane'
        if not math.isnan(turn):
            how = f"is turned against the last link's frame, by up to {with_unit(turn, 'rad')}"
        yield Remark(
            f"the link '{printable(tip)}' {how}: tip angles, and orientations of "
            "targets (~/target_pose), are those of the last link's frame",
            doubt=False,
            differs=True,
        )


def _about_held(found: Found, base: str, options: ImportOptions) -> Iterator[Remark]:
    for one in found.order:
        position, why = found.positions[one.name], found.held.get(one.name)
        at = with_unit(position, one.unit)
        if why is None:
            continue
        if one.kind in FREE:
            yield Remark(
                f"joint '{one.name}' is {one.kind}: the arm is right only where it has not moved; "
                f"targets in '{base}' do not go with it, those in the link "
                f'behind it do: --base {pasted(one.child)} (parameter base_frame)'
            )
        elif one.name in options.hold or one.mimic is not None:
            yield Remark(f"joint '{one.name}' is held at {at}: {why}", doubt=False)
        elif found.depends_on(one):
            yield Remark(
                f"joint '{one.name}' is held where it stands: {why}; the link vectors are right "
                f'with it at {at}; to have it moved there: {to_hold(one.name, position)}'
            )
        else:
            yield Remark(
                f"joint '{one.name}' is held where it stands: {why}, and the tip is on its axis; "
                f'if the tip is elsewhere: {TO_OFFSET}',
                doubt=float(np.linalg.norm(found.tip - one.point)) < STILL,
            )


def _about_linkages(
    robot: Robot, found: Found, parameters: Mapping[str, object]
) -> Iterator[Remark]:
    """Yield remarks on joints that do not move the tip as an open chain does, or not at all."""
    for one in found.chain:
        if f'chain.{one.name}.absolute' in parameters:
            yield Remark(
                f"joint '{one.name}' is absolute: joints before it mimic the others with "
                'multiplier -1, as in a linkage, so its position is the direction of its link; '
                'give min_bend and max_bend if the linkage can fold'
            )
    last = found.chain[-1]
    if last.turns and last.lever(found.tip) < STILL:
        elsewhere = f'give another --tip (parameter tip_frame), or {TO_OFFSET}'
        if len(found.chain) >= LEAST_FOR_ANGLE:
            yield Remark(
                f"joint '{last.name}' turns the tip in place, as the yaw of a SCARA does: a tip "
                'angle (~/target_pose, parameter tip_angle, --angle) sets it; if the tip is '
                f'elsewhere: {elsewhere}',
                doubt='lift' not in found.joints,
            )
        else:
            yield Remark(
                f"joint '{last.name}' does not move the tip, which is on its axis: {elsewhere}, "
                f'or hold it: {to_hold(last.name, 0.0)}'
            )
    ours = {one.name for one in found.joints.values()}
    weak = {one.name for one in found.joints.values() if one.mimic or 'passive' in one.name.lower()}
    if ours & robot.driven:
        weak |= ours - robot.driven
    if weak:
        yield Remark(
            f'joints in a closed linkage or without a motor, as the file has it: '
            f'{listed(sorted(weak))}; this is no serial arm with a motor at each joint; describe a '
            'parallelogram with chain.<joint>.absolute'
        )


def compare(
    arm: ArmDescription, robot: Robot, tip: str, options: ImportOptions, count: int
) -> tuple[float, float]:
    """Return the largest differences between an arm and its robot in random poses, the same ones.

    The robot's is a product of matrices, one for each of its joints; it shares no code with the
    arm's. The options say where its other joints are held, and where in the tip link the tip is.

    Returns:
        The distance between their tips in m; and in rad, the angle between tip angle and roll of
        the arm and those for the orientation of the robot's tip link: 0 without a tip angle to
        request, NaN if that link's x-axis leans out of the plane.

    Raises:
        ConfigError: the robot does not have the base, the joints or the tip of the arm.
    """
    robot.check_link(arm.base_frame, "parameter 'base_frame'")
    route = find_route(robot, arm.base_frame, robot.check_link(tip, '--tip'))
    on_the_way = {joint.name for joint in route.joints}
    beside = [name for name in arm.names if name not in on_the_way]
    if beside:
        raise ConfigError(
            f"the robot has no joint {listed(beside)} between '{arm.base_frame}' and '{tip}'"
        )
    span = np.where(np.array(arm.units) == 'm', STROKE, math.pi)
    lower, upper = np.clip(np.array(arm.limits).T, -span, span)
    poses = np.random.default_rng(0).uniform(lower, upper, (count, len(span)))
    space = arm.kinematics
    tips, angles = space.forward(poses), space.tip_angles(poses)
    largest, turn = 0.0, 0.0
    for positions, reached, angle in zip(poses.tolist(), tips, angles.tolist(), strict=True):
        given = {**options.hold, **dict(zip(arm.names, positions, strict=True))}
        _, end = place(route, all_positions(robot, given))
        there = end[:3, 3] + end[:3, :3] @ np.array(options.tip)
        largest = max(largest, float(np.linalg.norm(there - reached)))
        x, y, _ = map(tuple, end[:3, :3].T.tolist())
        asked = Orientation.of_tip(space, x, y)
        is_leaning = arm.roll is None and asked.lean(space, positions) > NEAR
        turn = math.nan if is_leaning else max(turn, *asked.errors(space, positions, angle))
    return largest, 0.0 if angle_refusal(arm.chain) else turn

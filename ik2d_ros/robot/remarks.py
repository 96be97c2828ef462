"""Remarks on an import: its summary, and what its user has to check or to decide."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.parameters.checks import listed
from ik2d_ros.parameters.numerals import with_unit
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.robot.comparison import WITHIN, WITHIN_ANGLE, compare
from ik2d_ros.robot.find import STILL, Found
from ik2d_ros.robot.geometry import LEAST_FOR_ANGLE
from ik2d_ros.robot.model import FREE, Robot
from ik2d_ros.robot.options import TO_OFFSET, ImportOptions, Remark, to_begin_at, to_hold

POSES = 200  # random ones, to compare the arm with the robot
FEW_POSES = 20  # of these, for a difference that hardly depends on the pose


def remarks_on(
    robot: Robot, found: Found, parameters: Mapping[str, object], options: ImportOptions
) -> Iterator[Remark]:
    """Yield all remarks on the arm that was found in a robot, with its parameters."""
    base, tip = (printable(link) for link in (found.route.base, found.route.tip))
    summary = [
        f"from the link '{base}' to the link '{tip}'",
        f'joints in the plane: {listed(one.name for one in found.chain)}',
    ]
    summary += [
        f'{kind}: {one.quoted}' for kind, one in found.joints.items() if one not in found.chain
    ]
    yield Remark('; '.join(summary), doubt=False)
    arm = arm_from_parameters(parameters)
    yield from _about_differences(robot, found, arm, options)
    yield from _about_held(found, options)
    yield from _about_linkages(robot, found, parameters)
    yield from _about_limits(found, parameters)
    if (lift := found.joints.get('lift')) is not None and 'lift.home' not in options.parameters:
        yield Remark(
            f'no home is written: ~/home takes the lift {lift.quoted} to {arm.home[0]:g} m; '
            'another height is lift.home',
            doubt=False,
        )


def _about_differences(
    robot: Robot, found: Found, arm: ArmDescription, options: ImportOptions
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
    if angle > 1e-9:
        off = compare(arm, robot, found.route.tip, options, POSES).distance
        most = 'less than 1 um' if off < 1e-6 else f'{off:.2g} m at most'
        yield Remark(
            f"axes are not quite parallel: the worst is that of joint '{printable(joint)}', by "
            f'{angle:.2g} rad; in {POSES} random poses the tip is off by {most}',
            doubt=off > WITHIN,
            differs=True,
        )
    turn = compare(arm, robot, found.route.tip, options, FEW_POSES).turn
    if not turn <= WITHIN_ANGLE:  # NaN
        how = 'has its x-axis out of the plane'
        if not math.isnan(turn):
            how = f"is turned against the last link's frame, by up to {with_unit(turn, 'rad')}"
        yield Remark(
            f"the link '{printable(found.route.tip)}' {how}: tip angles, and orientations of "
            "targets (~/target_pose), are those of the last link's frame",
            doubt=False,
            differs=True,
        )


def _about_held(found: Found, options: ImportOptions) -> Iterator[Remark]:
    for one in found.order:
        position, why = found.positions[one.name], found.held.get(one.name)
        at = with_unit(position, one.unit)
        if why is None:
            continue
        if one.kind in FREE:
            yield Remark(
                f'joint {one.quoted} is {one.kind}: the arm is right only where it has not moved; '
                f"targets in '{printable(found.route.base)}' do not go with it, those in the link "
                f'behind it do: {to_begin_at(one.child)}'
            )
        elif one.name in options.hold or one.mimic is not None:
            yield Remark(f'joint {one.quoted} is held at {at}: {why}', doubt=False)
        elif found.depends_on(one):
            yield Remark(
                f'joint {one.quoted} is held where it stands: {why}; the link vectors are right '
                f'with it at {at}; to have it moved there: {to_hold(one.name, position)}'
            )
        else:
            yield Remark(
                f'joint {one.quoted} is held where it stands: {why}, and the tip is on its axis; '
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
                f'joint {one.quoted} is absolute: joints before it mimic the others with '
                'multiplier -1, as in a linkage, so its position is the direction of its link; '
                'give min_bend and max_bend if the linkage can fold'
            )
    last = found.chain[-1]
    if last.turns and last.lever(found.tip) < STILL:
        elsewhere = f'give another --tip (parameter tip_frame), or {TO_OFFSET}'
        if len(found.chain) >= LEAST_FOR_ANGLE:
            yield Remark(
                f'joint {last.quoted} turns the tip in place, as the yaw of a SCARA does: a tip '
                'angle (~/target_pose, parameter tip_angle, --angle) sets it; if the tip is '
                f'elsewhere: {elsewhere}',
                doubt='lift' not in found.joints,
            )
        else:
            yield Remark(
                f'joint {last.quoted} does not move the tip, which is on its axis: {elsewhere}, '
                f'or hold it: {to_hold(last.name, 0.0)}'
            )
    ours = {one.name for one in found.joints.values()}
    weak = {one.name for one in found.joints.values() if one.mimic or 'passive' in one.name.lower()}
    if ours & robot.driven:
        weak |= ours - robot.driven
    for ends in robot.loops:
        here, there = ({joint.name for joint in robot.upwards(end)} for end in ends)
        weak |= ours & (here ^ there)
    if weak:
        yield Remark(
            f'joints in a closed linkage or without a motor, as the file has it: '
            f'{listed(sorted(weak))}; this is no serial arm with a motor at each joint; describe a '
            'parallelogram with chain.<joint>.absolute'
        )


def _about_limits(found: Found, parameters: Mapping[str, object]) -> Iterator[Remark]:
    joints = found.joints.items()
    endless = [
        one.name
        for prefix, one in joints
        if one.limits is None and f'{prefix}.min_position' not in parameters
    ]
    if endless:
        yield Remark(
            f'no limits for {listed(endless)}: the file calls them continuous, as exports from CAD '
            'do; give --limits JOINT=LOWER,UPPER (parameters min_position and max_position of each)'
        )
    unknown = [one.name for prefix, one in joints if f'{prefix}.max_velocity' not in parameters]
    if unknown:
        yield Remark(
            'joints without a velocity limit, as theirs is missing, 0, or too large to be meant: '
            f'{listed(unknown)}; give --velocity JOINT=NUMBER (parameter max_velocity of each)'
        )

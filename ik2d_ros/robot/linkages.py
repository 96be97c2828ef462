"""Doubts about an arm in a closed linkage, without motors, or whose last joint moves nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ik2d_ros.parameters.checks import listed
from ik2d_ros.robot.find import STILL, Found
from ik2d_ros.robot.model import Robot
from ik2d_ros.robot.options import TO_OFFSET, Remark, to_hold

LEAST_FOR_ANGLE = 3  # joints, with which a tip angle can be asked for


def about_linkages(
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

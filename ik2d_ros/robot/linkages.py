"""Doubts about an arm in a closed linkage, with passive joints, or whose last moves nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ik2d_ros.parameters.checks import listed
from ik2d_ros.robot.find import STILL, Found
from ik2d_ros.robot.model import Robot, followed
from ik2d_ros.robot.options import TO_OFFSET, Remark, to_hold


def about_linkages(
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
            f'(parameter tip_frame), or {TO_OFFSET}, or hold it: {to_hold(last.name, 0.0)}'
        )
    own = [one.name for one in found.by_prefix.values()]
    for ends in robot.loops:
        here, there = ({joint.name for joint in robot.upwards(end)} for end in ends)
        if closed := [name for name in own if name in here ^ there]:
            yield Remark(
                f'a linkage is closed at {listed(ends)}, with {listed(closed)} in it: these are no '
                'serial arm with a motor at each joint; describe a parallelogram with '
                'chain.<joint>.absolute'
            )
    followers = {name for name in own if robot.by_name[name].mimic is not None}
    driven = followers | (robot.driven if robot.driven.intersection(own) else {*own})
    if passive := [name for name in own if 'passive' in name.lower() or name not in driven]:
        yield Remark(
            f'joints without a motor, by their names or by the tags for controllers: '
            f'{listed(passive)}; with passive joints it is no serial arm'
        )

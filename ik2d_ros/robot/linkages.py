"""Doubts about an arm that may be moved by a linkage, or whose last joint moves nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise

import numpy as np

from ik2d_ros.kinematics.arm import MOST_LEAN
from ik2d_ros.parameters.checks import listed
from ik2d_ros.robot.find import STILL, Found
from ik2d_ros.robot.model import Placed, Robot, find_route, followed, place
from ik2d_ros.robot.options import TO_OFFSET, Remark, to_hold

MOST_LINKS = 200  # to search for struts
ALIKE = 0.02  # of a link's length; rods this close to it are as long


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
    on_the_way = {link for joint in found.route.joints for link in (joint.parent, joint.child)}
    closed, struts = sorted(on_the_way & set(robot.loops)), list(_struts(robot, found))
    for words, links in (('is closed at', closed), ('may be closed by a strut at', struts)):
        if links:
            yield Remark(
                f'a linkage {words} {listed(links)}: its motors may move other joints than these; '
                'describe a linkage with chain.<joint>.absolute'
            )


def _struts(robot: Robot, found: Found) -> Iterator[str]:
    """Yield the ends of branches in the plane that may be rods of a linkage.

    Those have a driven joint and, last, a passive one; or they are parallel to a link of the arm.
    """
    base, on_the_way = found.route.base, {joint.name for joint in found.route.joints}
    for end in islice(robot.behind(base), MOST_LINKS):
        joints, _ = place(find_route(robot, base, end.child), found.positions)
        beside = [one for one in joints if one.name not in on_the_way]
        if (
            not robot.below[end.child]
            and len(beside) > 1
            and all(one.turns and one.angle_to(found.planar[0]) <= MOST_LEAN for one in beside)
            and ([one.kind for one in beside] == ['revolute', 'continuous'] or _twin(beside, found))
        ):
            yield end.child


def _twin(beside: Sequence[Placed], found: Found) -> bool:
    """Return whether a branch begins with the opposite side of a parallelogram to a link."""
    flat = np.eye(3) - np.outer(found.normal, found.normal)
    rod = flat @ (beside[1].point - beside[0].point)
    for one, after in pairwise([*(one.point for one in found.planar), found.tip]):
        link, apart = flat @ (after - one), flat @ (beside[0].point - one)
        size = float(np.linalg.norm(link))
        if np.linalg.norm(rod - link) < ALIKE * size < np.linalg.norm(apart) < size:
            return True
    return False

"""The plane of an arm and the link vectors in it, from where its joints are at position 0."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.find import STILL, Found, in_plane
from ik2d_ros.robot.model import Robot, Vector
from ik2d_ros.robot.options import to_end_at
from ik2d_ros.robot.route import Placed, followed, quoted

DIGITS = 12  # behind the point, of m and rad: what is beyond is rounding


@dataclass(frozen=True)
class Geometry:
    """An arm as its plane and the link vectors in it.

    Attributes:
        xyz: origin of the plane in the base link, in m.
        rpy: how it is turned there, in rad (URDF convention).
        links: (n,) link vectors in m, at position 0, by the joints of :attr:`.Found.chain`.
        offsets: (n,) angles of the link frames at position 0, in rad.
        axes: (n,) senses of rotation or of sliding, +1 or -1.
        lift_axis: that of the lift, +1 or -1; 0 without a lift.
        absolute: (n,) whether joints before it take back what those before them turn.
        tool: what is kept level by such joints before the tip, in m.
    """

    xyz: Vector
    rpy: Vector
    links: tuple[tuple[float, float], ...]
    offsets: tuple[float, ...]
    axes: tuple[int, ...]
    lift_axis: int
    absolute: tuple[bool, ...]
    tool: tuple[float, float]


def flatten(robot: Robot, found: Found) -> Geometry:
    """Return the plane and the link vectors of an arm.

    Args:
        robot: the robot.
        found: its joints; all at position 0, the held ones where they are held.

    Raises:
        ConfigError: a joint that follows others turns the tip in a way that no single link does.
    """
    normal, tip = found.normal, found.tip
    x, y = in_plane(normal)
    first = found.order.index(found.turntable) + 1 if found.turntable is not None else 0
    ours = (*found.planar, *found.slides, *found.followers)
    members = [one for one in found.order[first:] if one in ours]
    points = [*(one.point for one in members), tip]
    steps = [np.array([(after - one) @ x, (after - one) @ y]) for one, after in pairwise(points)]
    sums, tool, absolute = _sums(robot, found, members, steps)
    slid = {one: np.array([one.axis @ x, one.axis @ y]) for one in found.slides}
    start, links = _links(found, sums, dict(zip(members, steps, strict=True)), slid, absolute)
    begin = members[0].point
    origin = begin + ((tip - begin) @ normal) * normal + start[0] * x + start[1] * y
    plane = Plane((0.0, 0.0, 0.0), (_vector(x), _vector(y), _vector(normal)))
    return Geometry(
        xyz=rounded(origin),
        rpy=rounded(plane.rpy()),
        links=tuple((_round(link.x), _round(link.y)) for link in links),
        offsets=tuple(_round(link.offset) for link in links),
        axes=tuple(link.axis for link in links),
        lift_axis=0 if found.lift is None else _sense(found.lift, normal),
        absolute=tuple(one in absolute for one in found.chain),
        tool=(_round(tool[0]), _round(tool[1])),
    )


def _sense(one: Placed, normal: FloatArray) -> int:
    return 1 if one.axis @ normal > 0.0 else -1


def _sums(
    robot: Robot,
    found: Found,
    members: Sequence[Placed],
    steps: Sequence[FloatArray],
) -> tuple[list[FloatArray], FloatArray, set[Placed]]:
    """Sum the steps by the joint with which they turn; the first sum turns with none.

    Returns:
        The sums; that of the steps behind the first joint which turn with none, for followers take
        it back; and the joints before which they take all back, the absolute ones.
    """
    order = [one.joint.name for one in found.planar]
    normal = found.normal
    senses = [_sense(one, normal) for one in found.planar]
    # Row i is how the frame of link i turns: with each of the first i joints.
    patterns = np.zeros((1, len(order)))
    sums: list[FloatArray] = [np.zeros(2) for _ in range(len(order) + 1)]
    tool, absolute = np.zeros(2), set[Placed]()
    turned = np.zeros(len(order))  # how the frame turns with the position of each joint
    passed = 0  # joints of the plane that turn
    followers: list[tuple[Placed, str]] = []  # that were passed, and what they follow
    for one, step in zip(members, steps, strict=True):
        slides = one in found.slides
        if not slides:
            first, multiplier, _ = followed(robot, one.joint)
            if first.name not in order:  # it follows one elsewhere, and counts as free itself
                first, multiplier = one.joint, 1.0
            elif first is not one.joint:
                followers.append((one, first.name))
            if one in found.planar:
                passed += 1
                expected = patterns[-1].copy()
                if passed > 1 and np.abs(turned).max() < 1e-9:
                    absolute.add(one)
                    expected = np.zeros(len(order))
                expected[passed - 1] = senses[passed - 1]
                patterns = np.vstack([patterns, expected])
            turned[order.index(first.name)] += _sense(one, normal) * multiplier
        (matching,) = np.nonzero(np.abs(patterns - turned).max(axis=1) < 1e-9)
        if slides and passed not in matching:
            raise ConfigError(
                f'joint {quoted(one)} slides on a link that turns with joints that follow others '
                '(mimic), which is not supported; choose a tip before it: '
                f'{to_end_at(one.joint.parent)}'
            )
        if passed and 0 in matching:
            tool += step
        elif len(matching):
            sums[matching[-1]] += step
        elif float(np.linalg.norm(step)) > STILL:
            follower, leader = followers[-1]
            raise ConfigError(
                f"behind joint {quoted(follower)}, which follows '{printable(leader)}' (mimic), "
                'the tip turns as no single link does: such a linkage is not supported; choose a '
                f'tip before it: {to_end_at(follower.joint.parent)}'
            )
    return sums, tool, absolute


class _Link(NamedTuple):
    """A link vector (x, y) in m, the angle of its frame in rad, and the sense of its joint."""

    x: float
    y: float
    offset: float
    axis: int


def _links(
    found: Found,
    sums: Sequence[FloatArray],
    steps: Mapping[Placed, FloatArray],
    slid: Mapping[Placed, FloatArray],
    absolute: set[Placed],
) -> tuple[FloatArray, list[_Link]]:
    """Return the step before the first joint, and the links.

    The link of a joint that slides is the part of its step along the way that it slides; what is
    left belongs to the link on which it slides. Where there is no such part, the frame is turned to
    the way, and that of the next link back.

    Args:
        found: what the joints do.
        sums: the steps that turn with each of the joints that turn, before them those with none.
        steps: from each joint to the next.
        slid: the direction in which each joint slides, at position 0.
        absolute: the joints whose frame turns with none before.
    """
    left = [step.copy() for step in sums]
    frames: list[tuple[int, float, int]] = []  # of each joint: its sum, the angle of its frame
    slides: dict[int, FloatArray] = {}
    turns = 0
    for index, one in enumerate(found.chain):
        angle, axis = 0.0, _sense(one, found.normal)
        if one in slid:
            way = slid[one] / float(np.linalg.norm(slid[one]))
            length = float(steps[one] @ way) if one in steps else 0.0
            still = abs(length) < STILL
            slides[index] = np.zeros(2) if still else length * way
            left[turns] -= slides[index]
            angle = math.atan2(way[1], way[0]) if still else 0.0
            axis = 1 if still or length > 0.0 else -1
        else:
            turns += 1
        frames.append((turns, angle, axis))
    links, before = [], 0.0
    for index, (group, angle, axis) in enumerate(frames):
        before = 0.0 if found.chain[index] in absolute else before
        x, y = slides[index] if index in slides else left[group]
        c, s = math.cos(angle), math.sin(angle)
        links.append(_Link(c * x + s * y, c * y - s * x, angle - before, axis))
        before = angle
    return left[0], links


def _vector(values: Iterable[float]) -> Vector:
    x, y, z = map(float, values)
    return x, y, z


def rounded(values: Iterable[float]) -> Vector:
    """Return (3,) m or rad without the digits that rounding made."""
    x, y, z = (_round(value) for value in values)
    return x, y, z


def _round(value: float) -> float:
    return round(float(value), DIGITS) + 0.0

"""The plane of an arm and the link vectors in it, from the places of its joints at position 0."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.arm import MOST_LEAN
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.robot.find import STILL, Found
from ik2d_ros.robot.model import Placed
from ik2d_ros.robot.options import to_end_at

DIGITS = 12  # after the point, in m and rad; the rest is rounding error


def flatten(found: Found) -> dict[str, object]:
    """Return the parameters of an arm's joints, links and plane, without limits.

    Raises:
        ConfigError: a joint that follows others turns the tip in a way that no single link does.
    """
    normal, tip = found.normal, found.tip
    turntable, lift, roll = (found.joints.get(prefix) for prefix in ('turntable', 'lift', 'roll'))
    x, y = _axes(normal)
    flat = np.stack([x, y])
    first = found.order.index(turntable) + 1 if turntable is not None else 0
    ours = {*found.chain, *found.followers}
    members = [one for one in found.order[first:] if one in ours]
    points = [*(one.point for one in members), tip]
    steps = {
        one: flat @ (there - here)
        for one, (here, there) in zip(members, pairwise(points), strict=True)
    }
    sums, tool, absolute = _sums(found, steps)
    links = _links(found, sums, steps, flat, absolute)
    begin = members[0].point
    # The plane is that of the tip, or of the axis about which it rolls.
    level = tip if roll is None else foot_on(roll, tip)
    origin = begin + ((level - begin) @ normal) * normal + sums[0] @ flat
    u, v, n = (tuple(axis.tolist()) for axis in (x, y, normal))
    parameters: dict[str, object] = {
        'base.xyz': rounded(origin),
        'base.rpy': rounded(Plane((0.0, 0.0, 0.0), (u, v, n)).rpy()),
    }
    if turntable is not None:
        parameters |= {
            'turntable.joint': turntable.name,
            'turntable.xyz': rounded(turntable.point),
            'turntable.axis': rounded(turntable.direction),
        }
    if lift is not None:
        parameters |= {'lift.joint': lift.name, 'lift.axis': _sense(lift, normal)}
    parameters['joints'] = [one.name for one in found.chain]
    if np.abs(tool).max() > STILL:
        parameters['tool'] = rounded(tool)
    return parameters | links


def foot_on(one: Placed, point: FloatArray) -> FloatArray:
    """Return the point of a joint's axis next to another one."""
    foot: FloatArray = one.point + ((point - one.point) @ one.direction) * one.direction
    return foot


def _axes(normal: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the x and y of a plane, (3,) unit vectors, by its normal.

    The x-axis is that of the base link, projected into the plane, or the base link's z where x is
    the normal.
    """
    axis = np.eye(3)[0 if abs(normal[0]) < 0.995 else 2]
    for _ in range(2):  # once more for the rounding of a short projection
        axis = axis - (axis @ normal) * normal
        axis = axis / np.linalg.norm(axis)
    return axis, np.cross(normal, axis)


def _sense(one: Placed, normal: FloatArray) -> int:
    return 1 if one.direction @ normal > 0.0 else -1


def _sums(
    found: Found, steps: Mapping[Placed, FloatArray]
) -> tuple[list[FloatArray], FloatArray, set[Placed]]:
    """Sum the steps by the joint that turns them; the first sum is before all joints.

    Returns:
        The sums; the sum of the steps behind the first joint that do not turn because followers
        compensate; and the absolute joints, before which followers compensate for all others.
    """
    names = [one.name for one in found.turning]
    turned = np.zeros(len(names))  # by how much each joint turns the frame
    patterns: list[FloatArray] = [turned.copy()]  # the same for the base and the frame of each link
    sums: list[FloatArray] = [np.zeros(2) for _ in range(len(names) + 1)]
    tool: FloatArray = np.zeros(2)
    absolute = set[Placed]()
    follower = found.turning[0]
    for one, step in steps.items():
        if one.turns:
            rule = one.mimic if one in found.followers else None
            turn = np.zeros(len(names))
            turn[names.index(rule.joint if rule else one.name)] = _sense(one, found.normal)
            if rule is None:
                if len(patterns) > 1 and not turned.round(9).any():
                    absolute.add(one)
                patterns.append(turn if one in absolute else patterns[-1] + turn)
            turned += (rule.multiplier if rule else 1.0) * turn
            follower = one if rule else follower
        alike = [np.abs(pattern - turned).max() < 1e-9 for pattern in patterns]
        is_alone = not any(alike) and float(np.linalg.norm(step)) > STILL
        if is_alone or not (one.turns or alike[-1]):
            raise ConfigError(
                f"behind joint {follower.quoted}, which follows '{follower.leader}' (mimic), "
                'the tip moves as no single link does: such a linkage is not supported; choose a '
                f'tip before it: {to_end_at(follower.parent)}'
            )
        if alike[0] and len(patterns) > 1:
            tool += step
        elif any(alike):
            sums[len(alike) - 1 - alike[::-1].index(True)] += step
    return sums, tool, absolute


def _links(
    found: Found,
    sums: Sequence[FloatArray],
    steps: Mapping[Placed, FloatArray],
    flat: FloatArray,
    absolute: set[Placed],
) -> dict[str, object]:
    """Return the parameters of the links.

    The link of a joint that slides is the part of its step along its direction of sliding; the rest
    of the step belongs to the link on which it slides: it is subtracted from ``sums``, in place.
    Without such a part, the frame is turned to that direction, and the frame of the next link is
    turned back.
    """
    frames: list[tuple[Placed, FloatArray, float, int]] = []
    turns = 0
    for one in found.chain:
        angle, axis = 0.0, _sense(one, found.normal)
        if one.turns:
            turns += 1
            link = sums[turns]  # slides behind it subtract from it in place
        else:
            way = _along(one, flat)
            link = (steps[one] @ way) * way if one in steps else np.zeros(2)
            axis = -1 if link @ way < -STILL else 1
            if float(np.linalg.norm(link)) < STILL:
                link, angle = np.zeros(2), math.atan2(way[1], way[0])
            sums[turns][:] -= link
        frames.append((one, link, angle, axis))
    roll = _roll(found, frames, flat)
    parameters: dict[str, object] = {}
    before = 0.0
    for one, link, angle, axis in frames:
        prefix = f'chain.{one.name}'
        offset = angle - (0.0 if one in absolute else before)
        if not one.turns:
            parameters[f'{prefix}.type'] = 'prismatic'
        parameters[f'{prefix}.link'] = rounded(_turned_back(angle) @ link)
        if round(offset, DIGITS):
            parameters[f'{prefix}.offset'] = round(offset, DIGITS)
        parameters[f'{prefix}.axis'] = axis
        if one in absolute:
            parameters[f'{prefix}.absolute'] = True
        before = angle
    return parameters | roll


def _along(one: Placed, flat: FloatArray) -> FloatArray:
    """Return the direction of a joint's axis in the plane, a (2,) unit vector."""
    way: FloatArray = flat @ one.direction
    return way / np.linalg.norm(way)


def _turned_back(angle: float) -> FloatArray:
    """Return the (2, 2) rotation by an angle in rad backwards: into a frame that is turned."""
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([[cos, sin], [-sin, cos]])


def _roll(
    found: Found, frames: list[tuple[Placed, FloatArray, float, int]], flat: FloatArray
) -> dict[str, object]:
    """Return the parameters of the roll; the last frame is turned to its axis, if it may be."""
    roll = found.joints.get('roll')
    if roll is None:
        return {}
    foot, (last, link, angle, axis) = foot_on(roll, found.tip), frames[-1]
    way = _along(roll, flat)
    ahead = way if link @ way >= -STILL else -way
    turn = math.atan2(ahead[1], ahead[0])
    if last.turns and abs(turn) > MOST_LEAN:
        angle = turn
        frames[-1] = last, link, angle, axis
    own = _turned_back(angle)
    beside = link + flat @ (foot - found.tip)
    beside = beside - (beside @ way) * way
    return {
        'roll.joint': roll.name,
        'roll.axis': rounded(own @ way),
        'roll.origin': rounded(own @ beside),
        'roll.tip_z': rounded((found.tip - foot) @ found.normal[:, None])[0],
    }


def rounded(values: Iterable[float]) -> list[float]:
    """Return values in m or rad without digits that are rounding errors."""
    return [round(float(value), DIGITS) + 0.0 for value in values]

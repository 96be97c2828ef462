"""The plane of an arm and the link vectors in it, from the places of its joints at position 0.

Vectors in the plane are complex numbers, x + iy in m; ``flat`` @ a vector of the base link is that
in the plane.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.arm import MOST_LEAN
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.robot.find import NEAR, STILL, Found, pasted
from ik2d_ros.robot.model import Placed

DIGITS = 12  # after the point, in m and rad; the rest is rounding error
LEAST_FOR_ANGLE = 3  # joints, with which a tip angle can be requested

Flat = NDArray[np.complex128]


def flatten(found: Found, given: Mapping[str, object]) -> dict[str, object]:
    """Return the parameters of an arm's joints, links and plane, without limits.

    The last link's frame is turned to the tip link's x-axis where a tip angle may be requested,
    unless the user gives that link, or the axis leans out of the plane.

    Raises:
        ConfigError: a joint that follows others turns the tip in a way that no single link does.
    """
    normal, tip = found.normal, found.tip
    turntable, lift, roll = (found.joints.get(prefix) for prefix in ('turntable', 'lift', 'roll'))
    flat = _axes(normal)
    first = found.order.index(turntable) + 1 if turntable is not None else 0
    ours = {*found.chain, *found.followers}
    members = [one for one in found.order[first:] if one in ours]
    points = [*(one.point for one in members), tip]
    steps = {
        one: complex(flat @ (there - here))
        for one, (here, there) in zip(members, pairwise(points), strict=True)
    }
    sums, tool, absolute = _sums(found, steps)
    last = f'chain.{found.chain[-1].name}'
    is_given = not {f'{last}.{field}' for field in ('link', 'length', 'offset')}.isdisjoint(given)
    turn, tip_x = 0.0, complex(flat @ found.tip_x)
    behind = found.order[found.order.index(found.chain[-1]) + 1 :]
    turns_as_last = found.chain[-1].turns and roll is None and not any(one.turns for one in behind)
    has_angle = len(found.chain) >= LEAST_FOR_ANGLE and turns_as_last
    if has_angle and not is_given and abs(tip_x) > math.cos(NEAR):
        turn = cmath.phase(tip_x)
    links = _links(found, sums, steps, flat, absolute, turn)
    begin = members[0].point
    # The plane is that of the tip, or of the axis about which it rolls.
    level = tip if roll is None else foot_on(roll, tip)
    origin = begin + ((level - begin) @ normal) * normal + (sums[0] * flat.conj()).real
    u, v, n = (tuple(axis.tolist()) for axis in (flat.real, flat.imag, normal))
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
    if abs(tool) > STILL:
        parameters['tool'] = _pair(tool)
    return parameters | links


def foot_on(one: Placed, point: FloatArray) -> FloatArray:
    """Return the point of a joint's axis next to another one."""
    foot: FloatArray = one.point + ((point - one.point) @ one.direction) * one.direction
    return foot


def _axes(normal: FloatArray) -> Flat:
    """Return the x + iy of a plane, (3,), by its normal.

    The x-axis is that of the base link, projected into the plane, or the base link's z where x is
    the normal.
    """
    axis = np.eye(3)[0 if abs(normal[0]) < 0.995 else 2]
    for _ in range(2):  # once more for the rounding of a short projection
        axis = axis - (axis @ normal) * normal
        axis = axis / np.linalg.norm(axis)
    return np.asarray(axis + 1j * np.cross(normal, axis))


def _sense(one: Placed, normal: FloatArray) -> int:
    return 1 if one.direction @ normal > 0.0 else -1


def _sums(
    found: Found, steps: Mapping[Placed, complex]
) -> tuple[list[complex], complex, set[Placed]]:
    """Sum the steps by the joint that turns them; the first sum is before all joints.

    Returns:
        The sums; the sum of the steps behind the first joint that do not turn because followers
        compensate; and the absolute joints, before which followers compensate for all others.
    """
    names = [one.name for one in found.turning]
    turned = np.zeros(len(names))  # by how much each joint turns the frame
    patterns: list[FloatArray] = [turned.copy()]  # the same for the base and the frame of each link
    sums, tool = [0j] * (len(names) + 1), 0j
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
        is_alone = not any(alike) and abs(step) > STILL
        if is_alone or not (one.turns or alike[-1]):
            raise ConfigError(
                f"behind joint '{follower.name}', which follows '{follower.leader}' (mimic), "
                'the tip moves as no single link does: such a linkage is not supported; choose a '
                f'tip before it: --tip {pasted(follower.parent)} (parameter tip_frame)'
            )
        if alike[0] and len(patterns) > 1:
            tool += step
        elif any(alike):
            sums[len(alike) - 1 - alike[::-1].index(True)] += step
    return sums, tool, absolute


def _links(
    found: Found,
    sums: list[complex],
    steps: Mapping[Placed, complex],
    flat: Flat,
    absolute: set[Placed],
    turn: float,
) -> dict[str, object]:
    """Return the parameters of the links, and of the roll.

    The link of a joint that slides is the part of its step along its direction of sliding; the rest
    of the step belongs to the link on which it slides: it is subtracted from ``sums``, in place.
    Without such a part, the frame is turned to that direction, and the frame of the next link is
    turned back. So is the last frame, to the axis of the roll, or by ``turn`` in rad.
    """
    vectors, angles, turns = dict[Placed, complex](), dict.fromkeys(found.chain, 0.0), 0
    for one in found.chain:
        if one.turns:
            turns += 1
            continue
        way = _along(one, flat)
        along = (steps.get(one, 0j) / way).real
        vectors[one] = along * way if abs(along) > STILL else 0j
        angles[one] = 0.0 if vectors[one] else cmath.phase(way)
        sums[turns] -= vectors[one]
    vectors |= zip(found.turning, sums[1:], strict=True)
    link = vectors[found.chain[-1]]
    angles[found.chain[-1]] += turn
    roll = _roll(found, link, angles, flat) if 'roll' in found.joints else {}
    before, fields = 0.0, dict[str, object]()
    for one in found.chain:
        prefix, angle, axis = f'chain.{one.name}', angles[one], _sense(one, found.normal)
        if not one.turns:
            fields[f'{prefix}.type'] = 'prismatic'
            axis = -1 if (vectors[one] / _along(one, flat)).real < 0.0 else 1
        fields[f'{prefix}.link'] = _pair(vectors[one] * cmath.rect(1.0, -angle))
        offset = round(angle - (0.0 if one in absolute else before), DIGITS)
        if offset:
            fields[f'{prefix}.offset'] = offset
        fields[f'{prefix}.axis'] = axis
        if one in absolute:
            fields[f'{prefix}.absolute'] = True
        before = angle
    return fields | roll


def _along(one: Placed, flat: Flat) -> complex:
    """Return the direction of a joint's axis in the plane, of length 1."""
    way = complex(flat @ one.direction)
    return way / abs(way)


def _roll(
    found: Found, link: complex, angles: dict[Placed, float], flat: Flat
) -> dict[str, object]:
    """Return the parameters of the roll behind a link, whose frame is turned to it if it may be."""
    roll, last = found.joints['roll'], found.chain[-1]
    foot, way = foot_on(roll, found.tip), _along(roll, flat)
    turn = cmath.phase(way if (link / way).real >= -STILL else -way)
    if last.turns and abs(turn) > MOST_LEAN:
        angles[last] = turn
    own, beside = cmath.rect(1.0, -angles[last]), link + complex(flat @ (foot - found.tip))
    return {
        'roll.joint': roll.name,
        'roll.axis': _pair(own * way),
        'roll.origin': _pair(own * (beside - (beside / way).real * way)),
        'roll.tip_z': rounded([float((found.tip - foot) @ found.normal)])[0],
    }


def _pair(vector: complex) -> list[float]:
    return rounded((vector.real, vector.imag))


def rounded(values: Iterable[float]) -> list[float]:
    """Return values in m or rad without digits that are rounding errors."""
    return [round(float(value), DIGITS) + 0.0 for value in values]

"""Poses of triangles with a side of no length, which has no direction.

There one joint moves nothing that another one does not move as well, so that poses come in
families. In one of each family, a joint is at the start or at a limit: at its end. Units are those
of :mod:`.tip_angle_triangles`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import Limits, into_range_many
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.tip_angle_shapes import Indices
from ik2d_ros.kinematics.tip_angle_triangles import LOOSE, Triangles

FLAT = 1e-9  # Reaches; a side of a triangle as short as this has no direction.


class _Chain(NamedTuple):
    """Lengths (n,) of links in reaches, and limits (n,) of bends in rad."""

    lengths: FloatArray
    limits: Limits


def ends_of_families(
    lengths: FloatArray,
    limits: Limits,
    table: Triangles,
    flat: tuple[Indices, Indices],
    targets: ComplexArray,
    headings: FloatArray | None,
    starts: FloatArray,
) -> tuple[FloatArray, Indices]:
    """Return the poses at the ends of families.

    Args:
        lengths: (n,) of the links, in reaches.
        limits: (n,) pairs (lower, upper) of each bend in rad.
        table: triangles.
        flat: those with a side of no length, by their numbers, and for which targets.
        targets: (m,) in reaches.
        headings: (m,) of the last link in rad, or None for any.
        starts: (n, m) bends in rad, inside the limits.

    Returns:
        (n, c) bends in rad, and (c,) for which targets.
    """
    chain = _Chain(lengths, limits)
    with_angle = headings is not None
    found: list[FloatArray] = []
    which: list[int] = []
    lower, upper = np.array(chain.limits).T
    for entry, target in zip(*(each.tolist() for each in flat), strict=True):
        i, j, k = table.joints[:, entry].tolist()
        start = starts[:, target]
        bends = table.bends[entry].copy()
        if with_angle:
            bends[:i] = start[:i]
        ends = [_ends(chain, joint, start[joint]) for joint in range(len(start))]
        moving = [i, j, k] if with_angle else [i, j]
        for fixed in moving:
            for value in ends[fixed]:
                bends[fixed] = value
                others = [joint for joint in moving if joint != fixed]
                heading = None if headings is None else headings[target]
                for pose in _closed(chain, bends, others, ends, targets[target], heading):
                    turned, inside = into_range_many(pose, lower, upper, start, LOOSE)
                    if inside.all():
                        found.append(turned)
                        which.append(target)
    if not found:
        return np.zeros((len(starts), 0)), np.zeros(0, dtype=np.intp)
    return np.array(found).T, np.array(which, dtype=np.intp)


def _ends(chain: _Chain, joint: int, start: float) -> list[float]:
    """Return the bends at which a joint is held, and that of the start, in rad."""
    lower, upper = chain.limits[joint]
    return [start, lower, upper] if lower > -np.inf else [start, 0.0]


def _closed(
    chain: _Chain,
    pose: FloatArray,
    free: list[int],
    ends: list[list[float]],
    target: complex,
    heading: float | None,
) -> list[FloatArray]:
    """Return poses with the free joints turned so that the tip comes onto the target, if it can.

    Args:
        chain: its links and limits.
        pose: (n,) bends in rad of all other joints.
        free: the joint that points the tip there; with a heading, another one behind it, too.
        ends: for each joint the bends in rad that are tried where any would do.
        target: in reaches.
        heading: of the last link in rad, or None for any.
    """
    n, first = len(pose), free[0]
    if heading is None:
        return _pointed(chain, pose, first, n, target, ends[first])
    last = free[1]
    # The last of them makes up for the heading, so that where it has to be is known.
    straight = pose.copy()
    straight[last] = 0.0
    straight[last] = heading - straight.sum()
    points = _points(chain, straight)
    place = target - (points[n] - points[last])
    found = _pointed(chain, straight, first, last, place, ends[first])
    if len(found) > 1:
        for value in ends[last]:
            other = pose.copy()
            other[first], other[last] = 0.0, value
            other[first] = heading - other.sum()
            found.append(other)
    for each in found:
        each[last] = 0.0
        each[last] = heading - each.sum()
    return found


def _pointed(
    chain: _Chain, pose: FloatArray, joint: int, end: int, place: complex, ends: list[float]
) -> list[FloatArray]:
    """Return the pose with one joint turned so that another one, or the tip, is in that direction.

    Where it has no direction, poses with the joint at each of its ends.
    """
    points = _points(chain, pose)
    span, wanted = points[end] - points[joint], place - points[joint]
    found = [pose.copy()]
    if abs(span) > FLAT and abs(wanted) > FLAT:
        found[0][joint] += np.angle(wanted / span)
        return found
    found = [pose.copy() for _ in ends]
    for each, value in zip(found, ends, strict=True):
        each[joint] = value
    return found


def _points(chain: _Chain, bends: FloatArray) -> ComplexArray:
    """Return (n + 1,) joints and tip, in reaches."""
    links = chain.lengths * np.exp(1j * np.cumsum(bends))
    return np.concatenate([np.zeros(1, complex), np.cumsum(links)])

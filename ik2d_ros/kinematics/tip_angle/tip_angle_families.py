"""Poses of triangles with a side of no length, which has no direction.

There one joint moves nothing that another one does not move as well, so that poses come in
families. In one of each family, a joint is at the start or at a limit: at its end. Units are those
of :mod:`.tip_angle_triangles`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import Limits, into_range_many
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray, Indices
from ik2d_ros.kinematics.columns import links_many
from ik2d_ros.kinematics.tip_angle.tip_angle_closures import Closures
from ik2d_ros.kinematics.tip_angle.tip_angle_lines import FLAT
from ik2d_ros.kinematics.tip_angle.tip_angle_triangles import LOOSE, Triangles


class _Chain(NamedTuple):
    """Lengths (n,) of links in reaches, limits (n,) of bends, and fixed bends (n,) or None."""

    lengths: FloatArray
    limits: Limits
    fixed: FloatArray | None

    def turns(self, joint: int) -> bool:
        """Whether a joint is revolute."""
        return self.fixed is None or bool(np.isnan(self.fixed[joint]))

    def at(self, bends: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (n,) headings of the links in rad, and (n + 1,) joints and tip, in reaches."""
        lengths, turns = links_many(self.fixed, self.lengths, bends)
        headings = np.cumsum(turns)
        ends = np.cumsum(lengths * np.exp(1j * headings))
        return headings, np.concatenate([np.zeros(1, complex), ends])


def ends_of_families(
    lengths: FloatArray,
    limits: Limits,
    fixed: FloatArray | None,
    table: Triangles | Closures,
    flat: tuple[Indices, Indices],
    targets: ComplexArray,
    headings: FloatArray | None,
    starts: FloatArray,
) -> tuple[FloatArray, Indices]:
    """Return the poses at the ends of families.

    Args:
        lengths: (n,) of the links, in reaches.
        limits: (n,) pairs (lower, upper) of each bend in rad.
        fixed: (n,) bends of prismatic joints, as :func:`.columns.fixed_array` has them, or None.
        table: triangles, or closures.
        flat: those with a side of no length, by their numbers, and for which targets.
        targets: (m,) in reaches.
        headings: (m,) of the last link in rad, or None for any.
        starts: (n, m) bends in rad, inside the limits.

    Returns:
        (n, c) bends in rad, and (c,) for which targets.
    """
    chain = _Chain(lengths, limits, fixed)
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
        for held in moving:
            for value in ends[held]:
                bends[held] = value
                others = [joint for joint in moving if joint != held]
                heading = None if headings is None else headings[target]
                for pose in _closed(chain, bends, others, ends, targets[target], heading):
                    turned, inside = into_range_many(pose, lower, upper, start, LOOSE)
                    if fixed is not None:  # What slides does not come round again.
                        slid = ~np.isnan(fixed)
                        turned[slid] = np.clip(pose, lower, upper)[slid]
                        inside[slid] = np.abs(turned - pose)[slid] <= LOOSE
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
    if not all(map(chain.turns, free)):
        return [_slid(chain, pose, free, target, heading)]
    # The last of them makes up for the heading, so that where it has to be is known.
    straight = pose.copy()
    straight[last] = 0.0
    straight[last] = heading - chain.at(straight)[0][-1]
    points = chain.at(straight)[1]
    place = target - (points[n] - points[last])
    found = _pointed(chain, straight, first, last, place, ends[first])
    if len(found) > 1:
        for value in ends[last]:
            other = pose.copy()
            other[first], other[last] = 0.0, value
            other[first] = heading - chain.at(other)[0][-1]
            found.append(other)
    for each in found:
        each[last] = 0.0
        each[last] = heading - chain.at(each)[0][-1]
    return found


def _slid(
    chain: _Chain, pose: FloatArray, free: list[int], target: complex, heading: float
) -> FloatArray:
    """Do what :func:`_closed` does where one of both joints slides: there is one pose at most."""
    turned = pose.copy()
    slide, turning = sorted(free, key=chain.turns)
    turned[turning] = 0.0
    turned[turning] = heading - chain.at(turned)[0][-1]
    return _pointed(chain, turned, slide, len(pose), target, [])[0]


def _pointed(
    chain: _Chain, pose: FloatArray, joint: int, end: int, place: complex, ends: list[float]
) -> list[FloatArray]:
    """Return the pose with one joint moved so that another one, or the tip, is in that direction.

    Where it has no direction, poses with the joint at each of its ends.
    """
    headings, points = chain.at(pose)
    found = [pose.copy()]
    if not chain.turns(joint):
        found[0][joint] += ((place - points[end]) * np.exp(-1j * headings[joint])).real
        return found
    span, wanted = points[end] - points[joint], place - points[joint]
    if abs(span) > FLAT and abs(wanted) > FLAT:
        found[0][joint] += np.angle(wanted / span)
        return found
    found = [pose.copy() for _ in ends]
    for each, value in zip(found, ends, strict=True):
        each[joint] = value
    return found

"""The arcs that make up the edge of what a chain reaches within its limits, and each part of it.

At a pose whose tip is on the edge, some joints are at a limit and the others are in line with the
tip; so where one of these alone moves, the first, the tip runs along an arc. There are finitely
many. Derived in ``docs/solvers.md``, section 8.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import TURN, Limits
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.corners import (
    SLACK,
    Corners,
    corners,
    limit_ends,
    longest_and_shortest,
    turns_fully,
)

_WIDER = 1e-9  # rad; arcs may well go on a little beyond the edge.


class EdgeArcs(NamedTuple):
    """Arcs, an element each; the origin is the first joint, its bend is from the x-axis.

    Attributes:
        center: (a,) in reaches.
        radius: (a,) in reaches.
        begin: (a,) direction from the centre to one end, in rad.
        length: (a,) how far it is to the other end, in rad; a turn at the most.
        mover: (a,) index of the joint that moves; its pivot is the centre.
        lead: (a,) what its bend exceeds the direction by, in rad.
        bends: (a, n) rad; without meaning for the joint that moves.
    """

    center: ComplexArray
    radius: FloatArray
    begin: FloatArray
    length: FloatArray
    mover: NDArray[np.intp]
    lead: FloatArray
    bends: FloatArray

    def at(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> EdgeArcs:
        """Return some of the arcs."""
        return EdgeArcs(
            self.center[chosen],
            self.radius[chosen],
            self.begin[chosen],
            self.length[chosen],
            self.mover[chosen],
            self.lead[chosen],
            self.bends[chosen],
        )


class _Tails(NamedTuple):
    """Shapes from a free joint to the tip, all free joints in line; an element each.

    Attributes:
        along: (k,) how far the tip is from the joint, along the line, in reaches.
        heading: (k,) of the joint's link to the line, in rad.
        bends: (k, n) rad, of the joints after it.
    """

    along: FloatArray
    heading: FloatArray
    bends: FloatArray

    def at(self, chosen: NDArray[np.bool_]) -> _Tails:
        """Return some of them."""
        return _Tails(*(values[chosen] for values in self))


def edge_arcs(lengths: FloatArray, limits: Limits) -> list[EdgeArcs]:
    """Return arcs among which is the edge of what each part of a chain reaches.

    Args:
        lengths: (n,) of the links, in reaches.
        limits: (n,) pairs (lower, upper) of each bend in rad, infinite for a continuous joint.

    Returns:
        (n + 1,) for each joint the arcs of the part from it to the tip, as if it were the base. A
        part that reaches a single point has one arc of radius 0; the last is that of the tip.
    """
    n = len(lengths)
    ends = limit_ends(limits)
    straight: list[_Tails] = [_joined([], n)] * n
    folded: list[_Tails] = [_joined([], n)] * n
    for first in range(n - 1, -1, -1):
        if limits[first][0] == limits[first][1]:
            continue  # It cannot move.
        straight[first], folded[first] = _tails(first, lengths, limits, ends, straight, folded)
    return [_arcs(joint, lengths, limits, ends, straight, folded) for joint in range(n + 1)]


def _tails(
    first: int,
    lengths: FloatArray,
    limits: Limits,
    ends: list[list[tuple[float, float]]],
    straight: list[_Tails],
    folded: list[_Tails],
) -> tuple[_Tails, _Tails]:
    """Return the tails from a joint: as long as they can be, and as short.

    As long: every shape between free joints as long as it can be, and all pointing on. As short:
    one of them as short as it can be, pointing on, and all others, as long as they can be, back.
    """
    n = len(lengths)
    far: list[_Tails] = []
    near: list[_Tails] = []
    for last in range(first + 1, n + 1):
        inside = ends[first + 1 : last]
        if not all(inside):
            break  # That joint is never at a limit.
        shapes = corners(lengths[first:last], [[(0.0, 0.0)], *inside])
        longest, shortest = longest_and_shortest(shapes)
        long, short = shapes.at(longest), shapes.at(shortest)
        if last == n:
            tip = _Tails(np.zeros(1), np.zeros(1), np.zeros((1, n)))
            far += _before(tip, long, first, 1.0, None)
            near += _before(tip, short, first, 1.0, None)
            continue
        if limits[last][0] == limits[last][1]:
            continue
        far += _before(straight[last], long, first, 1.0, limits[last])
        back = straight[last]._replace(
            along=-straight[last].along, heading=straight[last].heading + np.pi
        )
        near += _before(back, short, first, 1.0, limits[last])
        near += _before(folded[last], long, first, -1.0, limits[last])
    return _joined(far, n), _joined(near, n)


def _before(
    tails: _Tails, shapes: Corners, first: int, way: float, limits: tuple[float, float] | None
) -> list[_Tails]:
    """Put shapes before tails, on the same line; those that the limits of the joint allow.

    Args:
        tails: what follows.
        shapes: from the joint ``first`` on.
        first: the joint that they begin with.
        way: whether the shapes point on, 1, or back, -1.
        limits: of the joint between, or None where nothing follows.
    """
    if not len(shapes.bends) or not len(tails.along):
        return []
    span = shapes.spans[:, 0]
    heading = -np.angle(span) + (0.0 if way > 0.0 else np.pi)
    along = way * np.abs(span)[:, None] + tails.along
    bends = np.repeat(tails.bends[None], len(span), axis=0)
    last = first + shapes.bends.shape[1]
    bends[:, :, first + 1 : last] = shapes.bends[:, None, 1:]
    # What has no length, or is turned back, only gets shorter by what is put back before it.
    good = along >= 0.0 if way > 0.0 else along > SLACK
    if limits is not None:
        bend = tails.heading - (shapes.heading + heading)[:, None]
        bends[:, :, last], allowed = _within(bend, limits)
        good &= allowed
    headings = np.broadcast_to(heading[:, None], good.shape)
    return [_Tails(along[good], headings[good], bends[good])]


def _within(bend: FloatArray, limits: tuple[float, float]) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return a turn of each bend that is within the limits, and which have one."""
    lower, upper = limits
    if lower == -np.inf:
        return bend, np.ones(bend.shape, dtype=np.bool_)
    above = lower + (bend - lower + SLACK) % TURN - SLACK
    return np.clip(above, lower, upper), above <= upper + SLACK


def _joined(parts: list[_Tails], n: int) -> _Tails:
    if not parts:
        return _Tails(np.zeros(0), np.zeros(0), np.zeros((0, n)))
    return _Tails(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _arcs(
    joint: int,
    lengths: FloatArray,
    limits: Limits,
    ends: list[list[tuple[float, float]]],
    straight: list[_Tails],
    folded: list[_Tails],
) -> EdgeArcs:
    n = len(lengths)
    parts: list[EdgeArcs] = []
    for mover in range(joint, n):
        before = ends[joint:mover]
        if not all(before):
            break
        prefix = corners(lengths[joint:mover], before)
        for tails, sense in ((straight[mover], 1.0), (folded[mover], -1.0)):
            long = tails.at(tails.along > SLACK)
            if len(long.along):
                parts += _moved(joint, mover, prefix, long, sense, limits[mover])
    if not parts:
        bends = np.array([lower if lower > -np.inf else 0.0 for lower, _ in limits[joint:]])
        tip = np.sum(lengths[joint:] * np.exp(1j * np.cumsum(bends)))
        zero = np.zeros(1)
        lead = bends[:1] if len(bends) else zero
        return EdgeArcs(np.array([tip]), zero, zero, zero, np.array([0]), lead, bends[None])
    return EdgeArcs(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _moved(
    joint: int,
    mover: int,
    prefix: Corners,
    tails: _Tails,
    sense: float,
    limits: tuple[float, float],
) -> list[EdgeArcs]:
    """Return the arcs of a joint, for every shape before it and every tail after it."""
    low, width, some = _blocked(prefix, sense)
    if not some.any():
        return []
    prefix, low, width = prefix.at(some), low[some], width[some]
    k, m = len(low), len(tails.along)
    heading = np.repeat(prefix.heading, m)
    lead = np.tile(tails.heading, k) - heading
    low, width = np.repeat(low, m), np.repeat(width, m)
    centers = np.repeat(prefix.spans[:, 0] if mover > joint else np.zeros(k, complex), m)
    bends = np.column_stack(
        [np.repeat(prefix.bends, m, axis=0), np.tile(tails.bends[:, mover:], (k, 1))]
    )
    arcs = EdgeArcs(
        centers,
        np.tile(tails.along, k),
        low,
        width,
        np.full(k * m, mover - joint),
        lead,
        bends,
    )
    if turns_fully(limits):
        return [arcs]
    begin, length = limits[0] - lead, np.full(k * m, limits[1] - limits[0])
    full = width >= TURN
    # Where both ends bound it, the two ranges of directions may overlap twice.
    shifted = begin + (low - begin) % TURN - TURN
    pieces = [arcs.at(full)._replace(begin=begin[full], length=length[full])]
    for turn in (0.0, TURN):
        start = np.maximum(shifted + turn, begin)
        end = np.minimum(shifted + turn + width, begin + length)
        good = ~full & (end >= start)
        pieces.append(arcs.at(good)._replace(begin=start[good], length=(end - start)[good]))
    return pieces


def _blocked(prefix: Corners, sense: float) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Return the directions in which no joint of the shapes moves their end, or against which.

    Args:
        prefix: (k,) shapes.
        sense: 1 for directions in which none moves it, -1 for those against which none does.

    Returns:
        (k,) where the directions begin in rad, (k,) how far they go, and (k,) which shapes have
        any.
    """
    k = len(prefix.bends)
    low: FloatArray = np.full(k, -np.pi)
    high: FloatArray = np.full(k, np.pi)
    first: FloatArray = np.zeros(k)
    any_yet: NDArray[np.bool_] = np.zeros(k, dtype=np.bool_)
    for span, inward in zip(prefix.spans.T, prefix.inward.T, strict=True):
        holds = (inward != 0.0) & (np.abs(span) > SLACK)
        # The end moves towards i * span * inward; the directions are half a turn about the other.
        middle = np.angle(-1j * span * inward * sense)
        new = holds & ~any_yet
        first = np.where(new, middle, first)
        away = (middle - first + np.pi) % TURN - np.pi
        low = np.where(holds, np.maximum(low, away - 0.5 * np.pi), low)
        high = np.where(holds, np.minimum(high, away + 0.5 * np.pi), high)
        any_yet |= holds
    width = np.where(any_yet, high - low + 2.0 * _WIDER, TURN)
    return first + low - _WIDER, width, width >= 0.0

"""The pieces of the edge of what a chain reaches within its limits, and each part of it.

At a pose whose tip is on the edge, some joints are at a limit, and the others all move the tip
along one line; so where one of these alone moves, the first, the tip runs along an arc, or along a
straight segment where it slides. There are finitely many. Derived in ``docs/solvers.md``,
section 8.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import TURN, Limits
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.columns import FixedBends, fixed_array, links_many
from ik2d_ros.kinematics.proof.corners import SLACK, Corners, LimitedLinks, limit_ends, turns_fully
from ik2d_ros.kinematics.proof.edge_segments import segments
from ik2d_ros.kinematics.proof.pieces import EdgePieces, joined
from ik2d_ros.kinematics.proof.tails import Tails, joined_tails, tails_of

_WIDER = 1e-9  # rad; arcs may well go on a little beyond the edge.


def edge_pieces(lengths: FloatArray, limits: Limits, bends: FixedBends = None) -> list[EdgePieces]:
    """Return arcs and segments among which is the edge of what each part of a chain reaches.

    Args:
        lengths: (n,) of the links, in reaches.
        limits: (n,) pairs (lower, upper) of each bend in rad, infinite for a continuous joint.
        bends: (n,) fixed bends of prismatic joints, None for revolute ones; or None.

    Returns:
        (n + 1,) for each joint the pieces of the part from it to the tip, as if it were the base. A
        part that reaches a single point has one arc of radius 0; the last is that of the tip.
    """
    n = len(lengths)
    fixed = None if bends is None else fixed_array(bends)
    links = LimitedLinks(lengths, limits, fixed, limit_ends(limits))
    straight: list[Tails] = [joined_tails([], n)] * n
    folded: list[Tails] = [joined_tails([], n)] * n
    for first in range(n - 1, -1, -1):
        if links.turns_freely(first):
            straight[first], folded[first] = tails_of(first, links, straight, folded)
    return [_pieces(joint, links, straight, folded) for joint in range(n + 1)]


def _pieces(
    joint: int, links: LimitedLinks, straight: list[Tails], folded: list[Tails]
) -> EdgePieces:
    lengths, limits, fixed, ends = links
    parts: list[EdgePieces] = []
    for mover in range(joint, len(lengths)):
        if mover > joint and not ends[mover - 1]:
            break  # That joint is never at a limit.
        prefix = links.held(joint, mover)
        if links.turns_freely(mover):
            for tails, sense in ((straight[mover], 1.0), (folded[mover], -1.0)):
                long = tails.at(tails.along > SLACK)
                if len(long.along):
                    parts += _moved(joint, mover, prefix, long, sense, limits[mover])
        elif fixed is not None and links.slides_freely(mover):
            parts += segments(joint, mover, prefix, links, fixed, straight)
    if parts:
        return joined(parts)
    bends = np.array([lower if lower > -np.inf else 0.0 for lower, _ in limits[joint:]])
    sizes, turns = links_many(None if fixed is None else fixed[joint:], lengths[joint:], bends)
    tip = np.sum(sizes * np.exp(1j * np.cumsum(turns)))
    zero = np.zeros(1)
    lead = bends[:1] if len(bends) else zero
    none = np.zeros(1, complex)
    return EdgePieces(np.array([tip]), zero, none, zero, zero, np.array([0]), lead, bends[None])


def _moved(
    joint: int,
    mover: int,
    prefix: Corners,
    tails: Tails,
    sense: float,
    limits: tuple[float, float],
) -> list[EdgePieces]:
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
    arcs = EdgePieces(
        centers,
        np.tile(tails.along, k),
        np.zeros(k * m, complex),
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
    for column, inward in zip(prefix.columns.T, prefix.inward.T, strict=True):
        holds = (inward != 0.0) & (np.abs(column) > SLACK)
        # The end moves towards column * inward; the directions are half a turn about the other.
        middle = np.angle(-column * inward * sense)
        new = holds & ~any_yet
        first = np.where(new, middle, first)
        away = (middle - first + np.pi) % TURN - np.pi
        low = np.where(holds, np.maximum(low, away - 0.5 * np.pi), low)
        high = np.where(holds, np.minimum(high, away + 0.5 * np.pi), high)
        any_yet |= holds
    width = np.where(any_yet, high - low + 2.0 * _WIDER, TURN)
    return first + low - _WIDER, width, width >= 0.0

"""Marks along the edge of what a chain reaches, about the axis of the turntable that carries it.

No point of the edge is far from a mark, so that the distances of the marks from a target tell
where on the edge the closest point may be. Derived in ``docs/solvers.md``, section 10. Lengths are
in reaches.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from math import cos, hypot, sin
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import cosines_and_sines
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices
from ik2d_ros.kinematics.space.edge_bearings import Bearing, Piece, bearing_of
from ik2d_ros.kinematics.space.edge_bends import bends_between, spreads, tops_beside
from ik2d_ros.kinematics.sweep import Sweep
from ik2d_ros.kinematics.tuning import MARKS_APART, MARKS_NEAR_AXIS, MARKS_TURN

# Where these are in a table of marks.
BEARING, REACH, SPREAD, FLAT, TOPS = slice(5, 11), 11, 12, 13, slice(14, 17)

_STANDS = 1e-10  # Reaches squared; of what moves slower along u, bends tell the direction.
_INSIDE = 2e-4  # Of the way to the next mark; where they do so.
_SAME_PLACE = 1e-4  # Of it; a place so near to a mark is the same.
_ON_AXIS = 1e-13  # Reaches; as near to the axis as that, only rounding tells where a point is.


class Mark(NamedTuple):
    """A point of a piece.

    Attributes:
        at: its u on the piece.
        piece: number of the piece.
        ahead: number of the next mark on the piece, or its own at the end.
        behind: number of the mark before it, or its own at the begin.
        angle: about the axis with the turntable at 0, in rad.
        bearing: where it is about the axis, and how the edge goes on from there.
        reach: the nearer of two marks is no farther from any point between them than that.
        spread: up to the next marks no point's angle differs from its own by more, in rad.
        flat: square of a distance; from nearer than that the distance has no top up to the next
            marks.
        tops: x, y and c; only from where x r + y h is at least c it has any.
    """

    at: float
    piece: int
    ahead: int
    behind: int
    angle: float
    bearing: Bearing[float]
    reach: float
    spread: float
    flat: float
    tops: tuple[float, float, float]


class Marks(NamedTuple):
    """Points along all pieces, both ends of each among them, one piece after the other.

    Attributes:
        rows: (7, n) what turns a target (-2 r, -2 s, -2 t, -2 h, 1, 0, q) or (..., 0, 1, q) into
            its squared distances from the marks: see :func:`freely_seen` and :func:`held_seen`.
        center: r, s, t and h of a point in the midst of them, which those are measured from.
        within: no point of a piece is farther than that from a mark of it.
        of: (n,) number of the piece of each mark.
        every: (n,) the marks as numbers.
        table: (17, n) the same as an array.
        begins: (3 n,) whether a mark is the first of its piece, and again for both limits.
        apart: (n - 1, 1) whether a mark and the next are on different pieces.
        flat: (3 n,) what marks have of that name, and infinite at both limits of the turntable.
    """

    rows: FloatArray
    center: tuple[float, float, float, float]
    within: float
    of: Indices
    every: list[Mark]
    table: FloatArray
    begins: list[bool]
    apart: Flags
    flat: list[float]


def marks_of(pieces: Sequence[Piece], sides: FloatArray, sweep: Sweep) -> Marks:
    """Return the marks of pieces, as the plane of a sweep carries them.

    Args:
        pieces: the pieces.
        sides: (p,) 1 of those in front of the axis, -1 of those over the back.
        sweep: of the plane.
    """
    of, at = _stood(pieces, sweep)
    number = np.arange(len(of))
    begins = np.diff(of, prepend=-1) != 0
    ends = np.diff(of, append=len(pieces)) != 0
    ahead, behind = np.where(ends, number, number + 1), np.where(begins, number, number - 1)
    table = np.array(pieces).T[:, of]
    bearing, (s, across, _, _) = bearing_of(sweep, table, at, *cosines_and_sines(at))
    # On the axis rounding would say on which side of it a piece is.
    on_axis = bearing[0] <= _ON_AXIS
    if on_axis.any():
        bearing = _beside_axis(table, at, sides[of], bearing, on_axis)
    bearing = _going(sweep, table, at, at[np.where(ends, behind, ahead)], bearing)
    points = np.stack([bearing[0], s, across, bearing[1]])
    center = 0.5 * (points.min(axis=1) + points.max(axis=1))
    points -= center[:, None]
    r, s_from, t_from, h = points
    free, held = r * r + h * h, s_from * s_from + t_from * t_from + h * h
    radius = np.where(table[4:8].any(axis=0), np.hypot(*table[4:8:2]), 1.0)
    spans = np.where(ends, 0.0, (at[ahead] - at) * radius)
    angle = np.arctan2(across, s)
    marks = np.stack(
        [
            *(at, of, ahead, behind, angle),
            *bearing,
            0.5 * np.maximum(spans[behind], spans),
            spreads(sweep, table, at, (at[behind], at[ahead])),
            *tops_beside(bearing, behind, ahead, spans),
        ]
    )
    r_center, s_center, t_center, h_center = center.tolist()
    return Marks(
        np.concatenate([points, [free, held, np.ones(len(of))]]),
        (r_center, s_center, t_center, h_center),
        0.5 * float(spans.max(initial=0.0)),
        of,
        [_mark(*row) for row in marks.T.tolist()],
        marks,
        3 * begins.tolist(),
        ends[:-1, None],
        marks[FLAT].tolist() + [math.inf] * (2 * len(of)),
    )


def _mark(
    at: float, piece: float, ahead: float, behind: float, angle: float, *others: float
) -> Mark:
    r, h, r_1, h_1, r_2, h_2, reach, spread, flat, x, y, least = others
    bearing, tops = (r, h, r_1, h_1, r_2, h_2), (x, y, least)
    return Mark(at, int(piece), int(ahead), int(behind), angle, bearing, reach, spread, flat, tops)


def _stood(pieces: Sequence[Piece], sweep: Sweep) -> tuple[Indices, FloatArray]:
    """Return on which piece each mark is, and its u there."""
    places = [_places(piece, sweep) for piece in pieces]
    of = np.repeat(np.arange(len(pieces)), [len(each) for each in places])
    at = np.concatenate(places)
    if sweep.d == 0.0 == sweep.e:
        return of, at  # All bend as they do in the plane.
    between = np.flatnonzero(np.diff(of) == 0)
    begin, end = at[between], at[between + 1]
    which, more = bends_between(sweep, np.array(pieces).T[:, of[between]], begin, end)
    share = (more - begin[which]) / (end[which] - begin[which])
    order = np.lexsort((share, which))
    which, share, more = which[order], share[order], more[order]
    good = np.minimum(share, 1.0 - share) > _SAME_PLACE
    # One that turns to the other side there may bend most there, too.
    good[1:] &= (np.diff(which) != 0) | (np.diff(share) > _SAME_PLACE)
    of, at = np.append(of, of[between[which[good]]]), np.append(at, more[good])
    order = np.lexsort((at, of))
    return of[order], at[order]


def _going(
    sweep: Sweep, table: FloatArray, at: FloatArray, to: FloatArray, bearing: Bearing[FloatArray]
) -> Bearing[FloatArray]:
    """Return bearings of which none stands: where an edge turns back, it goes as a bit farther."""
    away, height, away_1, height_1, _, _ = bearing
    stands = away_1 * away_1 + height_1 * height_1 <= _STANDS
    if not stands.any():
        return bearing
    then = at + _INSIDE * (to - at)
    (_, _, *beside), _ = bearing_of(sweep, table, then, *cosines_and_sines(then))
    moves = [np.where(stands, then, now) for then, now in zip(beside, bearing[2:], strict=True)]
    return away, height, moves[0], moves[1], moves[2], moves[3]


def _beside_axis(
    table: FloatArray, at: FloatArray, sides: FloatArray, bearing: Bearing[FloatArray], where: Flags
) -> Bearing[FloatArray]:
    """Return bearings of points on the axis as of points beside it, on their pieces' sides."""
    _, _, _, _, p, q, _, _, a, _, _ = table
    out, out_1 = p * np.cos(at) + q * np.sin(at), a + q * np.cos(at) - p * np.sin(at)
    away, height, away_1, height_1, away_2, height_2 = bearing
    away_1, away_2 = np.where(where, sides * out_1, away_1), np.where(where, -sides * out, away_2)
    return away, height, away_1, height_1, away_2, height_2


def _places(piece: Piece, sweep: Sweep) -> list[float]:
    """Return u of the marks of a piece, from its begin to its end."""
    begin, end, s, k, p, q, v, w, a, b, _ = piece
    if begin == end:
        return [begin]
    radius = hypot(p, v)
    apart = min(MARKS_APART / radius, MARKS_TURN) if radius else MARKS_APART
    count = max(1, int((end - begin) / apart + 1.0))
    places = [begin + (end - begin) * number / count for number in range(count)] + [end]
    if sweep.d == 0.0 == sweep.e:
        return places

    def near(at: float) -> float:
        out = s + a * at + p * cos(at) + q * sin(at)
        return hypot(out, sweep.c * sweep.d - sweep.e * (k + b * at + v * cos(at) + w * sin(at)))

    def between(low: float, high: float) -> list[float]:
        # Near the axis, where what is carried about it bends most, they stand closer.
        middle = 0.5 * (low + high)
        least = max(min(near(low), near(middle), near(high)), _ON_AXIS)
        if (high - low) * (radius or 1.0) <= MARKS_NEAR_AXIS * least:
            return []
        return [*between(low, middle), middle, *between(middle, high)]

    return [
        *(at for low, high in pairwise(places) for at in (low, *between(low, high))),
        places[-1],
    ]

"""Marks along the edge of what a chain reaches, about the axis of the turntable that carries it.

No point of the edge is far from a mark, so that the distances of the marks from a target tell
where on the edge the closest point may be. Derived in ``docs/solvers.md``, section 10. Lengths are
in reaches.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import cos, hypot, sin
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import wrapped
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices
from ik2d_ros.kinematics.sweep import Sweep
from ik2d_ros.kinematics.tuning import MARKS_APART, MARKS_NEAR_AXIS, MARKS_TURN

TINY = 1e-300
_ASIDE = 0.1  # rad; an eighth of how far marks are apart, seen from a centre or the axis.
_ON_AXIS = 1e-13  # Reaches; as near to the axis as that, only rounding tells where a point is.


class Piece(NamedTuple):
    """A piece of an arc or of a segment; lengths in reaches.

    The point at u, an angle in rad or a length, is ``s + a u + p cos u + q sin u`` out from the
    axis in the plane and ``k + b u + v cos u + w sin u`` along it: of an arc a and b are 0, of a
    segment p, q, v and w.

    Attributes:
        begin: u at one end.
        end: u at the other.
        s: of the arc's centre, or where a segment's u is 0.
        k: the same along the axis.
        p: share of the radius.
        q: the same.
        v: the same.
        w: the same.
        a: of a segment's direction.
        b: the same along the axis.
        arc: number of its arc or segment.
    """

    begin: float
    end: float
    s: float
    k: float
    p: float
    q: float
    v: float
    w: float
    a: float
    b: float
    arc: int


class Bearing(NamedTuple):
    """Where points of the edge are about the axis at their best turns, and how they move.

    Derivatives are by u of their pieces. Either numbers or arrays of them.

    Attributes:
        away: distance from the axis.
        height: along the axis.
        away_1: first derivative of the distance.
        height_1: of the height.
        away_2: second derivative of the distance.
        height_2: of the height.
    """

    away: FloatArray
    height: FloatArray
    away_1: FloatArray
    height_1: FloatArray
    away_2: FloatArray
    height_2: FloatArray


class Mark(NamedTuple):
    """A point of a piece; what it is besides a :class:`Bearing`, see there.

    Attributes:
        at: its u on the piece.
        piece: number of the piece.
        ahead: number of the next mark on the piece, or its own at the end.
        behind: number of the mark before it, or its own at the begin.
        angle: about the axis with the turntable at 0, in rad.
        away: see above, as all that follows.
        height: of a Bearing.
        away_1: of a Bearing.
        height_1: of a Bearing.
        away_2: of a Bearing.
        height_2: of a Bearing.
        spread: up to the next marks no point's angle differs from its own by more, in rad.
    """

    at: float
    piece: int
    ahead: int
    behind: int
    angle: float
    away: float
    height: float
    away_1: float
    height_1: float
    away_2: float
    height_2: float
    spread: float


class Marks(NamedTuple):
    """Points along all pieces, both ends of each among them, one piece after the other.

    Attributes:
        rows: (7, n) what turns a target (-2 r, -2 s, -2 t, -2 h, 1, 0, q) or (..., 0, 1, q) into
            its squared distances from the marks: see :func:`freely_seen` and :func:`held_seen`.
        center: r, s, t and h of a point in the midst of them, which those are measured from.
        within: no point of a piece is farther than that from a mark of it.
        of: (n,) number of the piece of each mark.
        every: (n,) the marks as numbers.
        table: (12, n) the same as an array.
        begins: (n,) whether a mark is the first of its piece.
        apart: (n - 1, 1) whether a mark and the next are on different pieces.
    """

    rows: FloatArray
    center: tuple[float, float, float, float]
    within: float
    of: Indices
    every: list[Mark]
    table: FloatArray
    begins: list[bool]
    apart: Flags


def marks_of(pieces: Sequence[Piece], sides: FloatArray, sweep: Sweep) -> Marks:
    """Return the marks of pieces, as the plane of a sweep carries them.

    Args:
        pieces: the pieces.
        sides: (p,) 1 of those in front of the axis, -1 of those over the back.
        sweep: of the plane.
    """
    places = [_places(piece, sweep) for piece in pieces]
    counts = np.array([len(each) for each in places])
    of = np.repeat(np.arange(len(pieces)), counts)
    at = np.concatenate(places)
    table = np.array(pieces).T[:, of]
    s, across, bearing = bearings(sweep, table, at)
    # On the axis rounding would say on which side of it a piece is.
    on_axis = bearing.away <= _ON_AXIS
    if on_axis.any():
        bearing = _beside_axis(table, at, sides[of], bearing, on_axis)
    last = np.cumsum(counts) - 1
    number = np.arange(len(of))
    ahead, behind = (
        np.minimum(number + 1, last[of]),
        np.maximum(number - 1, (last - counts + 1)[of]),
    )
    points = np.stack([bearing.away, s, across, bearing.height])
    center = 0.5 * (points.min(axis=1) + points.max(axis=1))
    points -= center[:, None]
    r, s_from, t_from, h = points
    free, held = r * r + h * h, s_from * s_from + t_from * t_from + h * h
    spans = np.abs(np.diff(at)) * np.where(table[4:8].any(axis=0), np.hypot(*table[4:8:2]), 1.0)[1:]
    angle = np.arctan2(across, s)
    # Between two marks an arc may go beyond both, seen from the axis by less than that.
    spread = _ASIDE + np.maximum(*(np.abs(wrapped(angle[to] - angle)) for to in (ahead, behind)))
    marks = np.stack([at, of, ahead, behind, angle, *bearing, spread])
    r_center, s_center, t_center, h_center = center.tolist()
    return Marks(
        np.concatenate([points, [free, held, np.ones(len(of))]]),
        (r_center, s_center, t_center, h_center),
        0.5 * float(spans[ahead[:-1] != number[:-1]].max(initial=0.0)),
        of,
        [
            Mark(u, int(piece), int(after), int(before), *rest)
            for u, piece, after, before, *rest in marks.T.tolist()
        ],
        marks,
        (behind == number).tolist(),
        (np.diff(of) != 0)[:, None],
    )


def bearings(
    sweep: Sweep, table: FloatArray, at: FloatArray
) -> tuple[FloatArray, FloatArray, Bearing]:
    """Return how far out and across points of pieces are at turn 0, and their bearings.

    Args:
        sweep: of the plane.
        table: (11, m) the pieces.
        at: (m,) u of the points.
    """
    _, _, s, k, p, q, v, w, a, b, _ = table
    c, e = sweep.c, sweep.e
    cosines, sines = np.cos(at), np.sin(at)
    out, along = p * cosines + q * sines, v * cosines + w * sines
    out_1, along_1 = a + q * cosines - p * sines, b + w * cosines - v * sines
    s, k = s + out + a * at, k + along + b * at
    across = c * sweep.d - e * k
    away = np.maximum(np.sqrt(s * s + across * across), TINY)
    away_1 = (s * out_1 - across * e * along_1) / away
    away_2 = (
        out_1 * out_1 + (e * along_1) ** 2 - s * out + across * e * along - away_1 * away_1
    ) / away
    bearing = Bearing(away, c * k + e * sweep.d, away_1, c * along_1, away_2, -c * along)
    return s, across, bearing


def _beside_axis(
    table: FloatArray, at: FloatArray, sides: FloatArray, bearing: Bearing, where: Flags
) -> Bearing:
    """Return bearings of points on the axis as of points beside it, on their pieces' sides."""
    _, _, _, _, p, q, _, _, a, _, _ = table
    out, out_1 = p * np.cos(at) + q * np.sin(at), a + q * np.cos(at) - p * np.sin(at)
    return bearing._replace(
        away_1=np.where(where, sides * out_1, bearing.away_1),
        away_2=np.where(where, -sides * out, bearing.away_2),
    )


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

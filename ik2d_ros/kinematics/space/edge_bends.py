"""How the edge of what a chain reaches bends, seen about the axis of the turntable.

In the half-plane of distance from the axis and height along it. Where the edge turns to one side
only, and bends ever more or ever less, a target is straight beside it at two places at the most.
Derived in ``docs/solvers.md``, section 10. Lengths are in reaches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ik2d_ros.kinematics.angles import cosines_and_sines, wrapped
from ik2d_ros.kinematics.arrays import FloatArray, Indices
from ik2d_ros.kinematics.space.edge_bearings import TINY, Bearing, bearing_of
from ik2d_ros.kinematics.sweep import Sweep

# Where between two marks it is looked how the edge bends: a bend may be sharp beside a mark.
_SHARES = np.array([0.0, 1e-4, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0 - 1e-4, 1.0])
_HALVINGS = 10  # Of what is between two such places.
_ROUNDING = 1e-9  # Of sums; less has no sign.
_STRAIGHT = 1e9  # Reaches; what bends with a larger radius does not.
_ALIKE = 0.1  # Cosine of the angle between two directions that are less than a quarter turn apart.
_MARGIN = 1e-9  # Reaches; rounding.


def _sampled(begin: FloatArray, end: FloatArray) -> FloatArray:
    places: FloatArray = begin[:, None] + (end - begin)[:, None] * _SHARES
    return places


def bends_between(
    sweep: Sweep, table: FloatArray, begin: FloatArray, end: FloatArray
) -> tuple[Indices, FloatArray]:
    """Return where the edge turns to the other side, or bends most or least.

    Args:
        sweep: of the plane.
        table: (11, m) pieces.
        begin: (m,) u of a place on each.
        end: (m,) u of another.

    Returns:
        (k,) between which of these places, and (k,) u.
    """
    places = _sampled(begin, end)
    signs = _signs(sweep, table[:, :, None], places)
    for k in range(1, len(_SHARES)):  # What is rounding is as before.
        signs[:, :, k] = np.where(signs[:, :, k], signs[:, :, k], signs[:, :, k - 1])
    kind, which, part = np.nonzero(signs[:, :, :-1] * signs[:, :, 1:] < 0.0)
    low, high, after = places[which, part], places[which, part + 1], signs[kind, which, part + 1]
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        here = _signs(sweep, table[:, which], middle)[kind, np.arange(len(kind))]
        low, high = np.where(here == after, low, middle), np.where(here == after, middle, high)
    return which, 0.5 * (low + high)


def _signs(sweep: Sweep, table: FloatArray, at: FloatArray) -> FloatArray:
    """Return (2, ...) to which side points of pieces turn, and whether they bend more or less."""
    cos, sin = cosines_and_sines(at)
    bearing, (s, t, s_1, t_1) = bearing_of(sweep, table, at, cos, sin)
    away, _, away_1, up_1, away_2, up_2 = bearing
    _, _, _, _, p, q, v, w, _, _, _ = table
    out, along = p * cos + q * sin, v * cos + w * sin
    out_3, along_3 = p * sin - q * cos, v * sin - w * cos
    up_3 = sweep.c * along_3
    third = 3.0 * (sweep.e * t_1 * along - s_1 * out) + s * out_3 - sweep.e * t * along_3
    away_3 = (third - 3.0 * away_1 * away_2) / away
    one, other = away_1 * up_2, up_1 * away_2
    side = one - other
    speed = away_1 * away_1 + up_1 * up_1
    more = (away_1 * up_3 - up_1 * away_3) * speed
    less = 3.0 * side * (away_1 * away_2 + up_1 * up_2)
    rounding = _ROUNDING * (np.abs(one) + np.abs(other))
    return np.stack(
        [
            np.where(np.abs(side) > rounding, np.sign(side), 0.0),
            np.where(
                np.abs(more - less) > _ROUNDING * (np.abs(more) + np.abs(less)),
                np.sign(more - less),
                0.0,
            ),
        ]
    )


def tops_beside(
    bearing: Bearing[FloatArray], behind: Indices, ahead: Indices, spans: FloatArray
) -> FloatArray:
    """Return from where the distance may have tops up to the marks on either side of each.

    Those are seen only from beyond centres of curvature, which between two marks go one way.

    Args:
        bearing: (n,) of the marks.
        behind: (n,) numbers of the marks before them on their pieces, or their own.
        ahead: (n,) the same of those after them.
        spans: (n,) how far it is to the latter.

    Returns:
        (4, n) squares of distances, nearer than which there is none; and x, y and c: there is none
        where x r + y h is less than c for a target at r and h.
    """
    away, height, away_1, height_1, away_2, height_2 = bearing
    speed = np.sqrt(away_1 * away_1 + height_1 * height_1 + TINY)
    turns = (away_1 * height_2 - height_1 * away_2) / (speed**3 + TINY)
    radius = 1.0 / np.maximum(np.abs(turns), 1.0 / _STRAIGHT)
    least = np.minimum(
        np.minimum(radius, radius[behind]) - spans[behind],
        np.minimum(radius, radius[ahead]) - spans,
    )
    number = np.arange(len(speed))
    before, after = (np.where(turns[to] + turns < 0.0, -1.0, 1.0) for to in (behind, ahead))
    side = np.where(behind == number, after, before)
    # Where the centres are, seen from a mark and those beside it, and in the mean.
    three = np.stack([behind, number, ahead])
    out, up = -side * (height_1 / speed)[three], side * (away_1 / speed)[three]
    x, y = out.sum(axis=0), up.sum(axis=0)
    size = np.sqrt(x * x + y * y + TINY)
    x, y = x / size, y / size
    toward = out * x + up * y
    far = (away[three] * x + height[three] * y + radius[three] * toward).min(axis=0)
    one_side = (before == after) | (behind == number) | (ahead == number)
    alike = (toward.min(axis=0) > _ALIKE) & one_side
    # To get there from a mark, it is no less than straight ahead.
    least = np.maximum(least, np.where(alike, far - (away * x + height * y), 0.0) - _MARGIN)
    halves = np.where(alike, np.stack([x, y, far - _MARGIN]), [[0.0], [0.0], [-1.0]])
    return np.concatenate([np.square(np.maximum(least, 0.0))[None], halves])


def spreads(
    sweep: Sweep, table: FloatArray, at: FloatArray, beside: Sequence[FloatArray]
) -> FloatArray:
    """Return (m,) by how much the angle about the axis differs from that at places, up to others.

    Args:
        sweep: of the plane.
        table: (11, m) the pieces.
        at: (m,) u of the places.
        beside: (m,) u of others, on either side.
    """
    spread: FloatArray = np.zeros(len(at))
    for to in beside:
        there = _sampled(at, to)
        _, (s, across, _, _) = bearing_of(
            sweep, table[:, :, None], there, *cosines_and_sines(there)
        )
        angles = np.arctan2(across, s)
        turns = np.abs(wrapped(angles - angles[:, :1])).max(axis=1)
        # Between two places an arc may go beyond both, but by less than from one to the other.
        spread = np.maximum(spread, turns + np.abs(wrapped(np.diff(angles, axis=1))).max(axis=1))
    return spread

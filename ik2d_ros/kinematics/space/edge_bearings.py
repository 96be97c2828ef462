"""Where points of the edge of what a chain reaches are about the axis of a turntable.

Seen in the half-plane of distance from the axis and height along it, the edge is a curve that does
not turn. Lengths are in reaches. All formulas take numbers or arrays of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ik2d_ros.kinematics.arrays import Flags
from ik2d_ros.kinematics.sweep import Number, Sweep

TINY = 1e-300  # Reaches squared, from the axis: no more than rounding.


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


# How far from the axis a point is, how far along it, and their first and second derivatives by u:
# (away, height, away_1, height_1, away_2, height_2).
Bearing = tuple[Number, Number, Number, Number, Number, Number]

# Where a point is in the axis frame at turn 0, out and across, and the derivatives of both by u.
Place = tuple[Number, Number, Number, Number]


def bearing_of(
    sweep: Sweep,
    piece: Iterable[Number],
    at: Number,
    cosine: Number,
    sine: Number,
) -> tuple[Bearing[Number], Place[Number]]:
    """Return where points of pieces are about the axis at their best turns, and how they move.

    Args:
        sweep: of the plane.
        piece: (11,) a piece, or (11, m) as many as there are points.
        at: u of the points.
        cosine: of it.
        sine: of it.
    """
    _, _, s, k, p, q, v, w, a, b, _ = piece
    c, e, d = sweep.c, sweep.e, sweep.d
    out, along = p * cosine + q * sine, v * cosine + w * sine
    out_1, along_1 = a + q * cosine - p * sine, b + w * cosine - v * sine
    s, k = s + out + a * at, k + along + b * at
    across, across_1 = c * d - e * k, -e * along_1
    away = (s * s + across * across + TINY) ** 0.5
    away_1 = (s * out_1 + across * across_1) / away
    turned = out_1 * out_1 + across_1 * across_1 - s * out + across * e * along
    away_2 = (turned - away_1 * away_1) / away
    bearing = away, c * k + e * d, away_1, c * along_1, away_2, -c * along
    return bearing, (s, across, out_1, across_1)


def slope_of(
    bearing: Iterable[Number], radius: Number, height: Number
) -> tuple[Number, Number, Number]:
    """Return slope and bend of half the squared distance from a target along a piece, and itself.

    Args:
        bearing: of the point, see above.
        radius: of the target, from the axis.
        height: of the target, along it.
    """
    away, up, away_1, up_1, away_2, up_2 = bearing
    x, y = away - radius, up - height
    bend = away_1 * away_1 + up_1 * up_1 + x * away_2 + y * up_2
    return x * away_1 + y * up_1, bend, 0.5 * (x * x + y * y)


def may_dip(
    bearing: Iterable[Number],
    there: Iterable[Number],
    radius: Number,
    height: Number,
) -> bool | Flags:
    """Return whether the distance may have a top and a bottom between two points of a piece.

    It goes up or down at both, and between them the edge turns to one side only, and bends ever
    more or ever less. It has none if it had none with the circle that bends as the edge does at
    either point in its place.

    Args:
        bearing: of one point.
        there: of the other.
        radius: of the target, from the axis.
        height: of the target, along it.
    """
    away, up, away_1, up_1, away_2, up_2 = bearing
    away_there, up_there, away_1_there, up_1_there, away_2_there, up_2_there = there
    x, y = away - radius, up - height
    x_there, y_there = away_there - radius, up_there - height
    turns = away_1 * up_2 - up_1 * away_2
    turns_there = away_1_there * up_2_there - up_1_there * away_2_there
    side = 1.0 - 2.0 * (turns + turns_there < 0.0)
    across = side * (away_1 * up_1_there - up_1 * away_1_there)
    speed = away_1 * away_1 + up_1 * up_1
    speed_there = away_1_there * away_1_there + up_1_there * up_1_there
    onward = abs(turns) * (x * away_1_there + y * up_1_there) + speed * across
    back = abs(turns_there) * (x_there * away_1 + y_there * up_1) - speed_there * across
    slope, slope_there = x * away_1 + y * up_1, x_there * away_1_there + y_there * up_1_there
    return (onward * slope <= 0.0) & (back * slope_there <= 0.0)

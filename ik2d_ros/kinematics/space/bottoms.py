"""The bottoms of the distance from a target along the edge of what an arm on a turntable reaches.

They are searched downhill from marks. Derived in ``docs/solvers.md``, section 10. Lengths are in
reaches.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ik2d_ros.kinematics.space.edge_in_space import Edge
from ik2d_ros.kinematics.space.edge_marks import TINY, Mark, Piece
from ik2d_ros.kinematics.sweep import Goal, Sweep
from ik2d_ros.kinematics.tuning import ARC_SETTLED, ARC_STEPS

LEAST = 1e-30  # Reaches squared; a smaller square of a distance is rounding.
PRUNED_SQUARE = 1e-12  # Reaches squared; what rounding may do to the square of a distance.
CLOSER = 1e-13  # Reaches; what is closer by less is not worth another pose.
HIDING = 0.01  # Reaches; a mark hides no bottom that is nearer by more than that.


class Tip(NamedTuple):
    """A point of the edge, turned as close to a target as the turntable's limits allow.

    Attributes:
        away: distance from the target in reaches.
        turn: position of the turntable in rad, but for whole turns.
        arc: number of the arc.
        angle: of the point on the arc, in rad.
    """

    away: float
    turn: float
    arc: int
    angle: float


def lowest(edge: Edge, goal: Goal, number: int, enough: float) -> Tip | None:
    """Return where on a piece the distance is smallest at any turn, downhill from a mark.

    The mark is nearer than those beside it, so that there is a bottom between it and the next.
    None where that cannot be as near as is ``enough``, half a squared distance.
    """
    every, (radius, angle, height) = edge.marks.every, goal
    mark = every[number]
    at, piece, ahead, behind, turn, away, up, away_1, up_1, away_2, up_2, _ = mark
    x, y = away - radius, up - height
    slope, half = x * away_1 + y * up_1, 0.5 * (x * x + y * y)
    bend = away_1 * away_1 + up_1 * up_1 + x * away_2 + y * up_2
    beside, other = (ahead, behind) if slope < 0.0 else (behind, ahead)
    if beside == number:
        if bend < 0.0 and other != number:
            tip = bottom_beyond(edge, goal, mark, every[other], half)
            if tip is not None:
                return tip
        # The same as `Tip(...)`, here and below, which takes twice the time.
        return tuple.__new__(Tip, (math.sqrt(2.0 * half), angle - turn, edge.pieces[piece].arc, at))
    last, _, _, _, _, away, up, away_1, up_1, away_2, up_2, _ = every[beside]
    x, y = away - radius, up - height
    apart = last - at
    steep, steep_there = slope * apart, (x * away_1 + y * up_1) * apart
    rise = steep_there - steep
    bend_there = away_1 * away_1 + up_1 * up_1 + x * away_2 + y * up_2
    # Where its square curves upwards, that is above both tangents.
    if bend > 0.0 < bend_there and rise > 0.0:
        half_there = 0.5 * (x * x + y * y)
        if half - steep * (half_there - half - steep_there) / rise > enough:
            return None
    square = apart * apart
    share = root_between(steep, rise, bend * square, bend_there * square)
    return bottom_between(edge, goal, edge.pieces[piece], (at, last), at + share * apart, half)


def bottom_behind(edge: Edge, goal: Goal, number: int, enough: float) -> Tip | None:
    """Return the bottom behind a top, or before it, on the way uphill from a mark.

    Args:
        edge: of the mark.
        goal: the target.
        number: of the mark.
        enough: half the square of the distance that the bottom is to be nearer than.
    """
    every = edge.marks.every
    mark = every[number]
    slope, bend, half = slope_at(mark, goal)
    beside = mark.ahead if slope > 0.0 else mark.behind
    if beside == number:
        return None
    there = every[beside]
    slope_there, _, half_there = slope_at(there, goal)
    if slope * slope_there >= 0.0:
        return bottom_beyond(edge, goal, mark, there, enough) if bend < 0.0 else None
    # It goes down again, and that to a bottom before the next mark, if it goes up there.
    after, _, _ = slope_at(every[there.ahead if slope > 0.0 else there.behind], goal)
    if half_there <= half or after * slope_there >= 0.0:
        return None
    return lowest(edge, goal, beside, enough)


def bottom_beyond(edge: Edge, goal: Goal, mark: Mark, there: Mark, enough: float) -> Tip | None:
    """Return the bottom between two marks where it goes down from one to the other.

    It is beyond a top then: the slope, which turns once between two marks, has two zeros there.

    Args:
        edge: of the marks.
        goal: the target.
        mark: one mark.
        there: the mark beside it from where it goes down to that.
        enough: half the square of the distance that the bottom is to be nearer than.
    """
    apart = there.at - mark.at
    slope, bend, _ = slope_at(mark, goal)
    slope_there, bend_there, least = slope_at(there, goal)
    if slope * apart <= 0.0 or slope * slope_there <= 0.0:
        return None
    if abs(slope) >= -bend * abs(apart) or abs(slope_there) >= bend_there * abs(apart):
        return None
    onward, piece = slope < 0.0, edge.pieces[mark.piece]
    (low, up), (high, down) = (there.at, bend_there), (mark.at, bend)
    for _ in range(ARC_STEPS):
        # Where it does not bend, between them, the slope is the least.
        at = low + (high - low) * up / (up - down)
        slope, bend, _, _ = _slope(edge.sweep, goal, piece, at)
        if (slope < 0.0) is not onward:
            tip = bottom_between(edge, goal, piece, (there.at, at), 0.5 * (there.at + at), least)
            return tip if 0.5 * tip.away * tip.away < enough else None
        if abs(slope) >= abs(bend * (high - low)):
            break
        if bend > 0.0:
            low, up = at, bend
        else:
            high, down = at, bend
    return None


def slope_at(mark: Mark, goal: Goal) -> tuple[float, float, float]:
    """Return slope and bend of half the squared distance from a target at a mark, and itself."""
    _, _, _, _, _, away, height, away_1, height_1, away_2, height_2, _ = mark
    x, y = away - goal.radius, height - goal.height
    bend = away_1 * away_1 + height_1 * height_1 + x * away_2 + y * height_2
    return x * away_1 + y * height_1, bend, 0.5 * (x * x + y * y)


def root_between(slope: float, rise: float, bend: float, bend_there: float) -> float:
    """Return which share of the way from a mark to another the bottom is between them.

    Between the slopes it takes the cubic with their derivatives, whose root two steps find.

    Args:
        slope: at the mark, per way.
        rise: by how much the slope is larger at the other mark.
        bend: derivative of the slope at the mark, per way.
        bend_there: the same at the other mark.
    """
    if not 0.0 < -slope < rise:
        return 0.5
    third = bend + bend_there - 2.0 * rise
    second = rise - bend - third
    share = -slope / rise
    for _ in range(2):
        steep = (3.0 * third * share + 2.0 * second) * share + bend
        if steep <= 0.0:
            return 0.5
        share -= (((third * share + second) * share + bend) * share + slope) / steep
    return share if 0.0 < share < 1.0 else 0.5


def bottom_between(
    edge: Edge, goal: Goal, piece: Piece, ends: tuple[float, float], at: float, least: float
) -> Tip:
    """Return the bottom between two places of a piece, by Newton's method.

    Args:
        edge: of the piece.
        goal: the target.
        piece: the piece.
        ends: from where it goes down, and to where.
        at: where to begin.
        least: half the squared distance from where it goes down.
    """
    low, last = ends
    onward = low < last
    for _ in range(ARC_STEPS):
        slope, bend, half, (away, s, across, s_1, across_1) = _slope(edge.sweep, goal, piece, at)
        step = -slope / bend if bend > 0.0 else math.inf
        # What bends the slope is about as near as the axis.
        if abs(step) ** 3 <= ARC_SETTLED * away * math.sqrt(half + LEAST):
            break
        if (slope < 0.0) is onward and half <= least:
            low, least = at, half
        else:
            last = at
        wanted = at + step
        if not (low < wanted < last if onward else last < wanted < low):
            wanted = 0.5 * (low + last)
            if wanted == at:
                step = 0.0
                break
        at = wanted
    else:
        step = 0.0
    step = min(max(at + step, piece.begin), piece.end) - at
    half += (slope + 0.5 * bend * step) * step
    return tuple.__new__(
        Tip,
        (
            math.sqrt(max(2.0 * half, 0.0)),
            goal.angle - math.atan2(across + across_1 * step, s + s_1 * step),
            piece.arc,
            at + step,
        ),
    )


def _slope(
    sweep: Sweep, goal: Goal, piece: Piece, at: float
) -> tuple[float, float, float, tuple[float, float, float, float, float]]:
    """Return slope and bend of half the squared distance, itself, and where the tip is.

    The last is how far from the axis, out and across the tip is while the turntable is at 0, and
    the derivatives of the latter two.
    """
    _, _, s, k, p, q, v, w, a, b, _ = piece
    c, e = sweep.c, sweep.e
    cos, sin = math.cos(at), math.sin(at)
    out, along = p * cos + q * sin, v * cos + w * sin
    out_1, along_1 = a + q * cos - p * sin, b + w * cos - v * sin
    s += out + a * at
    k += along + b * at
    across = c * sweep.d - e * k
    away = max(math.hypot(s, across), TINY)
    x, y = away - goal.radius, c * k + e * sweep.d - goal.height
    away_1 = (s * out_1 - across * e * along_1) / away
    away_2 = out_1 * out_1 + (e * along_1) ** 2 - s * out + across * e * along - away_1 * away_1
    bend = away_1 * away_1 + x * away_2 / away + (c * along_1) ** 2 - y * c * along
    place = away, s, across, out_1, -e * along_1
    return x * away_1 + y * c * along_1, bend, 0.5 * (x * x + y * y), place

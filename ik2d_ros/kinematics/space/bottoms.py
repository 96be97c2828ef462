"""The bottoms of the distance from a target along the edge of what an arm on a turntable reaches.

They are searched downhill from marks. Derived in ``docs/solvers.md``, section 10. Lengths are in
reaches.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ik2d_ros.kinematics.space.edge_bearings import (
    Bearing,
    Piece,
    bearing_of,
    may_dip,
    slope_of,
)
from ik2d_ros.kinematics.space.edge_in_space import Edge
from ik2d_ros.kinematics.sweep import Goal, Sweep
from ik2d_ros.kinematics.tuning import ARC_SETTLED, ARC_STEPS

LEAST = 1e-30  # Reaches squared; a smaller square of a distance is rounding.
SAME = 1e-8  # Reaches; poses that differ by less are as close.
_SAME_PLACE = 1e-7  # Along u; between two places as near as that, tops and bottoms are the same.


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
    at, piece, ahead, behind, turn, bearing, _, _, _, _ = every[number]
    slope, bend, half = slope_of(bearing, radius, height)
    beside = ahead if slope < 0.0 else behind
    if beside == number:
        # The same as `Tip(...)`, here and below, which takes twice the time.
        return tuple.__new__(Tip, (math.sqrt(2.0 * half), angle - turn, edge.pieces[piece].arc, at))
    last, _, _, _, _, bearing, _, _, _, _ = every[beside]
    slope_there, bend_there, half_there = slope_of(bearing, radius, height)
    apart = last - at
    steep, steep_there = slope * apart, slope_there * apart
    if steep_there < 0.0 and half_there <= half:
        # Only rounding has it that the next mark is not nearer.
        return lowest(edge, goal, beside, enough)
    rise = steep_there - steep
    # Where its square curves upwards, that is above both tangents.
    if (
        bend > 0.0 < bend_there
        and rise > 0.0
        and half - steep * (half_there - half - steep_there) / rise > enough
    ):
        return None
    square = apart * apart
    share = root_between(steep, rise, bend * square, bend_there * square)
    return bottom_between(edge, goal, edge.pieces[piece], (at, last), at + share * apart, half)


def others(edge: Edge, goal: Goal, number: int, enough: float, is_lowest: bool) -> list[Tip]:
    """Return the bottoms up to the marks beside one, as far as those are not nearer.

    For where the target is so far away that there may be tops.

    Args:
        edge: of the mark.
        goal: the target.
        number: of the mark.
        enough: half the square of the distance that they are to be nearer than.
        is_lowest: whether without the one that :func:`lowest` looks for.
    """
    every, (radius, angle, height) = edge.marks.every, goal
    at, of, ahead, behind, turn, bearing, _, _, _, _ = every[number]
    piece = edge.pieces[of]
    slope, _, half = slope_of(bearing, radius, height)
    found: list[Tip] = []
    for beside, onward in ((ahead, True), (behind, False)):
        rises = slope if onward else -slope
        is_known = is_lowest and (slope < 0.0) == onward
        if beside == number:
            if rises < 0.0 and half < enough and not is_known:
                found.append(Tip(math.sqrt(2.0 * half), angle - turn, piece.arc, at))
            continue
        if is_known:
            continue
        last, _, _, _, _, there, _, _, _, _ = every[beside]
        slope_there, _, half_there = slope_of(there, radius, height)
        if half_there < half or (half_there == half and beside < number):
            continue
        low, least = at, half
        if rises > 0.0:
            if (slope_there > 0.0) != onward:
                continue
            dip = _dip_between(edge.sweep, goal, piece, (at, bearing), (last, there))
            if dip is None:
                continue
            low, least = dip
        tip = bottom_between(edge, goal, piece, (low, last), 0.5 * (low + last), least)
        if 0.5 * tip.away * tip.away < enough:
            found.append(tip)
    return found


def _dip_between(
    sweep: Sweep,
    goal: Goal,
    piece: Piece,
    begin: tuple[float, Bearing[float]],
    end: tuple[float, Bearing[float]],
) -> tuple[float, float] | None:
    """Return where it goes down, and half the squared distance there, if it does so anywhere.

    Args:
        sweep: of the plane.
        goal: the target.
        piece: the piece.
        begin: a place from where it goes up, and where that is about the axis.
        end: one to where it goes up.
    """
    radius, _, height = goal
    (low, bearing), (high, there) = begin, end
    if abs(high - low) <= _SAME_PLACE or not may_dip(bearing, there, radius, height):
        return None
    at = 0.5 * (low + high)
    middle, _ = bearing_of(sweep, piece, at, math.cos(at), math.sin(at))
    slope, _, half = slope_of(middle, radius, height)
    if (slope < 0.0) == (low < high):
        return at, half
    return _dip_between(sweep, goal, piece, begin, (at, middle)) or _dip_between(
        sweep, goal, piece, (at, middle), end
    )


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
    (low, last), (radius, angle, height) = ends, goal
    onward = low < last
    for _ in range(ARC_STEPS):
        bearing, (out, across, out_1, across_1) = bearing_of(
            edge.sweep, piece, at, math.cos(at), math.sin(at)
        )
        slope, bend, half = slope_of(bearing, radius, height)
        step = -slope / bend if bend > 0.0 else math.inf
        # What bends the slope is about as near as the axis.
        if abs(step) ** 3 <= ARC_SETTLED * bearing[0] * math.sqrt(half + LEAST):
            break
        if (slope < 0.0) == onward and half <= least:
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
            angle - math.atan2(across + across_1 * step, out + out_1 * step),
            piece.arc,
            at + step,
        ),
    )

"""The closest that an arm on a turntable comes to a target: where the edge is of its chain's area.

Unless the turntable is at a limit and the target straight above the chain's area, the closest tip
is on the edge of that area. Derived in ``docs/solvers.md``, section 10. Lengths are in reaches.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.space.edge_in_space import GOES_ON, STOPS, Edge, Piece
from ik2d_ros.kinematics.sweep import Goal, Sweep
from ik2d_ros.kinematics.tuning import ARC_SETTLED, ARC_STEPS

PRUNED = 1e-7  # Reaches; what rounding may do to a distance that is compared with others.
SAME = 1e-8  # Reaches; poses that differ by less are as close.
TINY = 1e-300


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


class _Limit(NamedTuple):
    """A target as seen from the plane with the turntable at a limit.

    Attributes:
        turn: the limit in rad.
        out: where the target is in the plane, out from the axis.
        along: the same, along the axis.
        beside: how far it is from the plane.
    """

    turn: float
    out: float
    along: float
    beside: float


def closest_tips(edge: Edge, limits: tuple[float, float], goal: Goal) -> list[Tip]:
    """Return the points of an edge that come closest to a target, one at least.

    Args:
        edge: of what the chain reaches.
        limits: (lower, upper) of the turntable in rad.
        goal: the target, in reaches.
    """
    free = _squares(edge, goal)
    limited = limits[1] - limits[0] < TURN
    away = np.sqrt(_held(edge, limits, goal, free)) if limited else None
    np.sqrt(free, out=free)
    bound = float(np.minimum.reduce(free if away is None else away)) + PRUNED
    some = (free - edge.gap <= bound).nonzero()[0]
    near = dict(zip(some.tolist(), free[some].tolist(), strict=True))
    # Of what is about the middle of a piece, up to the next middles, nothing is closer.
    least = (free if away is None else away)[some] - 2.0 * edge.gap[some]
    lowest: dict[int, Tip] = {}
    for here, number, low in sorted(zip(near.values(), near, least.tolist(), strict=True)):
        if low > bound:
            continue
        *_, before, after, _ = edge.pieces[number]
        if before == GOES_ON and near.get(number - 1, math.inf) < here:
            continue
        if after == GOES_ON and near.get(number + 1, math.inf) < here:
            continue
        tip = _lowest(edge, goal, number)
        if not limited or _is_within(tip.turn, limits):
            lowest[number] = tip
            bound = min(bound, tip.away + PRUNED)
    found = [lowest[number] for number in sorted(lowest)]
    if away is not None:
        seen = [_seen_from(edge.sweep, goal, limit) for limit in limits]
        # No point of the plane is closer than the plane.
        ends = [end for end in seen if abs(end.beside) <= bound]
        if ends:
            held = (away - edge.gap <= bound).nonzero()[0].tolist()
            arcs = sorted({edge.pieces[k].arc for k in held})
            found += [_at_limit(edge, arc, end) for arc in arcs for end in ends]
    enough = min(tip.away for tip in found) + SAME
    return [tip for tip in found if tip.away <= enough]


def _squares(edge: Edge, goal: Goal) -> FloatArray:
    """Return (p,) squares of distances from the middles of pieces to a target, at any turn."""
    radius, _, height = goal
    square = np.array((1.0, -2.0 * radius, -2.0 * height)) @ edge.rows
    square += radius * radius + height * height
    squares: FloatArray = np.maximum(square, 0.0, out=square)
    return squares


def _held(edge: Edge, limits: tuple[float, float], goal: Goal, free: FloatArray) -> FloatArray:
    """Return (p,) squares of the distances while the turntable is held within limits."""
    wide, apart = 0.5 * (limits[1] - limits[0]), goal.angle - 0.5 * (limits[0] + limits[1])
    x, y = goal.radius * math.cos(apart), goal.radius * math.sin(apart)
    seen = np.array(((x, y), (y, -x))) @ edge.flat
    ahead = seen[0]
    near = edge.middle[0] * goal.radius
    beyond = ahead < math.cos(wide) * near
    np.abs(seen[1], out=seen[1])
    near -= np.array((math.cos(wide), math.sin(wide))) @ seen
    near *= beyond
    near *= 2.0
    near += free
    squares: FloatArray = np.maximum(near, 0.0, out=near)
    return squares


def _is_within(turn: float, limits: tuple[float, float]) -> bool:
    """Whether a turn, but for whole ones, is within limits."""
    middle = 0.5 * (limits[0] + limits[1])
    return abs(math.remainder(turn - middle, TURN)) <= 0.5 * (limits[1] - limits[0])


def _seen_from(sweep: Sweep, goal: Goal, limit: float) -> _Limit:
    apart = goal.angle - limit
    across = goal.radius * math.sin(apart)
    return _Limit(
        limit,
        goal.radius * math.cos(apart),
        sweep.c * goal.height - sweep.e * across,
        sweep.c * across + sweep.e * goal.height - sweep.d,
    )


def _at_limit(edge: Edge, arc: int, limit: _Limit) -> Tip:
    """Return the point of an arc or a segment that is closest with the turntable at a limit."""
    begin, end, s, k, p, q, v, w, a, b = edge.whole[arc]
    x, y = limit.out - s, limit.along - k
    if a or b:
        at = min(max(x * a + y * b, begin), end)
    else:
        at = begin + (math.atan2(x * q + y * w, x * p + y * v) - begin) % TURN
        if at > end:
            at = end if at - end < begin + TURN - at else begin
    cos, sin = math.cos(at), math.sin(at)
    x -= a * at + p * cos + q * sin
    y -= b * at + v * cos + w * sin
    return Tip(math.sqrt(x * x + y * y + limit.beside * limit.beside), limit.turn, arc, at)


def _lowest(edge: Edge, goal: Goal, number: int) -> Tip:
    """Return where about the middle of a piece the distance is smallest, by Newton's method.

    Any turn is allowed; no neighbouring piece has its middle closer.
    """
    piece, sweep = edge.pieces[number], edge.sweep
    at = 0.5 * (piece.begin + piece.end)
    slope, bend, half, turn = _slope(sweep, goal, piece, at)
    onward = slope < 0.0
    last, kind = (piece.end, piece.after) if onward else (piece.begin, piece.before)
    if kind == GOES_ON:
        other = edge.pieces[number + 1 if onward else number - 1]
        last = 0.5 * (other.begin + other.end)
    low, high = (at, last) if onward else (last, at)
    untried = kind == STOPS
    for _ in range(ARC_STEPS if slope else 0):
        wanted = at - slope / bend if bend > 0.0 else math.inf
        if low < wanted < high:
            step = wanted - at
        elif untried:
            step, untried = last - at, False
        else:
            step = 0.5 * (low + high) - at
        at += step
        slope, bend, half, turn = _slope(sweep, goal, piece, at)
        if abs(step) <= ARC_SETTLED or slope == 0.0 or (at == last and (slope < 0.0) == onward):
            break
        low, high = (at, high) if slope < 0.0 else (low, at)
    return Tip(math.sqrt(2.0 * half), goal.angle - turn, piece.arc, at)


def _slope(sweep: Sweep, goal: Goal, piece: Piece, at: float) -> tuple[float, float, float, float]:
    """Return slope and bend of half the squared distance, itself, and where the tip is.

    The last is the tip's angle about the axis while the turntable is at 0, in rad.
    """
    _, _, s, k, p, q, v, w, a, b, _, _, _ = piece
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
    return x * away_1 + y * c * along_1, bend, 0.5 * (x * x + y * y), math.atan2(across, s)

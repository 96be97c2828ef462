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
from ik2d_ros.kinematics.space.edge_in_space import Edge, Piece, Side
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


def closest_tips(edge: Edge, limits: tuple[float, float], goal: Goal) -> list[Tip]:
    """Return the points of an edge that come closest to a target, one at least.

    Args:
        edge: of what the chain reaches.
        limits: (lower, upper) of the turntable in rad.
        goal: the target, in reaches.
    """
    sweep, (radius, angle, height) = edge.sweep, goal
    # Where the target is in the plane, on either side, as the plane turns to it.
    across = abs(sweep.d - sweep.e * height) / sweep.c
    out = math.sqrt(max((radius - across) * (radius + across), 0.0))
    seen = [(out, 0.0, (height - sweep.e * sweep.d) / sweep.c, 1.0)]
    beside = [max(across - radius, 0.0)]
    sides = [(side, freedom(side, limits, angle)) for side in edge.sides]
    limited = not all(freely for _, (_, freely) in sides)
    if limited:
        for limit in limits:
            apart = angle - limit
            across = radius * math.sin(apart)
            seen.append((0.0, radius * math.cos(apart), sweep.c * height - sweep.e * across, 1.0))
            beside.append(sweep.c * across + sweep.e * height - sweep.d)
    squares = squares_of(edge, np.array(seen))
    held = squares[1:]
    held += np.square(beside[1:])[:, None]
    least = float(held.min(initial=math.inf))
    low = squares[0] * np.square(shares(edge, out, radius))
    for side, (may, freely) in sides:
        if freely:
            least = min(least, float(squares[0, side.pieces].min()) + beside[0] ** 2)
        elif not may:
            low[side.pieces] = math.inf
    squares[0] = low
    bound = math.sqrt(least) * (1.0 + abs(sweep.e)) + PRUNED
    views, numbers = (squares <= bound * bound).nonzero()
    found: list[tuple[int, int, Tip]] = []
    for square, view, number in sorted(
        zip(squares[views, numbers].tolist(), views.tolist(), numbers.tolist(), strict=True)
    ):
        if square > bound * bound:
            break
        piece = edge.pieces[number]
        back, x, y, _ = seen[view]
        if view:
            tip = _at_limit(piece, limits[view - 1], x, y, beside[view])
        else:
            tip = _lowest(sweep, goal, piece, back if number < edge.front else -back, y)
            if limited and not _is_within(tip.turn, limits):
                continue
        found.append((view, number, tip))
        bound = min(bound, tip.away + PRUNED)
    enough = min(tip.away for _, _, tip in found) + SAME
    return [tip for _, _, tip in sorted(found) if tip.away <= enough]


def squares_of(edge: Edge, seen: FloatArray) -> FloatArray:
    """Return (m, p) squares of how far pieces are from places (m, 4) in the plane.

    Args:
        edge: the pieces.
        seen: the places, as ``rows`` of the edge take them.
    """
    count = len(edge.pieces)
    product = seen @ edge.rows
    x, y = product[:, :count], np.abs(product[:, count:])
    square = x * x
    square += y * y
    far = np.sqrt(square)
    # Towards the place from the centre of an arc, or from there to an end.
    toward = np.where(x >= edge.cos * far, far, edge.cos * x + edge.sin * y)
    toward *= 2.0 * edge.radius
    square -= toward
    square += edge.radius * edge.radius
    if edge.half is not None:
        along = np.abs(x)
        inside = np.minimum(along, edge.half)
        square += inside * (inside - 2.0 * along)
    squares: FloatArray = np.maximum(square, 0.0, out=square)
    return squares


def shares(edge: Edge, out: float | FloatArray, radius: float | FloatArray) -> FloatArray:
    """Return which share of its distance in the plane a piece is from a target at the least.

    Args:
        edge: the pieces.
        out: how far out in the plane the target is.
        radius: how far it is from the axis.
    """
    nearest, away = edge.near
    share: FloatArray = (nearest + out) / (away + radius)
    return np.maximum(share - 2.0 * abs(edge.sweep.e), 0.0)


def freedom(side: Side, limits: tuple[float, float], angle: float) -> tuple[bool, bool]:
    """Whether the turntable can bring some points of a side to a target's angle, and if so all."""
    wide = 0.5 * (limits[1] - limits[0])
    if wide >= 0.5 * TURN:
        return True, True
    turn = angle - side.ahead - 0.5 * (limits[0] + limits[1])
    apart = abs(math.remainder(turn, TURN))
    return apart <= wide + side.apart, apart + side.apart <= wide


def _is_within(turn: float, limits: tuple[float, float]) -> bool:
    """Whether a turn, but for whole ones, is within limits."""
    middle = 0.5 * (limits[0] + limits[1])
    return abs(math.remainder(turn - middle, TURN)) <= 0.5 * (limits[1] - limits[0])


def _nearest(piece: Piece, x: float, y: float) -> float:
    """Return where on a piece it is nearest to a place in the plane."""
    begin, end, s, k, p, q, v, w, a, b, _ = piece
    x, y = x - s, y - k
    if a or b:
        return min(max(x * a + y * b, begin), end)
    at = begin + (math.atan2(x * q + y * w, x * p + y * v) - begin) % TURN
    if at > end:
        at = end if at - end < begin + TURN - at else begin
    return at


def _at_limit(piece: Piece, limit: float, x: float, y: float, beside: float) -> Tip:
    """Return the point of a piece that is closest with the turntable at a limit."""
    at = _nearest(piece, x, y)
    _, _, s, k, p, q, v, w, a, b, arc = piece
    cos, sin = math.cos(at), math.sin(at)
    x -= s + a * at + p * cos + q * sin
    y -= k + b * at + v * cos + w * sin
    return Tip(math.sqrt(x * x + y * y + beside * beside), limit, arc, at)


def _lowest(sweep: Sweep, goal: Goal, piece: Piece, x: float, y: float) -> Tip:
    """Return where on a piece the distance is smallest at any turn, by Newton's method.

    From where it is nearest in the plane.
    """
    at, low, high = _nearest(piece, x, y), piece.begin, piece.end
    slope, bend, half, turn = _slope(sweep, goal, piece, at)
    onward = slope < 0.0
    last = high if onward else low
    low, high = (at, high) if onward else (low, at)
    # Where rounding alone is left of the slope, its sign means nothing.
    there = at == last or abs(slope) <= SAME * bend
    first, untried = half, True
    for _ in range(0 if there else ARC_STEPS):
        wanted = at - slope / bend if bend > 0.0 else math.inf
        inside = low < wanted < high
        if inside:
            step = wanted - at
        elif untried:
            step, untried = last - at, False
        else:
            step = 0.5 * (low + high) - at
        at += step
        slope, bend, half, turn = _slope(sweep, goal, piece, at)
        downhill = slope < 0.0
        if at == last and downhill == onward:
            if half <= first:
                break
            # Beyond a bottom, and over a top: as if it went up from there.
            downhill, bend = not onward, 0.0
        elif (inside and abs(step) <= ARC_SETTLED) or slope == 0.0:
            break
        low, high = (at, high) if downhill else (low, at)
    return Tip(math.sqrt(2.0 * half), goal.angle - turn, piece.arc, at)


def _slope(sweep: Sweep, goal: Goal, piece: Piece, at: float) -> tuple[float, float, float, float]:
    """Return slope and bend of half the squared distance, itself, and where the tip is.

    The last is the tip's angle about the axis while the turntable is at 0, in rad.
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
    return x * away_1 + y * c * along_1, bend, 0.5 * (x * x + y * y), math.atan2(across, s)

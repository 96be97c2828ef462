"""The closest that an arm on a turntable comes to a target: where the edge is of its chain's area.

Unless the turntable is at a limit and the target straight above the chain's area, the closest tip
is on the edge of that area. Derived in ``docs/solvers.md``, section 10. Lengths are in reaches.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.edge_in_space import GOES_ON, STOPS, Edge, Piece
from ik2d_ros.kinematics.sweep import Goal, Sweep

STEPS = 60  # At the most; halving alone comes down to rounding in fewer.
SETTLED = 3e-5  # rad, or reaches; a shorter step of Newton's is the last: it doubles the digits.
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


class _Limits(NamedTuple):
    """A target as seen with the turntable at its limits.

    Attributes:
        cos: of the target's angle from the middle of the range.
        sin: of the same.
        wide: cosine of half the range.
        wide_sin: its sine.
        upper: where the target is out and along in the plane at the upper limit, and half its
            squared distance from it.
        lower: the same at the lower limit.
    """

    cos: float
    sin: float
    wide: float
    wide_sin: float
    upper: tuple[float, float, float]
    lower: tuple[float, float, float]


class _View(NamedTuple):
    """A plane, in reaches, and a target about its axis.

    Attributes:
        c: of the plane, as in a Sweep.
        e: the same.
        d: the same.
        radius: of the target, from the axis.
        height: of the target, along the axis.
        limits: the target as seen from the limits; None where no limit matters.
    """

    c: float
    e: float
    d: float
    radius: float
    height: float
    limits: _Limits | None


def closest_tips(edge: Edge, limits: tuple[float, float], goal: Goal) -> list[Tip]:
    """Return the points of an edge that come closest to a target, one at least.

    Args:
        edge: of what the chain reaches.
        limits: (lower, upper) of the turntable in rad.
        goal: the target, in reaches.
    """
    view = _view(edge.sweep, limits, goal)
    distances = _distances(edge, view)
    bound = distances.min() + PRUNED
    some = (distances - edge.gap <= bound).nonzero()[0].tolist()
    away = dict(zip(some, distances[some].tolist(), strict=True))
    found = [
        _lowest(view, edge.pieces, number)
        for number, here in away.items()
        if not (edge.pieces[number].before == GOES_ON and away.get(number - 1, math.inf) < here)
        and not (edge.pieces[number].after == GOES_ON and away.get(number + 1, math.inf) < here)
    ]
    enough = min(tip.away for tip in found) + SAME
    return [
        Tip(away, _turned(view, turn, goal.angle, limits), arc, at)
        for away, turn, arc, at in found
        if away <= enough
    ]


def _view(sweep: Sweep, limits: tuple[float, float], goal: Goal) -> _View:
    radius, angle, height = goal
    lower, upper = limits
    wide = 0.5 * (upper - lower)
    seen = None
    if wide < math.pi:
        ends = []
        for end in (upper, lower):
            out, across = radius * math.cos(angle - end), radius * math.sin(angle - end)
            along = sweep.c * height - sweep.e * across
            beside = sweep.c * across + sweep.e * height - sweep.d
            ends.append((out, along, 0.5 * beside * beside))
        apart = angle - 0.5 * (lower + upper)
        seen = _Limits(math.cos(apart), math.sin(apart), math.cos(wide), math.sin(wide), *ends)
    return _View(sweep.c, sweep.e, sweep.d, radius, height, seen)


def _distances(edge: Edge, view: _View) -> FloatArray:
    """Return (p,) distances from the middles of the pieces to the target."""
    away, height = edge.middle
    near = view.radius * away
    if view.limits is not None:
        cos, sin, wide, wide_sin, _, _ = view.limits
        out, across = edge.flat
        along = (view.radius * cos) * out + (view.radius * sin) * across
        beside = (view.radius * sin) * out - (view.radius * cos) * across
        near = np.where(along >= wide * near, near, along * wide + np.abs(beside) * wide_sin)
    square = edge.square - 2.0 * (near + view.height * height)
    square += view.radius * view.radius + view.height * view.height
    distances: FloatArray = np.sqrt(np.maximum(square, 0.0))
    return distances


def _lowest(view: _View, pieces: Sequence[Piece], number: int) -> Tip:
    """Return where about the middle of a piece the distance is smallest, by Newton's method.

    No neighbouring piece has its middle closer. The turn is that of the tip about the axis, at the
    turn 0.
    """
    piece = pieces[number]
    angle = 0.5 * (piece.begin + piece.end)
    slope, bend, half, turn = _at(view, piece, angle)
    if slope == 0.0:
        return Tip(math.sqrt(2.0 * half), turn, piece.arc, angle)
    onward = slope < 0.0
    last, kind = (piece.end, piece.after) if onward else (piece.begin, piece.before)
    if kind == GOES_ON:
        other = pieces[number + 1 if onward else number - 1]
        last = 0.5 * (other.begin + other.end)
    low, high = (angle, last) if onward else (last, angle)
    untried = kind == STOPS
    for _ in range(STEPS):
        wanted = angle - slope / bend if bend > 0.0 else math.inf
        if low < wanted < high:
            step = wanted - angle
        elif untried:
            step, untried = last - angle, False
        else:
            step = 0.5 * (low + high) - angle
        angle += step
        slope, bend, half, turn = _at(view, piece, angle)
        if abs(step) <= SETTLED or slope == 0.0 or (angle == last and (slope < 0.0) == onward):
            break
        low, high = (angle, high) if slope < 0.0 else (low, angle)
    return Tip(math.sqrt(2.0 * half), turn, piece.arc, angle)


def _at(view: _View, piece: Piece, angle: float) -> tuple[float, float, float, float]:
    """Return slope and bend of half the squared distance, itself, and the tip's turn, in rad.

    The turn is that of the tip about the axis while the turntable is at 0.
    """
    _, _, s, k, p, q, v, w, a, b, _, _, _ = piece
    c, e, d, radius, height, limits = view
    cos, sin = math.cos(angle), math.sin(angle)
    out, along = p * cos + q * sin, v * cos + w * sin
    out_1, along_1 = a + q * cos - p * sin, b + w * cos - v * sin
    s += out + a * angle
    k += along + b * angle
    across = c * d - e * k
    away = math.hypot(s, across)
    turn = math.atan2(across, s)
    if limits is not None:
        to_out = limits.cos * s + limits.sin * across
        if to_out < limits.wide * away:
            x, y, rest = limits.upper if limits.sin * s > limits.cos * across else limits.lower
            x, y = s - x, k - y
            bend = out_1 * out_1 + along_1 * along_1 - x * out - y * along
            return x * out_1 + y * along_1, bend, 0.5 * (x * x + y * y) + rest, turn
    x, y = away - radius, c * k + e * d - height
    away_1 = (s * out_1 - across * e * along_1) / max(away, TINY)
    away_2 = out_1 * out_1 + (e * along_1) ** 2 - s * out + across * e * along - away_1 * away_1
    bend = away_1 * away_1 + x * away_2 / max(away, TINY) + (c * along_1) ** 2 - y * c * along
    return x * away_1 + y * c * along_1, bend, 0.5 * (x * x + y * y), turn


def _turned(view: _View, turn: float, angle: float, limits: tuple[float, float]) -> float:
    """Return the position of the turntable that brings a tip closest, in rad."""
    wanted = angle - turn
    if view.limits is None:
        return wanted
    lower, upper = limits
    middle = 0.5 * (lower + upper)
    return min(max(middle + math.remainder(wanted - middle, TURN), lower), upper)

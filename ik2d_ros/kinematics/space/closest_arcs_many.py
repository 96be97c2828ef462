"""The closest that an arm on a turntable comes to many targets: :mod:`.closest_arcs` for arrays."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN, wrapped
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices
from ik2d_ros.kinematics.space.closest_arcs import PRUNED, SAME, TINY
from ik2d_ros.kinematics.space.edge_in_space import GOES_ON, STOPS, Edge
from ik2d_ros.kinematics.sweep import Sweep
from ik2d_ros.kinematics.tuning import ARC_CELLS, ARC_SETTLED, ARC_STEPS


class Tips(NamedTuple):
    """Points of an edge, an element each: those that come closest to the targets.

    Attributes:
        which: (k,) the targets that they are for.
        away: (k,) distances from them in reaches.
        turn: (k,) positions of the turntable in rad, but for whole turns.
        arc: (k,) numbers of the arcs.
        angle: (k,) of the points on their arcs, in rad.
    """

    which: Indices
    away: FloatArray
    turn: FloatArray
    arc: Indices
    angle: FloatArray

    def at(self, chosen: Flags) -> Tips:
        """Return some of them."""
        return Tips(
            self.which[chosen],
            self.away[chosen],
            self.turn[chosen],
            self.arc[chosen],
            self.angle[chosen],
        )


class _Points(NamedTuple):
    """Points of pieces, an element each.

    Attributes:
        slope: of half the squared distance from the target, along the piece.
        bend: its second derivative.
    """

    slope: FloatArray
    bend: FloatArray


def closest_tips_many(edge: Edge, limits: tuple[float, float], goals: FloatArray) -> Tips:
    """Return the points of an edge that come closest to targets, for each one at least.

    Args:
        edge: of what the chain reaches.
        limits: (lower, upper) of the turntable in rad.
        goals: (m, 3) the targets about the axis: radius in reaches, angle in rad, height in
            reaches.
    """
    step = max(16, ARC_CELLS // len(edge.pieces))
    parts = [
        _candidates(edge, limits, goals[begin : begin + step], begin)
        for begin in range(0, len(goals), step)
    ]
    which, number, held, arc, low = map(np.concatenate, zip(*parts, strict=True))
    tips = _lowest(edge, goals[which], which, number)
    found = [tips]
    if limits[1] - limits[0] < TURN:
        apart = tips.turn - 0.5 * (limits[0] + limits[1])
        apart = wrapped(apart)
        found = [tips.at(np.abs(apart) <= 0.5 * (limits[1] - limits[0]))]
        closest = np.full(len(goals), np.inf)
        np.minimum.at(closest, found[0].which, found[0].away)
        left = low <= closest[held] + PRUNED
        held, arc = held[left], arc[left]
        found += [_at_limit(edge, limit, goals[held], held, arc) for limit in limits]
    tips = Tips(*(np.concatenate(values) for values in zip(*found, strict=True)))
    least = np.full(len(goals), np.inf)
    np.minimum.at(least, tips.which, tips.away)
    return tips.at(tips.away <= least[tips.which] + SAME)


def _candidates(
    edge: Edge, limits: tuple[float, float], goals: FloatArray, first: int
) -> tuple[Indices, Indices, Indices, Indices, FloatArray]:
    """Return pairs of a target and a piece, and of a target and an arc.

    About the middle of such a piece, or with the turntable at a limit on such an arc, the closest
    point may be. Also how far the points of the arc are at least.
    """
    square, near = _squares(edge, goals)
    free = np.sqrt(square)
    held: Indices = np.arange(0)
    arc: Indices = np.arange(0)
    low: FloatArray = np.empty(0)
    away = free
    if limits[1] - limits[0] < TURN:
        away = _within(edge, limits, goals, near, square)
    bound = away.min(axis=1, keepdims=True) + PRUNED
    which, number = np.nonzero(free - edge.gap <= bound)
    here = free[which, number]
    before, after = edge.table[10:12, number]
    last = len(edge.pieces) - 1
    lowest = (before != GOES_ON) | (free[which, np.maximum(number - 1, 0)] >= here)
    lowest &= (after != GOES_ON) | (free[which, np.minimum(number + 1, last)] >= here)
    if away is not free:
        # Of what is about the middle of a piece, up to the next middles, nothing is closer.
        lowest &= away[which, number] - 2.0 * edge.gap[number] <= bound[which, 0]
        least = away - edge.gap
        held, pieces = np.nonzero(least <= bound)
        low, arc = least[held, pieces], edge.table[12, pieces].astype(np.intp)
        new = np.ones(len(held), dtype=np.bool_)
        new[1:] = (held[1:] != held[:-1]) | (arc[1:] != arc[:-1])
        low = np.minimum.reduceat(low, np.flatnonzero(new)) if len(low) else low
        held, arc = held[new], arc[new]
    which, number = which[lowest], number[lowest]
    return first + which, number, first + held, arc, low


def _squares(edge: Edge, goals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (m, p) squares of distances from the middles of pieces to targets, at any turn.

    Also the products of the distances of both from the axis.
    """
    radius, _, height = goals.T
    square = np.stack([np.ones(len(goals)), -2.0 * height], axis=1) @ edge.rows[::2]
    square += (radius * radius + height * height)[:, None]
    near: FloatArray = np.multiply.outer(radius, edge.middle[0])
    square -= 2.0 * near
    return np.maximum(square, 0.0, out=square), near


def _within(
    edge: Edge,
    limits: tuple[float, float],
    goals: FloatArray,
    near: FloatArray,
    square: FloatArray,
) -> FloatArray:
    """Return (m, p) distances from the middles of the pieces, turned within limits, to targets."""
    radius, angle, _ = goals.T
    wide, apart = 0.5 * (limits[1] - limits[0]), angle - 0.5 * (limits[0] + limits[1])
    x, y = radius * np.cos(apart), radius * np.sin(apart)
    ahead = np.stack([x, y], axis=1) @ edge.flat
    beside = np.stack([y, -x], axis=1) @ (math.sin(wide) * edge.flat)
    free = ahead >= math.cos(wide) * near
    ahead *= math.cos(wide)
    ahead += np.abs(beside, out=beside)
    near -= ahead
    near *= 2.0
    near[free] = 0.0
    near += square
    np.maximum(near, 0.0, out=near)
    distances: FloatArray = np.sqrt(near, out=near)
    return distances


def _at_limit(edge: Edge, limit: float, goals: FloatArray, which: Indices, arc: Indices) -> Tips:
    """Return the points of arcs and segments that are closest with the turntable at a limit."""
    sweep, (radius, angle, height) = edge.sweep, goals.T
    apart = angle - limit
    across = radius * np.sin(apart)
    beside = sweep.c * across + sweep.e * height - sweep.d
    begin, end, s, k, p, q, v, w, a, b = edge.bounds[:, arc]
    x = radius * np.cos(apart) - s
    y = sweep.c * height - sweep.e * across - k
    at = begin + (np.arctan2(x * q + y * w, x * p + y * v) - begin) % TURN
    at = np.where(at <= end, at, np.where(at - end < begin + TURN - at, end, begin))
    straight = (a != 0.0) | (b != 0.0)
    if straight.any():
        at = np.where(straight, np.minimum(np.maximum(x * a + y * b, begin), end), at)
    cos, sin = np.cos(at), np.sin(at)
    x -= a * at + p * cos + q * sin
    y -= b * at + v * cos + w * sin
    away = np.sqrt(x * x + y * y + beside * beside)
    return Tips(which, away, np.full(len(which), limit), arc, at)


def _lowest(edge: Edge, goals: FloatArray, which: Indices, number: Indices) -> Tips:
    """Return where about the middles of pieces (k,) the distances are smallest, at any turn."""
    table, sweep, angle = edge.table[:, number], edge.sweep, goals[:, 1]
    begin, end = table[:2]
    at = 0.5 * (begin + end)
    here = _slopes(sweep, goals, table, at)
    onward = here.slope < 0.0
    kind = np.where(onward, table[11], table[10])
    last = np.where(onward, end, begin)
    joined = kind == GOES_ON
    other = edge.table[:2, number + np.where(joined, np.where(onward, 1, -1), 0)]
    last = np.where(joined, 0.5 * (other[0] + other[1]), last)
    low, high = np.where(onward, at, last), np.where(onward, last, at)
    untried = kind == STOPS
    found_at = at.copy()
    every, rest = table, goals
    going = np.flatnonzero(here.slope != 0.0)
    if len(going) < len(number):
        here = _Points(*(values[going] for values in here))
        at, low, high, last = at[going], low[going], high[going], last[going]
        untried, onward, table, goals = untried[going], onward[going], table[:, going], goals[going]
    for _ in range(ARC_STEPS):
        if not len(going):
            break
        wanted = at - here.slope / np.where(here.bend > 0.0, here.bend, TINY)
        inside = (low < wanted) & (wanted < high)
        then = np.where(inside, wanted, np.where(untried, last, 0.5 * (low + high)))
        untried &= inside
        settled = np.abs(then - at) <= ARC_SETTLED
        at = then
        here = _slopes(sweep, goals, table, at)
        downhill = here.slope < 0.0
        ended = settled | (here.slope == 0.0) | ((at == last) & (downhill == onward))
        low, high = np.where(downhill, at, low), np.where(downhill, high, at)
        done = np.flatnonzero(ended)
        if not len(done):
            continue
        found_at[going[done]] = at[done]
        left = np.flatnonzero(~ended)
        going, at, low, high, last = going[left], at[left], low[left], high[left], last[left]
        untried, onward, table, goals = untried[left], onward[left], table[:, left], goals[left]
        here = _Points(*(values[left] for values in here))
    out, across, along = _points(sweep, every, found_at)
    away = np.hypot(np.hypot(out, across) - rest[:, 0], along - rest[:, 2])
    turn = angle - np.arctan2(across, out)
    return Tips(which, away, turn, edge.table[12, number].astype(np.intp), found_at)


def _points(
    sweep: Sweep, table: FloatArray, at: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return where points of pieces are at turn 0: out, across and along the axis."""
    s, k, p, q, v, w, a, b = table[2:10]
    cos, sin = np.cos(at), np.sin(at)
    out, along = s + p * cos + q * sin + a * at, k + v * cos + w * sin + b * at
    return out, sweep.c * sweep.d - sweep.e * along, sweep.c * along + sweep.e * sweep.d


def _slopes(sweep: Sweep, goals: FloatArray, table: FloatArray, at: FloatArray) -> _Points:
    radius, _, height = goals.T
    s, k, p, q, v, w, a, b = table[2:10]
    c, e, d = sweep.c, sweep.e, sweep.d
    cos, sin = np.cos(at), np.sin(at)
    out, along = p * cos + q * sin, v * cos + w * sin
    out_1, along_1 = a + q * cos - p * sin, b + w * cos - v * sin
    s, k = s + out + a * at, k + along + b * at
    across = c * d - e * k
    away = np.maximum(np.sqrt(s * s + across * across), TINY)
    x, y = away - radius, c * k + e * d - height
    away_1 = (s * out_1 - across * e * along_1) / away
    away_2 = out_1 * out_1 + (e * along_1) ** 2 - s * out + across * e * along - away_1 * away_1
    slope = x * away_1 + y * c * along_1
    bend = away_1 * away_1 + x * away_2 / away + (c * along_1) ** 2 - y * c * along
    return _Points(slope, bend)

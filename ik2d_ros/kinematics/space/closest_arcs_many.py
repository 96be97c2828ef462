"""The closest that an arm on a turntable comes to many targets: :mod:`.closest_arcs` for arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN, wrapped
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices
from ik2d_ros.kinematics.space.closest_arcs import PRUNED, SAME, TINY, shares, squares_of
from ik2d_ros.kinematics.space.edge_in_space import Edge
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


class _View(NamedTuple):
    """Pieces that may be closest to targets, an element each.

    Attributes:
        which: (k,) the targets.
        number: (k,) the pieces.
        low: (k,) squared distances that are not larger.
        out: (k,) where the targets are in the plane, out from the axis.
        along: (k,) the same along it.
        beside: (k,) how far they are from the plane.
    """

    which: Indices
    number: Indices
    low: FloatArray
    out: FloatArray
    along: FloatArray
    beside: FloatArray

    def at(self, chosen: Flags) -> _View:
        """Return some of them."""
        return _View(
            self.which[chosen],
            self.number[chosen],
            self.low[chosen],
            self.out[chosen],
            self.along[chosen],
            self.beside[chosen],
        )


class _Points(NamedTuple):
    """Points of pieces, an element each.

    Attributes:
        slope: of half the squared distance from the target, along the piece.
        bend: its second derivative.
        square: the squared distance.
    """

    slope: FloatArray
    bend: FloatArray
    square: FloatArray


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
        _views(edge, limits, goals[begin : begin + step], begin)
        for begin in range(0, len(goals), step)
    ]
    free, *held = (
        _View(*(np.concatenate(values) for values in zip(*views, strict=True)))
        for views in zip(*parts, strict=True)
    )
    tips = _lowest(edge, goals[free.which], free)
    found = [tips]
    if held:
        apart = np.abs(wrapped(tips.turn - 0.5 * (limits[0] + limits[1])))
        found = [tips.at(apart <= 0.5 * (limits[1] - limits[0]))]
        closest = np.full(len(goals), np.inf)
        np.minimum.at(closest, found[0].which, found[0].away)
        for limit, view in zip(limits, held, strict=True):
            left = view.low <= (closest[view.which] + PRUNED) ** 2
            found.append(_at_limit(edge, limit, view.at(left)))
    tips = Tips(*(np.concatenate(values) for values in zip(*found, strict=True)))
    least = np.full(len(goals), np.inf)
    np.minimum.at(least, tips.which, tips.away)
    return tips.at(tips.away <= least[tips.which] + SAME)


def _views(edge: Edge, limits: tuple[float, float], goals: FloatArray, first: int) -> list[_View]:
    """Return which pieces may be closest to targets: at any turn, and at each limit.

    Args:
        edge: the pieces.
        limits: of the turntable.
        goals: (m, 3) the targets.
        first: number of the first of them.
    """
    sweep, (radius, angle, height) = edge.sweep, goals.T
    across = np.abs(sweep.d - sweep.e * height) / sweep.c
    out = np.sqrt(np.maximum((radius - across) * (radius + across), 0.0))
    along = (height - sweep.e * sweep.d) / sweep.c
    one, zero = np.ones(len(goals)), np.zeros(len(goals))
    low = squares_of(edge, np.stack([out, zero, along, one], axis=1))
    least = np.full(len(goals), np.inf)
    limited = np.zeros(len(goals), dtype=np.bool_)
    beyond = np.square(np.maximum(across - radius, 0.0))
    wide = 0.5 * (limits[1] - limits[0])
    ruled_out = []
    for side in edge.sides:
        nearest = low[:, side.pieces].min(axis=1) + beyond
        if wide < 0.5 * TURN:
            apart = np.abs(wrapped(angle - (side.ahead + 0.5 * (limits[0] + limits[1]))))
            freely = apart + side.apart <= wide
            nearest[~freely] = np.inf
            limited |= ~freely
            ruled_out.append((np.flatnonzero(apart > wide + side.apart), side.pieces))
        np.minimum(least, nearest, out=least)
    low *= np.square(shares(edge, out[:, None], radius[:, None]))
    for some, pieces in ruled_out:
        low[some, pieces] = np.inf
    held = []
    for limit in limits if limited.any() else ():
        apart = angle - limit
        across = radius * np.sin(apart)
        beside = sweep.c * across + sweep.e * height - sweep.d
        some = np.flatnonzero(limited & (beside * beside <= least))
        x = (radius * np.cos(apart))[some]
        y = (sweep.c * height - sweep.e * across)[some]
        beside = beside[some]
        squares = squares_of(edge, np.stack([zero[some], x, y, one[some]], axis=1))
        squares += (beside * beside)[:, None]
        least[some] = np.minimum(least[some], squares.min(axis=1))
        held.append((some, squares, x, y, beside))
    bound = np.square(np.sqrt(least) * (1.0 + abs(sweep.e)) + PRUNED)
    views = []
    for some, squares, x, y, beside in [(np.arange(len(goals)), low, out, along, zero), *held]:
        row, number = np.nonzero(squares <= bound[some, None])
        view = row, number, squares[row, number], x[row], y[row], beside[row]
        views.append(_View(first + some[row], *view[1:]))
    return views


def _nearest(table: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return where on pieces they are nearest to places in the plane."""
    begin, end, s, k, p, q, v, w, a, b, _ = table
    x, y = x - s, y - k
    at = begin + (np.arctan2(x * q + y * w, x * p + y * v) - begin) % TURN
    at = np.where(at <= end, at, np.where(at - end < begin + TURN - at, end, begin))
    straight = (a != 0.0) | (b != 0.0)
    if straight.any():
        at = np.where(straight, np.minimum(np.maximum(x * a + y * b, begin), end), at)
    return at


def _at_limit(edge: Edge, limit: float, view: _View) -> Tips:
    """Return the points of pieces that are closest with the turntable at a limit."""
    table = edge.table[:, view.number]
    at = _nearest(table, view.out, view.along)
    _, _, s, k, p, q, v, w, a, b, arc = table
    cos, sin = np.cos(at), np.sin(at)
    x = view.out - (s + a * at + p * cos + q * sin)
    y = view.along - (k + b * at + v * cos + w * sin)
    away = np.sqrt(x * x + y * y + view.beside * view.beside)
    return Tips(view.which, away, np.full(len(at), limit), arc.astype(np.intp), at)


def _lowest(edge: Edge, goals: FloatArray, view: _View) -> Tips:
    """Return where on pieces the distances from targets (k, 3) are smallest, at any turn."""
    table, sweep, angle = edge.table[:, view.number], edge.sweep, goals[:, 1]
    side = np.where(view.number < edge.front, 1.0, -1.0)
    at = _nearest(table, side * view.out, view.along)
    here = _slopes(sweep, goals, table, at)
    onward = here.slope < 0.0
    last = np.where(onward, table[1], table[0])
    low, high = np.where(onward, at, last), np.where(onward, last, at)
    untried: Flags = np.ones(len(at), dtype=np.bool_)
    found_at, first = at.copy(), here.square
    every, rest = table, goals
    ended = (np.abs(here.slope) <= SAME * here.bend) | (at == last)
    going: Indices = np.arange(len(at))
    for _ in range(ARC_STEPS):
        if ended.any():
            found_at[going[ended]] = at[ended]
            left = np.flatnonzero(~ended)
            going, at, low, high, last = going[left], at[left], low[left], high[left], last[left]
            untried, onward, first = untried[left], onward[left], first[left]
            table, goals = table[:, left], goals[left]
            here = _Points(*(values[left] for values in here))
        if not len(going):
            break
        wanted = at - here.slope / np.where(here.bend > 0.0, here.bend, TINY)
        inside = (low < wanted) & (wanted < high)
        then = np.where(inside, wanted, np.where(untried, last, 0.5 * (low + high)))
        untried &= inside
        settled = inside & (np.abs(then - at) <= ARC_SETTLED)
        at = then
        here = _slopes(sweep, goals, table, at)
        downhill = here.slope < 0.0
        at_end = (at == last) & (downhill == onward)
        beyond = at_end & (here.square > first)
        ended = settled | (here.slope == 0.0) | at_end
        if beyond.any():
            # Beyond a bottom, and over a top: as if it went up from there.
            ended &= ~beyond
            downhill ^= beyond
            here.bend[beyond] = 0.0
        low, high = np.where(downhill, at, low), np.where(downhill, high, at)
    found_at[going] = at
    out, across, along = _points(sweep, every, found_at)
    away = np.hypot(np.hypot(out, across) - rest[:, 0], along - rest[:, 2])
    turn = angle - np.arctan2(across, out)
    return Tips(view.which, away, turn, every[10].astype(np.intp), found_at)


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
    return _Points(slope, bend, x * x + y * y)

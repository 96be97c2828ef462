"""The closest that an arm on a turntable comes to many targets: :mod:`.closest_arcs` for arrays."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.closest_arcs import PRUNED, SAME, SETTLED, STEPS, TINY
from ik2d_ros.kinematics.edge_in_space import GOES_ON, STOPS, Edge
from ik2d_ros.kinematics.sweep import Sweep

_CELLS = 50_000  # Pieces times targets that are looked at together, to stay in the cache.

Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]


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


class _Limits(NamedTuple):
    """Targets as seen with the turntable at its limits, as for one target.

    Attributes:
        wide: cosine of half the range.
        wide_sin: its sine.
        cos: (m,) of the targets' angles from the middle of the range.
        sin: (m,) of the same.
        seen: (6, m) where they are out and along in the plane and half their squared distance from
            it: at the upper limit, and at the lower.
    """

    wide: float
    wide_sin: float
    cos: FloatArray
    sin: FloatArray
    seen: FloatArray

    def at(self, some: Indices) -> _Limits:
        """Return what is seen of some of them."""
        return self._replace(cos=self.cos[some], sin=self.sin[some], seen=self.seen[:, some])


class _Views(NamedTuple):
    """A plane and targets about its axis, as for one target."""

    c: float
    e: float
    d: float
    radius: FloatArray
    height: FloatArray
    limits: _Limits | None

    def at(self, some: Indices) -> _Views:
        """Return the views of some of them."""
        limits = None if self.limits is None else self.limits.at(some)
        return self._replace(radius=self.radius[some], height=self.height[some], limits=limits)


class _Points(NamedTuple):
    """Points of pieces, an element each.

    Attributes:
        slope: of half the squared distance from the target, by the angle.
        bend: its second derivative.
        half: half the squared distance.
        turn: of the tip about the axis while the turntable is at 0, in rad.
    """

    slope: FloatArray
    bend: FloatArray
    half: FloatArray
    turn: FloatArray


def closest_tips_many(edge: Edge, limits: tuple[float, float], goals: FloatArray) -> Tips:
    """Return the points of an edge that come closest to targets, for each one at least.

    Args:
        edge: of what the chain reaches.
        limits: (lower, upper) of the turntable in rad.
        goals: (m, 3) the targets about the axis: radius in reaches, angle in rad, height in
            reaches.
    """
    views = _views(edge.sweep, limits, goals)
    step = max(16, _CELLS // len(edge.pieces))
    parts = [
        _candidates(edge, views, slice(begin, begin + step)) for begin in range(0, len(goals), step)
    ]
    which, number = map(np.concatenate, zip(*parts, strict=True))
    points, angle = _lowest(edge, views.at(which), number)
    distance = np.sqrt(2.0 * points.half)
    least = np.full(len(goals), np.inf)
    np.minimum.at(least, which, distance)
    good = distance <= least[which] + SAME
    which, number, angle, distance = which[good], number[good], angle[good], distance[good]
    turn = goals[which, 1] - points.turn[good]
    if views.limits is not None:
        middle = 0.5 * (limits[0] + limits[1])
        apart = turn - middle
        apart -= TURN * np.rint(apart / TURN)
        turn = np.clip(middle + apart, *limits)
    return Tips(which, distance, turn, edge.table[12, number].astype(np.intp), angle)


def _candidates(edge: Edge, views: _Views, part: slice) -> tuple[Indices, Indices]:
    """Return pairs of a target and a piece about whose middle the closest point may be."""
    some = np.arange(len(views.radius))[part]
    away = _distances(edge, views.at(some))
    which, number = np.nonzero(away - edge.gap <= away.min(axis=1, keepdims=True) + PRUNED)
    here = away[which, number]
    before, after = edge.table[10:12, number]
    last = len(edge.pieces) - 1
    lowest = (before != GOES_ON) | (away[which, np.maximum(number - 1, 0)] >= here)
    lowest &= (after != GOES_ON) | (away[which, np.minimum(number + 1, last)] >= here)
    return some[which[lowest]], number[lowest]


def _views(sweep: Sweep, limits: tuple[float, float], goals: FloatArray) -> _Views:
    radius, angle, height = goals.T
    lower, upper = limits
    wide = 0.5 * (upper - lower)
    seen = None
    if wide < math.pi:
        ends = []
        for end in (upper, lower):
            out, across = radius * np.cos(angle - end), radius * np.sin(angle - end)
            along = sweep.c * height - sweep.e * across
            beside = sweep.c * across + sweep.e * height - sweep.d
            ends += [out, along, 0.5 * beside * beside]
        apart = angle - 0.5 * (lower + upper)
        seen = _Limits(math.cos(wide), math.sin(wide), np.cos(apart), np.sin(apart), np.stack(ends))
    return _Views(sweep.c, sweep.e, sweep.d, radius, height, seen)


def _distances(edge: Edge, views: _Views) -> FloatArray:
    """Return (m, p) distances from the middles of the pieces to the targets."""
    away, height = edge.middle
    near = np.multiply.outer(views.radius, away)
    if views.limits is not None:
        wide, wide_sin, cos, sin, _ = views.limits
        x, y = views.radius * cos, views.radius * sin
        along = np.stack([x, y], axis=1) @ edge.flat
        beside = np.stack([y, -x], axis=1) @ edge.flat
        free = along >= wide * near
        np.abs(beside, out=beside)
        along *= wide
        beside *= wide_sin
        along += beside
        np.copyto(near, along, where=~free)
    near += np.multiply.outer(views.height, height)
    near *= -2.0
    near += edge.square
    near += (views.radius * views.radius + views.height * views.height)[:, None]
    np.maximum(near, 0.0, out=near)
    distances: FloatArray = np.sqrt(near, out=near)
    return distances


def _lowest(edge: Edge, views: _Views, number: Indices) -> tuple[_Points, FloatArray]:
    """Return where about the middles of pieces (k,) the distances are smallest, and the angles."""
    table = edge.table[:, number]
    begin, end = table[:2]
    angle = 0.5 * (begin + end)
    here = _at(views, table, angle)
    onward = here.slope < 0.0
    kind = np.where(onward, table[11], table[10])
    last = np.where(onward, end, begin)
    joined = kind == GOES_ON
    other = edge.table[:2, number + np.where(joined, np.where(onward, 1, -1), 0)]
    last = np.where(joined, 0.5 * (other[0] + other[1]), last)
    low, high = np.where(onward, angle, last), np.where(onward, last, angle)
    untried = kind == STOPS
    found = _Points(*(values.copy() for values in here))
    at = angle.copy()
    going = np.flatnonzero(here.slope != 0.0)
    if len(going) < len(number):
        here = _Points(*(values[going] for values in here))
    angle, low, high = angle[going], low[going], high[going]
    last, untried, onward = last[going], untried[going], onward[going]
    table, views = table[:, going], views.at(going)
    for _ in range(STEPS):
        if not len(going):
            break
        wanted = angle - here.slope / np.where(here.bend > 0.0, here.bend, TINY)
        inside = (low < wanted) & (wanted < high)
        then = np.where(inside, wanted, np.where(untried, last, 0.5 * (low + high)))
        untried &= inside
        settled = np.abs(then - angle) <= SETTLED
        angle = then
        here = _at(views, table, angle)
        ended = settled | (here.slope == 0.0)
        ended |= (angle == last) & ((here.slope < 0.0) == onward)
        downhill = here.slope < 0.0
        low, high = np.where(downhill, angle, low), np.where(downhill, high, angle)
        done = np.flatnonzero(ended)
        if not len(done):
            continue
        at[going[done]] = angle[done]
        for values, new in zip(found, here, strict=True):
            values[going[done]] = new[done]
        left = np.flatnonzero(~ended)
        going, angle, low, high = going[left], angle[left], low[left], high[left]
        last, untried, onward = last[left], untried[left], onward[left]
        table, views = table[:, left], views.at(left)
        here = _Points(*(values[left] for values in here))
    return found, at


def _at(views: _Views, table: FloatArray, angle: FloatArray) -> _Points:
    s, k, p, q, v, w, a, b = table[2:10]
    c, e, d, radius, height, limits = views
    cos, sin = np.cos(angle), np.sin(angle)
    out, along = p * cos + q * sin, v * cos + w * sin
    out_1, along_1 = a + q * cos - p * sin, b + w * cos - v * sin
    s, k = s + out + a * angle, k + along + b * angle
    across = c * d - e * k
    away = np.hypot(s, across)
    some = np.maximum(away, TINY)
    x, y = away - radius, c * k + e * d - height
    away_1 = (s * out_1 - across * e * along_1) / some
    away_2 = out_1 * out_1 + (e * along_1) ** 2 - s * out + across * e * along - away_1 * away_1
    slope = x * away_1 + y * c * along_1
    bend = away_1 * away_1 + x * away_2 / some + (c * along_1) ** 2 - y * c * along
    half = 0.5 * (x * x + y * y)
    if limits is not None:
        held = np.flatnonzero(limits.cos * s + limits.sin * across < limits.wide * away)
        if len(held):
            upper = (limits.sin * s > limits.cos * across)[held]
            seen = limits.seen[:, held]
            x, y, rest = np.where(upper, seen[:3], seen[3:])
            x, y = s[held] - x, k[held] - y
            slope[held] = x * out_1[held] + y * along_1[held]
            bend[held] = out_1[held] ** 2 + along_1[held] ** 2 - x * out[held] - y * along[held]
            half[held] = 0.5 * (x * x + y * y) + rest
    return _Points(slope, bend, half, np.arctan2(across, s))

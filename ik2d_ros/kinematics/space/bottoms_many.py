"""The bottoms of the distances from many targets: :mod:`.bottoms` for arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices
from ik2d_ros.kinematics.space.bottoms import (
    CLOSER,
    HIDING,
    LEAST,
    PRUNED_SQUARE,
    bottom_behind,
    bottom_between,
    bottom_beyond,
    lowest,
)
from ik2d_ros.kinematics.space.edge_in_space import Edge
from ik2d_ros.kinematics.space.edge_marks import TINY
from ik2d_ros.kinematics.sweep import Goal, Sweep
from ik2d_ros.kinematics.tuning import ARC_SETTLED, ARC_STEPS, FEW_BOTTOMS


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
        half: half the squared distance.
        away: distance from the axis.
        out: where the point is at turn 0, out from the axis.
        across: the same across.
        out_1: derivative of ``out`` along the piece.
        across_1: the same across.
    """

    slope: FloatArray
    bend: FloatArray
    half: FloatArray
    away: FloatArray
    out: FloatArray
    across: FloatArray
    out_1: FloatArray
    across_1: FloatArray


def lowest_many(
    edge: Edge, goals: FloatArray, which: Indices, number: Indices, enough: FloatArray
) -> Tips:
    """Return where on pieces the distances are smallest at any turn, downhill from marks.

    Args:
        edge: of the marks.
        goals: (k, 3) the targets.
        which: (k,) their numbers.
        number: (k,) the marks, nearer to them than those beside them.
        enough: (k,) half the squares of distances up to which they count.
    """
    every = edge.marks.table
    marks = every[:, number]
    slope, bend, half = _slopes_at(marks, goals)
    at, of, ahead, behind, angle = marks[:5]
    onward = slope < 0.0
    beside = np.where(onward, ahead, behind).astype(np.intp)
    stands = beside == number
    turn, kept = goals[:, 1] - angle, np.ones_like(stands)
    going = np.flatnonzero(~stands)
    if len(going):
        there = every[:, beside[going]]
        slope_there, bend_there, half_there = _slopes_at(there, goals[going])
        begin, last, bend_here, least = at[going], there[0], bend[going], half[going]
        apart = last - begin
        steep, rise = slope[going] * apart, (slope_there - slope[going]) * apart
        # Where its square curves upwards, that is above both tangents.
        curved = (bend_here > 0.0) & (bend_there > 0.0) & (rise > 0.0)
        rise = np.where(curved, rise, 1.0)
        low = least - steep * (half_there - least - slope_there * apart) / rise
        near = np.flatnonzero(~curved | (low <= enough[going]))
        kept[going] = False
        going = going[near]
        kept[going] = True
        begin, last, apart = begin[near], last[near], apart[near]
        square = apart * apart
        share = _roots_between(
            steep[near], rise[near], bend_here[near] * square, bend_there[near] * square
        )
        at[going], half[going], turn[going] = _between(
            edge,
            goals[going],
            of[going].astype(np.intp),
            begin,
            last,
            begin + share * apart,
            least[near],
        )
    ends = np.flatnonzero(stands & (bend < 0.0))
    if len(ends):
        beside[ends] = np.where(onward[ends], behind[ends], ahead[ends])
        there = every[:, beside[ends]]
        apart = np.abs(there[0] - at[ends])
        slope_there, bend_there, _ = _slopes_at(there, goals[ends])
        turns = np.abs(slope[ends]) < -bend[ends] * apart
        turns &= np.abs(slope_there) < bend_there * apart
        for k in ends[turns].tolist():  # Few.
            mark, other = (edge.marks.every[each[k]] for each in (number, beside))
            tip = bottom_beyond(edge, Goal(*goals[k].tolist()), mark, other, float(half[k]))
            if tip is not None:
                at[k], half[k], turn[k] = tip.angle, 0.5 * tip.away * tip.away, tip.turn
    arc = edge.table[10, of.astype(np.intp)].astype(np.intp)
    tips = Tips(which, np.sqrt(2.0 * half), turn, arc, at)
    return tips if kept.all() else tips.at(kept)


def hidden_many(
    edge: Edge,
    goals: FloatArray,
    which: Indices,
    number: Indices,
    half: FloatArray,
    past: FloatArray,
    closest: FloatArray,
) -> Iterator[Tips]:
    """Yield bottoms beside marks (k,) that are nearer, but whose best turns limits forbid.

    Args:
        edge: of the marks.
        goals: (m, 3) the targets.
        which: (k,) which of them.
        number: (k,) the marks.
        half: (k,) half the squares of their distances.
        past: (k,) how far limits forbid their turns in rad; not at all where that is negative.
        closest: (m,) the distances that bottoms are to be nearer than.
    """
    enough, hides = 0.5 * closest[which] ** 2, 0.5 * (closest[which] + HIDING) ** 2
    allowed = past <= 0.0
    some = np.flatnonzero(np.where(allowed, half < enough - 0.5 * PRUNED_SQUARE, half < hides))
    which, number, enough, allowed = which[some], number[some], enough[some], allowed[some]
    every = edge.marks.table
    marks = every[:, number]
    slope, bend, half = _slopes_at(marks, goals[which])
    uphill = np.where(slope > 0.0, marks[2], marks[3]).astype(np.intp)
    there = every[:, uphill]
    apart = np.abs(there[0] - marks[0])
    slope_there, bend_there, half_there = _slopes_at(there, goals[which])
    turns = (np.abs(slope) < -bend * apart) & (np.abs(slope_there) < bend_there * apart)
    again = np.flatnonzero((slope * slope_there < 0.0) & (half_there > half))
    if len(again):
        then = every[:, np.where(slope > 0.0, there[2], there[3])[again].astype(np.intp)]
        after, _, _ = _slopes_at(then, goals[which[again]])
        turns[again[after * slope_there[again] < 0.0]] = True
    for k in np.flatnonzero(turns | allowed).tolist():  # Few.
        goal = Goal(*goals[which[k]].tolist())
        look = lowest if allowed[k] else bottom_behind
        tip = look(edge, goal, int(number[k]), float(enough[k]))
        if tip is not None and tip.away < closest[which[k]] - CLOSER:
            yield Tips(which[k : k + 1], *(np.array([value]) for value in tip))


def _slopes_at(marks: FloatArray, goals: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return slopes and bends of half the squared distances from targets at marks, and these."""
    _, _, _, _, _, away, height, away_1, height_1, away_2, height_2, _ = marks
    x, y = away - goals[:, 0], height - goals[:, 2]
    bend = away_1 * away_1 + height_1 * height_1 + x * away_2 + y * height_2
    return x * away_1 + y * height_1, bend, 0.5 * (x * x + y * y)


def _roots_between(
    slope: FloatArray, rise: FloatArray, bend: FloatArray, bend_there: FloatArray
) -> FloatArray:
    """Do what :func:`.bottoms.root_between` does, element by element."""
    good = (slope < 0.0) & (-slope < rise)
    third = bend + bend_there - 2.0 * rise
    second = rise - bend - third
    share = -slope / rise
    for _ in range(2):
        steep = (3.0 * third * share + 2.0 * second) * share + bend
        good &= steep > 0.0
        share = share - (((third * share + second) * share + bend) * share + slope) / steep
    return np.where(good & (share > 0.0) & (share < 1.0), share, 0.5)


def _between(
    edge: Edge,
    goals: FloatArray,
    pieces: Indices,
    low: FloatArray,
    last: FloatArray,
    at: FloatArray,
    least: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the bottoms between two places of pieces, by Newton's method.

    Args:
        edge: of the pieces.
        goals: (k, 3) the targets.
        pieces: (k,) the pieces.
        low: (k,) from where it goes down.
        last: (k,) to where.
        at: (k,) where to begin.
        least: (k,) half the squared distances from where it goes down.

    Returns:
        Where they are, half their squared distances, and the turns.
    """
    table = edge.table[:, pieces]
    onward = low < last
    found = np.empty((3, len(at)))
    left: Indices = np.arange(len(at))
    for number in range(ARC_STEPS):
        here = _slopes(edge.sweep, goals, table, at)
        curved = here.bend > 0.0
        step = np.where(curved, -here.slope / np.where(curved, here.bend, 1.0), np.inf)
        # What bends the slope is about as near as the axis.
        rest = here.away * np.sqrt(here.half + LEAST)
        ended = np.abs(step) ** 3 <= ARC_SETTLED * rest
        if number == ARC_STEPS - 1:
            step, ended = np.where(ended, step, 0.0), np.ones_like(ended)
        if ended.any():
            done = left[ended]
            steps = _stepped(here, table, goals[:, 1], at, step)
            if len(done) == len(left):
                found[:, done] = steps
                break
            found[:, done] = steps[:, ended]
            some = np.flatnonzero(~ended)
            left, at, step, low, last = left[some], at[some], step[some], low[some], last[some]
            least, onward, table, goals = least[some], onward[some], table[:, some], goals[some]
            here = _Points(*(values[some] for values in here))
        downhill = ((here.slope < 0.0) == onward) & (here.half <= least)
        low, least = np.where(downhill, at, low), np.where(downhill, here.half, least)
        last = np.where(downhill, last, at)
        wanted = at + step
        inside = (wanted - low) * (last - wanted) > 0.0
        at = np.where(inside, wanted, 0.5 * (low + last))
        if len(left) <= FEW_BOTTOMS:
            # One more step for all takes longer.
            ends = np.stack([low, last]).T.tolist()
            for k, row, (begin, end), then, half in zip(
                left.tolist(), goals.tolist(), ends, at.tolist(), least.tolist()
            ):
                piece = edge.pieces[pieces[k]]
                tip = bottom_between(edge, Goal(*row), piece, (begin, end), then, half)
                found[:, k] = tip.angle, 0.5 * tip.away * tip.away, tip.turn
            break
    bottoms, halves, turns = found
    return bottoms, halves, turns


def _stepped(
    here: _Points, table: FloatArray, angle: FloatArray, at: FloatArray, step: FloatArray
) -> FloatArray:
    """Return (3, k) where the last steps lead: there, half the square, and the turns."""
    then = np.minimum(np.maximum(at + step, table[0]), table[1])
    step = then - at
    half = np.maximum(here.half + (here.slope + 0.5 * here.bend * step) * step, 0.0)
    out, across = here.out + here.out_1 * step, here.across + here.across_1 * step
    return np.stack([then, half, angle - np.arctan2(across, out)])


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
    return _Points(slope, bend, 0.5 * (x * x + y * y), away, s, across, out_1, -e * along_1)

"""The bottoms of the distances from many targets: :mod:`.bottoms` for arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import cosines_and_sines
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices
from ik2d_ros.kinematics.space.bottoms import LEAST, bottom_between, lowest, others
from ik2d_ros.kinematics.space.edge_bearings import Place, bearing_of, may_dip, slope_of
from ik2d_ros.kinematics.space.edge_in_space import Edge
from ik2d_ros.kinematics.space.edge_marks import BEARING, TOPS
from ik2d_ros.kinematics.sweep import Goal
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
    radius, _, height = goals.T
    slope, bend, half = slope_of(marks[BEARING], radius, height)
    at, of, ahead, behind, angle = marks[:5]
    onward = slope < 0.0
    beside = np.where(onward, ahead, behind).astype(np.intp)
    stands = beside == number
    turn, kept = goals[:, 1] - angle, np.ones_like(stands)
    going = np.flatnonzero(~stands)
    if len(going):
        there = every[:, beside[going]]
        slope_there, bend_there, half_there = slope_of(there[BEARING], radius[going], height[going])
        begin, last, bend_here, least = at[going], there[0], bend[going], half[going]
        apart = last - begin
        steep, rise = slope[going] * apart, (slope_there - slope[going]) * apart
        # Where its square curves upwards, that is above both tangents.
        curved = (bend_here > 0.0) & (bend_there > 0.0) & (rise > 0.0)
        rise = np.where(curved, rise, 1.0)
        low = least - steep * (half_there - least - slope_there * apart) / rise
        # Only rounding has it that the next mark is not nearer.
        farther = (slope_there * apart < 0.0) & (half_there <= least)
        near = np.flatnonzero((~curved | (low <= enough[going])) & ~farther)
        kept[going] = False
        for k in going[farther].tolist():  # Few.
            goal = Goal(*goals[k].tolist())
            tip = lowest(edge, goal, int(number[k]), float(enough[k]))
            if tip is not None:
                at[k], half[k], turn[k] = tip.angle, 0.5 * tip.away * tip.away, tip.turn
                kept[k] = True
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
    arc = edge.table[10, of.astype(np.intp)].astype(np.intp)
    tips = Tips(which, np.sqrt(2.0 * half), turn, arc, at)
    return tips if kept.all() else tips.at(kept)


def others_many(
    edge: Edge,
    goals: FloatArray,
    which: Indices,
    number: Indices,
    is_lowest: Flags,
    enough: FloatArray,
) -> list[Tips]:
    """Return what :func:`.bottoms.others` finds, for marks (k,).

    Args:
        edge: of the marks.
        goals: (k, 3) the targets.
        which: (k,) their numbers.
        number: (k,) the marks.
        is_lowest: (k,) as there.
        enough: (k,) the distances that bottoms are to be nearer than.
    """
    every = edge.marks.table
    x, y, least = every[TOPS, number]
    seen = np.flatnonzero(x * goals[:, 0] + y * goals[:, 2] >= least)
    goals, number, is_lowest, enough = goals[seen], number[seen], is_lowest[seen], enough[seen]
    marks, (radius, _, height) = every[:, number], goals.T
    slope, _, half = slope_of(marks[BEARING], radius, height)
    some: Flags = np.zeros(len(seen), dtype=np.bool_)
    for beside, onward in ((marks[2], True), (marks[3], False)):
        to = beside.astype(np.intp)
        there, rises = every[BEARING, to], slope if onward else -slope
        slope_there, _, half_there = slope_of(there, radius, height)
        falls = (rises <= 0.0) & ~(is_lowest & ((slope < 0.0) == onward))
        dips = (rises > 0.0) & ((slope_there > 0.0) == onward)
        more = (to != number) & (half_there >= half)
        some |= falls & (more | (to == number))
        up = np.flatnonzero(dips & more)
        some[up] |= may_dip(marks[BEARING, up], there[:, up], radius[up], height[up])
    found: list[Tips] = []
    for k in np.flatnonzero(some).tolist():  # Few.
        goal, least_half = Goal(*goals[k].tolist()), 0.5 * float(enough[k]) ** 2
        found += [
            Tips(which[seen[k : k + 1]], *(np.array([value]) for value in tip))
            for tip in others(edge, goal, int(number[k]), least_half, bool(is_lowest[k]))
        ]
    return found


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
        bearing, place = bearing_of(edge.sweep, table, at, *cosines_and_sines(at))
        slope, bend, half = slope_of(bearing, goals[:, 0], goals[:, 2])
        curved = bend > 0.0
        step = np.where(curved, -slope / np.where(curved, bend, 1.0), np.inf)
        # What bends the slope is about as near as the axis.
        rest = bearing[0] * np.sqrt(half + LEAST)
        ended = np.abs(step) ** 3 <= ARC_SETTLED * rest
        if number == ARC_STEPS - 1:
            step, ended = np.where(ended, step, 0.0), np.ones_like(ended)
        if ended.any():
            done = left[ended]
            steps = _stepped(place, (slope, bend, half), table, goals[:, 1], at, step)
            if len(done) == len(left):
                found[:, done] = steps
                break
            found[:, done] = steps[:, ended]
            some = np.flatnonzero(~ended)
            left, at, step, low, last = left[some], at[some], step[some], low[some], last[some]
            least, onward, table, goals = least[some], onward[some], table[:, some], goals[some]
            slope, half = slope[some], half[some]
        downhill = ((slope < 0.0) == onward) & (half <= least)
        low, least = np.where(downhill, at, low), np.where(downhill, half, least)
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
    place: Place[FloatArray],
    slopes: tuple[FloatArray, FloatArray, FloatArray],
    table: FloatArray,
    angle: FloatArray,
    at: FloatArray,
    step: FloatArray,
) -> FloatArray:
    """Return (3, k) where the last steps lead: there, half the square, and the turns."""
    (out, across, out_1, across_1), (slope, bend, half) = place, slopes
    then = np.minimum(np.maximum(at + step, table[0]), table[1])
    step = then - at
    half = np.maximum(half + (slope + 0.5 * bend * step) * step, 0.0)
    out, across = out + out_1 * step, across + across_1 * step
    return np.stack([then, half, angle - np.arctan2(across, out)])

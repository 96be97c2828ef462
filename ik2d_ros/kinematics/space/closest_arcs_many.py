"""The closest that an arm on a turntable comes to many targets: :mod:`.closest_arcs` for arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ik2d_ros.kinematics.angles import TURN, wrapped
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices
from ik2d_ros.kinematics.space.bottoms import HIDING
from ik2d_ros.kinematics.space.bottoms_many import Tips, hidden_many, lowest_many
from ik2d_ros.kinematics.space.closest_arcs import PRUNED, SAME
from ik2d_ros.kinematics.space.edge_in_space import Edge
from ik2d_ros.kinematics.space.edge_marks import Marks
from ik2d_ros.kinematics.tuning import ARC_CELLS

# Targets, marks near to them, half the squares of distances that count, and how far in rad limits
# forbid the turns that the marks want; an element each.
_Near = tuple[Indices, Indices, FloatArray, FloatArray]


def closest_tips_many(edge: Edge, limits: tuple[float, float], goals: FloatArray) -> Tips:
    """Return the points of an edge that come closest to targets, for each one at least.

    Args:
        edge: of what the chain reaches.
        limits: (lower, upper) of the turntable in rad.
        goals: (m, 3) the targets about the axis: radius in reaches, angle in rad, height in
            reaches.
    """
    step = max(16, ARC_CELLS // len(edge.marks.every))
    parts = [
        _bottoms(edge, limits, goals[begin : begin + step], begin)
        for begin in range(0, len(goals), step)
    ]
    (which, number, enough, _), *limited = (
        tuple(np.concatenate(values) for values in zip(*bottoms, strict=True))
        for bottoms in zip(*parts, strict=True)
    )
    tips = lowest_many(edge, goals[which], which, number, enough)
    if limited:
        hidden, *held = limited
        found = [_within(tips, limits)]
        found += [
            _at_limit(edge, goals[which], which, edge.marks.of[number], limit)
            for limit, (which, number, _, _) in zip(limits, held, strict=True)
        ]
        tips = _joined(found)
        which, number, half, past = hidden
        closest = _closest(tips, len(goals))
        more = list(hidden_many(edge, goals, which, number, half, past, closest))
        if more:
            tips = _joined([_within(_joined(more), limits), tips])
    return tips.at(tips.away <= _closest(tips, len(goals))[tips.which] + SAME)


def _closest(tips: Tips, count: int) -> FloatArray:
    """Return (m,) how far the closest tips of so many targets are."""
    least: FloatArray = np.full(count, np.inf)
    np.minimum.at(least, tips.which, tips.away)
    return least


def _within(tips: Tips, limits: tuple[float, float]) -> Tips:
    """Return the tips whose turns are within limits."""
    apart = np.abs(wrapped(tips.turn - 0.5 * (limits[0] + limits[1])))
    return tips.at(apart <= 0.5 * (limits[1] - limits[0]))


def _joined(parts: Sequence[Tips]) -> Tips:
    return Tips(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _bottoms(edge: Edge, limits: tuple[float, float], goals: FloatArray, first: int) -> list[_Near]:
    """Return the marks from where it may go down to the closest points.

    Args:
        edge: of the marks.
        limits: of the turntable.
        goals: (m, 3) the targets.
        first: number of the first of them.

    Returns:
        Those at any turn; if the turntable has limits, also those beside which what these forbid
        may hide a bottom, and those at each limit.
    """
    marks, angle = edge.marks, goals[:, 1]
    wide = 0.5 * (limits[1] - limits[0])
    center = limits[0] + wide
    free = _free_squares(marks, goals)
    if wide >= 0.5 * TURN:
        enough, bound = _bounds(marks, free.min(axis=0))
        which, number = _lowest_marks(marks, free, bound)
        return [(first + which, number, enough[which], np.zeros(len(which)))]
    least, sides = _held_back(edge, free, angle - center, wide)
    limited = ~np.logical_and.reduce(sides)
    held = []
    for limit in limits:
        apart = angle - limit
        x, z = goals[:, 0] * np.cos(apart), goals[:, 0] * np.sin(apart)
        beside = edge.sweep.c * z + edge.sweep.e * goals[:, 2] - edge.sweep.d
        some = np.flatnonzero(limited & (beside * beside <= least))
        squares = _held_squares(marks, x[some], z[some], goals[some, 2])
        least[some] = np.minimum(least[some], squares.min(axis=0))
        held.append((some, squares))
    enough, bound = _bounds(marks, least)

    def beyond(which: Indices, number: Indices, side: float = 0.0) -> FloatArray:
        """Return how far beyond a limit, or any, the turns are that marks want."""
        turn = wrapped((angle - center)[which] - marks.table[4, number])
        past: FloatArray = (side * turn if side else np.abs(turn)) - wide
        return past

    found: list[_Near] = []
    which, number = _lowest_marks(marks, free, bound)
    over = beyond(which, number)
    good = np.flatnonzero(over <= marks.table[11, number])
    to = which[good]
    found.append((first + to, number[good], enough[to], over[good]))
    near = free <= np.square(np.sqrt(2.0 * enough) + HIDING)
    for side, freely in zip(edge.sides, sides, strict=True):
        near[side.marks] &= ~freely
    which, number = _true_at(near)
    over = beyond(which, number)
    good = np.flatnonzero(over <= marks.table[11, number])
    to, number = which[good], number[good]
    found.append((first + to, number, 0.5 * free[number, to], over[good]))
    for sign, (some, squares) in zip((-1.0, 1.0), held, strict=True):
        which, number = _lowest_marks(marks, squares, bound[some])
        which, spread = some[which], marks.table[11, number]
        over = beyond(which, number, sign)
        # From farther than half a turn beyond, the way to the other limit is shorter.
        good = np.flatnonzero((over >= -spread) | (over <= spread - wide - 0.5 * TURN))
        to = which[good]
        found.append((first + to, number[good], enough[to], over[good]))
    return found


def _free_squares(marks: Marks, goals: FloatArray) -> FloatArray:
    """Return (n, m) squares of how far marks are from targets (m, 3) at their best turns."""
    away, _, _, middle = marks.center
    x, y = goals[:, 0] - away, goals[:, 2] - middle
    seen = np.zeros((7, len(goals)))
    seen[0], seen[3], seen[4], seen[6] = -2.0 * x, -2.0 * y, 1.0, x * x + y * y
    squares: FloatArray = marks.rows.T @ seen
    return squares


def _held_squares(marks: Marks, x: FloatArray, z: FloatArray, y: FloatArray) -> FloatArray:
    """Return (n, k) the same for a turned plane, as it sees targets (k,): out, across and up."""
    _, out, across, middle = marks.center
    x, y, z = x - out, y - middle, z - across
    seen = np.zeros((7, len(x)))
    seen[1], seen[2], seen[3] = -2.0 * x, -2.0 * z, -2.0 * y
    seen[5], seen[6] = 1.0, x * x + y * y + z * z
    squares: FloatArray = marks.rows.T @ seen
    return squares


def _held_back(
    edge: Edge, squares: FloatArray, angle: FloatArray, wide: float
) -> tuple[FloatArray, list[Flags]]:
    """Return (m,) squares not exceeded by the nearest, and where limits do not matter to sides.

    Makes squares (n, m) infinite where no point of a side can be brought to the target's angle.

    Args:
        edge: of the marks.
        squares: of how far they are at any turn.
        angle: (m,) of the targets in rad, from the middle of the turntable's range.
        wide: half of that.
    """
    least = np.full(len(angle), np.inf)
    sides: list[Flags] = []
    for side in edge.sides:
        apart = np.abs(wrapped(angle - side.ahead))
        sides.append(apart + side.apart <= wide)
        some = squares[side.marks]
        nearest = some.min(axis=0)
        nearest[~sides[-1]] = np.inf
        np.minimum(least, nearest, out=least)
        some[:, apart > wide + side.apart] = np.inf
    return least, sides


def _bounds(marks: Marks, least: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return half the squares of distances that count, and squares of those of marks that may."""
    bound = np.sqrt(np.maximum(least, 0.0)) + PRUNED
    return 0.5 * bound * bound, np.square(bound + marks.within)


def _lowest_marks(marks: Marks, squares: FloatArray, bound: FloatArray) -> tuple[Indices, Indices]:
    """Return the targets, and marks near to them that are nearer than those beside them.

    Args:
        marks: all marks.
        squares: (n, m) squares of their distances from targets.
        bound: (m,) up to which they count.
    """
    falls = squares[1:] < squares[:-1]
    lowest = squares <= bound
    lowest[1:] &= falls | marks.apart
    np.logical_not(falls, out=falls)
    lowest[:-1] &= falls | marks.apart
    return _true_at(lowest)


def _true_at(flags: Flags) -> tuple[Indices, Indices]:
    """Return columns and rows of what is true: in a fraction of the time of ``np.nonzero``."""
    flat = np.flatnonzero(flags)
    rows = flat // flags.shape[1]
    return flat - rows * flags.shape[1], rows


def _at_limit(edge: Edge, goals: FloatArray, which: Indices, number: Indices, limit: float) -> Tips:
    """Return the points of pieces that are closest with the turntable at a limit.

    Args:
        edge: of the pieces.
        goals: (k, 3) the targets.
        which: (k,) their numbers.
        number: (k,) the pieces.
        limit: of the turntable in rad.
    """
    sweep, (radius, angle, height) = edge.sweep, goals.T
    x, across = radius * np.cos(angle - limit), radius * np.sin(angle - limit)
    y = sweep.c * height - sweep.e * across
    beside = sweep.c * across + sweep.e * height - sweep.d
    begin, end, s, k, p, q, v, w, a, b, arc = edge.table[:, number]
    x, y = x - s, y - k
    at = begin + (np.arctan2(x * q + y * w, x * p + y * v) - begin) % TURN
    at = np.where(at <= end, at, np.where(at - end < begin + TURN - at, end, begin))
    if edge.has_segments:
        straight = (a != 0.0) | (b != 0.0)
        at = np.where(straight, np.minimum(np.maximum(x * a + y * b, begin), end), at)
    cos, sin = np.cos(at), np.sin(at)
    x -= a * at + p * cos + q * sin
    y -= b * at + v * cos + w * sin
    away = np.sqrt(x * x + y * y + beside * beside)
    return Tips(which, away, np.full(len(at), limit), arc.astype(np.intp), at)

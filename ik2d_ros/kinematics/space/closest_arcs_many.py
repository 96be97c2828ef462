"""The closest that an arm on a turntable comes to many targets: :mod:`.closest_arcs` for arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ik2d_ros.kinematics.angles import ANGLE_ROUNDING, TURN, cosines_and_sines, wrapped
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices
from ik2d_ros.kinematics.space.bottoms import SAME
from ik2d_ros.kinematics.space.bottoms_many import Tips, lowest_many, others_many
from ik2d_ros.kinematics.space.closest_arcs import LOOSE, PRUNED
from ik2d_ros.kinematics.space.edge_in_space import Edge
from ik2d_ros.kinematics.space.edge_marks import FLAT, REACH, SPREAD, Marks
from ik2d_ros.kinematics.tuning import ARC_CELLS

# Targets, marks near to them, and more of these; an element each.
_Near = tuple[Indices | FloatArray | Flags, ...]


def closest_tips_many(edge: Edge, limits: tuple[float, float], goals: FloatArray) -> Tips:
    """Return the points of an edge that come closest to targets, for each one at least.

    Args:
        edge: of what the chain reaches.
        limits: (lower, upper) of the turntable in rad.
        goals: (m, 3) the targets about the axis: radius in reaches, angle in rad, height in
            reaches.
    """
    # Parts as good as equal: a small one takes as long as many more targets in another.
    count = max(1, round(len(goals) * len(edge.marks.every) / ARC_CELLS))
    step = max(1, -(-len(goals) // count))
    parts = [
        _bottoms(edge, limits, goals[begin : begin + step], begin)
        for begin in range(0, len(goals), step)
    ]
    (which, number, enough), (curved, beside, far, is_lowest), *held = (
        tuple(np.concatenate(values) for values in zip(*bottoms, strict=True))
        for bottoms in zip(*parts, strict=True)
    )
    tips = lowest_many(edge, goals[which], which, number, enough)
    if held:
        tips = _within(tips, limits)
        closest = _closest(tips, len(goals)) * LOOSE + PRUNED
        found = [tips]
        for limit, (to, number, square) in zip(limits, held, strict=True):
            some = _within_reach(edge, closest, to, number, square)
            which = to[some]
            found.append(_at_limit(edge, goals[which], which, number[some], limit))
        tips = _joined(found)
    closest = _closest(tips, len(goals)) * LOOSE + PRUNED
    some = _within_reach(edge, closest, curved, beside, far)
    if len(some):
        curved = curved[some]
        more = others_many(
            edge, goals[curved], curved, beside[some], is_lowest[some], closest[curved]
        )
        if more:
            several = _joined(more)
            tips = _joined([_within(several, limits) if held else several, tips])
    return tips.at(tips.away <= _closest(tips, len(goals))[tips.which] + SAME)


def _within_reach(
    edge: Edge, bound: FloatArray, which: Indices, number: Indices, squares: FloatArray
) -> Indices:
    """Return which marks (k,) points that are nearer than bounds (m,) may be beside.

    Args:
        edge: of the marks.
        bound: distances from targets.
        which: (k,) the targets.
        number: (k,) the marks.
        squares: (k,) of how far they are.
    """
    return np.flatnonzero(squares <= np.square(bound[which] + edge.marks.table[REACH, number]))


def _closest(tips: Tips, count: int) -> FloatArray:
    """Return (m,) how far the closest tips of so many targets are."""
    least: FloatArray = np.full(count, np.inf)
    np.minimum.at(least, tips.which, tips.away)
    return least


def _within(tips: Tips, limits: tuple[float, float]) -> Tips:
    """Return the tips whose turns are within limits."""
    apart = np.abs(wrapped(tips.turn - 0.5 * (limits[0] + limits[1])))
    return tips.at(apart <= 0.5 * (limits[1] - limits[0]) + ANGLE_ROUNDING)


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
        Those at any turn; those beside which there may be tops; if the turntable has limits, also
        those at each limit.
    """
    marks, angle = edge.marks, goals[:, 1]
    wide = 0.5 * (limits[1] - limits[0])
    center = limits[0] + wide
    free = _free_squares(marks, goals)
    if wide >= 0.5 * TURN:
        bound, within = _bounds(marks, free.min(axis=0))
        (which, number), curved = _near_marks(marks, free, free <= within)
        return [
            (first + which, number, 0.5 * np.square(bound[which])),
            (first + curved[0], *curved[1:]),
        ]
    least, limited, beyond_reach = _held_back(edge, free, angle - center, wide)
    held = []
    for limit in limits:
        apart = angle - limit
        x, z = goals[:, 0] * cosines_and_sines(apart)
        beside = edge.sweep.beside(z, goals[:, 2])
        some = np.flatnonzero(limited & (beside * beside <= least * LOOSE + PRUNED))
        squares = _held_squares(marks, x[some], z[some], goals[some, 2])
        least[some] = np.minimum(least[some], squares.min(axis=0))
        held.append((some, squares))
    bound, within = _bounds(marks, least)

    def beyond(which: Indices, number: Indices) -> FloatArray:
        """Return how far the turns that marks want are from the middle of the range."""
        return wrapped((angle - center)[which] - marks.table[4, number])

    near = free <= within
    for side, never in zip(edge.sides, beyond_reach):
        near[side.marks] &= ~never
    (which, number), curved = _near_marks(marks, free, near)
    good = np.flatnonzero(np.abs(beyond(which, number)) - wide <= marks.table[SPREAD, number])
    which = which[good]
    found: list[_Near] = [
        (first + which, number[good], 0.5 * np.square(bound[which])),
        (first + curved[0], *curved[1:]),
    ]
    for sign, (some, squares) in zip((-1.0, 1.0), held, strict=True):
        lowest = _lowest_marks(marks, squares, squares <= within[some])
        which, number = _true_at(lowest)
        square, which = squares[number, which], some[which]
        spread = marks.table[SPREAD, number]
        over = sign * beyond(which, number) - wide
        # From farther than half a turn beyond, the way to the other limit is shorter.
        good = np.flatnonzero((over >= -spread) | (over <= spread - wide - 0.5 * TURN))
        found.append((first + which[good], number[good], square[good]))
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
) -> tuple[FloatArray, Flags, list[Flags]]:
    """Return (m,) squares not exceeded by the nearest, and where limits may be in the way.

    Also, for each side, where no point of it can be brought to the target's angle.

    Args:
        edge: of the marks.
        squares: (n, m) of how far they are at any turn.
        angle: (m,) of the targets in rad, from the middle of the turntable's range.
        wide: half of that.
    """
    least = np.full(len(angle), np.inf)
    limited, never = np.zeros(len(angle), dtype=np.bool_), []
    for side in edge.sides:
        apart = np.abs(wrapped(angle - side.ahead))
        held = apart + side.apart > wide
        limited |= held
        nearest = squares[side.marks].min(axis=0)
        nearest[held] = np.inf
        np.minimum(least, nearest, out=least)
        never.append(apart > wide + side.apart)
    return least, limited, never


def _bounds(marks: Marks, least: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return distances that count, and squares of those of marks that may."""
    bound = np.sqrt(np.maximum(least, 0.0)) * LOOSE + PRUNED
    return bound, np.square(bound + marks.within)


def _near_marks(
    marks: Marks, squares: FloatArray, near: Flags
) -> tuple[tuple[Indices, Indices], tuple[Indices, Indices, FloatArray, Flags]]:
    """Return the targets, and marks near to them that are nearer than those beside them.

    Also those beside which there may be tops, with their squares, and which of them are nearer.

    Args:
        marks: all marks.
        squares: (n, m) squares of their distances from targets at any turn.
        near: (n, m) which count.
    """
    curved = near & (squares >= marks.table[FLAT, :, None])
    lowest = _lowest_marks(marks, squares, near)
    which, number = _true_at(curved)
    there = which, number, squares[number, which], lowest[number, which]
    return _true_at(lowest), there


def _lowest_marks(marks: Marks, squares: FloatArray, near: Flags) -> Flags:
    """Return which of the marks near (n, m) to targets are nearer than those beside them.

    Args:
        marks: all marks.
        squares: (n, m) squares of their distances from targets.
        near: which are; it becomes the answer.
    """
    falls = squares[1:] < squares[:-1]
    near[1:] &= falls | marks.apart
    np.logical_not(falls, out=falls)
    near[:-1] &= falls | marks.apart
    return near


def _true_at(flags: Flags) -> tuple[Indices, Indices]:
    """Return columns and rows of what is true: in a fraction of the time of ``np.nonzero``."""
    flat = np.flatnonzero(flags)
    rows = flat // flags.shape[1]
    return flat - rows * flags.shape[1], rows


def _at_limit(edge: Edge, goals: FloatArray, which: Indices, number: Indices, limit: float) -> Tips:
    """Return the points beside marks that are closest with the turntable at a limit.

    Args:
        edge: of the pieces.
        goals: (k, 3) the targets.
        which: (k,) their numbers.
        number: (k,) the marks.
        limit: of the turntable in rad.
    """
    sweep, (radius, angle, height) = edge.sweep, goals.T
    x, across = radius * cosines_and_sines(angle - limit)
    y = sweep.along(across, height)
    beside = sweep.beside(across, height)
    begin, end, s, k, p, q, v, w, a, b, arc = edge.table[:, edge.marks.of[number]]
    stood = edge.marks.table[0, number]
    x, y = x - s, y - k
    at = begin + (np.arctan2(x * q + y * w, x * p + y * v) - begin) % TURN
    at = np.where(at <= end, at, np.where(end - stood < stood - begin, end, begin))
    if edge.has_segments:
        straight = (a != 0.0) | (b != 0.0)
        at = np.where(straight, np.minimum(np.maximum(x * a + y * b, begin), end), at)
    cos, sin = cosines_and_sines(at)
    x -= a * at + p * cos + q * sin
    y -= b * at + v * cos + w * sin
    away = np.sqrt(x * x + y * y + beside * beside)
    return Tips(which, away, np.full(len(at), limit), arc.astype(np.intp), at)

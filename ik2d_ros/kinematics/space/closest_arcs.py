"""The closest that an arm on a turntable comes to a target: where the edge is of its chain's area.

Unless the turntable is at a limit and the target straight above the chain's area, the closest tip
is on the edge of that area. Derived in ``docs/solvers.md``, section 10. Lengths are in reaches.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import ANGLE_ROUNDING, TURN
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.space.bottoms import SAME, Tip, lowest, others
from ik2d_ros.kinematics.space.edge_in_space import Edge
from ik2d_ros.kinematics.space.edge_marks import Mark, Marks
from ik2d_ros.kinematics.sweep import Goal

PRUNED = 1e-7  # Reaches; what rounding may do to a distance that is compared with others,
LOOSE = 1.0 + 1e-9  # and to one of many reaches.

# Where the turntable is at a limit, what it sees of a target, out and across; and 1 if that is the
# upper limit, -1 if it is the lower one.
_Seen = tuple[float, float, float, float]


class _Range(NamedTuple):
    """What the limits of the turntable mean to a target; all angles in rad.

    Attributes:
        center: the middle between them.
        wide: how far they are from there.
        apart: where the target is, from the middle.
        sides: whether points of each side may be brought to the target's angle, and if so all.
        free: whether no limit is in the way of any.
        held: the limits that may be, and 1 for the upper one, -1 for the lower one.
    """

    center: float
    wide: float
    apart: float
    sides: list[tuple[bool, bool]]
    free: bool
    held: list[tuple[float, float]]


def closest_tips(edge: Edge, limits: tuple[float, float], goal: Goal) -> list[Tip]:
    """Return the points of an edge that come closest to a target, one at least.

    Args:
        edge: of what the chain reaches.
        limits: (lower, upper) of the turntable in rad.
        goal: the target, in reaches.
    """
    marks = edge.marks
    every, count, front = marks.every, len(marks.every), edge.sides[0].marks.stop
    span = _range(edge, limits, goal.angle)
    _, wide, apart, sides, free, _ = span
    squares, least, held = _squares(edge, span, goal)
    bound = math.sqrt(max(least, 0.0)) * LOOSE + PRUNED
    near = (squares <= (bound + marks.within) ** 2).nonzero()[0]
    lows, curved = _lowest_marks(marks, near.tolist(), squares.take(near).tolist())
    found: list[tuple[int, int, Tip]] = []
    if len(lows) > 1:
        lows.sort()
    for square, place in lows:
        number = place % count
        mark = every[number]
        if square > (bound + mark.reach) ** 2:
            continue
        freely = free or sides[number >= front][1]
        if place < count:
            if not (freely or _is_within_reach(mark, apart, wide)):
                continue
            bottom = lowest(edge, goal, number, 0.5 * bound * bound)
            if bottom is None or not (freely or _is_within(span, bottom.turn)):
                continue
            tip = bottom
        else:
            seen = held[place // count - 1]
            if freely or not _is_beyond(mark, seen[3], apart, wide):
                continue
            tip = _at_limit(edge, goal.height, seen, mark)
        if tip.away <= bound or not found:
            found.append((place // count, number, tip))
            bound = min(bound, tip.away + PRUNED)
    if curved:
        found += _others(edge, goal, span, curved, lows, bound)
    if len(found) > 1:
        enough = min([tip.away for _, _, tip in found]) + SAME
        found = [item for item in found if item[2].away <= enough]
        if len(found) > 1:
            found.sort()
    return [tip for _, _, tip in found]


def _range(edge: Edge, limits: tuple[float, float], angle: float) -> _Range:
    """Return what the limits of the turntable mean to a target at an angle."""
    lower, upper = limits
    wide = 0.5 * (upper - lower)
    center = lower + wide
    if wide >= 0.5 * TURN:
        return _Range(center, wide, angle - center, [], True, [])
    sides, free, below, above = [], True, False, False
    for _, _, ahead, spread in edge.sides:
        apart = math.remainder(angle - center - ahead, TURN)
        least, most = apart - spread, apart + spread
        freely = -wide <= least and most <= wide
        sides.append((most >= -wide and least <= wide, freely))
        if not freely:
            free = False
            # Round about, too.
            below = below or least < -wide or most > 0.5 * TURN
            above = above or most > wide or least < -0.5 * TURN
    held = [(lower, -1.0)] if below else []
    if above:
        held.append((upper, 1.0))
    # The same as `_Range(...)`, which takes twice the time.
    return tuple.__new__(_Range, (center, wide, angle - center, sides, free, held))


def _squares(edge: Edge, span: _Range, goal: Goal) -> tuple[FloatArray, float, list[_Seen]]:
    """Return (n,), (2 n,) or (3 n,) squares of how far marks are, and one that is not exceeded.

    At their best turns, and if limits may be in the way, with the turntable there; what is seen of
    the target then comes last. Infinite where no point of a side can be brought to the target's
    angle.
    """
    marks, (radius, angle, height) = edge.marks, goal
    away, out, across, middle = marks.center
    x, y = radius - away, height - middle
    views = [(-2.0 * x, 0.0, 0.0, -2.0 * y, 1.0, 0.0, x * x + y * y)]
    held: list[_Seen] = []
    for limit, side in span.held:
        apart = angle - limit
        ahead, beside = radius * math.cos(apart), radius * math.sin(apart)
        held.append((limit, ahead, beside, side))
        x, z = ahead - out, beside - across
        views.append((0.0, -2.0 * x, -2.0 * z, -2.0 * y, 0.0, 1.0, x * x + y * y + z * z))
    # Both methods take half the time of the operator and the function for so little.
    squares: FloatArray = np.array(views).dot(marks.rows).ravel()
    if span.free:
        return squares, squares.item(squares.argmin()), held
    for side_of, (may, _) in zip(edge.sides, span.sides):
        if not may:
            squares[side_of.marks] = math.inf
    nearest, count = int(squares.argmin()), len(marks.every)
    if nearest >= count or _may_turn(edge, span, nearest):
        return squares, squares.item(nearest), held
    at_limits = squares[count:]
    least = at_limits.item(at_limits.argmin())
    for side_of, (_, freely) in zip(edge.sides, span.sides):
        if freely:
            some = squares[side_of.marks]
            least = min(least, some.item(some.argmin()))
    return squares, least, held


def _others(
    edge: Edge,
    goal: Goal,
    span: _Range,
    curved: Sequence[tuple[int, float]],
    lows: Sequence[tuple[float, int]],
    bound: float,
) -> list[tuple[int, int, Tip]]:
    """Return bottoms beside marks so far from the target that there may be tops between them.

    Args:
        edge: of the marks.
        goal: the target.
        span: what the turntable's limits mean to it.
        curved: numbers of the marks, and squares of how far they are.
        lows: such squares, and numbers of the marks from which it is known what is downhill.
        bound: how near the closest tip so far is.
    """
    found: list[tuple[int, int, Tip]] = []
    every, front = edge.marks.every, edge.sides[0].marks.stop
    _, wide, apart, sides, free, _ = span
    radius, _, height = goal
    enough = 0.5 * bound * bound
    for number, square in curved:
        mark = every[number]
        x, y, least = mark.tops
        if square > (bound + mark.reach) ** 2 or x * radius + y * height < least:
            continue
        freely = free or sides[number >= front][1]
        if freely or _is_within_reach(mark, apart, wide):
            is_lowest = any(number == low for _, low in lows)
            found += [
                (0, number, tip)
                for tip in others(edge, goal, number, enough, is_lowest)
                if freely or _is_within(span, tip.turn)
            ]
    return found


def _may_turn(edge: Edge, span: _Range, number: int) -> bool:
    """Whether a mark can be brought to the target's angle."""
    return span.sides[number >= edge.sides[0].marks.stop][1] or (
        abs(math.remainder(span.apart - edge.marks.every[number].angle, TURN)) <= span.wide
    )


def _is_within(span: _Range, turn: float) -> bool:
    return abs(math.remainder(turn - span.center, TURN)) <= span.wide + ANGLE_ROUNDING


def _lowest_marks(
    marks: Marks, near: Sequence[int], squares: Sequence[float]
) -> tuple[list[tuple[float, int]], list[tuple[int, float]]]:
    """Return the marks that are nearer than those beside them on their pieces.

    Also those beside which the distance may have tops.

    Args:
        marks: all marks.
        near: numbers of marks that are near; that of all is added for each other view.
        squares: of how far they are.

    Returns:
        Squares and numbers; and numbers and squares.
    """
    found: list[tuple[float, int]] = []
    curved: list[tuple[int, float]] = []
    begins, flat, last, least, falling = marks.begins, marks.flat, -2, math.inf, False
    for number, square in zip(near, squares):
        if square >= flat[number]:
            curved.append((number, square))
        if number != last + 1 or begins[number]:
            if falling:
                found.append((least, last))
            falling = True
        elif square < least:
            falling = True
        elif falling:
            found.append((least, last))
            falling = False
        last, least = number, square
    if falling:
        found.append((least, last))
    return found, curved


def _is_within_reach(mark: Mark, apart: float, wide: float) -> bool:
    """Whether any point about a mark may be brought to the target's angle.

    Args:
        mark: the mark.
        apart: where the target is, from the middle of the turntable's range, in rad.
        wide: half of the range.
    """
    return abs(math.remainder(apart - mark.angle, TURN)) - wide <= mark.spread


def _is_beyond(mark: Mark, side: float, apart: float, wide: float) -> bool:
    """Whether any point about a mark may want to be beyond a limit, 1 the upper, -1 the lower."""
    spread = mark.spread
    beyond = side * math.remainder(apart - mark.angle, TURN) - wide
    # From farther than half a turn beyond, the way to the other limit is shorter.
    return beyond >= -spread or beyond <= spread - wide - 0.5 * TURN


def _at_limit(edge: Edge, height: float, seen: _Seen, mark: Mark) -> Tip:
    """Return the point beside a mark that is closest with the turntable at a limit."""
    sweep, (limit, x, across, _) = edge.sweep, seen
    y = sweep.along(across, height)
    beside = sweep.beside(across, height)
    begin, end, s, k, p, q, v, w, a, b, arc = edge.pieces[mark.piece]
    x, y = x - s, y - k
    if a or b:
        at = min(max(x * a + y * b, begin), end)
    else:
        at = begin + (math.atan2(x * q + y * w, x * p + y * v) - begin) % TURN
        if at > end:
            at = end if end - mark.at < mark.at - begin else begin
    cos, sin = math.cos(at), math.sin(at)
    x -= a * at + p * cos + q * sin
    y -= b * at + v * cos + w * sin
    # The same as `Tip(...)`, which takes twice the time.
    return tuple.__new__(Tip, (math.sqrt(x * x + y * y + beside * beside), limit, arc, at))

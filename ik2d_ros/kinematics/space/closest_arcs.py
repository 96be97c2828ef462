"""The closest that an arm on a turntable comes to a target: where the edge is of its chain's area.

Unless the turntable is at a limit and the target straight above the chain's area, the closest tip
is on the edge of that area. Derived in ``docs/solvers.md``, section 10. Lengths are in reaches.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.space.bottoms import (
    CLOSER,
    HIDING,
    PRUNED_SQUARE,
    Tip,
    bottom_behind,
    lowest,
)
from ik2d_ros.kinematics.space.edge_in_space import Edge
from ik2d_ros.kinematics.space.edge_marks import Mark, Marks
from ik2d_ros.kinematics.sweep import Goal

PRUNED = 1e-7  # Reaches; what rounding may do to a distance that is compared with others.
SAME = 1e-8  # Reaches; poses that differ by less are as close.

# Where the turntable is at a limit, and what it sees of a target: out and across.
_Seen = tuple[float, float, float]


class _Range(NamedTuple):
    """What the limits of the turntable mean to a target; all angles in rad.

    Attributes:
        center: the middle between them.
        wide: how far they are from there.
        apart: where the target is, from the middle.
        sides: whether points of each side may be brought to the target's angle, and if so all.
        free: whether no limit is in the way of any.
    """

    center: float
    wide: float
    apart: float
    sides: list[tuple[bool, bool]]
    free: bool


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
    _, wide, apart, sides, free = span
    squares, least, held = _squares(edge, span, limits, goal)
    bound = math.sqrt(max(least, 0.0)) + PRUNED
    within = (bound + marks.within) ** 2
    near = (squares <= within).nonzero()[0]
    numbers, values = near.tolist(), squares[near].tolist()
    found: list[tuple[int, int, Tip]] = []
    for square, place in sorted(_lowest_marks(marks, numbers, values, count)):
        if square > within:
            break
        view, number = divmod(place, count)
        freely = free or sides[number >= front][1]
        if view if freely else _is_elsewhere(every[number], view, apart, wide):
            continue
        if view:
            tip = _at_limit(edge, goal.height, held[view - 1], every[number].piece)
        else:
            bottom = lowest(edge, goal, number, 0.5 * bound * bound)
            if bottom is None or not (freely or _is_within(span, bottom.turn)):
                continue
            tip = bottom
        found.append((view, number, tip))
        if tip.away + PRUNED < bound:
            bound = tip.away + PRUNED
            within = (bound + marks.within) ** 2
    if not free:
        found += _hidden(edge, goal, span, zip(numbers, values), bound - PRUNED)
    if len(found) > 1:
        enough = min([tip.away for _, _, tip in found]) + SAME
        found = sorted([item for item in found if item[2].away <= enough])
    return [tip for _, _, tip in found]


def _range(edge: Edge, limits: tuple[float, float], angle: float) -> _Range:
    """Return what the limits of the turntable mean to a target at an angle."""
    wide = 0.5 * (limits[1] - limits[0])
    center = limits[0] + wide
    if wide >= 0.5 * TURN:
        return _Range(center, wide, angle - center, [], True)
    sides, free = [], True
    for _, _, ahead, spread in edge.sides:
        apart = abs(math.remainder(angle - center - ahead, TURN))
        sides.append((apart <= wide + spread, apart + spread <= wide))
        free = free and apart + spread <= wide
    # The same as `_Range(...)`, which takes twice the time.
    return tuple.__new__(_Range, (center, wide, angle - center, sides, free))


def _squares(
    edge: Edge, span: _Range, limits: tuple[float, float], goal: Goal
) -> tuple[FloatArray, float, list[_Seen]]:
    """Return (n,) or (3 n,) squares of how far marks are, and one that is not exceeded.

    At their best turns, and if limits may be in the way, with the turntable at the lower and at
    the upper one; what is seen of the target there comes last. Infinite where no point of a side
    can be brought to the target's angle.
    """
    marks, (radius, angle, height) = edge.marks, goal
    away, out, across, middle = marks.center
    x, y = radius - away, height - middle
    views = [(-2.0 * x, 0.0, 0.0, -2.0 * y, 1.0, 0.0, x * x + y * y)]
    held: list[_Seen] = []
    if not span.free:
        for limit in limits:
            apart = angle - limit
            ahead, beside = radius * math.cos(apart), radius * math.sin(apart)
            held.append((limit, ahead, beside))
            x, z = ahead - out, beside - across
            views.append((0.0, -2.0 * x, -2.0 * z, -2.0 * y, 0.0, 1.0, x * x + y * y + z * z))
    # Both methods take half the time of the operator and the function for so little.
    squares: FloatArray = np.array(views).dot(marks.rows).ravel()
    if span.free:
        return squares, squares.item(squares.argmin()), held
    at_limits = squares[len(marks.every) :]
    least = at_limits.item(at_limits.argmin())
    for side, (may, freely) in zip(edge.sides, span.sides):
        if freely:
            some = squares[side.marks]
            least = min(least, some.item(some.argmin()))
        elif not may:
            squares[side.marks] = math.inf
    return squares, least, held


def _hidden(
    edge: Edge, goal: Goal, span: _Range, near: Iterable[tuple[int, float]], bound: float
) -> list[tuple[int, int, Tip]]:
    """Return bottoms beside marks that are nearer, but whose best turns limits forbid.

    Args:
        edge: of the marks.
        goal: the target.
        span: what the turntable's limits mean to it.
        near: numbers of marks, and squares of how far they are.
        bound: how near the closest tip so far is.
    """
    found: list[tuple[int, int, Tip]] = []
    every, front = edge.marks.every, edge.sides[0].marks.stop
    nearer, count = (bound + HIDING) ** 2, len(every)
    _, wide, apart, sides, _ = span
    for number, square in near:
        if number >= count:
            break
        if square >= nearer or sides[number >= front][1]:
            continue
        mark = every[number]
        past = abs(math.remainder(apart - mark.angle, TURN)) - wide
        if past > mark.spread or (past <= 0.0 and square >= bound * bound - PRUNED_SQUARE):
            continue
        look = lowest if past <= 0.0 else bottom_behind
        tip = look(edge, goal, number, 0.5 * bound * bound)
        if tip and tip.away < bound - CLOSER and _is_within(span, tip.turn):
            found.append((0, number, tip))
    return found


def _is_within(span: _Range, turn: float) -> bool:
    return abs(math.remainder(turn - span.center, TURN)) <= span.wide


def _lowest_marks(
    marks: Marks, near: Sequence[int], squares: Sequence[float], count: int
) -> list[tuple[float, int]]:
    """Return the marks that are nearer than those beside them on their pieces.

    Args:
        marks: all marks.
        near: numbers of marks that are near; ``count`` is added for each other view.
        squares: of how far they are.
        count: of the marks.

    Returns:
        Squares and numbers.
    """
    found: list[tuple[float, int]] = []
    begins, last, least, falling = marks.begins, -2, math.inf, False
    for number, square in zip(near, squares):
        if number != last + 1 or begins[number % count]:
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
    return found


def _is_elsewhere(mark: Mark, view: int, apart: float, wide: float) -> bool:
    """Whether other views see all points about a mark closer to the target.

    Args:
        mark: the mark.
        view: 0 at any turn, 1 at the lower limit, 2 at the upper one.
        apart: where the target is, from the middle of the turntable's range, in rad.
        wide: half of the range.
    """
    turn, spread = math.remainder(apart - mark.angle, TURN), mark.spread
    if not view:
        return abs(turn) - wide > spread
    beyond = (turn if view == 2 else -turn) - wide
    # From farther than half a turn beyond, the way to the other limit is shorter.
    return spread - wide - 0.5 * TURN < beyond < -spread


def _at_limit(edge: Edge, height: float, seen: _Seen, number: int) -> Tip:
    """Return the point of a piece that is closest with the turntable at a limit."""
    sweep, (limit, x, across) = edge.sweep, seen
    y = sweep.c * height - sweep.e * across
    beside = sweep.c * across + sweep.e * height - sweep.d
    begin, end, s, k, p, q, v, w, a, b, arc = edge.pieces[number]
    x, y = x - s, y - k
    if a or b:
        at = min(max(x * a + y * b, begin), end)
    else:
        at = begin + (math.atan2(x * q + y * w, x * p + y * v) - begin) % TURN
        if at > end:
            at = end if at - end < begin + TURN - at else begin
    cos, sin = math.cos(at), math.sin(at)
    x -= a * at + p * cos + q * sin
    y -= b * at + v * cos + w * sin
    # The same as `Tip(...)`, which takes twice the time.
    return tuple.__new__(Tip, (math.sqrt(x * x + y * y + beside * beside), limit, arc, at))

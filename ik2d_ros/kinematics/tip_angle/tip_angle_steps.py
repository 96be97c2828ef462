"""The smallest joint moves that bring the tip onto a target at an angle: three rows, not two.

As :mod:`.stepping`, with one row more: all joints turn the last link by as much as they turn. Units
are those of :mod:`.pose`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import repeat
from operator import add, sub
from typing import NamedTuple

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.columns import links
from ik2d_ros.kinematics.columns import spans as spans_of
from ik2d_ros.kinematics.descent.stepping import PAST, room, wishes_of
from ik2d_ros.kinematics.pose import LENGTH_ROUNDING, Pose, Problem, at
from ik2d_ros.kinematics.tuning import (
    AT_REST,
    DAMPING,
    EASE,
    ENOUGH,
    LARGEST_TURN,
    LEAST_DAMPING,
    LESS_DAMPING,
    LIGHTLY,
    MORE_DAMPING,
    PATIENCE,
    RADIAN,
    RETURN_TURN,
    RETURNS,
)

# The span of a joint (see :mod:`.columns`), and by how much it turns the last link: 1 or 0.
_Column = tuple[complex, float]


class Aim(NamedTuple):
    """Where the tip is to go, and how far off it may be.

    Attributes:
        problem: the links, their limits and the target.
        heading: of the last link in rad.
        tolerance: distance from the target that is good enough, in reaches.
        angle_tolerance: the same for the heading, in rad.
    """

    problem: Problem
    heading: float
    tolerance: float
    angle_tolerance: float

    def off(self, pose: Pose) -> float:
        """Return by how much the last link would have to turn, in rad."""
        bends: Sequence[float] = pose.bends
        if self.problem.fixed is not None:
            _, bends = links(self.problem.fixed, self.problem.lengths, bends)
        return math.remainder(self.heading - math.fsum(bends), TURN)

    def met(self, pose: Pose) -> bool:
        """Whether a pose is good enough."""
        return pose.error <= self.tolerance and abs(self.off(pose)) <= self.angle_tolerance

    def away(self, pose: Pose) -> float:
        """Return how far a pose is off, place and angle together, in reaches."""
        return math.hypot(pose.error, RADIAN * self.off(pose))


def approach(
    aim: Aim, pose: Pose, passes: int, budget: int, ease: bool = False
) -> tuple[Pose, int]:
    """Make the smallest joint moves that bring the tip there, to first order, until it is.

    Steps that do not come closer are damped and tried again; few in a row may leave much. With
    ``ease``, the first one brings joints off their limits, too, as :func:`.stepping.step` does.

    Returns:
        The best pose, and ``passes`` plus the number of steps tried.
    """
    damping, slow = 0.0, 0
    away = aim.away(pose)
    if ease and not aim.met(pose) and passes < budget:
        passes += 1
        eased = at(aim.problem, _step(aim, pose, LIGHTLY, ease=True))
        if aim.away(eased) < away:
            pose, away = eased, aim.away(eased)
    while not aim.met(pose) and passes < budget and damping <= 1.0 and slow < PATIENCE:
        passes += 1
        stepped = at(aim.problem, _step(aim, pose, LIGHTLY + damping))
        left = aim.away(stepped)
        if left >= away:
            damping = max(DAMPING, MORE_DAMPING * damping)
            continue
        slow = slow + 1 if left > ENOUGH * away else 0
        pose, away = stepped, left
        damping = LESS_DAMPING * damping if damping > LEAST_DAMPING else 0.0
    return pose, passes


def refine(aim: Aim, pose: Pose) -> Pose:
    """Take what rounding has left off a pose that is all but there."""
    exact = aim._replace(tolerance=1e-15, angle_tolerance=1e-15)
    away = aim.away(pose)
    for _ in range(4):
        stepped = at(exact.problem, _step(exact, pose, 0.0))
        left = aim.away(stepped)
        if left >= 0.5 * away:
            break
        pose, away = stepped, left
    return pose


def return_towards(
    aim: Aim, pose: Pose, start: Sequence[float], passes: int, budget: int
) -> tuple[Pose, int]:
    """Bring joints nearer to bends (n,) in rad, the tip staying there; largest moves first."""
    best = pose
    limits = aim.problem.limits
    for _ in range(RETURNS):
        moves = list(map(sub, start, best.bends))
        largest = max(map(abs, moves))
        if largest < AT_REST or passes >= budget:
            break
        # By the slope of the sum of fourth powers: it is the largest moves that are to shrink.
        wanted = [move * (move / largest) ** 2 for move in moves]
        columns = _columns(aim.problem, best)
        idle = _idle(columns, wanted)
        if limits is not None:
            held = [
                bend == (lower if turn < 0.0 else upper)
                for bend, turn, (lower, upper) in zip(best.bends, idle, limits)
            ]
            if any(held):
                idle = _idle(columns, wanted, held)
        turned = max(map(abs, idle))
        if turned < AT_REST:
            break
        share = min(0.5, RETURN_TURN / turned)
        bends = [bend + share * turn for bend, turn in zip(best.bends, idle)]
        if limits is not None:
            bends = [min(max(b, low), high) for b, (low, high) in zip(bends, limits)]
        eased, passes = approach(aim, at(aim.problem, bends), passes + 1, budget)
        if not aim.met(eased) or max(map(abs, map(sub, start, eased.bends))) >= largest:
            break
        best = eased
    return best, passes


def _step(aim: Aim, pose: Pose, damping: float, ease: bool = False) -> list[float]:
    """Return the bends after one step; joints stop at their limits, and others make up for it."""
    wanted, turn = aim.problem.target - pose.points[-1], aim.off(pose)
    columns = _columns(aim.problem, pose)
    limits = aim.problem.limits
    if limits is None:
        return list(map(add, pose.bends, _bounded(_smallest_turns(columns, wanted, turn, damping))))
    bends = pose.bends[:]
    free = list(range(len(columns)))
    largest = 0.0
    while free:
        some = [columns[i] for i in free]
        turns = _bounded(_smallest_turns(some, wanted, turn, damping))
        if ease:
            least = max(map(abs, turns))
            largest = max(largest, least) if largest else EASE * least
            idle = _idle(some, wishes_of(aim.problem.fixed, limits, pose.bends, free))
            share = min(1.0, *map(room, turns, idle, repeat(largest)))
            turns = [by + share * other for by, other in zip(turns, idle)]
        stopped = set()
        for i, by in zip(free, turns):
            goal = pose.bends[i] + by
            lower, upper = limits[i]
            if not lower <= goal <= upper:
                bound = lower if goal < lower else upper
                if abs(goal - bound) > PAST:
                    stopped.add(i)
                    moved = bound - pose.bends[i]
                    span, turns_too = columns[i]
                    wanted -= 1j * span * moved
                    turn -= turns_too * moved
                goal = bound
            bends[i] = goal
        if not stopped:
            break
        free = [i for i in free if i not in stopped]
    return bends


def _columns(problem: Problem, pose: Pose) -> list[_Column]:
    spans = spans_of(problem.fixed, pose.bends, pose.points)
    if problem.fixed is None:
        return [(span, 1.0) for span in spans]
    return [
        (span, 1.0 if bend is None else 0.0)
        for span, bend in zip(spans, problem.fixed, strict=True)
    ]


def _bounded(turns: list[float]) -> list[float]:
    largest = max(map(abs, turns))
    if largest <= LARGEST_TURN:
        return turns
    return [turn * (LARGEST_TURN / largest) for turn in turns]


def _smallest_turns(
    columns: Sequence[_Column], wanted: complex, turn: float, damping: float
) -> list[float]:
    """Return the least joint turns that move the tip by ``wanted`` and turn it by ``turn``."""
    back = _combination(columns, wanted.real, wanted.imag, RADIAN * turn, damping)
    if back is None:
        return [0.0] * len(columns)
    u, v, w = back
    return [span.real * v - span.imag * u + w * turns for span, turns in columns]


def _idle(
    columns: Sequence[_Column], wishes: Sequence[float], held: Sequence[bool] | None = None
) -> list[float]:
    """Return the wishes less their part that moves the tip or turns it; held joints have none."""
    keep = [True] * len(columns) if held is None else [not stays for stays in held]
    some = [column for column, free in zip(columns, keep) if free]
    wanted = [wish for wish, free in zip(wishes, keep) if free]
    x = -math.fsum(span.imag * wish for (span, _), wish in zip(some, wanted))
    y = math.fsum(span.real * wish for (span, _), wish in zip(some, wanted))
    z = RADIAN * math.fsum(turns * wish for (_, turns), wish in zip(some, wanted))
    back = _combination(some, x, y, z, LIGHTLY)
    if back is None:
        return [0.0] * len(columns)
    u, v, w = back
    return [
        wish - (span.real * v - span.imag * u + w * turns) if free else 0.0
        for (span, turns), wish, free in zip(columns, wishes, keep)
    ]


def _combination(
    columns: Sequence[_Column], x: float, y: float, z: float, damping: float
) -> tuple[float, float, float] | None:
    """Return (J J^T + damping * trace)^-1 (x, y, z), the last one times the scale of a turn.

    Column i of J is the span of joint i turned by a right angle, and the scale of a turn below
    where it turns the last link: 3 x 3, solved by elimination, which loses fewer digits than the
    determinant where limits leave one joint or two.
    """
    sx = sy = xx = yy = xy = n = 0.0
    for span, turns in columns:
        re, im = span.real, span.imag
        sx += turns * re
        sy += turns * im
        xx += re * re
        yy += im * im
        xy += re * im
        n += turns
    n *= RADIAN * RADIAN
    extra = (damping + LENGTH_ROUNDING) * (xx + yy + n)
    a, b, c = yy + extra, -xy, -RADIAN * sy
    d, e, f = xx + extra, RADIAN * sx, n + extra
    # ((a, b, c), (b, d, e), (c, e, f)), row by row.
    if a <= 0.0:
        return None
    by_b, by_c = b / a, c / a
    d -= by_b * b
    e -= by_b * c
    if d <= 0.0:
        return None
    by_e = e / d
    f -= by_c * c + by_e * e
    if f <= 0.0:
        return None
    y -= by_b * x
    w = (z - by_c * x - by_e * y) / f
    v = y / d - by_e * w
    u = x / a - by_b * v - by_c * w
    return u, v, RADIAN * w

"""Gauss-Newton steps: the smallest joint moves that bring the tip onto a target that is near."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import repeat
from math import hypot
from operator import add, sub

from ik2d_ros.kinematics.angles import SAME_MOVE, TURN, Limits
from ik2d_ros.kinematics.columns import FixedBends
from ik2d_ros.kinematics.columns import spans as spans_of
from ik2d_ros.kinematics.pose import Pose, Problem, at
from ik2d_ros.kinematics.tuning import (
    AT_LIMIT,
    AT_REST,
    DAMPING,
    EASE,
    ENOUGH,
    LARGEST_TURN,
    LEAST_DAMPING,
    LESS_DAMPING,
    LIGHTLY,
    LOOSENED,
    MORE_DAMPING,
    OFF_LIMITS,
    RETURN_TURN,
    RETURNS,
    STRAIGHTEN,
)

PAST = 1e-12  # rad; a joint that goes no farther past its limit has not been stopped by it.


def gauss_newton(
    problem: Problem,
    pose: Pose,
    tolerance: float,
    passes: int,
    budget: int,
    enough: float = ENOUGH,
) -> tuple[Pose, int]:
    """Make the smallest joint moves that bring the tip onto the target, to first order.

    Goes on while a step leaves at most the share ``enough`` of the error. Steps that do not come
    closer are damped (Levenberg-Marquardt) and tried again.

    Returns:
        The best pose, and ``passes`` plus the number of steps tried.
    """
    damping = 0.0
    while pose.error > tolerance and passes < budget and damping <= 1.0:
        passes += 1
        stepped = at(problem, step(problem, pose, damping))
        if stepped.error >= pose.error:
            damping = max(DAMPING, MORE_DAMPING * damping)
            continue
        slow = stepped.error > enough * pose.error
        pose = stepped
        if slow:
            break
        damping = LESS_DAMPING * damping if damping > LEAST_DAMPING else 0.0
    return pose, passes


def ease_towards(
    problem: Problem,
    limits: Limits,
    pose: Pose,
    start: Sequence[float],
    tolerance: float,
    passes: int,
    budget: int,
) -> tuple[Pose, int]:
    """Bring joints nearer to bends (n,) in rad, the tip staying on the target.

    They turn half as far as they wish, but for what moves the tip, in a number of rounds. Each
    takes up what the one before it has left between tip and target.
    """
    eased = best = pose
    for _ in range(RETURNS):
        spans = spans_of(problem.fixed, eased.bends, eased.points)
        wishes = _ways_back(start, eased.bends)
        wanted = problem.target - eased.points[-1]
        idle, back = _idle_and_back(spans, wishes, wanted)
        pressed = [
            bend <= lower + SAME_MOVE if turn < 0.0 else bend >= upper - SAME_MOVE
            for bend, turn, (lower, upper) in zip(eased.bends, idle, limits)
        ]
        if True in pressed:
            # What a limit stops anyhow would only take the tip off the target.
            spans = [0j if held else span for span, held in zip(spans, pressed)]
            wishes = [0.0 if held else wish for wish, held in zip(wishes, pressed)]
            idle, back = _idle_and_back(spans, wishes, wanted)
        largest = max(map(abs, idle))
        if largest < AT_REST or passes >= budget:
            break
        share = min(0.5, RETURN_TURN / largest)
        bends = []
        for bend, turn, rest, (lower, upper) in zip(eased.bends, idle, back, limits):
            goal = bend + share * turn + rest
            if not lower <= goal <= upper:
                goal = lower if goal < lower else upper
            bends.append(goal)
        eased = at(problem, bends)
        passes += 1
        if eased.error > LOOSENED:
            eased, passes = gauss_newton(problem, eased, tolerance, passes, budget)
            if eased.error > tolerance:
                return best, passes
            best = eased
    if eased.error > tolerance:
        eased, passes = gauss_newton(problem, eased, tolerance, passes, budget)
    return (eased if eased.error <= tolerance else best), passes


def _ways_back(start: Sequence[float], bends: Sequence[float]) -> list[float]:
    """Return the moves (n,) in rad towards a start, the largest first of all."""
    # By the slope of the sum of fourth powers: it is the largest moves that are to shrink.
    moves = list(map(sub, start, bends))
    largest = max(map(abs, moves)) or 1.0
    return [move * (move / largest) ** 2 for move in moves]


def step(problem: Problem, pose: Pose, damping: float, ease: bool = False) -> list[float]:
    """Return the bends after one step; joints stop at their limits, and others make up for it.

    With ``ease``, it also brings joints off their limits, as far as no joint has to turn much more
    for it than it must.
    """
    begun, points, _ = pose
    _, limits, target, fixed = problem
    wanted = target - points[-1]
    spans = spans_of(fixed, begun, points)
    if limits is None:
        return list(map(add, begun, _bounded(_smallest_turns(spans, wanted, damping))))
    bends = begun[:]
    free = list(range(len(spans)))
    largest = 0.0
    while free:
        some = [spans[i] for i in free]
        turns = _bounded(_smallest_turns(some, wanted, damping))
        if ease:
            least = max(map(abs, turns))
            largest = max(largest, least) if largest else EASE * least
            wishes = wishes_of(fixed, limits, begun, free)
            idle, _ = _idle_and_back(some, wishes, 0j)
            share = min(1.0, *map(room, turns, idle, repeat(largest)))
            turns = [turn + share * other for turn, other in zip(turns, idle)]
        stopped = set()
        for i, turn in zip(free, turns):
            goal = begun[i] + turn
            lower, upper = limits[i]
            if not lower <= goal <= upper:
                bound = lower if goal < lower else upper
                # Less is for the next step: whether rounding leads past a limit decides nothing.
                if abs(goal - bound) > PAST:
                    stopped.add(i)
                    wanted -= 1j * spans[i] * (bound - begun[i])
                goal = bound
            bends[i] = goal
        if not stopped:
            break
        free = [i for i in free if i not in stopped]
    return bends


def room(turn: float, other: float, largest: float) -> float:
    """Return how much of the other turn can be added until the sum is the largest allowed."""
    return (math.copysign(largest, other) - turn) / other if other else math.inf


def _bounded(turns: list[float]) -> list[float]:
    if hypot(*turns) <= LARGEST_TURN:  # No less than the largest, and quicker.
        return turns
    largest = max(map(abs, turns))
    if largest <= LARGEST_TURN:
        return turns
    return [turn * (LARGEST_TURN / largest) for turn in turns]


def _smallest_turns(spans: Sequence[complex], wanted: complex, damping: float) -> list[float]:
    """Return the least joint turns, in the sum of squares, that move the tip by ``wanted``.

    ``turns = J^T (J J^T + damping * trace)^-1 wanted``, where column i of J is the span of joint i
    (see :mod:`.columns`) turned by a right angle, so that J J^T is 2 x 2 and inverted by hand.
    """
    xx = yy = xy = 0.0
    for span in spans:
        x = span.real
        y = span.imag
        xx += x * x
        yy += y * y
        xy += x * y
    extra = (damping + LIGHTLY) * (xx + yy)
    xx += extra
    yy += extra
    determinant = xx * yy - xy * xy
    if determinant == 0.0:  # All joints are under the tip, but for what is too little to square.
        return [0.0] * len(spans)
    x, y = wanted.real, wanted.imag
    ux = (xx * x + xy * y) / determinant
    uy = (xy * x + yy * y) / determinant
    return [span.real * uy - span.imag * ux for span in spans]


def _idle_and_back(
    spans: Sequence[complex], wishes: Sequence[float], wanted: complex
) -> tuple[list[float], list[float]]:
    """Return the wishes less their part that moves the tip, and the least turns that move it.

    Both as in :func:`_smallest_turns`, lightly damped.
    """
    xx = yy = xy = moved_x = moved_y = 0.0
    for span, wish in zip(spans, wishes):
        x, y = span.real, span.imag
        xx += x * x
        yy += y * y
        xy += x * y
        moved_x -= y * wish
        moved_y += x * wish
    extra = LIGHTLY * (xx + yy)
    xx += extra
    yy += extra
    determinant = xx * yy - xy * xy
    if determinant == 0.0:
        return list(wishes), [0.0] * len(spans)
    ux = (xx * moved_x + xy * moved_y) / determinant
    uy = (xy * moved_x + yy * moved_y) / determinant
    x, y = wanted.real, wanted.imag
    vx = (xx * x + xy * y) / determinant
    vy = (xy * x + yy * y) / determinant
    idle = [wish - span.real * uy + span.imag * ux for span, wish in zip(spans, wishes)]
    return idle, [span.real * vy - span.imag * vx for span in spans]


def wishes_of(
    fixed: FixedBends, limits: Limits, bends: Sequence[float], joints: Sequence[int]
) -> list[float]:
    """Return how some joints would turn if they were free to, in rad: off limits, and straighter.

    What moves the tip of that is taken off (gradient projection: A. Liegeois, "Automatic
    Supervisory Control of the Configuration and Behavior of Multibody Mechanisms", 1977).
    """
    if fixed is None:
        return [_wish(limits[i], bends[i], i > 0) for i in joints]
    return [
        _wish(limits[i], bends[i], i > 0)
        if fixed[i] is None
        else min(1.0, limits[i][1] - limits[i][0]) * _wish(limits[i], bends[i], False)
        for i in joints
    ]


def _wish(limits: tuple[float, float], bend: float, straighter: bool) -> float:
    """Return how a joint would move if it were free to: off its limits, and maybe straighter.

    Not a joint that cannot move, nor straight one that can turn all the way round: it folds up as
    it likes, and has room wherever it is.
    """
    lower, upper = limits
    if lower in (-math.inf, upper):
        return 0.0
    away = (2.0 * bend - lower - upper) / (upper - lower)
    wish = -OFF_LIMITS * away / max(1.0 - away * away, AT_LIMIT)
    if straighter and upper - lower < TURN:
        wish -= STRAIGHTEN * math.remainder(bend, TURN)
    return wish

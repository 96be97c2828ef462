"""Cyclic coordinate descent for any number of joints, and what carries it home when it stalls.

Sweeps alone need hundreds of passes near the edge of reach and never leave a pose in line with the
target. So a descent goes, in this order and only as far as it must:

1. from a pose already near the target, Gauss-Newton steps: the smallest joint moves that do it;
2. without limits, an exact closure with two joints, if those that split the chain evenly can;
3. sweeps within the limits, each followed by a closure with any two joints;
4. without limits, a closure of the whole chain, which always exists;
5. damped Gauss-Newton steps.

Lengths are in units of the chain's reach, angles are bends (see :mod:`.chain`), points of the
plane are complex numbers, so that a rotation is one product.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import repeat
from math import atan2
from operator import add, sub
from typing import NamedTuple

from ik2d_ros.kinematics.angles import SAME_MOVE, TURN, Limits, into_range, is_negative, phase
from ik2d_ros.kinematics.reach import elbow_bend, folded

_NEAR = 0.15  # A tip this close, in reaches, is worth Gauss-Newton steps before any sweep.
LARGEST_TURN = 0.7  # rad; the linear model of a rotation is of no use beyond.
_ENOUGH = 0.5  # A step near the target that leaves more of the error than this is no good.
_SHORT = 0.3  # rad; a turn that is no jump.
_FINE = 0.01  # rad; two joints may take up what needs no larger turn.
_EASE = 1.9  # How far a step that eases may turn any joint, in largest turns of the least step.
_EASINGS, _EASING_TURN, _AT_EASE = 8, 0.3, 0.02  # Rounds; rad a round; and rad not worth one.
_OFF_LIMITS, _STRAIGHTEN = 0.3, 0.3  # What joints would like: rad, and share of their bends.
_LIMIT = 1e-3  # A joint this near to its limit, in half ranges squared, is at it.
LENGTH_ROUNDING = 1e-15  # Of a sum of a few lengths, in reaches; what is shorter has no length.


class Problem(NamedTuple):
    """What a descent shall do.

    Attributes:
        lengths: (n,) lengths of the links, in reaches.
        limits: (n,) pairs (lower, upper) of each bend in rad, infinite for a continuous joint; or
            None where all are continuous, which is faster.
        target: where the tip shall go, x + iy, in reaches.
    """

    lengths: Sequence[float]
    limits: Limits | None
    target: complex


class Pose(NamedTuple):
    """A pose of the chain, and how it does.

    Attributes:
        bends: (n,) rad.
        points: (n + 1,) the joints and, last, the tip, in reaches.
        error: distance of the tip from the target, in reaches.
    """

    bends: list[float]
    points: list[complex]
    error: float


def descend(
    problem: Problem, start: Sequence[float], tolerance: float, budget: int
) -> tuple[Pose, int]:
    """Bring the tip onto the target, or into a pose from which nothing here brings it closer.

    Args:
        problem: the links, their limits and the target.
        start: (n,) bends in rad to move from, inside the limits.
        tolerance: distance from the target that is good enough, in reaches.
        budget: how many passes over the chain there may be.

    Returns:
        The best pose, always inside the limits, and the number of passes made. Without limits and
        with a target inside the annulus, the budget is the only reason not to reach it.
    """
    begun = at(problem, start)
    if begun.error < _NEAR:
        pose, passes = _follow(problem, begun, tolerance, budget)
        if pose.error <= tolerance:
            return pose, passes
        return _approach(problem, pose, tolerance, passes, budget)
    pose, passes = _approach(problem, begun, tolerance, 0, budget)
    if problem.limits is not None and pose.error <= tolerance:
        pose, passes = _ease(problem, problem.limits, pose, tolerance, passes, budget)
    return pose, passes


def _follow(problem: Problem, begun: Pose, tolerance: float, budget: int) -> tuple[Pose, int]:
    """Reach a target that is near, with small moves."""
    if begun.error <= tolerance:
        return begun, 0
    if len(begun.bends) == 2:
        # Two joints have no other way.
        closed = close_two(problem, begun)
        if closed.error <= tolerance and _largest_turn(begun, closed.bends) < _SHORT:
            return closed, 1
    pose = at(problem, _step(problem, begun, 0.0, ease=True))
    if pose.error > begun.error:
        pose = begun
    passes = 1
    quick = problem.limits is None and tolerance < pose.error < 0.1 * begun.error
    if quick and passes < budget:
        # What one step leaves is so little that two joints can take it exactly.
        closed = close_two(problem, pose)
        passes += 1
        if closed.error <= tolerance and _largest_turn(pose, closed.bends) < _FINE:
            return closed, passes
    if pose.error <= _ENOUGH * begun.error:
        pose, passes = gauss_newton(problem, pose, tolerance, passes, budget)
    if pose.error <= tolerance or passes >= budget:
        return pose, passes
    # Next to a stretched or folded pose only a bend well beyond first order does it: by more and
    # shorter steps, or by two joints, whichever turns less.
    stepped, passes = gauss_newton(problem, begun, tolerance, passes, budget, enough=0.9)
    tried = [pose, stepped]
    if passes < budget:
        tried.append(close_two(problem, begun, least=True))
        passes += 1

    def rank(pose: Pose) -> tuple[bool, float]:
        missed = pose.error > tolerance
        return missed, pose.error if missed else _largest_turn(begun, pose.bends)

    return min(tried, key=rank), passes


def finish(
    problem: Problem, bends: Sequence[float], tolerance: float, budget: int
) -> tuple[Pose, int]:
    """Take up a small miss: steps that let each joint stop at its limit, and two joints exactly.

    Returns:
        The best pose, never worse than that of ``bends``, and the number of passes made.
    """
    begun = at(problem, bends)
    pose, passes = gauss_newton(problem, begun, tolerance, 0, budget, enough=0.99)
    if pose.error > tolerance and passes < budget:
        pose = min(pose, close_two(problem, begun), close_two(problem, pose), key=_error_of)
        passes += 1
    return pose, passes


def _approach(
    problem: Problem, pose: Pose, tolerance: float, passes: int, budget: int
) -> tuple[Pose, int]:
    """Reach a target from anywhere."""
    for method in _FREE_METHODS if problem.limits is None else _LIMITED_METHODS:
        if pose.error <= tolerance or passes >= budget:
            return pose, passes
        tried = method(problem, pose)
        if tried is pose:
            continue
        passes += 1
        if tried.error < pose.error:
            pose = tried
    return gauss_newton(problem, pose, tolerance, passes, budget, enough=0.9)


def _ease(
    problem: Problem, limits: Limits, pose: Pose, tolerance: float, passes: int, budget: int
) -> tuple[Pose, int]:
    """Bring joints off their limits, the tip staying on the target, to leave them room to move."""
    for _ in range(_EASINGS):
        idle = _idle_turns(limits, pose.bends, _spans_to_tip(pose), range(len(pose.bends)))
        largest = max(map(abs, idle))
        if largest < _AT_EASE or passes >= budget:
            break
        share = min(0.5, _EASING_TURN / largest)
        bends = [
            min(max(bend + share * turn, lower), upper)
            for bend, turn, (lower, upper) in zip(pose.bends, idle, limits, strict=True)
        ]
        eased = at(problem, bends)
        eased, passes = gauss_newton(problem, eased, tolerance, passes + 1, budget)
        if eased.error > tolerance:
            break
        pose = eased
    return pose, passes


def _error_of(pose: Pose) -> float:
    return pose.error


def at(problem: Problem, bends: Sequence[float]) -> Pose:
    """The pose with these bends (n,) in rad."""
    rect = cmath.rect
    angle, point = 0.0, 0j
    points = [point]
    for length, bend in zip(problem.lengths, bends):
        angle += bend
        point += rect(length, angle)
        points.append(point)
    return Pose(list(bends), points, abs(problem.target - point))


def sweep(problem: Problem, pose: Pose) -> Pose:
    """Turn each joint, from the last to the first, as close as it alone can bring the tip."""
    target, limits = problem.target, problem.limits
    bends = pose.bends[:]
    tip = pose.points[-1]
    for i in range(len(bends) - 1, -1, -1):
        pivot = pose.points[i]
        turn = (target - pivot) * (tip - pivot).conjugate()
        if not turn:
            continue  # The joint is under the tip or the target: every angle is as good.
        angle = bends[i] + atan2(turn.imag, turn.real)
        if limits is None:
            tip = pivot + (tip - pivot) * (turn / abs(turn))
        else:
            angle = _closest_allowed(angle, limits[i], bends[i])
            tip = pivot + (tip - pivot) * cmath.rect(1.0, angle - bends[i])
        bends[i] = angle
    return at(problem, bends)


def _closest_allowed(angle: float, limits: tuple[float, float], now: float) -> float:
    allowed = into_range(angle, *limits, now)
    if allowed is None:
        # The tip's distance grows with the angle from the best one, on either side of it.
        allowed = max(limits, key=lambda end: math.cos(end - angle))
    return allowed


def close_two(problem: Problem, pose: Pose, least: bool = False, most: int | None = None) -> Pose:
    """Put the tip on the target with two joints alone, the links between them held rigid.

    The first pair that can is taken, or of all pairs the one that turns ``least``; where none can,
    the pose stays as it is. The two bend to the side that they are bent to, if limits allow it, and
    to the positive side where they are straight or folded.

    Args:
        problem: the links, their limits and the target.
        pose: the pose to close from.
        least: whether to look at all pairs.
        most: how many pairs are tried; all of them by default.
    """
    best = None
    for i, j in pairs(len(pose.bends), problem.limits is None and not least)[:most]:
        closed = _closed(problem, pose, i, j)
        if closed is None:
            continue
        if best is None or _largest_turn(pose, closed) < _largest_turn(pose, best) - SAME_MOVE:
            best = closed
        if not least:
            break
    return pose if best is None else at(problem, best)


def close_first(problem: Problem, pose: Pose) -> Pose:
    """As :func:`close_two`, with no more than the first two pairs; one often can."""
    return close_two(problem, pose, most=2)


def _largest_turn(pose: Pose, bends: Sequence[float]) -> float:
    largest: float = max(map(abs, map(sub, bends, pose.bends)))
    return largest


@lru_cache(maxsize=256)
def pairs(joints: int, free: bool) -> tuple[tuple[int, int], ...]:
    """Pairs of joints to close with, those first that split the chain evenly: they turn least.

    Without limits the first joint is in every pair, so that their number grows with the chain's
    and not with its square: what they cannot close, the whole chain can.
    """
    chosen = []
    for i in range(1 if free else joints - 1):
        middle = (i + joints) // 2
        for step in range(2 * (joints - middle) + 1):
            j = middle + (step + 1) // 2 * (-1 if step % 2 else 1)
            if i < j < joints:
                chosen.append((i, j))
    return tuple(chosen)


def _closed(problem: Problem, pose: Pose, i: int, j: int) -> list[float] | None:
    """The bends after joints i and j alone have put the tip on the target, if they can."""
    pivot, elbow = pose.points[i], pose.points[j]
    first, second, span = elbow - pivot, pose.points[-1] - elbow, problem.target - pivot
    a, b, d = abs(first), abs(second), abs(span)
    if (
        a < LENGTH_ROUNDING
        or b < LENGTH_ROUNDING
        or not abs(a - b) - LENGTH_ROUNDING <= d <= a + b + LENGTH_ROUNDING
    ):
        return None
    turn = second * first.conjugate()
    now = atan2(turn.imag, turn.real)
    bend = elbow_bend(a, b, d)
    if is_negative(now):
        bend = -bend
    for wanted in (bend, -bend):
        reached = first * (1.0 + cmath.rect(b / a, wanted))
        turn = span * reached.conjugate()
        at_i = pose.bends[i] + atan2(turn.imag, turn.real)
        at_j = pose.bends[j] + wanted - now
        if problem.limits is not None:
            allowed_i = into_range(at_i, *problem.limits[i], pose.bends[i])
            allowed_j = into_range(at_j, *problem.limits[j], pose.bends[j])
            if allowed_i is None or allowed_j is None:
                continue
            at_i, at_j = allowed_i, allowed_j
        bends = pose.bends[:]
        bends[i], bends[j] = at_i, at_j
        return bends
    return None


def close_all(problem: Problem, pose: Pose) -> Pose:
    """Bend the whole chain, towards straight or towards folded, until two joints can close it.

    On the way from the present shape to a straight one (if the target is farther from the base than
    the tip) or to a folded one (if nearer), the tip's distance from the base changes continuously
    and ends beyond the target's, or at it if the target is on an edge of the annulus. In between, a
    bracketing root finder (regula falsi, Illinois variant) must meet it, and there two joints close
    the chain; mostly they can long before.
    """
    distance = abs(problem.target)
    shape = [math.remainder(bend, TURN) for bend in pose.bends]
    stretch = abs(pose.points[-1]) < distance
    goal = [0.0] * len(shape) if stretch else folded(problem.lengths)
    goal[0] = shape[0]
    left, at_left = 0.0, abs(pose.points[-1]) - distance
    end = at(problem, goal).points[-1]
    right, at_right = 1.0, abs(end) - distance
    best = pose
    if abs(at_right) < 100.0 * LENGTH_ROUNDING:
        goal[0] += phase(problem.target * end.conjugate())
        best = min(best, at(problem, goal), key=_error_of)
    for _ in range(100):
        if best.error < 100.0 * LENGTH_ROUNDING or at_left == at_right:
            break
        share = right - at_right * (right - left) / (at_right - at_left)
        bent = at(problem, [now + share * (then - now) for now, then in zip(shape, goal)])
        best = min(best, close_two(problem, bent), key=_error_of)
        excess = abs(bent.points[-1]) - distance
        if (excess > 0.0) != (at_right > 0.0):
            left, at_left = right, at_right
        else:
            at_left *= 0.5
        right, at_right = share, excess
    return best


def gauss_newton(
    problem: Problem,
    pose: Pose,
    tolerance: float,
    passes: int,
    budget: int,
    enough: float = _ENOUGH,
) -> tuple[Pose, int]:
    """Steps of the smallest joint moves that bring the tip onto the target, to first order.

    Goes on while a step leaves at most the share ``enough`` of the error. Steps that do not come
    closer are damped (Levenberg-Marquardt) and tried again.

    Returns:
        The best pose, and ``passes`` plus the number of steps tried.
    """
    damping = 0.0
    while pose.error > tolerance and passes < budget and damping <= 1.0:
        passes += 1
        stepped = at(problem, _step(problem, pose, damping))
        if stepped.error >= pose.error:
            damping = max(1e-3, 10.0 * damping)
            continue
        slow = stepped.error > enough * pose.error
        pose = stepped
        if slow:
            break
        damping = 0.1 * damping if damping > 1e-6 else 0.0
    return pose, passes


def _step(problem: Problem, pose: Pose, damping: float, ease: bool = False) -> list[float]:
    """The bends after one step; joints that would leave their limits stop there, others make up.

    With ``ease``, it also brings joints off their limits, as far as no joint has to turn much more
    for it than it must.
    """
    wanted = problem.target - pose.points[-1]
    spans = _spans_to_tip(pose)
    if problem.limits is None:
        return list(map(add, pose.bends, _bounded(_smallest_turns(spans, wanted, damping))))
    bends = pose.bends[:]
    free = list(range(len(spans)))
    largest = 0.0
    while free:
        some = [spans[i] for i in free]
        turns = _bounded(_smallest_turns(some, wanted, damping))
        if ease:
            least = max(map(abs, turns))
            largest = max(largest, least) if largest else _EASE * least
            idle = _idle_turns(problem.limits, pose.bends, some, free)
            share = min(1.0, *map(_room, turns, idle, repeat(largest)))
            turns = [turn + share * other for turn, other in zip(turns, idle)]
        stopped = set()
        for i, turn in zip(free, turns):
            goal = pose.bends[i] + turn
            lower, upper = problem.limits[i]
            if not lower <= goal <= upper:
                goal = lower if goal < lower else upper
                stopped.add(i)
                wanted -= 1j * spans[i] * (goal - pose.bends[i])
            bends[i] = goal
        if not stopped:
            break
        free = [i for i in free if i not in stopped]
    return bends


def _spans_to_tip(pose: Pose) -> list[complex]:
    """(n,) vectors from each joint to the tip."""
    spans = list(map(pose.points[-1].__sub__, pose.points))
    del spans[-1]  # The tip's own.
    return spans


def _room(turn: float, other: float, largest: float) -> float:
    """How much of the other turn can be added until the sum is the largest that is allowed."""
    return (math.copysign(largest, other) - turn) / other if other else math.inf


def _bounded(turns: list[float]) -> list[float]:
    largest = max(max(turns), -min(turns))
    if largest <= LARGEST_TURN:
        return turns
    return [turn * (LARGEST_TURN / largest) for turn in turns]


def _smallest_turns(spans: Sequence[complex], wanted: complex, damping: float) -> list[float]:
    """The least joint turns, in the sum of squares, that move the tip by ``wanted``.

    ``turns = J^T (J J^T + damping * trace)^-1 wanted``, where column i of J is the span from joint
    i to the tip turned by a right angle, so that J J^T is 2 x 2 and inverted by hand.
    """
    xx = yy = xy = 0.0
    for span in spans:
        x, y = span.real, span.imag
        xx += x * x
        yy += y * y
        xy += x * y
    size = xx + yy
    extra = (damping + LENGTH_ROUNDING) * size
    xx += extra
    yy += extra
    determinant = xx * yy - xy * xy
    if determinant == 0.0:  # All joints are under the tip, but for what is too little to square.
        return [0.0] * len(spans)
    x, y = wanted.real, wanted.imag
    ux = (xx * x + xy * y) / determinant
    uy = (xy * x + yy * y) / determinant
    return [span.real * uy - span.imag * ux for span in spans]


def _idle_turns(
    limits: Limits, bends: Sequence[float], spans: Sequence[complex], joints: Sequence[int]
) -> list[float]:
    """Turns of some joints, with these spans to the tip, that bring them off their limits.

    To first order they move no tip.

    What each joint would like, less its part that moves the tip (gradient projection: A. Liegeois,
    "Automatic Supervisory Control of the Configuration and Behavior of Multibody Mechanisms",
    1977).
    """
    wishes = [_wish(limits, bends[i], i) for i in joints]
    moved = sum((1j * span * wish for span, wish in zip(spans, wishes, strict=True)), 0j)
    undone = _smallest_turns(spans, moved, 1e-6)
    return [wish - part for wish, part in zip(wishes, undone, strict=True)]


def _wish(limits: Limits, bend: float, joint: int) -> float:
    """Where a joint would turn if it were free to, in rad: off its limits, and towards straight.

    Not a joint that cannot move, nor straight one that can turn all the way round: it folds up as
    it likes, and has room wherever it is.
    """
    lower, upper = limits[joint]
    if lower in (-math.inf, upper):
        return 0.0
    away = (2.0 * bend - lower - upper) / (upper - lower)
    wish = -_OFF_LIMITS * away / max(1.0 - away * away, _LIMIT)
    if joint and upper - lower < TURN:
        wish -= _STRAIGHTEN * math.remainder(bend, TURN)
    return wish


# More sweeps than these only creep; what follows them does not.
_FREE_METHODS = (close_first, sweep, close_two, close_all)
_LIMITED_METHODS = (sweep, close_two) * 3

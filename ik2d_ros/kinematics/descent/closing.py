"""Exact closures: the tip on the target by two joints alone, or by bending the whole chain."""

from __future__ import annotations

import math
from cmath import rect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, repeat
from math import atan2

from ik2d_ros.kinematics.angles import SAME_MOVE, TURN, into_range, phase
from ik2d_ros.kinematics.pose import (
    LENGTH_ROUNDING,
    Pose,
    Problem,
    at,
    error_of,
    largest_turn,
    tip_at,
)
from ik2d_ros.kinematics.reach import elbow_bend, folded
from ik2d_ros.kinematics.tuning import BLENDS, KEPT_PAIRS

# Reaches, and rad: what misses a closure or a limit by less is there, so that rounding decides
# nothing.
CLOSES, ALLOWS = 1e-14, 1e-12
_FOLDED = SAME_MOVE - math.pi  # rad
# Reaches: a tip so near to the target is on it.
ENDS = 100.0 * LENGTH_ROUNDING


def close_two(
    problem: Problem,
    pose: Pose,
    least: bool = False,
    most: int | None = None,
    every: bool = False,
) -> Pose:
    """Put the tip on the target with two joints alone, the links between them held rigid.

    The first pair that can is taken, or of all pairs the one that turns ``least``; where none can,
    the pose stays as it is. The two bend to the side that they are bent to, if limits allow it, and
    to the positive side where they are straight or folded.

    Args:
        problem: the links, their limits and the target.
        pose: the pose to close from.
        least: whether to look at all pairs.
        most: how many pairs are tried; all of them by default.
        every: whether to try pairs without the first joint, too, where there are no limits.
    """
    best = None
    lengths, limits, _, fixed = problem
    free = limits is None and not (least or every)
    if fixed is None:
        tried = pairs(len(lengths), free, most)
    else:
        tried = turning_pairs(tuple(bend is None for bend in fixed), free, most)
    for i, j in tried:
        closed = _closed(problem, pose, i, j)
        if closed is None:
            continue
        if not least:
            return at(problem, closed)
        if best is None or largest_turn(pose, closed) < largest_turn(pose, best) - SAME_MOVE:
            best = closed
    return pose if best is None else at(problem, best)


@lru_cache(maxsize=256)
def pairs(joints: int, free: bool, most: int | None = None) -> Iterable[tuple[int, int]]:
    """Return pairs of joints to close with, first those that split the chain evenly.

    Those turn least. Without limits the first joint is in every pair, so that their number grows
    with the chain's and not with its square: what they cannot close, the whole chain can.

    Args:
        joints: how many the chain has.
        free: whether there are no limits.
        most: how many pairs there may be; all of them by default.
    """
    every = _Pairs(joints, free, most)
    return tuple(every) if joints <= KEPT_PAIRS else every


@lru_cache(maxsize=256)
def turning_pairs(
    turning: tuple[bool, ...], free: bool, most: int | None = None
) -> Iterable[tuple[int, int]]:
    """Return those of :func:`pairs` whose joints are both revolute.

    Args:
        turning: (n,) which joints are.
        free: whether there are no limits.
        most: how many pairs there may be; all of them by default.
    """
    if all(turning):
        return pairs(len(turning), free, most)
    every = pairs(len(turning), free)
    return tuple(islice(((i, j) for i, j in every if turning[i] and turning[j]), most))


@dataclass(frozen=True)
class _Pairs:
    joints: int
    free: bool
    most: int | None

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return islice(self._all(), self.most)

    def _all(self) -> Iterator[tuple[int, int]]:
        joints = self.joints
        for i in range(1 if self.free else joints - 1):
            middle = (i + joints) // 2
            for step in range(2 * (joints - middle) + 1):
                j = middle + (step + 1) // 2 * (-1 if step % 2 else 1)
                if i < j < joints:
                    yield i, j


def _closed(problem: Problem, pose: Pose, i: int, j: int) -> list[float] | None:
    """Return the bends after joints i and j alone have put the tip on the target, if they can."""
    bends, points, _ = pose
    _, limits, target, _ = problem
    pivot, elbow = points[i], points[j]
    first, second, span = elbow - pivot, points[-1] - elbow, target - pivot
    a, b, d = abs(first), abs(second), abs(span)
    if a < LENGTH_ROUNDING or b < LENGTH_ROUNDING or not abs(a - b) - CLOSES <= d <= a + b + CLOSES:
        return None
    turn = second * first.conjugate()
    now = atan2(turn.imag, turn.real)
    if now < _FOLDED:
        now += TURN  # Folded to the positive side, whatever is rounded.
    bend = elbow_bend(a, b, d)
    if now < -SAME_MOVE:
        bend = -bend
    for wanted in (bend, -bend):
        reached = first * (1.0 + rect(b / a, wanted))
        turn = span * reached.conjugate()
        at_i = bends[i] + atan2(turn.imag, turn.real)
        at_j = bends[j] + wanted - now
        if limits is not None:
            allowed_i = into_range(at_i, *limits[i], bends[i], ALLOWS)
            allowed_j = into_range(at_j, *limits[j], bends[j], ALLOWS)
            if allowed_i is None or allowed_j is None:
                continue
            at_i, at_j = allowed_i, allowed_j
        closed = bends[:]
        closed[i], closed[j] = at_i, at_j
        return closed
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
    shape = list(map(math.remainder, pose.bends, repeat(TURN)))
    stretch = abs(pose.points[-1]) < distance
    goal = [0.0] * len(shape) if stretch else folded(problem.lengths)
    goal[0] = shape[0]
    left, at_left = 0.0, abs(pose.points[-1]) - distance
    end = tip_at(problem.lengths, goal)
    right, at_right = 1.0, abs(end) - distance
    best = pose
    if abs(at_right) < ENDS:
        turn = problem.target * end.conjugate()
        if turn:  # At the base every direction is as good, whatever the signs of zeros.
            goal[0] += phase(turn)
        best = min(best, at(problem, goal), key=error_of)
    for _ in range(BLENDS):
        if best.error < ENDS or at_left == at_right:
            break
        share = right - at_right * (right - left) / (at_right - at_left)
        bent = at(problem, [now + share * (then - now) for now, then in zip(shape, goal)])
        closed = close_two(problem, bent)
        if closed.error < best.error:
            best = closed
        excess = abs(bent.points[-1]) - distance
        if (excess > 0.0) != (at_right > 0.0):
            left, at_left = right, at_right
        else:
            at_left *= 0.5
        right, at_right = share, excess
    return best

"""The search among all poses within the limits, for targets that a descent has not reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.ccd import Problem, finish
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.many import (
    Arm,
    ComplexArray,
    Descents,
    FloatArray,
    descend_many,
    settle_many,
    slope,
)
from ik2d_ros.kinematics.stock import nearest, stock

# Starts of each kind in the stock for a target, and steps for them: quick first, thorough second.
_ROUNDS = ((1, 25), (6, 40))
_SETTLE, _BEST = 20, 6  # Newton steps for the closest pose, and how many of the best get them.
_FLAT, _CLOSE = 1e-5, 1e-4  # A slope below this is none; nearer to the target, so much less.
_NEARLY = 1e-3  # Reaches; a miss this small gets a look of its own, joint by joint.
_SAME = 1e-8  # Distances in reaches that count as equal: the pose nearest to the start wins.


class Found(NamedTuple):
    """Poses for a number of targets.

    Attributes:
        bends: (n, m) rad, inside the limits.
        settled: (m,) whether no small move brings the tip closer.
        passes: steps made; poses that descend side by side count once.
    """

    bends: FloatArray
    settled: NDArray[np.bool_]
    passes: int


def search(
    chain: Chain,
    targets: ComplexArray,
    starts: FloatArray,
    stalled: FloatArray,
    tolerance: float,
    budget: int,
) -> Found:
    """Poses that reach the targets, or come as close as the limits allow.

    Descents start from the poses in the chain's stock that are nearest to a target. What ends on
    the target reaches it; where none does, the best one is settled and counts as the closest pose.

    Args:
        chain: a chain with limits.
        targets: (m,) in reaches.
        starts: (n, m) bends in rad: of equally close poses the nearest to this one is taken.
        stalled: (n, m) bends in rad where a descent ended; never left for a worse pose.
        tolerance: distance from the target that is good enough, in reaches.
        budget: how many steps there may be.
    """
    arm = Arm.of(chain)
    bends = stalled.copy()
    settled = np.zeros(len(targets), dtype=np.bool_)
    left, passes = np.arange(len(targets)), 0
    for count, most in _ROUNDS:
        starts_here = nearest(stock(chain), targets[left], count)
        tries = np.concatenate([bends[:, left, None], starts_here], axis=2)
        steps = min(most, budget - passes)
        tries, errors, made = _descend_all(
            descend_many, arm, targets[left], tries, tolerance, steps
        )
        passes += made
        bends[:, left] = _choose(tries, errors, starts[:, left], tolerance)
        missed = errors.min(axis=1) > tolerance
        left, tries, errors = left[missed], tries[:, missed], errors[missed]
        if not len(left):
            return Found(bends, settled, passes)
    few = np.argsort(errors, axis=1, kind='stable')[:, :_BEST]
    tries = np.take_along_axis(tries, few[None], axis=2)
    steps = min(_SETTLE, budget - passes)
    tries, errors, made = _descend_all(settle_many, arm, targets[left], tries, tolerance, steps)
    passes += made
    bends[:, left] = _choose(tries, errors, starts[:, left], tolerance)
    nearest_miss = errors.min(axis=1)
    more = 0
    for k in left[(nearest_miss > tolerance) & (nearest_miss < _NEARLY)]:
        problem = Problem(chain.unit_lengths, chain.bend_limits, complex(targets[k]))
        pose, made = finish(problem, bends[:, k].tolist(), tolerance, budget - passes)
        bends[:, k] = pose.bends
        more = max(more, made)
    flat = _FLAT * np.minimum(1.0, nearest_miss / _CLOSE)
    settled[left] = slope(arm, targets[left], bends[:, left]) < flat
    return Found(bends, settled, passes + more)


def _descend_all(
    method: Callable[[Arm, ComplexArray, FloatArray, float, int], Descents],
    arm: Arm,
    targets: ComplexArray,
    tries: FloatArray,
    tolerance: float,
    budget: int,
) -> tuple[FloatArray, FloatArray, int]:
    """Descents from (n, m, k) starts, k for each target, side by side.

    Returns:
        (n, m, k) bends in rad, (m, k) distances from the targets, and the steps made.
    """
    repeated = np.repeat(targets, tries.shape[2])
    ran = method(arm, repeated, tries.reshape(len(tries), -1), tolerance, budget)
    return ran.bends.reshape(tries.shape), ran.errors.reshape(tries.shape[1:]), ran.steps


def _choose(
    tries: FloatArray, errors: FloatArray, starts: FloatArray, tolerance: float
) -> FloatArray:
    """Of the tries (n, m, k) the closest to each target; of equals the nearest to the start."""
    best = errors.min(axis=1, keepdims=True)
    best = np.where(best <= tolerance, tolerance, best + _SAME)
    moves = np.abs(tries - starts[:, :, None]).max(axis=0)
    chosen = np.where(errors <= best, moves, np.inf).argmin(axis=1)
    bends: FloatArray = tries[:, np.arange(len(chosen)), chosen]
    return bends

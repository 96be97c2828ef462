"""The search among all poses within the limits, for targets that a descent has not reached."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
_ROUNDS = ((1, 25), (4, 40))
_SETTLE = 20  # Newton steps for the closest pose.
_FLAT = 1e-5  # A slope below this is none: it brings the tip less than 1e-9 reaches closer.
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
    passes = 0
    left = np.arange(len(targets))
    for count, steps in _ROUNDS:
        ends = nearest(stock(chain), targets[left], count)
        tries = np.concatenate([bends[:, left, None], ends], axis=2)
        ran = _descend_all(arm, targets[left], tries, tolerance, min(steps, budget - passes))
        passes += ran.steps
        errors = ran.errors.reshape(len(left), -1)
        best = _choose(ran.bends.reshape(tries.shape), errors, starts[:, left], tolerance)
        bends[:, left] = best
        left = left[errors.min(axis=1) > tolerance]
        if not len(left):
            break
    if len(left):
        ran = settle_many(
            arm, targets[left], bends[:, left], tolerance, min(_SETTLE, budget - passes)
        )
        passes += ran.steps
        bends[:, left] = ran.bends
        settled[left] = slope(arm, targets[left], ran.bends) < _FLAT
    return Found(bends, settled, passes)


def _descend_all(
    arm: Arm, targets: ComplexArray, tries: FloatArray, tolerance: float, budget: int
) -> Descents:
    """Descents from (n, m, k) starts, k for each target, side by side."""
    repeated = np.repeat(targets, tries.shape[2])
    return descend_many(arm, repeated, tries.reshape(len(tries), -1), tolerance, budget)


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

"""The search among all poses within the limits, for targets that a descent has not reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.descent.closing import close_two
from ik2d_ros.kinematics.descent.closing_many import close_many
from ik2d_ros.kinematics.descent.many import Descents, descend_many, settle_many, slope
from ik2d_ros.kinematics.descent.stepping import gauss_newton
from ik2d_ros.kinematics.descent.stock import nearest, stock
from ik2d_ros.kinematics.links import Links
from ik2d_ros.kinematics.pose import Pose, Problem, at, error_of, problem_of
from ik2d_ros.kinematics.tuning import (
    BEST,
    FLAT_NEAR,
    FLAT_SLOPE,
    LIMIT_CHANGES,
    MANY,
    NEARLY,
    NEARLY_ENOUGH,
    PAIRS_EACH,
    SETTLE_STEPS,
    STEPS_AFTER_CHANGE,
    STOCK_ROUNDS,
)

_SAME = 1e-8  # Distances in reaches that count as equal: the pose nearest to the start wins.


class Found(NamedTuple):
    """Poses for a number of targets.

    Attributes:
        bends: (n, m) rad, inside the limits.
        settled: (m,) whether no small move brings the tip closer.
        passes: (m,) steps that were spent on each; of poses that descend side by side once.
    """

    bends: FloatArray
    settled: NDArray[np.bool_]
    passes: NDArray[np.int64]


def search(
    chain: Chain,
    targets: ComplexArray,
    starts: FloatArray,
    stalled: FloatArray,
    tolerance: float,
    budget: int,
) -> Found:
    """Find poses that reach the targets, or come as close as the limits allow.

    Closures with two joints, and where none exists descents, start from the poses in the chain's
    stock that are nearest to a target. Where none reaches it, the best one is settled and counts as
    the closest pose.

    Args:
        chain: a chain with limits.
        targets: (m,) in reaches.
        starts: (n, m) bends in rad: of equally close poses the nearest to this one is taken.
        stalled: (n, m) bends in rad where a descent ended; never left for a worse pose.
        tolerance: distance from the target that is good enough, in reaches.
        budget: how many steps there may be.
    """
    links = Links.of(chain)
    bends = stalled.copy()
    settled = np.zeros(len(targets), dtype=np.bool_)
    spent: NDArray[np.int64] = np.zeros(len(targets), dtype=np.int64)
    left: NDArray[np.intp] = np.arange(len(targets))
    passes = 0
    for count, most in STOCK_ROUNDS:
        starts_here = nearest(stock(chain), targets[left], count)
        tries = np.concatenate([bends[:, left, None], starts_here], axis=2)
        closed, met = _close_each(links, targets[left], tries, PAIRS_EACH if passes < budget else 0)
        passes = min(passes + 1, budget)
        spent[left] = passes
        done = met.any(axis=1)
        misses = np.where(met[done], 0.0, np.inf)
        bends[:, left[done]] = _choose(closed[:, done], misses, starts[:, left[done]], tolerance)
        left, tries = left[~done], tries[:, ~done]
        steps = min(most, budget - passes)
        tries, errors = _descend_all(descend_many, links, targets[left], tries, tolerance, steps)
        passes += steps
        spent[left] = passes
        bends[:, left] = _choose(tries, errors, starts[:, left], tolerance)
        missed = errors.min(axis=1) > tolerance
        left, tries, errors = left[missed], tries[:, missed], errors[missed]
        if not len(left):
            return Found(bends, settled, spent)
    steps = min(SETTLE_STEPS, budget - passes)
    bends[:, left], miss = _settle(
        chain, targets[left], starts[:, left], tries, errors, tolerance, steps
    )
    passes += steps
    spent[left] = passes
    going = np.flatnonzero(miss > tolerance)
    for _ in range(LIMIT_CHANGES):
        if not len(going) or passes >= budget:
            break
        some = left[going]
        tries = _with_limits_changed(links, bends[:, some])
        steps = min(STEPS_AFTER_CHANGE, budget - passes)
        tries, errors = _descend_all(descend_many, links, targets[some], tries, tolerance, steps)
        passes += steps
        steps = min(SETTLE_STEPS, budget - passes)
        changed, away = _settle(
            chain, targets[some], starts[:, some], tries, errors, tolerance, steps
        )
        passes += steps
        spent[some] = passes
        better = away < miss[going] - _SAME
        going = going[better]
        bends[:, left[going]], miss[going] = changed[:, better], away[better]
        going = going[miss[going] > tolerance]
    flat = FLAT_SLOPE * np.minimum(1.0, miss / FLAT_NEAR)
    settled[left] = slope(links, targets[left], bends[:, left]) < flat
    return Found(bends, settled, spent)


def _settle(
    chain: Chain,
    targets: ComplexArray,
    starts: FloatArray,
    tries: FloatArray,
    errors: FloatArray,
    tolerance: float,
    steps: int,
) -> tuple[FloatArray, FloatArray]:
    """Bring the best of the tries (n, m, k) to the bottom of their valleys.

    Returns:
        (n, m) bends in rad, and (m,) distances from the targets.
    """
    count = max(1, int(BEST * min(1.0, MANY / len(tries)) ** 3))
    few = np.argsort(errors, axis=1, kind='stable')[:, :count]
    tries = np.take_along_axis(tries, few[None], axis=2)
    tries, errors = _descend_all(settle_many, Links.of(chain), targets, tries, tolerance, steps)
    bends, miss = _choose(tries, errors, starts, tolerance), errors.min(axis=1)
    for k in np.flatnonzero((miss > tolerance) & (miss < NEARLY)) if steps else ():
        problem = problem_of(chain, complex(targets[k]))
        pose = _taken_up(problem, bends[:, k].tolist(), tolerance)
        if pose.error < miss[k]:
            bends[:, k], miss[k] = pose.bends, pose.error
    return bends, miss


def _taken_up(problem: Problem, bends: Sequence[float], tolerance: float) -> Pose:
    """Take up a small miss: steps that let each joint stop at its limit, and two joints exactly.

    Returns:
        The best pose, never worse than that of ``bends``.
    """
    begun = at(problem, bends)
    pose, _ = gauss_newton(problem, begun, tolerance, 0, SETTLE_STEPS, enough=NEARLY_ENOUGH)
    if pose.error > tolerance:
        pose = min(pose, close_two(problem, begun), close_two(problem, pose), key=error_of)
    return pose


def _with_limits_changed(links: Links, bends: FloatArray) -> FloatArray:
    """Return poses (n, m) and those with one joint at its other limit instead: (n, m, n + 1)."""
    n = len(bends)
    tries = np.repeat(bends[:, :, None], n + 1, axis=2)
    limited = np.isfinite(links.lower[:, 0])
    farther = np.where(bends - links.lower < links.upper - bends, links.upper, links.lower)
    for joint in np.flatnonzero(limited):
        tries[joint, :, 1 + joint] = farther[joint]
    return tries


def _close_each(
    links: Links, targets: ComplexArray, tries: FloatArray, most: int
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Close with two joints from (n, m, k) poses, k for each target; (m, k): which exist."""
    repeated = np.repeat(targets, tries.shape[2])
    closed, met = close_many(links, repeated, tries.reshape(len(tries), -1), most)
    return closed.reshape(tries.shape), met.reshape(tries.shape[1:])


def _descend_all(
    method: Callable[[Links, ComplexArray, FloatArray, float, int], Descents],
    links: Links,
    targets: ComplexArray,
    tries: FloatArray,
    tolerance: float,
    budget: int,
) -> tuple[FloatArray, FloatArray]:
    """Descend from (n, m, k) starts, k for each target, side by side.

    Returns:
        (n, m, k) bends in rad, and (m, k) distances from the targets.
    """
    repeated = np.repeat(targets, tries.shape[2])
    ran = method(links, repeated, tries.reshape(len(tries), -1), tolerance, budget)
    return ran.bends.reshape(tries.shape), ran.errors.reshape(tries.shape[1:])


def _choose(
    tries: FloatArray, errors: FloatArray, starts: FloatArray, tolerance: float
) -> FloatArray:
    """Choose of (n, m, k) tries the closest to each target, of equals the nearest to the start."""
    best = errors.min(axis=1, keepdims=True)
    best = np.where(best <= tolerance, tolerance, best + _SAME)
    moves = np.abs(tries - starts[:, :, None]).max(axis=0)
    chosen = np.where(errors <= best, moves, np.inf).argmin(axis=1)
    bends: FloatArray = tries[:, np.arange(len(chosen)), chosen]
    return bends

"""What is done to reach many targets in the plane: :mod:`.strategy` in NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics import ccd, hybrid
from ik2d_ros.kinematics.angles import into_range_many
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.batch_in_space import Effort
from ik2d_ros.kinematics.ccd_many import sweep_on_many
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.edge import edge_poses
from ik2d_ros.kinematics.many import Links, close_many, descend_many
from ik2d_ros.kinematics.parts import in_parts, rows
from ik2d_ros.kinematics.pose import Pose, Problem
from ik2d_ros.kinematics.proof import proof_of
from ik2d_ros.kinematics.proof_many import decide_many
from ik2d_ros.kinematics.search import search
from ik2d_ros.kinematics.sliding_pair import sliding_pair_many
from ik2d_ros.kinematics.solution import Poses
from ik2d_ros.kinematics.targets import check_finite, goals_of
from ik2d_ros.kinematics.two_bone_batch import at_rest, fill_plain
from ik2d_ros.kinematics.two_bone_many import two_bone_many
from ik2d_ros.kinematics.verdict import verdicts

# Targets at a time: few enough for the cache, and enough for two threads to share.
_TWO_BONE_CHUNK = 16384
_DESCENT_CHUNK = 8192
_DESCENT_JOINTS = 10  # With more, there are fewer targets at a time, for they take more memory.
# How often a closure follows so many steps, for all targets together.
_CLOSURES, _STEPS_BETWEEN = 3, 6


def solved(
    chain: Chain,
    points: FloatArray,
    solver: str,
    given: FloatArray | None,
    starts: FloatArray,
    bend: str,
    tolerance: float,
    max_iterations: int,
    effort: Effort = Effort.ALL,
) -> Poses:
    """Return what :func:`.batch.solve_batch` finds for arguments that are checked already.

    The starts are those ``given``, or the default.
    """
    plain = solver == 'two_bone' and bend == 'nearest' and at_rest(chain, given)
    if not plain:
        check_finite(points)
    batch = Poses(
        # A column per joint lies together in memory: so it is computed and mostly read.
        rows(len(chain), len(points)).T,
        np.empty(len(points)),
        np.empty(len(points), dtype=np.int8),
    )

    if solver != 'two_bone':
        in_parts(
            lambda part: _fill_descended(
                chain,
                solver,
                points[part],
                starts[part],
                tolerance,
                max_iterations,
                effort,
                Poses(batch.q[part], batch.error[part], batch.status[part]),
            ),
            len(points),
            _DESCENT_CHUNK * _DESCENT_JOINTS // max(_DESCENT_JOINTS, len(chain)),
        )
        return batch
    rest = fill_plain(chain, points, batch) if plain else np.arange(len(points))
    if plain and not np.isfinite(points[rest]).all():
        check_finite(points)
    in_parts(
        lambda part: _fill_two_bone(
            chain, points, starts, bend, tolerance, effort, batch, rest[part]
        ),
        len(rest),
        _TWO_BONE_CHUNK,
    )
    return batch


def _fill_two_bone(
    chain: Chain,
    points: FloatArray,
    starts: FloatArray,
    bend: str,
    tolerance: float,
    effort: Effort,
    into: Poses,
    rest: NDArray[np.intp],
) -> None:
    goals = goals_of(points[rest], chain.reach.outer or 1.0)
    shoulder, elbow = _bends(chain, starts[rest])
    if chain.has_slides:
        slid, _ = sliding_pair_many(chain, goals, (shoulder, elbow), bend)
        settled = np.ones(len(rest), dtype=np.bool_)
        _write(chain, points, starts, slid, settled, tolerance, into, rest)
        return
    bends = two_bone_many(
        chain.unit_lengths,
        chain.bend_limits,
        goals.real,
        goals.imag,
        (shoulder, elbow),
        bend,
        closest=effort is Effort.ALL,
    )
    settled = np.ones(len(rest), dtype=np.bool_)
    _write(chain, points, starts, np.stack(bends), settled, tolerance, into, rest)


def _fill_descended(
    chain: Chain,
    solver: str,
    points: FloatArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
    effort: Effort,
    into: Poses,
) -> None:
    size = chain.reach.outer or 1.0
    targets = goals_of(points, size)
    begun = _bends(chain, starts)
    bends, settled = edge_poses(chain, targets, begun)
    inside = np.flatnonzero(~settled)
    if len(inside):
        reach = _swept_poses if solver == 'ccd' else _hybrid_poses
        bends[:, inside], settled[inside] = reach(
            chain, targets[inside], begun[:, inside], tolerance / size, budget, effort
        )
    _write(chain, points, starts, bends, settled, tolerance, into, np.arange(len(points)))


def _hybrid_poses(
    chain: Chain,
    targets: ComplexArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
    effort: Effort,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return bends for targets inside the annulus, and which are the closest within the limits.

    A closure with two joints reaches most targets at once; the others get a few steps and another
    closure.
    """
    if chain.limited and len(chain) == 2:
        return _closed_form(chain, targets, starts)
    links = Links.of(chain)
    bends, met = close_many(links, targets, starts)
    budget -= 1
    left = np.flatnonzero(~met)
    if effort is Effort.CLOSE:
        return bends, np.zeros(len(targets), dtype=np.bool_)
    if chain.limited and proof_of(chain) is not None:
        return _finished(chain, targets, starts, bends, left, hybrid.descend, tolerance, budget)
    # Within limits, most of the passes are the search's.
    at_once = budget // 4 if chain.limited else budget
    for _ in range(_CLOSURES):
        if not len(left) or at_once < 2:
            break
        steps = min(at_once - 1, _STEPS_BETWEEN)
        ran = descend_many(links, targets[left], bends[:, left], tolerance, steps)
        bends[:, left], met = close_many(links, targets[left], ran.bends)
        left = left[~met & (ran.errors > tolerance)]
        at_once -= ran.steps + 1
        budget -= ran.steps + 1
    if effort is Effort.DESCEND:
        return bends, np.zeros(len(targets), dtype=np.bool_)
    return _finished(chain, targets, starts, bends, left, hybrid.descend, tolerance, budget)


def _swept_poses(
    chain: Chain,
    targets: ComplexArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
    effort: Effort,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Do what :func:`_hybrid_poses` does, by sweeps, and closures where sweeps creep."""
    links = Links.of(chain)
    bends, errors, sweeps = sweep_on_many(links, targets, starts, tolerance, budget)
    left = np.flatnonzero(errors > tolerance)
    budget -= int(sweeps[left].max(initial=0))
    if len(left) and budget > 0:
        most = None if chain.limited else ccd.PAIRS
        bends[:, left], met = close_many(links, targets[left], bends[:, left], most, every=True)
        left, budget = left[~met], budget - 1
    if chain.limited and len(chain) == 2:
        settled = np.zeros(len(targets), dtype=np.bool_)
        bends[:, left], settled[left] = _closed_form(chain, targets[left], starts[:, left])
        return bends, settled
    if effort is not Effort.ALL:
        return bends, np.zeros(len(targets), dtype=np.bool_)
    return _finished(chain, targets, starts, bends, left, ccd.finish, tolerance, budget)


def _closed_form(
    chain: Chain, targets: ComplexArray, starts: FloatArray
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the exact poses of two joints, which are always the closest ones."""
    start = (starts[0], starts[1])
    if chain.has_slides:
        return sliding_pair_many(chain, targets, start, 'nearest')
    exact = two_bone_many(
        chain.unit_lengths, chain.bend_limits, targets.real, targets.imag, start, 'nearest'
    )
    return np.stack(exact), np.ones(len(targets), dtype=np.bool_)


def _finished(
    chain: Chain,
    targets: ComplexArray,
    starts: FloatArray,
    bends: FloatArray,
    left: NDArray[np.intp],
    descend: Callable[[Problem, list[float], float, int], tuple[Pose, int]],
    tolerance: float,
    budget: int,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the bends after the targets that are ``left`` have been brought in, each by itself.

    Without limits they are so few that a descent for one target at a time will do; within limits
    the proof, or the search, is for all of them together.

    Returns:
        (n, m) bends in rad, and (m,) which are the closest within the limits.
    """
    settled = np.zeros(len(targets), dtype=np.bool_)
    if not len(left) or budget < 1:
        return bends, settled
    if not chain.limited:
        for k in left:
            problem = Problem(chain.unit_lengths, None, complex(targets[k]))
            pose, _ = descend(problem, bends[:, k].tolist(), tolerance, budget)
            bends[:, k] = pose.bends
    elif (proof := proof_of(chain)) is not None:
        bends[:, left], reached = decide_many(proof, targets[left], starts[:, left])
        settled[left] = ~reached
    else:
        bends[:, left], settled[left], _ = search(
            chain, targets[left], starts[:, left], bends[:, left], tolerance, budget
        )
    return bends, settled


def _bends(chain: Chain, positions: FloatArray) -> FloatArray:
    """Return bends (n, m) in rad at positions (m, n) in rad."""
    bends: FloatArray = (positions * chain.signs + chain.shifts).T
    return bends


def _write(
    chain: Chain,
    points: FloatArray,
    starts: FloatArray,
    bends: FloatArray,
    settled: NDArray[np.bool_],
    tolerance: float,
    into: Poses,
    where: NDArray[np.intp],
) -> None:
    """Judge the bends (n, k) for the targets at ``where`` and write positions and judgement."""
    numbers = (bends.T - chain.shifts) / chain.signs
    q, _ = into_range_many(numbers, chain.lower, chain.upper, starts[where])
    if chain.has_slides:  # They do not come round again.
        slid = [joint.slides for joint in chain.joints]
        q[:, slid] = np.clip(numbers, chain.lower, chain.upper)[:, slid]
    x, y = points[where].T
    tip_x, tip_y = chain.points(q)[:, -1].T
    error = np.hypot(x - tip_x, y - tip_y)
    into.q[where] = q
    into.error[where] = error
    into.status[where] = verdicts(chain, np.hypot(x, y), error, tolerance, settled)

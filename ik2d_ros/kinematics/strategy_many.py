"""What is done to reach many targets in the plane: :mod:`.strategy` in NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import into_range_many
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.batch_in_space import Effort
from ik2d_ros.kinematics.ccd_many import sweep_on_many
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.edge import edge_poses
from ik2d_ros.kinematics.hybrid import NEAR, settle_near
from ik2d_ros.kinematics.hybrid_many import follow_many
from ik2d_ros.kinematics.many import Links, points_of, tips
from ik2d_ros.kinematics.parts import in_parts, rows
from ik2d_ros.kinematics.pose import at, problem_of
from ik2d_ros.kinematics.proof import proof_of
from ik2d_ros.kinematics.proof_many import decide_many
from ik2d_ros.kinematics.search import search
from ik2d_ros.kinematics.sliding_pair import sliding_pair_many
from ik2d_ros.kinematics.solution import Poses
from ik2d_ros.kinematics.stages import ENOUGH, PLANS, Stage, Task
from ik2d_ros.kinematics.stepping_many import Passes, gauss_newton_many
from ik2d_ros.kinematics.targets import check_finite, goals_of
from ik2d_ros.kinematics.two_bone_batch import at_rest, fill_plain
from ik2d_ros.kinematics.two_bone_many import two_bone_many
from ik2d_ros.kinematics.verdict import verdicts

# Targets at a time: few enough for the cache, and enough for two threads to share.
_TWO_BONE_CHUNK = 16384
_DESCENT_CHUNK = 8192
_DESCENT_JOINTS = 10  # With more, there are fewer targets at a time, for they take more memory.


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
    if solver == 'hybrid' and len(chain) == 2:
        solver, bend = 'two_bone', 'nearest'  # The same, in closed form.
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
    rest: Indices,
) -> None:
    goals = goals_of(points[rest], chain.reach.outer or 1.0)
    bends = _closed_form(chain, goals, _bends(chain, starts[rest]), bend, effort is Effort.ALL)
    settled = np.ones(len(rest), dtype=np.bool_)
    _write(chain, points, starts, bends, settled, tolerance, into, rest)


def _closed_form(
    chain: Chain, goals: ComplexArray, starts: FloatArray, bend: str, closest: bool = True
) -> FloatArray:
    """Return the exact bends of two joints, which are always the closest ones."""
    shoulder, elbow = starts
    if chain.has_slides:
        slid, _ = sliding_pair_many(chain, goals, (shoulder, elbow), bend)
        return slid
    exact = two_bone_many(
        chain.unit_lengths,
        chain.bend_limits,
        goals.real,
        goals.imag,
        (shoulder, elbow),
        bend,
        closest,
    )
    return np.stack(exact)


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
        thorough = effort is Effort.ALL
        bends[:, inside], settled[inside] = _descended(
            chain, targets[inside], begun[:, inside], solver, tolerance / size, budget, thorough
        )
    _write(chain, points, starts, bends, settled, tolerance, into, np.arange(len(points)))


def _descended(
    chain: Chain,
    goals: ComplexArray,
    starts: FloatArray,
    solver: str,
    tolerance: float,
    budget: int,
    thorough: bool,
) -> tuple[FloatArray, Flags]:
    """Return what the stages find, and in the end the proof or the search.

    Returns:
        (n, m) bends in rad, and (m,) which are known to be the closest within the limits.
    """
    links, plan = Links.of(chain), PLANS[solver, chain.limited]
    settled: Flags = np.zeros(len(goals), dtype=np.bool_)
    points: ComplexArray | None = None
    if plan.sweeps:
        task = Task(
            chain, links, goals, *sweep_on_many(links, goals, starts, tolerance, budget),
            tolerance, budget
        )  # fmt: skip
    else:
        points = points_of(links, starts)
        errors = np.abs(goals - points[-1])
        passes: Passes = np.zeros(len(goals), dtype=np.int64)
        task = Task(chain, links, goals, starts.copy(), errors, passes, tolerance, budget)
        near = np.flatnonzero((errors > tolerance) & (errors < NEAR))
        if len(near):
            bends, errors[near], passes[near] = follow_many(
                chain, goals[near], starts[:, near], tolerance, budget
            )
            task.bends[:, near] = bends
            points[:, near] = points_of(links, bends)
    _staged(plan.stages, task, points)
    left = task.left()
    if not len(left):
        return task.bends, settled
    if chain.limited and len(chain) == 2:
        task.bends[:, left] = _closed_form(chain, goals[left], starts[:, left], 'nearest')
        settled[left] = True
        return task.bends, settled
    if not chain.limited or proof_of(chain) is None:
        _staged(plan.unproven, task, None)
        _stepped(task)
        left = task.left()
    if chain.limited and thorough and len(left):
        settled[left] = _decided(task, starts, left)
    return task.bends, settled


def _staged(stages: Sequence[Stage], task: Task, points: ComplexArray | None) -> None:
    """Go through one stage after the other; ``points`` are those of the poses, if known."""
    for stage in stages:
        left = task.left()
        if not len(left):
            break
        now = points_of(task.links, task.bends[:, left]) if points is None else points[:, left]
        task.keep(left, stage.many(task, left, now))
        points = None


def _stepped(task: Task) -> None:
    """Make Gauss-Newton steps for what is left."""
    left = task.left()
    bends, passes = task.bends[:, left], task.passes[left]
    task.errors[left] = gauss_newton_many(
        task.links, task.targets[left], bends, task.tolerance, passes, task.budget, ENOUGH
    )
    task.bends[:, left], task.passes[left] = bends, passes


def _decided(task: Task, starts: FloatArray, left: Indices) -> Flags:
    """Find poses that reach some of the targets, if limits allow one, or the closest poses.

    By the proof, or for a chain that is too long for it by the search.

    Returns:
        (k,) which are known to be the closest within the limits.
    """
    proof = proof_of(task.chain)
    if proof is None:
        settled: Flags = np.zeros(len(left), dtype=np.bool_)
        for made in np.unique(task.passes[left]):
            some = np.flatnonzero(task.passes[left] == made)
            which = left[some]
            task.bends[:, which], settled[some], _ = search(
                task.chain,
                task.targets[which],
                starts[:, which],
                task.bends[:, which],
                task.tolerance,
                task.budget - int(made),
            )
        return settled
    task.bends[:, left], reached = decide_many(proof, task.targets[left], starts[:, left])
    begun = np.abs(task.targets[left] - tips(task.links, starts[:, left]))
    for k in left[reached & (begun < NEAR)]:
        problem = problem_of(task.chain, complex(task.targets[k]))
        pose, _ = settle_near(
            problem,
            at(problem, task.bends[:, k].tolist()),
            starts[:, k].tolist(),
            task.tolerance,
            int(task.passes[k]) + 1,
            task.budget,
        )
        task.bends[:, k] = pose.bends
    return ~reached


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

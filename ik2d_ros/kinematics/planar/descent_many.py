"""What is done to reach many targets inside the annulus: :mod:`.strategy` in NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.two_bone_many import two_bone_many
from ik2d_ros.kinematics.descent.ccd_many import sweep_on_many
from ik2d_ros.kinematics.descent.hybrid import settle_near
from ik2d_ros.kinematics.descent.hybrid_many import follow_many
from ik2d_ros.kinematics.descent.search import search
from ik2d_ros.kinematics.descent.stepping_many import Passes, gauss_newton_many
from ik2d_ros.kinematics.links import Links, points_of, tips
from ik2d_ros.kinematics.planar.stages import FROM_AFAR, PLANS, Plan, Stage, Task
from ik2d_ros.kinematics.pose import at, problem_of
from ik2d_ros.kinematics.proof.proof import proof_of
from ik2d_ros.kinematics.proof.proof_many import decide_many
from ik2d_ros.kinematics.proof.sliding_pair import sliding_pair_many
from ik2d_ros.kinematics.tuning import ENOUGH_AT_LAST, FEW, NEAR


def closed_form(chain: Chain, goals: ComplexArray, starts: FloatArray, bend: str) -> FloatArray:
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
    )
    return np.stack(exact)


def descended(
    chain: Chain,
    goals: ComplexArray,
    starts: FloatArray,
    solver: str,
    tolerance: float,
    budget: int,
    thorough: bool,
    postpone: bool,
) -> tuple[FloatArray, Flags, Indices]:
    """Return what the stages find, and in the end the proof or the search.

    Args:
        chain: the chain.
        goals: (m,) in reaches.
        starts: (n, m) bends in rad to move from, inside the limits.
        solver: ``ccd`` or ``hybrid``.
        tolerance: distance from a target that is good enough, in reaches.
        budget: how many passes there may be for each.
        thorough: whether the proof or the search follows where the stages have stopped.
        postpone: whether to leave targets out that are near, where they are few: it takes as long
            to follow those as many more.

    Returns:
        (n, m) bends in rad, (m,) which are known to be the closest within the limits, and which
        targets were left out.
    """
    plan = PLANS[solver, chain.limited]
    task, left_out = _begun(plan, Links.of(chain), goals, starts, tolerance, budget, postpone)
    settled: Flags = np.zeros(len(goals), dtype=np.bool_)
    left = task.left()
    if not len(left):
        return task.bends, settled, left_out
    if chain.limited and len(chain) == 2:
        task.bends[:, left] = closed_form(chain, goals[left], starts[:, left], 'nearest')
        settled[left] = True
        return task.bends, settled, left_out
    if not chain.limited or proof_of(chain) is None:
        _finish(plan, task)
        left = task.left()
    if chain.limited and thorough and len(left):
        settled[left] = _decided(chain, task, starts, left)
    return task.bends, settled, left_out


def descend_many(
    solver: str,
    links: Links,
    targets: ComplexArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
    finish: bool = True,
) -> Task:
    """Do what :func:`.strategy.descend` does, for many targets."""
    plan = FROM_AFAR[solver, not links.free]
    task, _ = _begun(plan, links, targets, starts, tolerance, budget, False)
    if finish or links.free:
        _finish(plan, task)
    return task


def _begun(
    plan: Plan,
    links: Links,
    goals: ComplexArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
    postpone: bool,
) -> tuple[Task, Indices]:
    """Return what comes before any proof finds, and which targets were left out."""
    left_out: Indices = np.arange(0)
    points: ComplexArray | None = None
    if plan.sweeps:
        swept = sweep_on_many(links, goals, starts, tolerance, budget)
        task = Task(links, goals, *swept, tolerance, budget)
    else:
        points = _placed(links, starts)
        errors = np.abs(goals - points[-1])
        passes: Passes = np.zeros(len(goals), dtype=np.int64)
        task = Task(links, goals, starts.copy(), errors, passes, tolerance, budget)
        near = np.flatnonzero(plan.follows & (errors > tolerance) & (errors < NEAR))
        if postpone and len(near) < FEW * len(goals):
            left_out = near
            passes[near] = budget
        elif len(near):
            bends, errors[near], passes[near] = follow_many(
                links, goals[near], starts[:, near], tolerance, budget
            )
            task.bends[:, near] = bends
            points = np.array(points)
            points[:, near] = points_of(links, bends)
    _staged(plan.stages, task, points)
    return task, left_out


def _finish(plan: Plan, task: Task) -> None:
    """Do what comes instead of a proof."""
    _staged(plan.unproven, task, None)
    _stepped(task)


def _placed(links: Links, starts: FloatArray) -> ComplexArray:
    """Return the points (n + 1, m) of starts (n, m); not to be changed."""
    if starts.strides[1]:
        return points_of(links, starts)
    return np.broadcast_to(points_of(links, starts[:, :1]), (len(starts) + 1, starts.shape[1]))


def _staged(stages: Sequence[Stage], task: Task, points: ComplexArray | None) -> None:
    """Go through one stage after the other; ``points`` are those of the poses, if known."""
    for stage in stages:
        left = task.left()
        if not len(left):
            break
        if points is None:
            points = points_of(task.links, task.some(left)[1])
        elif len(left) < len(task.targets):
            points = points[:, left]
        task.keep(left, stage.many(task, left, points))
        points = None


def _stepped(task: Task) -> None:
    """Make Gauss-Newton steps for what is left."""
    left = task.left()
    bends, passes = task.bends[:, left], task.passes[left]
    task.errors[left] = gauss_newton_many(
        task.links, task.targets[left], bends, task.tolerance, passes, task.budget, ENOUGH_AT_LAST
    )
    task.bends[:, left], task.passes[left] = bends, passes


def _decided(chain: Chain, task: Task, starts: FloatArray, left: Indices) -> Flags:
    """Find poses that reach some of the targets, if limits allow one, or the closest poses.

    By the proof, or for a chain that is too long for it by the search.

    Returns:
        (k,) which are known to be the closest within the limits.
    """
    proof = proof_of(chain)
    if proof is None:
        settled: Flags = np.zeros(len(left), dtype=np.bool_)
        for made in np.unique(task.passes[left]):
            some = np.flatnonzero(task.passes[left] == made)
            which = left[some]
            task.bends[:, which], settled[some], _ = search(
                chain,
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
        problem = problem_of(chain, complex(task.targets[k]))
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

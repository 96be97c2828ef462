"""What is done to reach one target in the plane, and in which order."""

from __future__ import annotations

from cmath import rect
from collections.abc import Sequence
from math import hypot, inf

import numpy as np

from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.two_bone import allowed, may_fit, sides_of, two_bone
from ik2d_ros.kinematics.descent.ccd import sweep_on
from ik2d_ros.kinematics.descent.hybrid import follow, settle_near
from ik2d_ros.kinematics.descent.search import search
from ik2d_ros.kinematics.descent.stepping import gauss_newton
from ik2d_ros.kinematics.planar.edge import EDGE, edge_pose
from ik2d_ros.kinematics.planar.planar_solver import PlanarAnswer
from ik2d_ros.kinematics.planar.stages import FROM_AFAR, PLANS, Plan, Stage
from ik2d_ros.kinematics.pose import Pose, Problem, at, problem_of
from ik2d_ros.kinematics.positions import commanded
from ik2d_ros.kinematics.proof.proof import closest, nearest, poses, proof_of
from ik2d_ros.kinematics.proof.sliding_pair import sliding_pair
from ik2d_ros.kinematics.targets import goal_of
from ik2d_ros.kinematics.tuning import ENOUGH_AT_LAST, NEAR

AT_LIMITS = 1e-7  # rad; the root of what is rounded.

# What a solver has found: bends (n,) in rad; where the tip is, in reaches, if that is known;
# whether no pose within the limits is known to be closer; and the passes that it took. A plain
# tuple: it is made and unpacked in a fraction of the time of a named one.
_Found = tuple[Sequence[float], complex | None, bool, int]


def in_plane(
    chain: Chain,
    x: float,
    y: float,
    start_q: Sequence[float],
    solver: str,
    bend: str,
    tolerance: float,
    max_iterations: int,
    thorough: bool = True,
) -> PlanarAnswer:
    """Return what :func:`.solve.solve` finds for arguments that are checked already.

    Without being thorough, only what the way from the start leads to; infinitely far from the
    target where the closed form says that limits forbid it.
    """
    start = start_q if chain.free else chain.bends_at(start_q)
    size = chain.size
    goal = goal_of(x, y, size)
    if solver == 'two_bone' or (solver == 'hybrid' and len(start_q) == 2):
        side = bend if solver == 'two_bone' else 'nearest'
        if chain.plain and (thorough or not chain.limited):
            return _closed_plainly(chain, x, y, goal, (start[0], start[1]), side)
        if thorough or chain.has_slides:
            found: _Found = _closed_form(chain, goal, start, side), None, True, 0
        else:
            pair = start[0], start[1]
            limits = chain.bend_limits if chain.limited else None
            sides = sides_of(chain.unit_lengths, goal, pair, side)
            if limits and not may_fit(sides, limits, 2.0 * AT_LIMITS):
                return start_q, 0j, inf, True, 0
            bends = allowed(sides, limits, pair, side)
            if bends is None:
                # At limits, next to straight or folded, rounding turns joints by that much.
                bends = allowed(sides, limits, pair, side, AT_LIMITS)
                if bends is not None:
                    answer = _answer(chain, x, y, (bends, None, True, 0), start_q)
                    if answer[2] <= tolerance:
                        return answer
                return start_q, 0j, inf, True, 0
            found = bends, None, True, 0
    else:
        found = _descended(chain, goal, start, solver, tolerance / size, max_iterations, thorough)
    return _answer(chain, x, y, found, start_q)


def _closed_plainly(
    chain: Chain, x: float, y: float, goal: complex, start: tuple[float, float], bend: str
) -> PlanarAnswer:
    """Return the closed form of a plain chain: its bends are positions in the right turns already.

    To find that out, as for others, takes as long as the closed form.
    """
    lengths, limits, _ = chain.task
    q = two_bone(lengths, limits, goal, start, bend)
    (first, second), (shoulder, elbow) = chain.lengths, q
    tip = rect(first, shoulder) + rect(second, shoulder + elbow)
    return q, tip, hypot(x - tip.real, y - tip.imag), True, 0


def _answer(
    chain: Chain, x: float, y: float, found: _Found, start_q: Sequence[float]
) -> PlanarAnswer:
    bends, unit_tip, settled, passes = found
    q, tip = commanded(chain, bends, start_q, unit_tip)
    return q, tip, hypot(x - tip.real, y - tip.imag), settled, passes


def search_in_plane(
    chain: Chain,
    places: Sequence[tuple[float, float]],
    start_q: Sequence[float],
    stalled: Sequence[PlanarAnswer],
    tolerance: float,
    max_iterations: int,
) -> list[PlanarAnswer]:
    """Return the answers of proof or search for those that have stalled, the others as they are."""
    answers = list(stalled)
    size = chain.size
    start = chain.bends_at(start_q)
    for k, (q, _, error, settled, passes) in enumerate(stalled):
        done = (settled and error < inf) or error <= tolerance
        if not chain.limited or done or passes >= max_iterations:
            continue
        x, y = places[k]
        goal, bends = goal_of(x, y, size), chain.bends_at(q)
        if len(chain) == 2:
            found: _Found = _closed_form(chain, goal, start, 'nearest'), None, True, passes
            answers[k] = _answer(chain, x, y, found, start_q)
            continue
        found = _decided(chain, goal, start, bends, tolerance / size, passes, max_iterations)
        answers[k] = _answer(chain, x, y, found, start_q)
    return answers


def _closed_form(chain: Chain, goal: complex, start: Sequence[float], bend: str) -> Sequence[float]:
    """Return the exact bends of two joints, which are always the closest ones."""
    shoulder, elbow = start
    if chain.has_slides:
        return sliding_pair(chain, goal, (shoulder, elbow), bend)
    limits = chain.bend_limits if chain.limited else None
    return two_bone(chain.unit_lengths, limits, goal, (shoulder, elbow), bend)


def _descended(
    chain: Chain,
    goal: complex,
    start: Sequence[float],
    solver: str,
    tolerance: float,
    budget: int,
    thorough: bool,
) -> _Found:
    """Return what the stages find, and in the end the proof or the search."""
    inner, outer = chain.unit_reach
    if not inner + EDGE < abs(goal) < outer - EDGE:
        outright = edge_pose(chain, goal, start)
        if outright is not None:
            return outright, None, True, 0
    problem = problem_of(chain, goal)
    plan = PLANS[solver, problem.limits is not None]
    pose, passes = _begun(plan, problem, start, tolerance, budget)
    if pose.error <= tolerance or passes >= budget:
        return pose.bends, pose.points[-1], False, passes
    if chain.limited and len(chain) == 2:
        return _closed_form(chain, goal, start, 'nearest'), None, True, passes
    if not chain.limited or proof_of(chain) is None:
        pose, passes = _finished(plan, problem, pose, tolerance, passes, budget)
        if pose.error <= tolerance or passes >= budget:
            thorough = False
    if not (chain.limited and thorough):
        return pose.bends, pose.points[-1], False, passes
    return _decided(chain, goal, start, pose.bends, tolerance, passes, budget)


def descend(
    solver: str,
    problem: Problem,
    start: Sequence[float],
    tolerance: float,
    budget: int,
    finish: bool = True,
) -> tuple[Pose, int]:
    """Bring the tip onto the target, or into a pose from which no stage brings it closer.

    As from afar: without small moves first.

    Args:
        solver: ``ccd`` or ``hybrid``.
        problem: the links, their limits and the target.
        start: (n,) bends in rad to move from, inside the limits.
        tolerance: distance from the target that is good enough, in reaches.
        budget: how many passes over the chain there may be.
        finish: whether, within limits, to do what else may lead there, where nothing follows.

    Returns:
        The best pose, always inside the limits, and the number of passes made. Without limits and
        with a target inside the annulus, the budget is the only reason not to reach it.
    """
    plan = FROM_AFAR[solver, problem.limits is not None]
    pose, passes = _begun(plan, problem, start, tolerance, budget)
    if problem.limits is not None and not finish:
        return pose, passes
    return _finished(plan, problem, pose, tolerance, passes, budget)


def _begun(
    plan: Plan, problem: Problem, start: Sequence[float], tolerance: float, budget: int
) -> tuple[Pose, int]:
    """Return what comes before any proof finds, and the passes made."""
    if plan.sweeps:
        pose, passes = sweep_on(problem, start, tolerance, budget)
    else:
        pose, passes = at(problem, start), 0
        if plan.follows and tolerance < pose.error < NEAR:
            pose, passes = follow(problem, pose, tolerance, budget)
            if pose.error <= tolerance:  # mostly
                return pose, passes
    return _staged(plan.stages, problem, pose, tolerance, passes, budget)


def _finished(
    plan: Plan, problem: Problem, pose: Pose, tolerance: float, passes: int, budget: int
) -> tuple[Pose, int]:
    """Return what comes instead of a proof finds, and the passes made."""
    pose, passes = _staged(plan.unproven, problem, pose, tolerance, passes, budget)
    return gauss_newton(problem, pose, tolerance, passes, budget, ENOUGH_AT_LAST)


def _staged(
    stages: Sequence[Stage],
    problem: Problem,
    pose: Pose,
    tolerance: float,
    passes: int,
    budget: int,
) -> tuple[Pose, int]:
    """Return what one stage after the other finds, and the passes made."""
    for stage in stages:
        if pose.error <= tolerance or passes >= budget:
            break
        tried = stage.one(problem, pose)
        if tried is pose:
            continue
        passes += 1
        if tried.error < pose.error:
            pose = tried
    return pose, passes


def _decided(
    chain: Chain,
    goal: complex,
    start: Sequence[float],
    stalled: Sequence[float],
    tolerance: float,
    passes: int,
    budget: int,
) -> _Found:
    """Return a pose that reaches a target, if limits allow one, or the closest pose.

    By the proof, or for a chain that is too long for it by the search.
    """
    proof = proof_of(chain)
    if proof is None:
        # Whatever the caller has set: it is judged by what comes out.
        with np.errstate(all='ignore'):
            found = search(
                chain,
                np.array([goal]),
                np.array(start)[:, None],
                np.array(stalled)[:, None],
                tolerance,
                budget - passes,
            )
        settled, made = bool(found.settled[0]), int(found.passes[0])
        return found.bends[:, 0].tolist(), None, settled, passes + made
    reaching = poses(proof, goal, start)
    if not reaching:
        return closest(proof, goal, start), None, True, passes + 1
    problem = problem_of(chain, goal)
    pose = at(problem, nearest(reaching, start))
    pose, passes = settle_near(problem, pose, start, tolerance, passes + 1, budget)
    return pose.bends, pose.points[-1], False, passes

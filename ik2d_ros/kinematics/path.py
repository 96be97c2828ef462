"""Poses along a path that is known as a whole: a change of shape begins before it is due."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arguments import shown
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.columns import spans
from ik2d_ros.kinematics.errors import ArgumentError
from ik2d_ros.kinematics.options import check_options
from ik2d_ros.kinematics.pose import Pose, Problem, at, largest_turn, problem_of
from ik2d_ros.kinematics.positions import clipped
from ik2d_ros.kinematics.solution import Batch, Solution, Status
from ik2d_ros.kinematics.solve import solve
from ik2d_ros.kinematics.starts import clamped_start
from ik2d_ros.kinematics.stepping import gauss_newton, step
from ik2d_ros.kinematics.targets import Numbers, check_finite, goal_of, points_of
from ik2d_ros.kinematics.tuning import (
    NEAR,
    PATH_CHANGES,
    PATH_LEAN,
    PATH_LEANT,
    PATH_MORE,
    PATH_SINGULAR,
    PATH_SPELL,
    PATH_TIMES,
)


class _Way(NamedTuple):
    """Answers along a path, each from the last, and at which of them a joint jumps."""

    answers: list[Solution]
    jumps: list[int]


class _Options(NamedTuple):
    tolerance: float
    most: int


def solve_path(
    chain: Chain,
    targets: ArrayLike,
    start: Numbers | None = None,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
) -> Batch:
    """Find poses along a path that is known as a whole, with as few jumps as it finds a way to.

    As if each target were solved from the pose of the last one. Within limits, the shape in which
    the arm begins may end on the way, so that a joint jumps. Then the arm begins in another shape,
    or changes its shape on the way, where that is found to take it past the jump. A joint jumps
    where it turns more than twice as far as the least-squares step of the arm takes, and 0.01 rad
    (a slide counts in reaches); so the targets have to be close to one another.

    Args:
        chain: the chain, in its plane.
        targets: (m, 2) points of the path, in m.
        start: (n,) positions to move from, in rad, those of prismatic joints in m. The first pose
            is free, unless the tip is near to the first target there. Default: the middle of each
            joint's range, from which it is free.
        tolerance: distance from a target in m that counts as reached.
        max_iterations: passes over the chain that there may be for a target.

    Returns:
        The answers, as :func:`.batch.solve_batch` gives them: a target that is not reached is no
        error. There are never more jumps than without looking ahead. Without one, the poses are
        those of :func:`.solve.solve`, each from the last.

    Raises:
        ArgumentError: an argument is not of its kind or out of its range.
    """
    if not issubclass(type(chain), Chain):
        raise ArgumentError(f'chain is {shown(chain)}; it must be a Chain')
    points = points_of(targets, 2)
    check_finite(points)
    _, _, tolerance, most = check_options(len(chain), 'auto', 'nearest', tolerance, max_iterations)
    options = _Options(tolerance, most)
    begin = None if start is None else np.array(clamped_start(chain, start))
    way = _followed(chain, points, begin, options)
    if way.jumps and chain.limited and len(chain) > 2:
        free = begin is None or _away(chain, points[0], begin) > NEAR
        way = _without_jumps(chain, points, way, free, options)
    return _batch(chain, way.answers)


def jumps(chain: Chain, before: FloatArray, after: FloatArray, target: Numbers) -> bool:
    """Return whether a joint moves more than a step to a target that is near needs.

    Not beside a singular pose, where the tip cannot take every direction.

    Args:
        chain: the chain.
        before: (n,) positions in rad or m, inside the limits.
        after: (n,) positions that reach the target.
        target: (2,) in m.
    """
    problem, pose = _posed(chain, before, target)
    largest = largest_turn(pose, chain.bends_at(after.tolist()))
    if largest <= PATH_MORE or _least_slope(problem, pose) < PATH_SINGULAR:
        return False
    return largest > _allowed(problem, pose)


def _followed(
    chain: Chain, points: FloatArray, start: FloatArray | None, options: _Options
) -> _Way:
    """Return the answers, each from the last, and where joints jump; never at the first."""
    answers: list[Solution] = []
    for point in points.tolist():
        answer = solve(
            chain, point, 'auto', start, tolerance=options.tolerance, max_iterations=options.most
        )
        answers.append(answer)
        start = answer.q
    return _Way(answers, _jumps_of(chain, points, answers))


def _jumps_of(chain: Chain, points: FloatArray, answers: Sequence[Solution]) -> list[int]:
    found = []
    for k in range(1, len(answers)):
        before, after = answers[k - 1], answers[k]
        # Where the path leaves what can be reached, so does the arm.
        reached = before.status is after.status is Status.REACHED
        if reached and jumps(chain, before.q, after.q, points[k]):
            found.append(k)
    return found


def _without_jumps(
    chain: Chain, points: FloatArray, way: _Way, free: bool, options: _Options
) -> _Way:
    """Return the way with as few jumps as are found; ``free`` says whether its first pose is."""
    best, passed = way, 0
    for _ in range(PATH_CHANGES):
        left = [k for k in way.jumps if k >= passed]
        if not left:
            break
        last = _end_of_spell(left)
        begun = _brought_forward(chain, points, way, passed, last, free, options)
        passed = last + 1
        if begun is None:
            continue
        rest = _followed(chain, points[last + 1 :], begun[-1].q, options)
        answers = begun + rest.answers
        way = _Way(answers, _jumps_of(chain, points, answers))
        if len(way.jumps) < len(best.jumps):
            best = way
    return best


def _end_of_spell(found: Sequence[int]) -> int:
    """Return the last jump of those that follow one another."""
    last = found[0]
    for k in found:
        if k - last > PATH_SPELL:
            break
        last = k
    return last


def _brought_forward(
    chain: Chain,
    points: FloatArray,
    way: _Way,
    passed: int,
    last: int,
    free: bool,
    options: _Options,
) -> list[Solution] | None:
    """Return answers up to the last jump of a spell without those after ``passed``; or None.

    The shape after it is followed back as far as it goes: to the beginning of the path, or to where
    the arm begins to lean towards it.
    """
    answers = way.answers
    back = [answers[last]]
    for k in range(last - 1, passed - 1, -1):
        answer = solve(
            chain,
            points[k],
            'auto',
            back[-1].q,
            tolerance=options.tolerance,
            max_iterations=options.most,
        )
        if answer.status is not Status.REACHED or jumps(chain, back[-1].q, answer.q, points[k]):
            break
        back.append(answer)
    guide = back[::-1]
    first = last + 1 - len(guide)
    if first == 0 and free:
        return guide
    first = max(first, 1)
    made = list(answers[:first])
    for k in range(first, last + 1):
        leant = _leant(chain, made[-1].q, points[k], guide[k - last - 1].q, options)
        if leant is None:
            return None
        made.append(leant)
    return made


def _leant(
    chain: Chain, before: FloatArray, target: FloatArray, guide: FloatArray, options: _Options
) -> Solution | None:
    """Return the answer of a step that turns the joints towards a guide, too; without a jump."""
    problem, pose = _posed(chain, before, target)
    least = step(problem, pose, 0.0)
    most = _allowed(problem, pose)
    near = [
        (max(lower, bend - most), min(upper, bend + most))
        for bend, (lower, upper) in zip(pose.bends, chain.bend_limits)
    ]
    narrowed = problem._replace(limits=near)
    ways = [
        there - bend if math.isfinite(lower) else math.remainder(there - bend, TURN)
        for there, bend, (lower, _) in zip(chain.bends_at(guide.tolist()), least, chain.bend_limits)
    ]
    farthest = max(map(abs, ways)) or 1.0
    share = min(1.0, PATH_LEAN * (most - largest_turn(pose, least)) / farthest)
    distance = options.tolerance / (chain.reach.outer or 1.0)
    for part in (share, 0.3 * share, 0.0):
        begun = [
            min(max(bend + part * way, lower), upper)
            for bend, way, (lower, upper) in zip(least, ways, near)
        ]
        # The least turns that bring the tip back leave of the leaning what does not move it.
        ended, _ = gauss_newton(
            narrowed, at(narrowed, begun), distance, 0, options.most, PATH_LEANT
        )
        if ended.error <= distance:
            q = np.array(clipped(chain, ended.bends))
            # It is there already: what comes back is this pose, with its error and its angle.
            answer = solve(chain, target.tolist(), 'auto', q, tolerance=options.tolerance)
            return answer if answer.status is Status.REACHED else None
    return None


def _posed(chain: Chain, q: FloatArray, target: Numbers) -> tuple[Problem, Pose]:
    x, y = target
    problem = problem_of(chain, goal_of(x, y, chain.reach.outer or 1.0))
    return problem, at(problem, chain.bends_at(q.tolist()))


def _allowed(problem: Problem, pose: Pose) -> float:
    """Return how far any joint may turn before it jumps."""
    return PATH_TIMES * largest_turn(pose, step(problem, pose, 0.0)) + PATH_MORE


def _least_slope(problem: Problem, pose: Pose) -> float:
    """Return by how much the tip moves, in the direction in which it moves least."""
    columns = np.array(spans(problem.fixed, pose.bends, pose.points))
    return float(np.linalg.svd(np.stack([columns.real, columns.imag]), compute_uv=False)[-1])


def _away(chain: Chain, target: FloatArray, q: FloatArray) -> float:
    """Return how far the tip is from a target, in reaches."""
    return float(np.hypot(*(chain.forward(q)[-1] - target))) / (chain.reach.outer or 1.0)


def _batch(chain: Chain, answers: Sequence[Solution]) -> Batch:
    return Batch(
        np.array([each.q for each in answers]).reshape(len(answers), len(chain)),
        np.array([each.error for each in answers]),
        np.array([each.status for each in answers], dtype=np.int8),
        np.array([each.proven for each in answers], dtype=np.bool_),
        np.zeros(len(answers)),
        chain,
    )

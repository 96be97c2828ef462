"""Poses along a path that is known as a whole: a change of shape begins before it is due."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics.arguments import shown
from ik2d_ros.kinematics.arrays import Flags, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.errors import ArgumentError
from ik2d_ros.kinematics.links import Links
from ik2d_ros.kinematics.options import check_options
from ik2d_ros.kinematics.paths.path_jumps import jumping
from ik2d_ros.kinematics.paths.path_search import Task, explored
from ik2d_ros.kinematics.paths.path_sides import farthest_of_two
from ik2d_ros.kinematics.paths.path_smoothing import threaded
from ik2d_ros.kinematics.positions import clipped
from ik2d_ros.kinematics.solution import Batch, Solution, Status
from ik2d_ros.kinematics.solve import solve
from ik2d_ros.kinematics.starts import clamped_start
from ik2d_ros.kinematics.targets import Numbers, check_finite, goals_of, points_of
from ik2d_ros.kinematics.tuning import (
    NEAR,
    PATH_CROWDS,
    PATH_FEW,
    PATH_LARGEST,
    PATH_SLOW,
    PATH_SLOWED,
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
    the arm begins may end on the way, so that a joint jumps. Then many poses explore what small
    moves allow, and the arm follows the one that gets to the end, in another shape from the
    beginning, or changing its shape on the way. If none gets there, it jumps where the last one
    ends, and goes on from there likewise. A joint jumps where it turns more than twice as far as
    the least-squares step of the arm takes, and 0.01 rad (a slide counts in reaches); so the
    targets have to be close to one another.

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
    answers = _followed(chain, points, begin, options)
    if chain.limited and len(chain) > 1:
        way = _Way(answers, _jumps_of(chain, points, answers))
        if way.jumps:
            free = begin is None or _away(chain, points[0], begin) > NEAR
            answers = _without_jumps(chain, points, way, free, options).answers
    return _batch(chain, answers)


def jumps(chain: Chain, targets: ArrayLike, poses: ArrayLike) -> Flags:
    """Return whether a joint moves more than a step to a target that is near needs.

    Not beside a singular pose, where the tip cannot take every direction.

    Args:
        chain: the chain.
        targets: (m, 2) points of the path, in m.
        poses: (m, n) positions that reach them, in rad or m, inside the limits.

    Returns:
        (m - 1,) for each pose but the first, whether it is a jump from the one before.
    """
    goals = goals_of(points_of(targets, 2), chain.size)
    bends = chain.bends_many(np.array(poses, dtype=np.float64).reshape(len(goals), len(chain)))
    return jumping(Links.of(chain), goals, bends.T)


def _followed(
    chain: Chain, points: FloatArray, start: FloatArray | None, options: _Options
) -> list[Solution]:
    """Return the answers, each from the last."""
    answers: list[Solution] = []
    for point in points.tolist():
        answer = solve(
            chain, point, 'auto', start, tolerance=options.tolerance, max_iterations=options.most
        )
        answers.append(answer)
        start = answer.q
    return answers


def _jumps_of(chain: Chain, points: FloatArray, answers: Sequence[Solution]) -> list[int]:
    """Return at which answers a joint jumps; never at the first."""
    # Where the path leaves what can be reached, so does the arm.
    reached = np.array([each.status is Status.REACHED for each in answers], dtype=np.bool_)
    found = jumps(chain, points, [each.q for each in answers])
    steps: list[int] = (np.flatnonzero(found & reached[1:] & reached[:-1]) + 1).tolist()
    return steps


def _without_jumps(
    chain: Chain, points: FloatArray, way: _Way, free: bool, options: _Options
) -> _Way:
    """Return the way with as few jumps as are found; ``free`` says whether its first pose is."""
    passed = 0
    while True:
        left = [k for k in way.jumps if k >= passed]
        if not left:
            return way
        first, last = _reached_about(way.answers, left[0])
        tried = _explored(chain, points, way, first, last, free and first == 0, options)
        passed = last + 1
        if len(tried.jumps) < len(way.jumps):
            way = tried


def _reached_about(answers: Sequence[Solution], at: int) -> tuple[int, int]:
    """Return the first and the last of the targets about one that are reached without a gap."""
    first = last = at
    while first > 0 and answers[first - 1].status is Status.REACHED:
        first -= 1
    while last + 1 < len(answers) and answers[last + 1].status is Status.REACHED:
        last += 1
    return first, last


def _explored(
    chain: Chain,
    points: FloatArray,
    way: _Way,
    first: int,
    last: int,
    free: bool,
    options: _Options,
) -> _Way:
    """Return the way with other answers from the first to the last target, and what follows.

    Where no pose gets on without a jump, the way goes on from any that does.
    """
    goals = goals_of(points[first : last + 1], chain.size)
    answers = way.answers[first : last + 1]
    plain = chain.bends_many(np.array([each.q for each in answers])).T
    allowed = sum(first < k <= last for k in way.jumps)
    parts: list[FloatArray] = []
    done = 0
    while done < len(goals):
        if len(parts) > allowed:
            return way
        part = _farthest(Task(chain, goals[done:], plain[:, done:], free or done > 0, {}))
        parts.append(part)
        done += part.shape[1]
    bends = np.concatenate(parts, axis=1)
    made = list(way.answers[:first])
    for k in range(first, last + 1):
        if k == first and (bends[:, 0] == plain[:, 0]).all():
            made.append(answers[0])
            continue
        q = np.array(clipped(chain, bends[:, k - first].tolist()))
        # It is there already: what comes back is this pose, with its error and its angle.
        made.append(solve(chain, points[k], 'auto', q, tolerance=options.tolerance))
    if any(each.status is not Status.REACHED for each in made[first:]):
        return way
    made += _followed(chain, points[last + 1 :], made[-1].q, options)
    return _Way(made, _jumps_of(chain, points, made))


def _farthest(task: Task) -> FloatArray:
    """Return poses (n, k) on the targets, without a jump for as long as is found."""
    if len(task.chain) == 2:
        return farthest_of_two(task)
    links, best = Links.of(task.chain), task.plain[:, :1]
    slow = np.zeros(len(task.targets), dtype=np.bool_)
    for count in (*PATH_CROWDS, *([PATH_LARGEST] if len(task.chain) > PATH_FEW else [])):
        for left in range(PATH_SLOWED - 1, -1, -1):
            found = threaded(links, task.targets, explored(task, count, slow), slow)
            jumped = np.append(np.flatnonzero(jumping(links, task.targets, found)), found.shape[1])
            best = max(best, found[:, : jumped[0] + 1], key=lambda bends: bends.shape[1])
            if best.shape[1] == len(task.targets):
                return best
            if len(jumped) == 1:  # There the poses end, rather than what is between the stops.
                break
            for k in jumped[:-1]:
                slow[max(0, k - PATH_SLOW) : k + PATH_SLOW] = True
            # With a stop at every target, nothing is between them.
            slow |= left == 1
    return best


def _away(chain: Chain, target: FloatArray, q: FloatArray) -> float:
    """Return how far the tip is from a target, in reaches."""
    return float(np.hypot(*(chain.forward(q)[-1] - target))) / chain.size


def _batch(chain: Chain, answers: Sequence[Solution]) -> Batch:
    return Batch(
        np.array([each.q for each in answers]).reshape(len(answers), len(chain)),
        np.array([each.error for each in answers]),
        np.array([each.status for each in answers], dtype=np.int8),
        np.array([each.proven for each in answers], dtype=np.bool_),
        np.zeros(len(answers)),
        chain,
    )

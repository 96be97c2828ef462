"""Many targets for one arm in one call, in NumPy."""

from __future__ import annotations

import os
from dataclasses import replace
from threading import Thread
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics.arguments import FloatArray, packed
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.kernel.chain_solver import Task
from ik2d_ros.kinematics.kernel.codes import METHODS
from ik2d_ros.kinematics.options import (
    NO_ANGLE,
    Options,
    check_angles,
    check_options,
    clamped_starts,
    flat_chain,
    points_of,
)
from ik2d_ros.kinematics.solution import Batch, Status, is_proven
from ik2d_ros.kinematics.solve import ANGLE_TOLERANCE, solve_in_space
from ik2d_ros.kinematics.two_bone import fill_plain, is_at_rest

_THREADS = min(4, os.cpu_count() or 1)
_FEWEST = 256  # Targets that are worth a thread.


class _Asked(NamedTuple):
    """Targets for an arm and how to solve for them, checked.

    Attributes:
        points: (m, 2) or (m, 3) in m.
        starts: (1, n) or (m, n) in rad or m, inside the limits.
        wishes: (m,) tip angles in rad, or none.
        slack: distance from them in rad that counts as reached.
        options: all others.
    """

    points: FloatArray
    starts: FloatArray
    wishes: FloatArray
    slack: float
    options: Options


def solve_batch(
    chain: Chain | Arm,
    targets: ArrayLike,
    solver: str = 'auto',
    start: ArrayLike | None = None,
    bend: str = 'nearest',
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    angle: ArrayLike | None = None,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Batch:
    """Find the joint positions for many targets, each as :func:`.solve.solve` does.

    Status and pose are the same as there. Two joints without limits that start stretched have a
    formula of their own, which differs by rounding.

    Example:
        >>> from ik2d_ros.kinematics import Chain, Status, solve_batch
        >>> batch = solve_batch(Chain.from_lengths([0.30, 0.25]), [(0.3, 0.2), (0.5, 0.4)])
        >>> [Status(code).name for code in batch.status]
        ['REACHED', 'TOO_FAR']

    Args:
        chain: the chain, or the arm in space.
        targets: (m, 2) where the tip is to go, in m; for an arm (m, 3), in the base frame.
        solver: ``two_bone``, ``ccd``, ``hybrid`` or ``auto``.
        start: (n,) positions in rad or m to move from, or (m, n), one pose per target; as there.
        bend: ``nearest``, ``positive`` or ``negative``, for ``two_bone``.
        tolerance: distance from a target in m that counts as reached.
        max_iterations: passes over the chain that ``ccd`` and ``hybrid`` may make for a target.
        angle: of the tips in rad, one for all targets or (m,), one for each, or None for any.
        angle_tolerance: distance from the angle in rad that counts as reached.

    Raises:
        ArgumentError: an argument is not of its kind or out of its range.
    """
    flat = flat_chain(chain)
    points = points_of(targets, 3 if isinstance(chain, Arm) else 2)
    options = check_options(len(flat), solver, bend, tolerance, max_iterations)
    starts = clamped_starts(chain, start, len(points))
    wishes, slack = check_angles(flat, angle, angle_tolerance, len(points))
    asked = _Asked(points, starts, wishes, slack, options)
    if not isinstance(chain, Arm):
        return _solve_in_plane(flat, asked)
    batch = _run(chain, asked._replace(points=chain.frame.located(points)))
    return _keep_off(chain, asked, batch) if chain.walls else batch


def _keep_off(arm: Arm, asked: _Asked, batch: Batch) -> Batch:
    """Solve those one by one whose targets or poses are across a wall."""
    heights = [wall.height(*asked.points.T) for wall in arm.walls]
    least = np.min([*arm.clearances(list(batch.q.T)), *heights], axis=0)
    angle_error = np.array(batch.angle_error)
    for k in np.flatnonzero(least < arm.hair):
        x, y, z = asked.points[k].tolist()
        start = asked.starts[k if len(asked.starts) > 1 else 0].tolist()
        wish = float(asked.wishes[k]) if len(asked.wishes) else NO_ANGLE
        found = solve_in_space(arm, (x, y, z), start, wish, asked.slack, asked.options)
        batch.q[k], batch.error[k], batch.status[k] = found.q, found.error, found.status
        batch.proven[k], angle_error[k] = found.proven, found.angle_error
    return replace(batch, angle_error=angle_error)


def _solve_in_plane(chain: Chain, asked: _Asked) -> Batch:
    count = len(asked.points)
    is_plain = not len(asked.wishes) and asked.options.codes[:2] == (METHODS['two_bone'], 0)
    if not (is_plain and is_at_rest(chain, asked.starts)):
        return _run(chain, asked)
    q = np.empty((count, 2))
    left = fill_plain(chain, asked.points, q)
    error, status = np.zeros(count), np.zeros(count, np.int8)
    proven = np.full(count, is_proven(Status.REACHED, chain, asked.options.tolerance, NO_ANGLE))
    if left.any():
        rest = _run(chain, asked._replace(points=asked.points[left], starts=asked.starts[:1]))
        q[left], error[left], status[left] = rest.q, rest.error, rest.status
        proven[left] = rest.proven
    return Batch(q, error, status, proven, np.broadcast_to(0.0, count), chain)


def _run(chain: Chain | Arm, asked: _Asked) -> Batch:
    """Solve in compiled code, in threads where there are many targets."""
    points, starts, wishes, slack, (_, tolerance, codes) = asked
    count = len(points)
    given = packed(points), packed(starts), packed(wishes)
    task = Task(*given, len(chain), points.shape[1], (tolerance, slack))
    parts = max(1, min(_THREADS, count // _FEWEST))
    rows = [range(count * i // parts, count * (i + 1) // parts) for i in range(parts)]
    if parts == 1:
        chain.solver.solve_batch(task, rows[0], codes)
    else:
        failures = list[BaseException]()

        def work(part: range) -> None:
            try:
                chain.new_solver().solve_batch(task, part, codes)
            except BaseException as error:  # it is raised below
                failures.append(error)

        # Daemons, so that the process can end meanwhile.
        threads = [Thread(target=work, args=(part,), daemon=True) for part in rows]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
    q, error, off = (np.frombuffer(answer) for answer in task.answers[:3])
    status = np.frombuffer(task.answers[3], np.int32).astype(np.int8)
    if not len(wishes):
        # One zero for all targets saves eight megabytes for a million.
        off = np.broadcast_to(0.0, count)
    limits = flat_chain(chain), tolerance, slack if len(wishes) else NO_ANGLE
    proven = np.array([is_proven(each, *limits) for each in Status])[status]
    return Batch(q.reshape(count, len(chain)), error, status, proven, off, chain)

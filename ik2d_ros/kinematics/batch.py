"""Many targets for one arm in one call, in NumPy."""

from __future__ import annotations

import math
import os
from threading import Thread

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics.arguments import FloatArray, packed
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.kernel.chain_solver import Task
from ik2d_ros.kinematics.options import (
    NO_ANGLE,
    Options,
    check_angles,
    check_options,
    check_rolls,
    clamped_starts,
    flat_chain,
    points_of,
)
from ik2d_ros.kinematics.solution import Batch, Status, is_proven
from ik2d_ros.kinematics.solve import ANGLE_TOLERANCE, planar_options, planar_poses, solve_in_space

_THREADS = min(4, os.cpu_count() or 1)
_FEWEST = 256  # Targets that are worth a thread.


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
    roll: ArrayLike | None = None,
) -> Batch:
    """Find the joint positions for many targets: the same poses as :func:`.solve.solve` finds.

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
        angle_tolerance: distance from the angle, and from the roll, in rad that counts as reached.
        roll: of an arm that has one in rad, one for all targets or (m,), one for each; as there.

    Raises:
        ArgumentError: an argument is not of its kind or out of its range.
    """
    flat = flat_chain(chain)
    points = points_of(targets, 3 if isinstance(chain, Arm) else 2)
    options = check_options(len(flat), solver, bend, tolerance, max_iterations)
    starts = clamped_starts(chain, start, len(points))
    wishes, slack = check_angles(flat, angle, angle_tolerance, len(points))
    every = np.broadcast_to(starts, (len(points), len(chain)))
    asked = check_rolls(chain, roll, every)
    if isinstance(chain, Arm) and chain.roll is not None:
        return _rolled(chain, points, every, wishes, slack, options, asked)
    return _solved(chain, points, starts, wishes, slack, options)


def _rolled(
    arm: Arm,
    points: FloatArray,
    starts: FloatArray,
    wishes: FloatArray,
    slack: float,
    options: Options,
    asked: FloatArray,
) -> Batch:
    """Solve for an arm with a roll, at once all targets for which its last link is the same."""
    count, roll = len(points), arm.roll
    rolls = np.array([roll.nearest(a, b) for a, b in zip(asked, starts[:, -1]) if roll])
    q, error, off = np.empty((count, len(arm))), np.empty(count), np.empty(count)
    status, proven = np.empty(count, np.int8), np.empty(count, bool)
    for same in np.unique(rolls) if arm.tip_radius else rolls[:1]:
        rows = np.flatnonzero(rolls == same) if arm.tip_radius else np.arange(count)
        planar = arm.at_roll(float(same))
        chosen = planar_options(arm, planar, options)
        angles = wishes[rows] if len(wishes) else wishes
        begins = planar_poses(arm, planar, starts[rows])
        found = _solved(planar, points[rows], begins, angles, slack, chosen)
        q[rows] = np.c_[found.q[:, : len(arm) - 1], rolls[rows]]
        error[rows], off[rows] = found.error, found.angle_error
        status[rows], proven[rows] = found.status, found.proven
    gaps = np.abs(asked - rolls - math.tau * np.rint((asked - rolls) / math.tau))
    status[(status == Status.REACHED) & (gaps > slack)] = Status.TIP_ANGLE
    if arm.walls and count:
        for k in np.flatnonzero((status == Status.BLOCKED) & ~arm.are_clear(q)):
            gaps[k] = abs(math.remainder(asked[k] - starts[k, -1], math.tau))
            q[k], error[k] = starts[k], math.dist(arm.forward(starts[k]), points[k])
    return Batch(q, error, status, proven, off, gaps, arm)


def _solved(
    chain: Chain | Arm,
    points: FloatArray,
    starts: FloatArray,
    wishes: FloatArray,
    slack: float,
    options: Options,
) -> Batch:
    """Solve for an arm that has no roll."""
    flat = flat_chain(chain)
    seen = chain.frame.located(points) if isinstance(chain, Arm) else points
    given = packed(seen), packed(starts), packed(wishes)
    task = Task(*given, len(chain), points.shape[1], (options.tolerance, slack))
    _run(chain, task, len(points), options.codes)
    q, error, off = (np.frombuffer(answer) for answer in task.answers[:3])
    q = q.reshape(-1, len(chain))
    status = np.frombuffer(task.answers[3], np.int32).astype(np.int8)
    limits = flat, options.tolerance, slack if len(wishes) else NO_ANGLE
    proven = np.array([is_proven(each, *limits) for each in Status])[status]
    if isinstance(chain, Arm) and chain.walls:
        # One by one those whose targets or poses are across a wall.
        heights = [wall.height(*points.T) for wall in chain.walls]
        least = np.min([*chain.clearances(list(q.T)), *heights], axis=0)
        for k in np.flatnonzero(least < -chain.clearance_tolerance).tolist():
            begin = starts[k % len(starts)].tolist()
            wish = float(wishes[k]) if len(wishes) else NO_ANGLE
            x, y, z = points[k].tolist()
            found = solve_in_space(chain, (x, y, z), begin, wish, slack, options)
            q[k], error[k], status[k] = found.q, found.error, found.status
            proven[k], off[k] = found.proven, found.angle_error
    return Batch(q, error, status, proven, off, np.zeros(len(q)), chain)


def _run(chain: Chain | Arm, task: Task, count: int, codes: tuple[int, int, int]) -> None:
    """Solve in compiled code, in threads where there are many targets."""
    parts = max(1, min(_THREADS, count // _FEWEST))
    rows = [range(count * i // parts, count * (i + 1) // parts) for i in range(parts)]
    if parts == 1:
        chain.solver.solve_batch(task, rows[0], codes)
        return
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

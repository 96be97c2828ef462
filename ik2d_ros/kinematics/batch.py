"""Many targets for one arm in one call, in NumPy."""

from __future__ import annotations

import os
from array import array
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics.arguments import numbers
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.in_space import batch_on_lift, batch_on_turntable
from ik2d_ros.kinematics.kernel.chain_solver import Task
from ik2d_ros.kinematics.kernel.solver import METHODS
from ik2d_ros.kinematics.options import (
    check_angle,
    check_angles,
    check_chain,
    check_finite,
    check_options,
    clamped_starts,
    is_arm,
    points_of,
)
from ik2d_ros.kinematics.solution import Batch, Status
from ik2d_ros.kinematics.solve import SIDES
from ik2d_ros.kinematics.two_bone import fill_plain, is_at_rest

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
    angle_tolerance: float = 1e-3,
) -> Batch:
    """Do what :func:`.solve.solve` does, for many targets, each judged by itself.

    Each target goes the same way as there, so that status and pose are the same. Two joints
    without limits that start stretched have a formula of their own, which differs by rounding.

    Args:
        chain: the chain, or the arm in space.
        targets: (m, 2) where the tip is to go, in m; for an arm (m, 3), in the base frame.
        solver: ``two_bone``, ``ccd``, ``hybrid`` or ``auto``.
        start: (n,) positions in rad or m to move from, or (m, n), one pose per target; as there.
        bend: ``nearest``, ``positive`` or ``negative``, for ``two_bone``.
        tolerance: distance from a target in m that counts as reached.
        max_iterations: passes over the chain that ``ccd`` and ``hybrid`` may make for a target.
        angle: of the tips in rad, one for all targets or (m,), one for each; None for any.
        angle_tolerance: distance from the angle in rad that counts as reached.

    Raises:
        ArgumentError: an argument is not of its kind or out of its range.
    """
    asked = _checked(chain, targets, solver, start, bend, tolerance, max_iterations)
    flat = _flat(chain)
    _, slack = check_angle(flat, None, angle_tolerance)
    angles: FloatArray = np.empty(0)
    if angle is not None:
        angles, slack = check_angles(flat, angle, angle_tolerance, len(asked.points))
    check_finite(asked.points)
    if is_arm(chain):
        return _solve_arm(chain, asked, angles, slack)
    return _solve_chain(flat, asked, angles, slack)


def _flat(arm: Chain | Arm) -> Chain:
    """Return the chain that moves in the plane."""
    return arm.chain if is_arm(arm) else check_chain(arm)


class _Asked(NamedTuple):
    """Targets for an arm and how to solve for them, checked.

    Attributes:
        points: (m, 2) or (m, 3) in m.
        given: the starts as they were given; None for none.
        starts: (m, n) in rad or m, inside the limits.
        solver: never ``auto``.
        bend: for ``two_bone``.
        tolerance: in m.
        max_iterations: passes that may be made for each.
    """

    points: FloatArray
    given: FloatArray | None
    starts: FloatArray
    solver: str
    bend: str
    tolerance: float
    max_iterations: int


def _checked(
    chain: Chain | Arm,
    targets: ArrayLike,
    solver: str,
    start: ArrayLike | None,
    bend: str,
    tolerance: float,
    max_iterations: int,
) -> _Asked:
    flat = _flat(chain)
    points = points_of(targets, 3 if is_arm(chain) else 2)
    options = check_options(len(flat), solver, bend, tolerance, max_iterations)
    given = None if start is None else numbers('start', start)
    return _Asked(points, given, clamped_starts(chain, given, len(points)), *options)


def _solve_chain(chain: Chain, asked: _Asked, angles: FloatArray, slack: float) -> Batch:
    count = len(asked.points)
    is_plain = not len(angles) and asked.solver == 'two_bone' and asked.bend == 'nearest'
    if not (is_plain and is_at_rest(chain, asked.given)):
        return _run(chain, asked, angles, slack)
    q = np.empty((count, 2))
    left = fill_plain(chain, asked.points, q)
    error, status, proven = np.zeros(count), np.zeros(count, np.int8), np.ones(count, bool)
    if left.any():
        asked = asked._replace(points=asked.points[left], starts=asked.starts[:1])
        rest = _run(chain, asked, angles, slack)
        q[left], error[left], status[left] = rest.q, rest.error, rest.status
        proven[left] = rest.proven
    return Batch(q, error, status, proven, np.broadcast_to(0.0, count), chain)


def _run(chain: Chain | Arm, asked: _Asked, angles: FloatArray, slack: float) -> Batch:
    """Solve in compiled code, in threads where there are many targets."""
    points, _, starts, solver, bend, tolerance, most = asked
    count = len(points)
    if not starts.strides[0]:
        starts = starts[:1]
    given = _packed(points), _packed(starts), _packed(angles)
    task = Task(*given, len(chain), points.shape[1], (tolerance, slack))
    options = METHODS[solver], SIDES[bend], most
    parts = max(1, min(_THREADS, count // _FEWEST))
    rows = [range(count * i // parts, count * (i + 1) // parts) for i in range(parts)]
    first = chain.solver
    if parts == 1:
        first.solve_batch(task, rows[0], options)
    else:
        with ThreadPoolExecutor(parts) as pool:
            solvers = [first, *(first.twin() for _ in rows[1:])]
            done = [pool.submit(s.solve_batch, task, r, options) for s, r in zip(solvers, rows)]
            for part in done:
                part.result()
    q, error, off = (np.frombuffer(answer) for answer in task.answers[:3])
    status = np.frombuffer(task.answers[3], np.int32).astype(np.int8)
    proven = status != Status.NOT_CONVERGED.value
    if first.solver.lines.deep > 0:
        proven &= (status != Status.JOINT_LIMIT.value) & (status != Status.TIP_ANGLE.value)
    if not len(angles):
        # One zero for all: a million of them would be eight megabytes of nothing.
        off = np.broadcast_to(0.0, count)
    return Batch(q.reshape(count, len(chain)), error, status, proven, off, chain)


def _packed(numbers: FloatArray) -> array[float]:
    """Return numbers as the kernel takes them."""
    return array('d', np.ascontiguousarray(numbers).tobytes())


def _solve_arm(arm: Arm, asked: _Asked, angles: FloatArray, slack: float) -> Batch:
    tolerances = asked.tolerance, slack
    if arm.sweep is None:
        starts = asked.starts[:, len(arm) - len(arm.chain) :]
        given = None if asked.given is None else starts
        return batch_on_lift(
            arm,
            asked.points,
            tolerances,
            lambda points: _solve_chain(
                arm.chain, asked._replace(points=points, given=given, starts=starts), angles, slack
            ),
        )
    return batch_on_turntable(
        arm,
        arm.sweep,
        asked.points,
        tolerances,
        lambda points: _run(arm, asked._replace(points=points), angles, slack),
    )

"""Many targets for one arm in one call, in NumPy."""

from __future__ import annotations

import os
from array import array
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik2d_ros.kinematics.arguments import numbers
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import FloatArray, Indices, taken
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.kernel.chain_solver import Task
from ik2d_ros.kinematics.kernel.solver import METHODS
from ik2d_ros.kinematics.options import (
    check_angle,
    check_angles,
    check_chain,
    check_options,
    is_arm,
)
from ik2d_ros.kinematics.planar.planar_solver import Effort, PlanarBatch
from ik2d_ros.kinematics.planar.strategy_many import solved
from ik2d_ros.kinematics.proof.proof import is_proven
from ik2d_ros.kinematics.solution import Batch, Status
from ik2d_ros.kinematics.solve import SIDES
from ik2d_ros.kinematics.space.batch_in_space import solve_many_on_turntable
from ik2d_ros.kinematics.space.on_lift_many import solve_many_on_lift, solve_many_on_lift_at_angle
from ik2d_ros.kinematics.starts import clamped_starts
from ik2d_ros.kinematics.targets import check_finite, points_of
from ik2d_ros.kinematics.tip_angle.tip_angle_in_space_many import solve_many_on_turntable_at_angle
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

    For a chain, each target goes the same way as there, so that status and pose are the same, far
    and near, reached or not, whatever else is in the batch, and also where ``max_iterations`` ends
    the work. Poses differ by rounding only, which a straight or folded arm magnifies: by 1e-6 rad
    at the most, where ``tolerance`` is 1e-9 of the reach or more. (Rounding may pick one pose of
    two where a joint is exactly under both tip and target, so that every angle is as good; and
    where one has to be exactly at a limit, while links are 100 times as long as others.) With an
    angle, that holds unless ``max_iterations`` ends the work, where ``angle_tolerance`` is 1e-9 rad
    or more, too; but where joints slide and the others have no limits, the pose may, seldom, be
    another one. For an arm in space, the status is the same, unless ``max_iterations`` ends the
    work; the pose may be another one that reaches the target, or is as close.

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
    if angle is None:
        check_angle(flat, None, angle_tolerance)
        if is_arm(chain):
            return _solve_arm(chain, asked)
        return _solve_chain(flat, asked, np.empty(0), angle_tolerance)
    wanted, allowed = check_angles(flat, angle, angle_tolerance, len(asked.points))
    check_finite(asked.points)
    if is_arm(chain):
        return _solve_arm_at_angle(chain, asked, wanted, allowed)
    return _run(flat, asked, wanted, allowed)


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

    def in_plane(self, arm: Arm, some: Indices, places: FloatArray) -> _Asked:
        """Return what is asked of an arm's chain, for some of the targets at (k, 2) in m."""
        starts = taken(self.starts, some)[:, len(arm) - len(arm.chain) :]
        given = None if self.given is None else starts
        return self._replace(points=places, given=given, starts=starts)


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
    check_finite(asked.points)
    count = len(asked.points)
    is_plain = asked.solver == 'two_bone' and asked.bend == 'nearest'
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


def _run(chain: Chain, asked: _Asked, angles: FloatArray, slack: float) -> Batch:
    """Solve in compiled code, in threads where there are many targets."""
    points, _, starts, solver, bend, tolerance, most = asked
    count = len(points)
    if not starts.strides[0]:
        starts = starts[:1]
    given = _packed(points), _packed(starts), _packed(angles)
    task = Task(*given, len(chain), (tolerance, slack))
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


def _poses(chain: Chain, asked: _Asked, effort: Effort = Effort.ALL) -> PlanarBatch:
    points, given, starts, solver, bend, tolerance, most = asked
    return solved(chain, points, solver, given, starts, bend, tolerance, most, effort)


def _solve_arm(arm: Arm, asked: _Asked) -> Batch:
    check_finite(asked.points)

    def planar(some: Indices, places: FloatArray, effort: Effort, near: float) -> PlanarBatch:
        flat = asked.in_plane(arm, some, places)._replace(tolerance=near)
        return _poses(arm.chain, flat, effort)

    points, tolerance = asked.points, asked.tolerance
    with np.errstate(all='ignore'):  # What overflows is farther away than anything is long.
        if arm.sweep is None:
            return _without_angle(arm, *solve_many_on_lift(arm, points, tolerance, planar))
        found = solve_many_on_turntable(arm, arm.sweep, points, asked.starts, tolerance, planar)
        return _without_angle(arm, *found)


def _without_angle(
    arm: Chain | Arm,
    q: FloatArray,
    error: FloatArray,
    status: NDArray[np.int8],
    settled: NDArray[np.bool_] | None = None,
) -> Batch:
    """Return answers for targets without an angle; some are known to be ``settled``."""
    chain = _flat(arm)
    # By value: with members of an enum, NumPy compares eight bytes for each of them.
    proven = status != Status.NOT_CONVERGED.value
    if chain.limited:
        limit = status == Status.JOINT_LIMIT.value
        if limit.any() and not is_proven(Status.JOINT_LIMIT, chain):
            proven &= ~limit
            if settled is not None:
                proven |= limit & settled
    # One zero for all: a million of them would be eight megabytes of nothing.
    return Batch(q, error, status, proven, np.broadcast_to(0.0, len(error)), arm)


def _solve_chain_at_angle(chain: Chain, asked: _Asked, wanted: FloatArray, allowed: float) -> Batch:
    return _run(chain, asked, wanted, allowed)


def _solve_arm_at_angle(arm: Arm, asked: _Asked, wanted: FloatArray, allowed: float) -> Batch:
    points, _, starts, _, _, tolerance, _ = asked

    def planar(some: Indices, places: FloatArray, near: float = tolerance) -> Batch:
        flat = asked.in_plane(arm, some, places)._replace(tolerance=near)
        return _solve_chain_at_angle(arm.chain, flat, wanted[some], allowed)

    def without_angle(some: Indices) -> Batch:
        begun = starts[some]
        return _solve_arm(arm, asked._replace(points=points[some], given=begun, starts=begun))

    with np.errstate(all='ignore'):  # What overflows is farther away than anything is long.
        if arm.sweep is None:
            return solve_many_on_lift_at_angle(arm, points, tolerance, planar)
        return solve_many_on_turntable_at_angle(
            arm, arm.sweep, points, wanted, allowed, starts, tolerance, planar, without_angle
        )

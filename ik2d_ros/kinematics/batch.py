"""Many targets for one arm in one call, in NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik2d_ros.kinematics.arguments import numbers
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.batch_in_space import (
    Effort,
    PlanarBatch,
    solve_many_on_lift,
    solve_many_on_turntable,
)
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.options import check_chain, check_options, is_arm
from ik2d_ros.kinematics.solution import Batch
from ik2d_ros.kinematics.starts import clamped_starts
from ik2d_ros.kinematics.strategy_many import solved
from ik2d_ros.kinematics.targets import check_finite, points_of


def solve_batch(
    chain: Chain | Arm,
    targets: ArrayLike,
    solver: str = 'auto',
    start: ArrayLike | None = None,
    bend: str = 'nearest',
    tolerance: float = 1e-6,
    max_iterations: int = 100,
) -> Batch:
    """Do what :func:`.solve.solve` does, for many targets, each judged by itself.

    Of each target the status is the same as there, and so is the error, but for 2e-6 of the reach
    where limits forbid the target. The pose is the same with ``two_bone``, and with ``ccd`` without
    limits. With ``hybrid``, and with ``ccd`` within limits, it may be another one that reaches the
    target or is as close: ``hybrid`` begins with closures here, whatever the start. All that holds
    where ``max_iterations`` is enough; passes count for targets together here, so that the work may
    end sooner, with another pose and ``Status.NOT_CONVERGED``.

    Args:
        chain: the chain, or the arm in space.
        targets: (m, 2) where the tip is to go, in m; for an arm (m, 3), in the base frame.
        solver: ``two_bone``, ``ccd``, ``hybrid`` or ``auto``.
        start: (n,) positions in rad to move from, or (m, n), one pose per target; as there.
        bend: ``nearest``, ``positive`` or ``negative``, for ``two_bone``.
        tolerance: distance from a target in m that counts as reached.
        max_iterations: passes over the chain that ``ccd`` and ``hybrid`` may make for a target.

    Raises:
        ArgumentError: an argument is not of its kind or out of its range.
    """
    if is_arm(chain):
        return _solve_arm(chain, targets, solver, start, bend, tolerance, max_iterations)
    chain = check_chain(chain)
    points = points_of(targets, 2)
    solver, bend, tolerance, max_iterations = check_options(
        len(chain), solver, bend, tolerance, max_iterations
    )
    given = None if start is None else numbers('start', start)
    starts = clamped_starts(chain, given, len(points))
    return solved(chain, points, solver, given, starts, bend, tolerance, max_iterations)


def _solve_arm(
    arm: Arm,
    targets: ArrayLike,
    solver: str,
    start: ArrayLike | None,
    bend: str,
    tolerance: float,
    max_iterations: int,
) -> Batch:
    points = points_of(targets, 3)
    check_finite(points)
    options = check_options(len(arm.chain), solver, bend, tolerance, max_iterations)
    method, side, distance, most = options
    given = None if start is None else numbers('start', start)
    starts = clamped_starts(arm, given, len(points))
    before = len(arm) - len(arm.chain)

    def planar(some: NDArray[np.intp], places: FloatArray, effort: Effort) -> PlanarBatch:
        begin = starts[some, before:]
        begun = None if given is None else begin
        return solved(arm.chain, places, method, begun, begin, side, distance, most, effort)

    with np.errstate(all='ignore'):  # What overflows is farther away than anything is long.
        if arm.sweep is None:
            return Batch(*solve_many_on_lift(arm, points, distance, planar))
        return Batch(*solve_many_on_turntable(arm, arm.sweep, points, starts, distance, planar))

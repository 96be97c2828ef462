"""Many targets for an arm with a lift, as :mod:`.on_lift` for one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices, norms
from ik2d_ros.kinematics.planar.planar_solver import Effort, PlanarBatchSolver
from ik2d_ros.kinematics.solution import Batch, Status


def solve_many_on_lift(
    arm: Arm, points: FloatArray, tolerance: float, planar: PlanarBatchSolver
) -> tuple[FloatArray, FloatArray, NDArray[np.int8], Flags]:
    """Return the poses for an arm with a lift, or with nothing before its plane.

    Args:
        arm: the arm.
        points: (m, 3) targets in m, in the base frame.
        tolerance: distance in m that counts as reached.
        planar: solves for the chain.

    Returns:
        As a planar batch, with the lift first and distances in space; and (m,) which targets the
        lift, or the plane that it carries, does not get to.
    """
    local = _seen(arm, points)
    flat = planar(np.arange(len(points)), local[:, :2], Effort.ALL, tolerance)
    return _lifted(arm, points, local[:, 2], *flat, tolerance)


def solve_many_on_lift_at_angle(
    arm: Arm,
    points: FloatArray,
    tolerance: float,
    planar: Callable[[Indices, FloatArray], Batch],
) -> Batch:
    """Do what :func:`solve_many_on_lift` does, at angles.

    Args:
        arm: the arm.
        points: (m, 3) targets in m, in the base frame.
        tolerance: distance in m that counts as reached.
        planar: solves for the chain at the angles, for some targets (k,), at (k, 2) in m.
    """
    local = _seen(arm, points)
    flat = planar(np.arange(len(points)), local[:, :2])
    q, error, status, missed = _lifted(
        arm, points, local[:, 2], flat.q, flat.error, flat.status, tolerance
    )
    stopped = (status == Status.NOT_CONVERGED) & (status != flat.status)
    proven = (flat.proven & ~stopped) | missed | (status == Status.REACHED)
    return Batch(q, error, status, proven, flat.angle_error, arm)


def _seen(arm: Arm, points: FloatArray) -> FloatArray:
    """Return targets (m, 3) as the plane sees them: x, y and how far along its normal."""
    local: FloatArray = (points - arm.plane.origin) @ np.array(arm.plane.axes).T
    return local


def _lifted(
    arm: Arm,
    points: FloatArray,
    away: FloatArray,
    q: FloatArray,
    flat_error: FloatArray,
    status: NDArray[np.int8],
    tolerance: float,
) -> tuple[FloatArray, FloatArray, NDArray[np.int8], Flags]:
    """Return what becomes of the answers of the chain with a lift.

    Args:
        arm: the arm.
        points: (m, 3) targets in m, in the base frame.
        away: (m,) how far they are along the plane's normal.
        q: (m, n) positions of the chain.
        flat_error: (m,) distances in the plane.
        status: (m,) in the plane.
        tolerance: distance in m that counts as reached.

    Returns:
        Positions, errors and statuses in space; and where the lift, or the plane, does not get to
        the target.
    """
    shift: FloatArray = np.zeros(len(points))
    if arm.lift is not None:
        height = np.clip(arm.lift.axis * away, *arm.travel)
        shift = arm.lift.axis * height
        q = np.column_stack([height, q])
    error = norms(arm.tips(q) - points)
    there = error <= tolerance
    missed = ~there & (np.abs(away - shift) > tolerance)
    stops = arm.lift is not None and arm.lift.lower is not None
    forbids = Status.JOINT_LIMIT if stops else Status.TOO_FAR
    keeps = (status == Status.TOO_FAR) | (status == Status.TOO_NEAR) & stops
    reached = (status == Status.REACHED) | (status == Status.TIP_ANGLE)
    # Where the chain reaches the point and yet stops, it is at the angle that it does.
    at_angle = (status == Status.TIP_ANGLE) | (
        (status == Status.NOT_CONVERGED) & (flat_error <= tolerance)
    )
    judged = np.select(
        [there & ~at_angle, there, missed & ~keeps, ~missed & reached],
        [Status.REACHED, status, forbids, Status.NOT_CONVERGED],
        status,
    )
    return q, error, judged.astype(np.int8), missed

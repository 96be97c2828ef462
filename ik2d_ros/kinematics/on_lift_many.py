"""Many targets for an arm with a lift, as :mod:`.on_lift` for one."""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import FloatArray, norms
from ik2d_ros.kinematics.batch_in_space import Effort, PlanarBatch, PlanarBatchSolver
from ik2d_ros.kinematics.solution import Status


def solve_many_on_lift(
    arm: Arm, points: FloatArray, tolerance: float, planar: PlanarBatchSolver
) -> PlanarBatch:
    """Return the poses for an arm with a lift, or with nothing before its plane.

    Args:
        arm: the arm.
        points: (m, 3) targets in m, in the base frame.
        tolerance: distance in m that counts as reached.
        planar: solves for the chain.

    Returns:
        As a planar batch, with the lift first and distances in space.
    """
    local = (points - arm.plane.origin) @ np.array(arm.plane.axes).T
    q, _, status = planar(np.arange(len(points)), local[:, :2], Effort.ALL, tolerance)
    shift: FloatArray = np.zeros(len(points))
    if arm.lift is not None:
        height = np.clip(arm.lift.axis * local[:, 2], *arm.travel)
        shift = arm.lift.axis * height
        q = np.column_stack([height, q])
    error = norms(arm.tips(q) - points)
    stops = arm.lift is not None and arm.lift.lower is not None
    forbids = Status.JOINT_LIMIT if stops else Status.TOO_FAR
    keeps = (status == Status.TOO_FAR) | (status == Status.TOO_NEAR) & stops
    missed = np.abs(local[:, 2] - shift) > tolerance
    status = np.where(
        missed,
        np.where(keeps, status, forbids),
        np.where(status == Status.REACHED, Status.NOT_CONVERGED, status),
    )
    return q, error, np.where(error <= tolerance, Status.REACHED, status).astype(np.int8)

"""Many targets at tip angles for one chain in its plane: :mod:`.tip_angle_in_plane` in NumPy."""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.solution import Batch
from ik2d_ros.kinematics.tip_angle import Wanted
from ik2d_ros.kinematics.tip_angle_in_plane import in_plane_at_angle


def solved_at_angle(
    chain: Chain,
    points: FloatArray,
    angles: FloatArray,
    angle_tolerance: float,
    solver: str,
    starts: FloatArray,
    tolerance: float,
    max_iterations: int,
) -> Batch:
    """Return what :func:`.batch.solve_batch` finds for arguments that are checked already."""
    count = len(points)
    q, error, off = np.empty((count, len(chain))), np.empty(count), np.empty(count)
    status, proven = np.empty(count, dtype=np.int8), np.empty(count, dtype=np.bool_)
    for k in range(count):
        x, y = points[k].tolist()
        answer = in_plane_at_angle(
            chain,
            x,
            y,
            Wanted(float(angles[k]), angle_tolerance),
            starts[k].tolist(),
            solver,
            tolerance,
            max_iterations,
        )
        q[k], error[k], off[k] = answer.q, answer.error, answer.angle_error
        status[k], proven[k] = answer.status, answer.proven
    return Batch(q, error, status, proven, off, chain)

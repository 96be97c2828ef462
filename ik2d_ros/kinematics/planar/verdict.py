"""Why a target is missed: for one and for many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.arrays import Flags, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.planar.edge import EDGE
from ik2d_ros.kinematics.solution import Status

# Rounding of a distance from the base, as a share of it.
DISTANCE_ROUNDING = 1e-14


def why_not(chain: Chain, distance: float, error: float, settled: bool) -> Status:
    """Return why a target at a distance from the base is missed, by a tip this far from it."""
    inner, outer = chain.reach
    if distance > outer * (1.0 + DISTANCE_ROUNDING):
        return Status.TOO_FAR
    if distance < inner * (1.0 - DISTANCE_ROUNDING):
        return Status.TOO_NEAR
    # What rounding alone keeps off the target, no limit forbids.
    forbidden = settled and chain.limited and error > EDGE * outer
    return Status.JOINT_LIMIT if forbidden else Status.NOT_CONVERGED


def verdicts(
    chain: Chain,
    points: FloatArray,
    error: FloatArray,
    tolerance: float,
    settled: Flags,
) -> NDArray[np.int8]:
    """Return (m,) values of :class:`.Status`: :func:`why_not`, or that the target is reached."""
    found = np.zeros(len(error), dtype=np.int8)  # Reached.
    missed = np.flatnonzero(~(error <= tolerance))
    if len(missed):
        inner, outer = chain.reach
        distance = np.hypot(points[missed, 0], points[missed, 1])
        forbidden = settled[missed] & chain.limited & (error[missed] > EDGE * outer)
        found[missed] = np.select(
            [
                distance > outer * (1.0 + DISTANCE_ROUNDING),
                distance < inner * (1.0 - DISTANCE_ROUNDING),
                forbidden,
            ],
            [Status.TOO_FAR, Status.TOO_NEAR, Status.JOINT_LIMIT],
            Status.NOT_CONVERGED,
        )
    return found

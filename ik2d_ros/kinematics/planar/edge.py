"""The exact closest poses for targets on the edge of the annulus, or outside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import into_range, into_range_many, phase
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.links import Links
from ik2d_ros.kinematics.reach import folded

# A target this near to an edge of the annulus, in reaches, is met by the straight or folded pose.
EDGE = 1e-13


def edge_pose(chain: Chain, goal: complex, start: Sequence[float]) -> list[float] | None:
    """Return the exact closest pose for a target on the edge of the annulus or outside it.

    None where the target is inside, where limits forbid that pose, or where joints slide.
    """
    distance = abs(goal)
    inner, outer = chain.unit_reach
    is_far = distance >= outer - EDGE
    if not (is_far or (inner > 0.0 and distance <= inner + EDGE)) or chain.has_slides:
        return None
    bends = [0.0] * len(chain) if is_far else folded(chain.unit_lengths)
    bends[0] = bends[0] + phase(goal) if goal else start[0]
    allowed = []
    for bend, (lower, upper), now in zip(bends, chain.bend_limits, start, strict=True):
        angle = into_range(bend, lower, upper, now)
        if angle is None:
            return None
        allowed.append(angle)
    return allowed


def edge_poses(
    chain: Chain, targets: ComplexArray, starts: FloatArray
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the exact closest poses for targets not inside the annulus, and which those are."""
    if chain.has_slides:
        return starts.copy(), np.zeros(len(targets), dtype=np.bool_)
    inner, outer = chain.unit_reach
    distance = np.abs(targets)
    far = distance >= outer - EDGE
    near = (distance <= inner + EDGE) & (inner > 0.0) & ~far
    there = np.flatnonzero(far | near)
    goals, begun, turned = targets[there], starts[:, there], starts.copy()
    bends = np.where(near[there], np.array(folded(chain.unit_lengths))[:, None], 0.0)
    bends[0] = np.where(goals == 0.0, begun[0], bends[0] + np.angle(goals))
    links = Links.of(chain)
    turned[:, there], allowed = into_range_many(bends, links.lower, links.upper, begun)
    met = np.zeros(len(targets), dtype=np.bool_)
    met[there] = allowed.all(axis=0)
    return turned, met

"""The closed form for three joints and a tip angle (:mod:`.three_bone`) on arrays of targets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import SAME_MOVE, Limits, into_range_many
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.closed_form.two_bone_many import elbow_bend_many
from ik2d_ros.kinematics.proof.corners import SLACK
from ik2d_ros.kinematics.tip_angle.three_bone import ROUNDING


def three_bone_many(
    lengths: Sequence[float],
    limits: Limits,
    targets: ComplexArray,
    headings: FloatArray,
    starts: FloatArray,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Do what :func:`.three_bone.three_bone` does, for many targets.

    Args:
        lengths: (3,) lengths of the links.
        limits: (3,) pairs (lower, upper) of each bend in rad, infinite for none.
        targets: (m,) where the tips are to go.
        headings: (m,) directions of the last link in rad.
        starts: (3, m) bends in rad to move from, inside the limits.

    Returns:
        (3, m) bends in rad, those of the start where there is none, and (m,) where there are any.
    """
    a, b, c = lengths
    wrist = targets - c * np.exp(1j * headings)
    distance = np.abs(wrist)
    can = (abs(a - b) - ROUNDING <= distance) & (distance <= a + b + ROUNDING)
    elbow = elbow_bend_many(a, b, distance)
    lead = np.arctan2(b * np.sin(elbow), a + b * np.cos(elbow))
    at_base = distance <= ROUNDING
    toward = np.where(at_base, starts[0], np.angle(wrist))
    lead = np.where(at_base, 0.0, lead)
    best = starts.copy()
    least: FloatArray = np.full(len(targets), np.inf)
    for first, second in ((toward - lead, elbow), (toward + lead, -elbow)):
        good = can
        pose = []
        for bend, pair, start in zip(
            (first, second, headings - first - second), limits, starts, strict=True
        ):
            turned, inside = into_range_many(bend, *pair, start, SLACK)
            pose.append(turned)
            good = good & inside
        move = np.abs(np.stack(pose) - starts).max(axis=0)
        wins = good & (move < least - SAME_MOVE)
        best = np.where(wins, pose, best)
        least = np.where(wins, move, least)
    return best, np.isfinite(least)

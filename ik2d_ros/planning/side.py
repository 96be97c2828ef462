"""The side to which an arm bends: one that was stretched comes back on the side that it left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.options import BENDING
from ik2d_ros.motion.state import Positions
from ik2d_ros.planning.settings import Settings

STRAIGHT = 1e-3
"""The largest bend in rad of an arm that is stretched."""

LEAN = 1e-2
"""The bend in rad that gives a solver the side, where it has no option for that."""


def side_of(arm: ArmDescription, pose: Sequence[float]) -> int:
    """Return the sign of the widest bend of an arm at (m,) positions; 0 if it is stretched."""
    points = arm.chain.pivots(arm.in_plane(tuple(pose)))
    if any(arm.chain.tool):  # it is a part of the last link
        del points[-2]
    links = [(x - a, y - b) for (a, b), (x, y) in pairwise(points)]
    bends = (math.atan2(a * d - b * c, a * c + b * d) for (a, b), (c, d) in pairwise(links))
    widest = max(bends, key=abs, default=0.0)
    return 0 if abs(widest) <= STRAIGHT else 1 if widest > 0.0 else -1


def bias_start(
    settings: Settings, arm: ArmDescription, start: Sequence[float], side: int
) -> tuple[Settings, Positions]:
    """Return settings and (m,) positions from which a solver finds a pose on a side.

    Args:
        settings: the settings.
        arm: the arm.
        start: (m,) positions to move from; they count as they are if the arm is bent there.
        side: as :func:`side_of` returns it; 0 if no side is known.
    """
    pose, joints = tuple(start), arm.chain.joints
    if side == 0 or side_of(arm, pose) != 0:
        return settings, pose
    if len(joints) == 2 and settings.solver in BENDING:
        bend = 'positive' if side > 0 else 'negative'
        return replace(settings, bend=bend) if settings.bend == 'nearest' else settings, pose
    lean = [0.0] * (len(arm.names) - len(joints) - (arm.roll is not None) + 1)
    lean += [0.0 if each.absolute else side * each.axis * LEAN for each in joints[1:]]
    lean += [0.0] * (len(pose) - len(lean))
    return settings, tuple(q + more for q, more in zip(pose, lean, strict=True))

"""Two revolute joints behind a turntable: what nearly always reaches a target, in one go."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik2d_ros.kinematics.angles import SAME_MOVE
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.pair import FORBIDDEN, PairSolver
from ik2d_ros.kinematics.space.at_turns import PoseInSpace
from ik2d_ros.kinematics.space.distances import may_allow
from ik2d_ros.kinematics.space.places import Place


def reached_by_pair(
    solve: PairSolver,
    chain: Chain,
    places: Sequence[Place],
    away: Sequence[float],
    start: Sequence[float],
    tolerance: float,
) -> list[PoseInSpace] | None:
    """Return the pose that reaches the target and moves least, as ``at_turns`` leads to.

    Empty where limits let none reach it; None where it takes a closer look to be sure.

    Args:
        solve: finds what it can at once.
        chain: the chain that it is for.
        places: where the target is in the plane.
        away: how far that is from the chain's base, in m.
        start: (3,) positions in rad, inside the limits.
        tolerance: distance in m that counts as reached.
    """
    found: list[PoseInSpace] = []
    least = math.inf
    now, shoulder, elbow = start
    begun = shoulder, elbow
    for (turn, (x, y)), far in zip(places, away):
        # Where the turntable alone turns farther than any joint for the other answer, that is it.
        if turn is None or abs(turn - now) > least - SAME_MOVE:
            continue
        if not may_allow(chain, far, tolerance):
            continue
        pose = solve(x, y, begun)
        if pose is FORBIDDEN:
            continue
        if pose is None or pose[2] > tolerance:
            return None
        q, tip, error = pose
        move = max(abs(turn - now), abs(q[0] - shoulder), abs(q[1] - elbow))  # as `largest_move`
        if move < least - SAME_MOVE:
            found, least = [(turn, (q, tip, error, True, 0))], move
    return found

"""Targets at a tip angle for chains whose proof is too large: a search, which proves nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ik2d_ros.kinematics.angles import wrapped
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.pose import Pose, at
from ik2d_ros.kinematics.tip_angle.tip_angle import Aimed
from ik2d_ros.kinematics.tip_angle.tip_angle_spread import spread_of
from ik2d_ros.kinematics.tip_angle.tip_angle_steps import Aim, approach, return_towards
from ik2d_ros.kinematics.tuning import RADIAN, SPREAD_STARTS, SPREAD_STEPS, TIP_TURNS


def search_at_angle(
    chain: Chain, aim: Aim, start: Sequence[float], reached: Sequence[float]
) -> Aimed:
    """Step towards a target and its angle from many poses.

    Args:
        chain: the chain, with limits.
        aim: the target and the angle.
        start: (n,) bends in rad to come near to.
        reached: (n,) positions in rad that reach the point, whose angle is brought as close as
            small moves do, where all else has failed.
    """
    bends, tips, headings = spread_of(chain)
    off = aim.heading - headings
    off = wrapped(off)
    away = np.hypot(np.abs(tips - aim.problem.target), RADIAN * off)
    for k in np.argsort(away)[:SPREAD_STARTS].tolist():
        pose, _ = approach(aim, at(aim.problem, bends[k].tolist()), 0, SPREAD_STEPS)
        if aim.met(pose):
            pose, _ = return_towards(aim, pose, start, 0, SPREAD_STEPS)
            return Aimed(pose.bends, True, True, 1)
    begun = chain.bends_at(reached)
    return Aimed(_turned(aim, at(aim.problem, begun)).bends, False, False, 1)


def _turned(aim: Aim, pose: Pose) -> Pose:
    """Turn the tip towards the angle, on the spot, as far as small moves do."""
    share = 1.0
    for _ in range(TIP_TURNS):
        off = aim.off(pose)
        nearer = aim._replace(heading=aim.heading - (1.0 - share) * off)
        turned, _ = approach(nearer, pose, 0, SPREAD_STEPS)
        if turned.error <= aim.tolerance and abs(aim.off(turned)) < abs(off):
            pose = turned
        else:
            share *= 0.5
    return pose

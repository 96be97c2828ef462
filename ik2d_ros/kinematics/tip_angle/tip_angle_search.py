"""Targets at a tip angle for chains whose proof is too large: a search, which proves nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ik2d_ros.kinematics.angles import wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.columns import fixed_array, links_many
from ik2d_ros.kinematics.pose import Pose, at
from ik2d_ros.kinematics.tip_angle.tip_angle import Aimed
from ik2d_ros.kinematics.tip_angle.tip_angle_steps import Aim, approach, return_towards
from ik2d_ros.kinematics.tuning import RADIAN, SPREAD, SPREAD_STARTS, SPREAD_STEPS, TIP_TURNS


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
    bends, tips, headings = _spread(chain)
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


@lru_cache(maxsize=4)
def _spread(chain: Chain) -> tuple[FloatArray, ComplexArray, FloatArray]:
    """Return poses all over the ranges, and with joints at limits; always the same ones.

    Returns:
        (k, n) bends in rad, (k,) where the tips are in reaches, and (k,) headings in rad.
    """
    rng = np.random.default_rng(0)
    lower, upper = np.array(chain.bend_limits).T
    low, high = (
        np.where(np.isfinite(lower), lower, -np.pi),
        np.where(np.isfinite(upper), upper, np.pi),
    )
    # Half of the joints of every other pose are at a limit.
    shares = rng.random((SPREAD, len(chain)))
    shares[::2] = np.clip(2.0 * shares[::2] - 0.5, 0.0, 1.0)
    bends = low + shares * (high - low)
    fixed = None if chain.fixed_bends is None else fixed_array(chain.fixed_bends)
    lengths, turns = links_many(fixed, chain.unit_lengths, bends)
    angles = np.cumsum(turns, axis=1)
    return bends, (lengths * np.exp(1j * angles)).sum(axis=1), angles[:, -1]


def nearest_of_spread(
    chain: Chain, goals: ComplexArray, headings: FloatArray, number: int
) -> FloatArray:
    """Return (n, m) bends in rad of poses all over the ranges that are near to what is asked for.

    Args:
        chain: the chain.
        goals: (m,) where the tips are to go, in reaches.
        headings: (m,) of the last links in rad.
        number: which of the poses is taken, 0 for the nearest.
    """
    bends, tips, turned = _spread(chain)
    chosen = np.empty(len(goals), dtype=np.intp)
    for k, (goal, heading) in enumerate(zip(goals.tolist(), headings.tolist(), strict=True)):
        off = heading - turned
        off = wrapped(off)
        away = tips - goal
        square = away.real**2 + away.imag**2 + (RADIAN * off) ** 2
        chosen[k] = np.argpartition(square, number)[number]
    return bends[chosen].T


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

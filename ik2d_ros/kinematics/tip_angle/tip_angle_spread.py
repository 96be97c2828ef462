"""Poses all over the ranges of a chain, to step from towards a target and its angle."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ik2d_ros.kinematics.angles import wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.columns import fixed_array, links_many
from ik2d_ros.kinematics.tuning import RADIAN, SPREAD


@lru_cache(maxsize=4)
def spread_of(chain: Chain) -> tuple[FloatArray, ComplexArray, FloatArray]:
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
    bends, tips, turned = spread_of(chain)
    chosen = np.empty(len(goals), dtype=np.intp)
    for k, (goal, heading) in enumerate(zip(goals.tolist(), headings.tolist(), strict=True)):
        off = wrapped(heading - turned)
        away = tips - goal
        square = away.real**2 + away.imag**2 + (RADIAN * off) ** 2
        chosen[k] = np.argpartition(square, number)[number]
    return bends[chosen].T

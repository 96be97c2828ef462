"""Poses all over the ranges of a chain, to step from towards a target and its angle."""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.angles import TURN, wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.columns import fixed_array, links_many
from ik2d_ros.kinematics.kept import kept
from ik2d_ros.kinematics.tuning import (
    RADIAN,
    SPANNED_CELLS,
    SPREAD,
    SPREAD_ALONE,
    SPREAD_ASIDE,
    SPREAD_SLICES,
)


@kept
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


def nearest_of_spread(chain: Chain, goals: ComplexArray, headings: FloatArray) -> FloatArray:
    """Return (n, m) bends in rad of those that are nearest to what is asked for.

    Args:
        chain: the chain.
        goals: (m,) where the tips are to go, in reaches.
        headings: (m,) of the last links in rad.
    """
    bends, tips, turned = spread_of(chain)
    chosen = np.empty(len(goals), dtype=np.intp)
    if len(goals) <= SPREAD_ALONE:
        for k in range(len(goals)):
            chosen[k] = _nearest_of_all(tips, turned, goals[k], headings[k])
        return bends[chosen].T
    # Only poses of about the same heading are looked at, where one of these is so near that no
    # other one can be nearer.
    slices = np.floor((headings % TURN) * (SPREAD_SLICES / TURN)).astype(np.intp)
    for each in np.unique(slices).tolist():
        some = np.flatnonzero(slices == each)
        middle = (each + 0.5) * (TURN / SPREAD_SLICES)
        off = wrapped(turned - middle)
        about = np.flatnonzero(np.abs(off) <= 0.5 * TURN / SPREAD_SLICES + SPREAD_ASIDE)
        if len(about):
            asked = goals.take(some), wrapped(headings.take(some) - middle)
            nearest, square = _nearest(tips.take(about), off.take(about), *asked)
            chosen[some] = about.take(nearest)
            some = some[square > (RADIAN * SPREAD_ASIDE) ** 2]
        for k in some.tolist():
            chosen[k] = _nearest_of_all(tips, turned, goals[k], headings[k])
    return bends[chosen].T


def _nearest_of_all(
    tips: ComplexArray, turned: FloatArray, goal: np.complex128, heading: np.float64
) -> np.intp:
    off = wrapped(heading - turned)
    away = tips - goal
    return (away.real**2 + away.imag**2 + (RADIAN * off) ** 2).argmin()


def _nearest(
    tips: ComplexArray, turned: FloatArray, goals: ComplexArray, headings: FloatArray
) -> tuple[Indices, FloatArray]:
    """Return which poses (k,) are nearest to which goals (m,), and the squares of distances."""
    nearest, least = np.empty(len(goals), dtype=np.intp), np.empty(len(goals))
    x, y, turn = tips.real.copy(), tips.imag.copy(), RADIAN * turned
    goal_x, goal_y, heading = (
        each[:, None] for each in (goals.real, goals.imag, RADIAN * headings)
    )
    step = max(1, SPANNED_CELLS // len(tips))
    for begin in range(0, len(goals), step):
        part = slice(begin, begin + step)
        away = x - goal_x[part]
        away *= away
        for these, those in ((y, goal_y), (turn, heading)):
            more = these - those[part]
            more *= more
            away += more
        nearest[part] = best = away.argmin(axis=1)
        least[part] = away[np.arange(len(best)), best]
    return nearest, least

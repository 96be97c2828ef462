"""Steps towards targets at tip angles, for many poses at once: :mod:`.tip_angle_steps` in NumPy.

Arrays have a column per pose, as in :mod:`.many`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.many import Links
from ik2d_ros.kinematics.pose import LENGTH_ROUNDING
from ik2d_ros.kinematics.tuning import (
    DAMPING,
    LARGEST_TURN,
    LESS_DAMPING,
    MORE_DAMPING,
    RADIAN,
)


def off_by(
    links: Links, targets: ComplexArray, headings: FloatArray, bends: FloatArray
) -> tuple[ComplexArray, FloatArray]:
    """Return (m,) vectors from the tips to the targets, and (m,) turns that are missing, in rad."""
    angles = np.cumsum(bends, axis=0)
    x, y = links.lengths * np.cos(angles), links.lengths * np.sin(angles)
    missing = headings - angles[-1]
    return (
        targets - x.sum(axis=0) - 1j * y.sum(axis=0),
        missing - TURN * np.rint(missing / TURN),
    )


def approach_many(
    links: Links,
    targets: ComplexArray,
    headings: FloatArray,
    bends: FloatArray,
    tolerances: tuple[float, float],
    steps: int,
) -> FloatArray:
    """Make some of the smallest joint moves that bring tips there, to first order.

    Args:
        links: links and limits.
        targets: (m,) where the tips are to go, in reaches.
        headings: (m,) of the last links in rad.
        bends: (n, m) rad to step from, inside the limits.
        tolerances: distance in reaches and turn in rad that are good enough.
        steps: how many there are at the most.

    Returns:
        (n, m) bends in rad; no pose is farther off than it was.
    """
    bends = bends.copy()
    going: NDArray[np.intp] = np.arange(len(targets))
    damping = np.zeros(len(targets))
    for _ in range(steps):
        now, target, heading = bends[:, going], targets[going], headings[going]
        away, turn = off_by(links, target, heading, now)
        far = (np.abs(away) > tolerances[0]) | (np.abs(turn) > tolerances[1])
        if not far.any():
            break
        going, now, target, heading = going[far], now[:, far], target[far], heading[far]
        away, turn = away[far], turn[far]
        stepped = _stepped(links, now, away, turn, damping[going])
        left, missing = off_by(links, target, heading, stepped)
        closer = np.hypot(np.abs(left), RADIAN * missing) < np.hypot(np.abs(away), RADIAN * turn)
        bends[:, going] = np.where(closer, stepped, now)
        damping[going] = np.where(
            closer,
            LESS_DAMPING * damping[going],
            np.maximum(DAMPING, MORE_DAMPING * damping[going]),
        )
    return bends


def _stepped(
    links: Links, bends: FloatArray, away: ComplexArray, turn: FloatArray, damping: FloatArray
) -> FloatArray:
    """Return the bends after one step; joints stop at limits, and others make up for it once."""
    angles = np.cumsum(bends, axis=0)
    sx = np.cumsum((links.lengths * np.cos(angles))[::-1], axis=0)[::-1]
    sy = np.cumsum((links.lengths * np.sin(angles))[::-1], axis=0)[::-1]
    free = np.ones(bends.shape)
    turns = _smallest_turns(sx, sy, free, away.real, away.imag, turn, damping)
    goal = np.clip(bends + turns, links.lower, links.upper)
    stopped = goal != bends + turns
    if stopped.any():
        moved = np.where(stopped, goal - bends, 0.0)
        x = away.real + (sy * moved).sum(axis=0)
        y = away.imag - (sx * moved).sum(axis=0)
        rest = _smallest_turns(sx, sy, 1.0 - stopped, x, y, turn - moved.sum(axis=0), damping)
        goal = np.clip(np.where(stopped, goal, bends + rest), links.lower, links.upper)
    return goal


def _smallest_turns(
    sx: FloatArray,
    sy: FloatArray,
    free: FloatArray,
    x: FloatArray,
    y: FloatArray,
    turn: FloatArray,
    damping: FloatArray,
) -> FloatArray:
    """Return (n, m) least turns of joints that are free, 1 or 0, as for one pose."""
    gx, gy = sx * free, sy * free
    count = RADIAN * RADIAN * free.sum(axis=0)
    xx, yy, xy = (gx * sx).sum(axis=0), (gy * sy).sum(axis=0), (gx * sy).sum(axis=0)
    extra = (damping + LENGTH_ROUNDING) * (xx + yy + count)
    a, b, c = yy + extra, -xy, -RADIAN * gy.sum(axis=0)
    d, e, f = xx + extra, RADIAN * gx.sum(axis=0), count + extra
    aa, ab, ac = d * f - e * e, c * e - b * f, b * e - c * d
    determinant = a * aa + b * ab + c * ac
    dd, de, ff = a * f - c * c, b * c - a * e, a * d - b * b
    z = RADIAN * turn
    share = np.where(determinant > 0.0, 1.0 / np.where(determinant > 0.0, determinant, 1.0), 0.0)
    u = (aa * x + ab * y + ac * z) * share
    v = (ab * x + dd * y + de * z) * share
    w = (ac * x + de * y + ff * z) * (share * RADIAN)
    turns = (sx * v - sy * u + w) * free
    largest = np.abs(turns).max(axis=0)
    bounded: FloatArray = turns * np.where(
        largest > LARGEST_TURN, LARGEST_TURN / np.maximum(largest, LARGEST_TURN), 1.0
    )
    return bounded

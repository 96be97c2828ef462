"""Sweeps of :mod:`.ccd` for many targets at once, in NumPy; arrays are as in :mod:`.links`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import into_range_many
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.columns import links_many
from ik2d_ros.kinematics.descent.ccd import UNDER, pace
from ik2d_ros.kinematics.links import Links, points_of, tips, units
from ik2d_ros.kinematics.tuning import COLUMNS_AT_A_TIME


def sweep_on_many(
    links: Links, targets: ComplexArray, starts: FloatArray, tolerance: float, budget: int
) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]:
    """Sweep each tip onto its target, or until a sweep of it has crept: :func:`.ccd.sweep_on`.

    Args:
        links: links and limits.
        targets: (m,) where the tips are to go, in reaches.
        starts: (n, m) bends in rad to move from, inside the limits.
        tolerance: distance from the target that is good enough, in reaches.
        budget: how many sweeps there may be.

    Returns:
        (n, m) bends in rad, (m,) distances from the targets in reaches, and (m,) sweeps made.
    """
    bends, errors = starts.copy(), np.abs(targets - tips(links, starts))
    sweeps: NDArray[np.int64] = np.zeros(len(targets), dtype=np.int64)
    share, patience, late = pace(len(bends))
    for begin in range(0, len(targets), COLUMNS_AT_A_TIME):
        part = np.arange(begin, min(begin + COLUMNS_AT_A_TIME, len(targets)))
        going, made = part[errors[part] > tolerance], 0
        while len(going) and made < budget:
            swept, ends = sweep_many(links, targets[going], bends[:, going])
            left = np.abs(targets[going] - ends)
            made += 1
            creeping = left > (share if made <= patience else late) * errors[going]
            bends[:, going], errors[going], sweeps[going] = swept, left, made
            going = going[(left > tolerance) & ~creeping]
    return bends, errors, sweeps


def sweep_many(
    links: Links, targets: ComplexArray, bends: FloatArray, points: ComplexArray | None = None
) -> tuple[FloatArray, ComplexArray]:
    """Make one sweep from (n, m) bends in rad, as :func:`.ccd.sweep` does.

    Args:
        links: links and limits.
        targets: (m,) where the tips are to go, in reaches.
        bends: (n, m) rad, inside the limits.
        points: (n + 1, m) where the joints and the tips are, where that is known.

    Returns:
        (n, m) bends in rad, and (m,) where the tips are then.
    """
    free = links.free
    if points is None:
        points = points_of(links, bends)
    vectors, goals = np.diff(points, axis=0), targets - points[:-1]
    along = None
    if links.fixed is not None:
        along = units(np.cumsum(links_many(links.fixed, links.lengths, bends)[1], axis=0))
    swept = bends.copy()
    spans = np.zeros(len(targets), dtype=np.complex128)
    for i in range(len(bends) - 1, -1, -1):
        spans += vectors[i]
        if along is not None and not links.turning[i]:
            ahead = ((goals[i] - spans) * along[i].conj()).real
            swept[i] = np.clip(bends[i] + ahead, links.lower[i], links.upper[i])
            spans += (swept[i] - bends[i]) * along[i]
            continue
        turns = goals[i] * spans.conj()
        turns[np.abs(turns) <= UNDER] = 1.0
        swept[i] += np.arctan2(turns.imag, turns.real)
        if not free:
            swept[i] = _closest_allowed_many(swept[i], links, i, bends[i])
        spans *= units(swept[i] - bends[i])
    return swept, spans


def _closest_allowed_many(
    angles: FloatArray, links: Links, joint: int, now: FloatArray
) -> FloatArray:
    lower, upper = links.lower[joint], links.upper[joint]
    turned, allowed = into_range_many(angles, lower, upper, now)
    if not allowed.all():
        to_upper = np.sin(angles[~allowed] - 0.5 * (lower + upper)) > 0.0
        turned[~allowed] = np.where(to_upper, upper, lower)
    return turned

"""Small moves to targets that are near: :mod:`.hybrid` in NumPy; arrays are as in :mod:`.links`."""

from __future__ import annotations

import math

import numpy as np

from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.descent.closing_many import close_many, misses
from ik2d_ros.kinematics.descent.hybrid import follow
from ik2d_ros.kinematics.descent.stepping_many import Passes, gauss_newton_many, step_many
from ik2d_ros.kinematics.links import Links, Spans, spans_of
from ik2d_ros.kinematics.pose import Problem, at
from ik2d_ros.kinematics.tuning import DEVIOUS, ENOUGH, FEW_FOLLOWED, FINE, LITTLE

_MUCH = 1e9  # More than any joint turns, in rad.


def follow_many(
    links: Links,
    targets: ComplexArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
) -> tuple[FloatArray, FloatArray, Passes]:
    """Do what :func:`.hybrid.follow` does, for many targets.

    Args:
        links: links and limits.
        targets: (m,) where the tips are to go, in reaches; none is there yet.
        starts: (n, m) bends in rad to move from, inside the limits.
        tolerance: distance from the target that is good enough, in reaches.
        budget: how many passes there may be.

    Returns:
        (n, m) bends in rad, (m,) distances from the targets in reaches, and (m,) passes made.
    """
    count = len(targets)
    if count < FEW_FOLLOWED:
        return _follow_each(links, targets, starts, tolerance, budget)
    spans = spans_of(links, targets, starts)
    begun = spans.error
    bends = step_many(links, spans, starts, np.zeros(count), ease=True)
    after = spans_of(links, targets, bends)
    errors = after.error
    worse = np.flatnonzero(errors > begun)
    bends[:, worse], errors[worse] = starts[:, worse], begun[worse]
    after.put(worse, spans.at(worse))
    passes: Passes = np.ones(count, dtype=np.int64)
    if links.free and budget > 1:
        quick = np.flatnonzero((tolerance < errors) & (errors < LITTLE * begun))
        closed, met = close_many(links, targets[quick], bends[:, quick])
        passes[quick] += 1
        met &= np.abs(closed - bends[:, quick]).max(axis=0) < FINE
        missed = misses(links, targets[quick[met]], closed[:, met], tolerance)
        met[met] = missed <= tolerance
        bends[:, quick[met]], errors[quick[met]] = closed[:, met], 0.0
    some = np.flatnonzero((errors <= ENOUGH * begun) & (errors > tolerance))
    now, made = bends[:, some], passes[some]
    errors[some] = gauss_newton_many(
        links, targets[some], now, tolerance, made, budget, ENOUGH, after.at(some)
    )
    bends[:, some], passes[some] = now, made
    left = np.flatnonzero((errors > tolerance) & (passes < budget))
    if len(left):
        bends[:, left], errors[left], passes[left] = _bend_in_many(
            links,
            targets[left],
            starts[:, left],
            spans.at(left),
            bends[:, left],
            errors[left],
            tolerance,
            passes[left],
            budget,
        )
    return bends, errors, passes


def _follow_each(
    links: Links, targets: ComplexArray, starts: FloatArray, tolerance: float, budget: int
) -> tuple[FloatArray, FloatArray, Passes]:
    """Do what :func:`follow_many` does, one after the other."""
    lengths, lower, upper = (tuple(each[:, 0].tolist()) for each in links[:3])
    limits = None if links.free else tuple(zip(lower, upper))
    fixed = None
    if links.fixed is not None:
        fixed = tuple(None if math.isnan(bend) else bend for bend in links.fixed[:, 0].tolist())
    bends, errors = starts.copy(), np.empty(len(targets))
    passes: Passes = np.empty(len(targets), dtype=np.int64)
    for k, target in enumerate(targets.tolist()):
        problem = Problem(lengths, limits, target, fixed)
        begun = at(problem, starts[:, k].tolist())
        pose, passes[k] = follow(problem, begun, tolerance, budget)
        bends[:, k], errors[k] = pose.bends, pose.error
    return bends, errors, passes


def _bend_in_many(
    links: Links,
    targets: ComplexArray,
    starts: FloatArray,
    spans: Spans,
    bends: FloatArray,
    errors: FloatArray,
    tolerance: float,
    passes: Passes,
    budget: int,
) -> tuple[FloatArray, FloatArray, Passes]:
    """Do what :func:`.hybrid.bend_in` does, for many targets."""
    stepped, passes = starts.copy(), passes.copy()
    begun = spans.error
    away = gauss_newton_many(links, targets, stepped, tolerance, passes, budget, DEVIOUS, spans)
    closed, missed = starts.copy(), np.full(len(targets), np.inf)
    some = np.flatnonzero(passes < budget)
    closed[:, some], met = close_many(links, targets[some], starts[:, some], least=True)
    missed[some] = misses(links, targets[some], closed[:, some], tolerance)
    at_start = some[~met]
    missed[at_start] = begun[at_start]
    passes[some] += 1
    tried, errors = np.array([bends, stepped, closed]), np.array([errors, away, missed])
    turned = np.abs(tried - starts).max(axis=1)
    # Of those that reach the target the one that turns least, else the closest.
    best = np.where(errors > tolerance, _MUCH + errors, turned).argmin(axis=0)
    columns = np.arange(len(targets))
    return tried[best, :, columns].T, errors[best, columns], passes

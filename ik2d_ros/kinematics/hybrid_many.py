"""Small moves to targets that are near: :mod:`.hybrid` in NumPy; arrays are as in :mod:`.many`."""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.hybrid import FINE, LITTLE, bend_in
from ik2d_ros.kinematics.many import Links, close_many, misses, spans_of
from ik2d_ros.kinematics.pose import at, problem_of
from ik2d_ros.kinematics.stepping import ENOUGH
from ik2d_ros.kinematics.stepping_many import Passes, gauss_newton_many, step_many


def follow_many(
    chain: Chain,
    targets: ComplexArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
) -> tuple[FloatArray, FloatArray, Passes]:
    """Do what :func:`.hybrid.follow` does, for many targets.

    Args:
        chain: the chain.
        targets: (m,) where the tips are to go, in reaches; none is there yet.
        starts: (n, m) bends in rad to move from, inside the limits.
        tolerance: distance from the target that is good enough, in reaches.
        budget: how many passes there may be.

    Returns:
        (n, m) bends in rad, (m,) distances from the targets in reaches, and (m,) passes made.
    """
    count, links = len(targets), Links.of(chain)
    spans = spans_of(links, targets, starts)
    begun = spans.error
    bends = step_many(links, spans, starts, np.zeros(count), ease=True)
    errors = spans_of(links, targets, bends).error
    worse = errors > begun
    bends[:, worse], errors[worse] = starts[:, worse], begun[worse]
    passes: Passes = np.ones(count, dtype=np.int64)
    if not chain.limited and budget > 1:
        quick = np.flatnonzero((tolerance < errors) & (errors < LITTLE * begun))
        closed, met = close_many(links, targets[quick], bends[:, quick])
        passes[quick] += 1
        met &= np.abs(closed - bends[:, quick]).max(axis=0) < FINE
        missed = misses(links, targets[quick[met]], closed[:, met], tolerance)
        met[met] = missed <= tolerance
        bends[:, quick[met]], errors[quick[met]] = closed[:, met], 0.0
    some = np.flatnonzero((errors <= ENOUGH * begun) & (errors > tolerance))
    now, made = bends[:, some], passes[some]
    errors[some] = gauss_newton_many(links, targets[some], now, tolerance, made, budget, ENOUGH)
    bends[:, some], passes[some] = now, made
    for k in np.flatnonzero((errors > tolerance) & (passes < budget)):
        problem = problem_of(chain, complex(targets[k]))
        pose, passes[k] = bend_in(
            problem,
            at(problem, starts[:, k].tolist()),
            at(problem, bends[:, k].tolist()),
            tolerance,
            int(passes[k]),
            budget,
        )
        bends[:, k], errors[k] = pose.bends, pose.error
    return bends, errors, passes

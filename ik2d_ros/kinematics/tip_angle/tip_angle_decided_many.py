"""Poses that the proof finds for targets at tip angles, or the closest ones, for many at once.

What :mod:`.tip_angle_proof` finds and which of its poses is taken; arrays have a column per target.
"""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE
from ik2d_ros.kinematics.arrays import Flags, FloatArray
from ik2d_ros.kinematics.descent.stepping_many import Passes
from ik2d_ros.kinematics.pose import at, problem_of
from ik2d_ros.kinematics.tip_angle.tip_angle_aimed_many import (
    can_be_had_many,
    near_start_many,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_begun import Asked, Task
from ik2d_ros.kinematics.tip_angle.tip_angle_poses import AngleProof
from ik2d_ros.kinematics.tip_angle.tip_angle_proof import (
    EXACT,
    Candidates,
    had_many,
    posed,
    turned,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_steps import Aim, return_towards
from ik2d_ros.kinematics.tuning import LONG


def decided(
    proof: AngleProof, task: Task, asked: Asked, passes: Passes
) -> tuple[FloatArray, Flags]:
    """Return poses that reach targets at their angles or the closest ones, exactly.

    Where rounding has a say none, so that each such target gets a look of its own.

    Args:
        proof: of the chain.
        task: the chain, which has limits.
        asked: targets and angles that no steps have led to.
        passes: (m,) made.

    Returns:
        (n, m) bends in rad, and (m,) which are there.
    """
    bends, there = asked.starts.copy(), np.zeros(len(asked.goals), dtype=np.bool_)
    can = np.flatnonzero(can_be_had_many(task, asked))
    if len(task.chain) >= LONG and not task.chain.has_slides:  # Else it takes as long to ask.
        can = can[had_many(proof, asked.goals[can], asked.headings[can])]
    some = asked.at(can)
    found = posed(proof, some.goals, some.headings, some.starts)
    exact = (found.error <= EXACT) & (np.abs(found.off) <= EXACT)
    chosen = bends[:, can]
    there[can] = _choose(found, exact, np.zeros(len(exact)), some.starts, chosen)
    bends[:, can] = chosen
    if len(task.chain) > 3:
        near = near_start_many(task, asked)
        for k in near[there[near]].tolist():
            problem = problem_of(task.chain, complex(asked.goals[k]))
            aim = Aim(problem, float(asked.headings[k]), *task.tolerances)
            pose, start = at(problem, bends[:, k].tolist()), asked.starts[:, k].tolist()
            pose, _ = return_towards(aim, pose, start, int(passes[k]), task.max_iterations)
            bends[:, k] = pose.bends
    left = ~there
    left[can[found.which]] = False
    which = np.flatnonzero(left)
    if len(which):
        some, chosen = asked.at(which), bends[:, which]
        found = turned(proof, some.goals, some.headings, some.starts)
        there[which] = closest_of(found, some.starts, chosen)
        bends[:, which] = chosen
    return bends, there


def closest_of(found: Candidates, starts: FloatArray, bends: FloatArray) -> Flags:
    """Write to ``bends`` the poses that come closest to the angles; return which are there."""
    off, good = np.abs(found.off), found.error <= EXACT
    least: FloatArray = np.full(starts.shape[1], np.inf)
    np.minimum.at(least, found.which[good], off[good])
    there = _choose(found, good, off, starts, bends)
    there[found.which[~good & (off < least[found.which])]] = False
    return there


def _choose(
    found: Candidates, good: Flags, cost: FloatArray, starts: FloatArray, bends: FloatArray
) -> Flags:
    """Write to ``bends`` the good pose that costs least, of several the one that moves least."""
    which, poses, cost = found.which[good], found.bends[:, good], cost[good]
    there = np.zeros(starts.shape[1], dtype=np.bool_)
    least: FloatArray = np.full(len(there), np.inf)
    np.minimum.at(least, which, cost)
    cheap = cost <= least[which] + SAME_MOVE
    which, poses = which[cheap], poses[:, cheap]
    move = np.abs(poses - starts[:, which]).max(axis=0)
    least[:] = np.inf
    np.minimum.at(least, which, move)
    # The first is written last.
    best = np.flatnonzero(move <= least[which] + SAME_MOVE)[::-1]
    bends[:, which[best]] = poses[:, best]
    there[which] = True
    return there

"""Which angles cannot be had, for many targets at once: asked before any steps towards them.

Steps towards an angle that limits forbid take longer than the proof that they do. So where a sample
shows that many are of that kind, all are asked first. Those that steps might reach all the same,
within the tolerances, are left to them, so that the answers stay those of :mod:`.tip_angle`.
"""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices
from ik2d_ros.kinematics.descent.stepping_many import Passes
from ik2d_ros.kinematics.tip_angle.tip_angle_aimed_many import (
    Asked,
    Task,
    aimed_many,
    can_be_had_many,
    closest_of,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_proof import (
    AngleProof,
    angle_proof_of,
    had_many,
    turned,
)
from ik2d_ros.kinematics.tuning import ANGLE_ASKED, ANGLE_SAMPLE, ANGLE_SAMPLED, HAD

# Where a target may be missed by some tolerance, what is next to stretched or folded may miss
# limits by its root, times about as much as links are shorter than the reach.
ROOTS = 8.0
FARTHEST = 0.02  # rad; beyond, asking first says too little.
APART = 0.02  # rad; an angle that is closer than this, and the tolerance, is left to steps.


def aimed_or_asked(task: Task, asked: Asked) -> tuple[FloatArray, Flags, Passes]:
    """Do what :func:`.tip_angle_aimed_many.aimed_many` does, after asking what cannot be had.

    Where angles cannot be had, the poses with the closest ones count as there.
    """
    count = len(asked.goals)
    if count < ANGLE_SAMPLED or len(task.chain) < 4 or not task.chain.limited:
        return aimed_many(task, asked)
    bends, there = asked.starts.copy(), np.zeros(count, dtype=np.bool_)
    passes: Passes = np.zeros(count, dtype=np.int64)

    def aim(some: Indices) -> None:
        if len(some):
            bends[:, some], there[some], passes[some] = aimed_many(task, asked.at(some))

    some: Indices = np.arange(0, count, ANGLE_SAMPLE)
    todo = np.ones(count, dtype=np.bool_)
    if len(task.chain) <= ANGLE_ASKED:
        proof = angle_proof_of(task.chain)
        had = proof is None or had_many(proof, asked.goals[some], asked.headings[some])
    else:
        # To make the proof takes longer than steps for some.
        aim(some)
        had, todo[some] = there[some], False
    if np.mean(had) < HAD:
        proof = angle_proof_of(task.chain)
        left = np.flatnonzero(~there)
        if proof is not None:
            bends[:, left], there[left] = closest_where_forbidden(proof, task, asked.at(left))
            todo &= ~there
    aim(np.flatnonzero(todo))
    return bends, there, passes


def closest_where_forbidden(
    proof: AngleProof, task: Task, asked: Asked
) -> tuple[FloatArray, Flags]:
    """Return poses with the closest angles where others cannot be had, and (m,) where that is sure.

    Nothing near the target, as far as the tolerance goes, has the angle then, either.
    """
    bends, sure = asked.starts.copy(), np.zeros(len(asked.goals), dtype=np.bool_)
    near, enough = task.tolerances
    loose = ROOTS * float(np.sqrt(near))
    if loose > FARTHEST:
        return bends, sure
    had = can_be_had_many(task, asked)
    can = np.flatnonzero(had)
    had[can] = had_many(proof, asked.goals[can], asked.headings[can])
    left = np.flatnonzero(~had)
    some = asked.at(left)
    found = turned(proof, some.goals, some.headings, some.starts, (near, loose))
    off = np.abs(found.off)
    about = off <= enough + 4.0 * loose + APART
    tight = found.strayed <= 0.0
    closest = bends[:, left]
    there = closest_of(found.at(np.flatnonzero(tight)), some.starts, closest)
    there[found.which[about]] = False
    bends[:, left], sure[left] = closest, there
    return bends, sure

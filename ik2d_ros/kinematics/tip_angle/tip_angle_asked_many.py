"""Which angles cannot be had, for many targets at once: asked before any steps towards them.

Steps towards an angle that limits forbid take longer than the proof that they do. So where a sample
shows that many are of that kind, all are asked first. Those that steps might reach all the same,
within the tolerances, are left to them, so that the answers stay those of :mod:`.tip_angle`.
"""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices
from ik2d_ros.kinematics.descent.stepping_many import Passes
from ik2d_ros.kinematics.pose import problem_of
from ik2d_ros.kinematics.tip_angle.tip_angle import reach_at_angle
from ik2d_ros.kinematics.tip_angle.tip_angle_aimed_many import (
    Asked,
    Task,
    aimed_many,
    can_be_had_many,
    closest_of,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_poses import AngleProof
from ik2d_ros.kinematics.tip_angle.tip_angle_proof import (
    angle_proof_of,
    had_many,
    turned,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_steps import Aim
from ik2d_ros.kinematics.tuning import (
    ANGLE_SAMPLE,
    ANGLE_SAMPLED,
    FEW_LEFT,
    FEW_LEFT_SLIDING,
    HAD,
)

# Where a target may be missed by some tolerance, what is next to stretched or folded may miss
# limits by its root, times about as much as links are shorter than the reach.
ROOTS = 8.0
FARTHEST = 0.02  # rad; beyond, asking first says too little.


def aimed_or_asked(task: Task, asked: Asked) -> tuple[FloatArray, Flags, Passes]:
    """Do what :func:`.tip_angle_aimed_many.aimed_many` does, after asking what cannot be had.

    Where angles cannot be had, the poses with the closest ones count as there.
    """
    count = len(asked.goals)
    if count < ANGLE_SAMPLED or len(task.chain) < 4 or not task.chain.limited:
        return aimed_many(task, asked)
    some: Indices = np.arange(0, count, count // ANGLE_SAMPLE)
    proof = angle_proof_of(task.chain)
    if proof is None or np.mean(had_many(proof, asked.goals[some], asked.headings[some])) >= HAD:
        return aimed_many(task, asked)
    bends, there, beyond = closest_where_forbidden(proof, task, asked)
    passes: Passes = np.zeros(count, dtype=np.int64)
    left = np.flatnonzero(~(there | beyond))
    if len(left) > (FEW_LEFT_SLIDING if task.chain.has_slides else FEW_LEFT):
        bends[:, left], there[left], passes[left] = aimed_many(task, asked.at(left))
        return bends, there, passes
    for k in left.tolist():
        problem = problem_of(task.chain, complex(asked.goals[k]))
        aim = Aim(problem, float(asked.headings[k]), *task.tolerances)
        start = asked.starts[:, k].tolist()
        found = reach_at_angle(task.chain, aim, task.solver, start, task.max_iterations)
        passes[k] = found.passes
        if found.bends is not None:
            bends[:, k], there[k] = found.bends, True
    return bends, there, passes


def closest_where_forbidden(
    proof: AngleProof, task: Task, asked: Asked
) -> tuple[FloatArray, Flags, Flags]:
    """Return poses with the closest angles where others cannot be had.

    Returns:
        (n, m) bends in rad; (m,) for which targets that is sure: nothing near, as far as the
        tolerance goes, has the angle, either; and (m,) which cannot be reached at any angle.
    """
    bends, sure = asked.starts.copy(), np.zeros(len(asked.goals), dtype=np.bool_)
    beyond = sure.copy()
    near, enough = task.tolerances
    loose = ROOTS * float(np.sqrt(near))
    if loose > FARTHEST:
        return bends, sure, beyond
    had = can_be_had_many(task, asked)
    can = np.flatnonzero(had)
    had[can] = had_many(proof, asked.goals[can], asked.headings[can])
    left = np.flatnonzero(~had)
    some = asked.at(left)
    found = turned(proof, some.goals, some.headings, some.starts, (near, loose))
    off = np.abs(found.off)
    about = off <= enough + 2.0 * loose  # An angle that is closer is left to steps.
    tight = found.strayed <= 0.0
    closest = bends[:, left]
    there = closest_of(found.at(np.flatnonzero(tight)), some.starts, closest)
    there[found.which[about]] = False
    bends[:, left], sure[left] = closest, there
    beyond[left] = True
    beyond[left[found.which]] = False
    return bends, sure, beyond

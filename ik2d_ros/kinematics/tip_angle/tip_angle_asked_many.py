"""Which angles cannot be had, for many targets at once: asked before any steps towards them.

Steps towards an angle that limits forbid take longer than the proof that they do. So where a sample
shows that many are of that kind, all are asked first. Those that steps might reach all the same,
within the tolerances, are left to them, so that the answers stay those of :mod:`.tip_angle`.
"""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices
from ik2d_ros.kinematics.tip_angle.tip_angle_aimed_many import (
    begun_many,
    can_be_had_many,
    decoupled_many,
    inside_many,
    stepped_from_elsewhere,
    stepped_many,
    takes_closure,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_begun import Asked, Begun, Task
from ik2d_ros.kinematics.tip_angle.tip_angle_decided_many import closest_of
from ik2d_ros.kinematics.tip_angle.tip_angle_poses import AngleProof
from ik2d_ros.kinematics.tip_angle.tip_angle_proof import (
    angle_proof_of,
    had_many,
    turned,
)
from ik2d_ros.kinematics.tuning import ANGLE_SAMPLE, ANGLE_SAMPLED, HAD, HAD_RARELY, LONG

# Where a target may be missed by some tolerance, what is next to stretched or folded may miss
# limits by its root, times about as much as links are shorter than the reach.
ROOTS = 8.0
FARTHEST = 0.02  # rad; beyond, asking first says too little.


def rarely_had(task: Task, sample: Asked) -> bool:
    """Whether few angles can be had, as far as these targets show."""
    return _share(task, sample) < HAD_RARELY


def _takes_asking(task: Task) -> bool:
    return len(task.chain) > 3 and task.chain.limited


def aimed_or_asked(task: Task, asked: Asked, begun: Begun, first: bool) -> None:
    """Bring tips onto targets at their angles, or sometimes at the closest ones.

    As :func:`.tip_angle.reach_at_angle` does, mostly without a proof.

    Args:
        task: the chain, and what is enough.
        asked: targets in the annulus.
        begun: how far they have come; replaced by how far they come.
        first: whether to ask which angles can be had before anything else.
    """
    if not _takes_asking(task):
        begun_many(task, asked, begun)
        return
    beyond = np.zeros(len(asked.goals), dtype=np.bool_)
    known = first
    if first:
        _ask(task, asked, np.flatnonzero(can_be_had_many(task, asked)), begun, beyond)
        left = np.flatnonzero(~(begun.there | beyond))
        some = begun.at(left)
        begun_many(task, asked.at(left), some)
        begun.take_back(left, some)
    else:
        begun_many(task, asked, begun)
    can = np.flatnonzero(~(begun.there | beyond) & can_be_had_many(task, asked))
    if not known and _share_had(task, asked.at(can)) < HAD:
        _ask(task, asked, can, begun, beyond)
        can, known = can[~(begun.there | beyond)[can]], True
    if not (takes_closure(task.chain) and len(can)):
        return
    made = begun.passes.take(can)
    begun.put(can, decoupled_many(task, asked.at(can), made), made)
    can = can[~begun.there[can]]
    made = begun.passes.take(can)
    found = stepped_many(task, asked.at(can), begun.bends.take(can, axis=1), made)
    begun.put(can, found, made)
    can = can[~begun.there[can]]
    if len(task.chain) < LONG or not len(can):
        return
    if not known and _share_had(task, asked.at(can)) < HAD_RARELY:
        _ask(task, asked, can, begun, beyond)
        can = can[~(begun.there | beyond)[can]]
    made = begun.passes.take(can)
    begun.put(can, stepped_from_elsewhere(task, asked.at(can), made), made)


def _share_had(task: Task, asked: Asked) -> float:
    """Return how many of the angles can be had, as far as a sample shows; all of a few."""
    some = sample_of(len(asked.goals))
    return _share(task, asked.at(some)) if len(some) else 1.0


def sample_of(count: int) -> Indices:
    """Return some of so many targets; none of a few."""
    return np.arange(0, count, count // ANGLE_SAMPLE) if count >= ANGLE_SAMPLED else np.arange(0)


def _share(task: Task, sample: Asked) -> float:
    """Return how many of the angles can be had of those that lengths allow; all of none."""
    proof = angle_proof_of(task.chain)
    sample = sample.at(np.flatnonzero(inside_many(task, sample) & can_be_had_many(task, sample)))
    if proof is None or not len(sample.goals):
        return 1.0
    return float(np.mean(had_many(proof, sample.goals, sample.headings)))


def _ask(task: Task, asked: Asked, some: Indices, begun: Begun, beyond: Flags) -> None:
    """Write what the proof says of some of the targets."""
    proof = angle_proof_of(task.chain)
    if proof is not None:
        now = begun.bends.take(some, axis=1)
        found = closest_where_forbidden(proof, task, asked.at(some), now)
        begun.bends[:, some], begun.there[some], beyond[some] = found


def closest_where_forbidden(
    proof: AngleProof, task: Task, asked: Asked, begun: FloatArray
) -> tuple[FloatArray, Flags, Flags]:
    """Return poses with the closest angles where others cannot be had, else those begun (n, m).

    Returns:
        (n, m) bends in rad; (m,) for which targets that is sure: nothing near, as far as the
        tolerance goes, has the angle, either; and (m,) which cannot be reached at any angle.
    """
    bends, sure = begun.copy(), np.zeros(len(asked.goals), dtype=np.bool_)
    beyond = sure.copy()
    near, enough = task.tolerances
    loose = ROOTS * float(np.sqrt(near))
    if loose > FARTHEST:
        return bends, sure, beyond
    left = np.flatnonzero(~had_many(proof, asked.goals, asked.headings))
    some = asked.at(left)
    found = turned(proof, some.goals, some.headings, some.starts, (near, loose))
    off = np.abs(found.off)
    about = off <= enough + 2.0 * loose  # An angle that is closer is left to steps.
    tight = found.strayed <= 0.0
    closest = bends[:, left]
    there = closest_of(found.at(np.flatnonzero(tight)), some.starts, closest)
    there[found.which[about]] = False
    bends[:, left[there]], sure[left] = closest[:, there], there
    beyond[left] = True
    beyond[left[found.which]] = False
    return bends, sure, beyond

"""Many targets at tip angles for one chain in its plane: :mod:`.tip_angle_in_plane` in NumPy.

Arrays of bends have a column per target, as in :mod:`.many`.
"""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.angles import wrapped
from ik2d_ros.kinematics.arrays import Flags, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.descent.stepping_many import Passes
from ik2d_ros.kinematics.parts import in_parts
from ik2d_ros.kinematics.planar.strategy_many import solved
from ik2d_ros.kinematics.positions import commanded_many
from ik2d_ros.kinematics.proof.proof import is_proven
from ik2d_ros.kinematics.solution import Batch, Poses, Status
from ik2d_ros.kinematics.targets import goals_of
from ik2d_ros.kinematics.tip_angle.tip_angle import Wanted
from ik2d_ros.kinematics.tip_angle.tip_angle_aimed_many import Asked, Task, decided
from ik2d_ros.kinematics.tip_angle.tip_angle_asked_many import aimed_or_asked
from ik2d_ros.kinematics.tip_angle.tip_angle_in_plane import in_plane_at_angle
from ik2d_ros.kinematics.tip_angle.tip_angle_proof import angle_proof_of
from ik2d_ros.kinematics.tuning import ANGLE_CHUNK, FEW_CLOSURES


def solved_at_angle(
    chain: Chain,
    points: FloatArray,
    angles: FloatArray,
    angle_tolerance: float,
    solver: str,
    starts: FloatArray,
    tolerance: float,
    max_iterations: int,
) -> Batch:
    """Return what :func:`.batch.solve_batch` finds for arguments that are checked already."""
    count = len(points)
    task = Task(chain, solver, tolerance, angle_tolerance, max_iterations)
    batch = Batch(
        np.empty((len(chain), count)).T,
        np.empty(count),
        np.empty(count, dtype=np.int8),
        np.ones(count, dtype=np.bool_),
        np.empty(count),
        chain,
    )
    in_parts(
        lambda part: _fill(task, points[part], angles[part], starts[part], batch, part),
        count,
        ANGLE_CHUNK,
    )
    return batch


def _fill(
    task: Task,
    points: FloatArray,
    angles: FloatArray,
    starts: FloatArray,
    into: Batch,
    part: slice,
) -> None:
    chain = task.chain
    asked = Asked(
        goals_of(points, chain.reach.outer or 1.0),
        angles + chain.tip_direction,
        chain.bends_many(starts).T,
    )
    bends, there, passes = _aimed_inside(task, asked)
    proof = angle_proof_of(chain) if chain.limited and not there.all() else None
    if proof is not None and proof.tables.had.entries <= FEW_CLOSURES:
        left = np.flatnonzero(~there)
        bends[:, left], there[left] = decided(proof, task, asked.at(left), passes[left])
    left = np.flatnonzero(~there)
    plain = _without_angle(task, points[left], starts[left])
    if proof is not None and proof.tables.had.entries > FEW_CLOSURES:
        # What is out of reach at any angle is no matter of a proof that takes longer.
        again = left[plain.status == Status.REACHED]
        bends[:, again], there[again] = decided(proof, task, asked.at(again), passes[again])
    q = commanded_many(chain, bends, starts)
    tips = chain.points(q)[:, -1]
    error = np.hypot(*(points - tips).T)
    off = np.abs(wrapped(chain.tip_angles(q) - angles))
    status = np.where(off <= task.angle_tolerance, Status.REACHED, Status.TIP_ANGLE)
    proven = np.ones(len(points), dtype=np.bool_)
    lost = ~there[left]
    out = left[lost]
    q[out], error[out], status[out] = plain.q[lost], plain.error[lost], plain.status[lost]
    off[out] = np.abs(wrapped(chain.tip_angles(q[out]) - angles[out]))
    if not is_proven(Status.JOINT_LIMIT, chain):
        proven[out] = status[out] != Status.JOINT_LIMIT
    # The point is reached after all, or might be: one by one.
    unclear = there & (error > task.tolerance)
    unclear[out] = (status[out] == Status.REACHED) | (status[out] == Status.NOT_CONVERGED)
    for k in np.flatnonzero(unclear).tolist():
        found = Batch(q, error, status, proven, off, chain)
        _fill_one(task, points, angles, starts, found, k)
    into.q[part], into.error[part], into.status[part] = q, error, status
    into.angle_error[part], into.proven[part] = off, proven


def _aimed_inside(task: Task, asked: Asked) -> tuple[FloatArray, Flags, Passes]:
    """Return what is found for targets that are in the annulus, but for the tolerance."""
    (inner, outer), loose = task.chain.unit_reach, task.tolerances[0]
    distance = np.abs(asked.goals)
    inside = np.flatnonzero((distance >= inner - loose) & (distance <= outer + loose))
    if len(inside) == len(distance):
        return aimed_or_asked(task, asked)
    bends, there = asked.starts.copy(), np.zeros(len(distance), dtype=np.bool_)
    passes: Passes = np.zeros(len(distance), dtype=np.int64)
    bends[:, inside], there[inside], passes[inside] = aimed_or_asked(task, asked.at(inside))
    return bends, there, passes


def _fill_one(
    task: Task, points: FloatArray, angles: FloatArray, starts: FloatArray, into: Batch, k: int
) -> None:
    x, y = points[k].tolist()
    answer = in_plane_at_angle(
        task.chain,
        x,
        y,
        Wanted(float(angles[k]), task.angle_tolerance),
        starts[k].tolist(),
        task.solver,
        task.tolerance,
        task.max_iterations,
    )
    into.q[k], into.error[k], into.status[k] = answer.q, answer.error, answer.status
    into.angle_error[k], into.proven[k] = answer.angle_error, answer.proven


def _without_angle(task: Task, points: FloatArray, starts: FloatArray) -> Poses:
    return solved(
        task.chain,
        points,
        task.solver,
        starts,
        starts,
        'nearest',
        task.tolerance,
        task.max_iterations,
    )

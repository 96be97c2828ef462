"""Many targets at tip angles for one chain in its plane: :mod:`.tip_angle_in_plane` in NumPy.

Arrays of bends have a column per target, as in :mod:`.links`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import wrapped
from ik2d_ros.kinematics.arrays import FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.parts import in_parts, rows
from ik2d_ros.kinematics.planar.strategy_many import solved
from ik2d_ros.kinematics.positions import commanded_many
from ik2d_ros.kinematics.proof.proof import is_proven
from ik2d_ros.kinematics.solution import Batch, Poses, Status
from ik2d_ros.kinematics.starts import columns_of
from ik2d_ros.kinematics.targets import goals_of
from ik2d_ros.kinematics.tip_angle.tip_angle import Wanted
from ik2d_ros.kinematics.tip_angle.tip_angle_aimed_many import (
    closed_many,
    inside_many,
    near_start_many,
    takes_closure,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_asked_many import (
    aimed_or_asked,
    rarely_had,
    sample_of,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_begun import Asked, Begun, Task, joined
from ik2d_ros.kinematics.tip_angle.tip_angle_decided_many import decided
from ik2d_ros.kinematics.tip_angle.tip_angle_in_plane import in_plane_at_angle
from ik2d_ros.kinematics.tip_angle.tip_angle_proof import angle_proof_of
from ik2d_ros.kinematics.tuning import ANGLE_CHUNK, FEW_NEAR


class _Targets(NamedTuple):
    """Targets as users give them: points (m, 2) in m, angles (m,), and starts (m, n)."""

    points: FloatArray
    angles: FloatArray
    starts: FloatArray

    def at(self, some: Indices | slice) -> _Targets:
        """Return some of them."""
        points, angles, starts = self
        if len(starts) and not starts.strides[0]:  # The same for all.
            count = len(angles[some])
            starts = np.broadcast_to(starts[:1], (count, starts.shape[1]))
        else:
            starts = starts[some]
        return _Targets(points[some], angles[some], starts)

    def asked(self, chain: Chain) -> Asked:
        """Return them as the solvers have them."""
        return Asked(
            goals_of(self.points, chain.size),
            self.angles + chain.tip_direction,
            columns_of(chain, self.starts),
        )


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
    targets = _Targets(points, angles, starts)
    batch = Batch(
        rows(len(chain), count).T,
        np.empty(count),
        np.empty(count, dtype=np.int8),
        np.ones(count, dtype=np.bool_),
        np.empty(count),
        chain,
    )
    rest: Indices = np.arange(count)
    begun: Begun | None = None
    first = False
    some = sample_of(count)
    if len(some) and solver == 'hybrid' and chain.limited and takes_closure(chain):
        with np.errstate(all='ignore'):
            sample = targets.at(some).asked(chain)
            first = rarely_had(task, sample)
            near = len(near_start_many(task, sample))
        if not first and near < FEW_NEAR * len(some):
            rest, begun = _fill_closed(task, targets, batch)
    every = len(rest) == count

    def fill(part: slice) -> None:
        where = part if every else rest[part]
        now = None if begun is None else begun.part(part)
        _fill(task, targets.at(where), now, first, batch, where)

    in_parts(fill, len(rest), ANGLE_CHUNK)
    return batch


def _fill_closed(task: Task, targets: _Targets, into: Batch) -> tuple[Indices, Begun | None]:
    """Fill in what three joints alone lead to; return which are left, and how far they have come.

    In parts, and then the others are looked at together: to do little in many takes longer.
    """
    left: list[tuple[Indices, Begun]] = []

    def fill(part: slice) -> None:
        some = targets.at(part)
        begun = closed_many(task, some.asked(task.chain))
        there, others = np.flatnonzero(begun.there), np.flatnonzero(~begun.there)
        if not len(others):
            _judge(task, some, begun, into, part)
            return
        _judge(task, some.at(there), begun.at(there), into, part.start + there)
        left.append((part.start + others, begun.at(others)))

    in_parts(fill, len(targets.points), ANGLE_CHUNK)
    if not left:
        return np.arange(0), None
    left.sort(key=lambda each: int(each[0][0]))  # Threads end in any order.
    return np.concatenate([some for some, _ in left]), joined([begun for _, begun in left])


def _fill(
    task: Task,
    targets: _Targets,
    begun: Begun | None,
    first: bool,
    into: Batch,
    where: Indices | slice,
) -> None:
    """Fill in what all stages lead to; ``first`` as :func:`.aimed_or_asked` has it."""
    chain = task.chain
    asked = targets.asked(chain)
    if begun is None:
        begun = Begun.at_start(asked)
    inside = np.flatnonzero(inside_many(task, asked))
    if len(inside) == len(begun.there):
        aimed_or_asked(task, asked, begun, first)
    else:
        some = begun.at(inside)
        aimed_or_asked(task, asked.at(inside), some, first)
        begun.take_back(inside, some)
    proof = angle_proof_of(chain) if chain.limited and not begun.there.all() else None
    if proof is not None:
        left = np.flatnonzero(~begun.there)
        passes = begun.passes.take(left)
        begun.put(left, decided(proof, task, asked.at(left), passes), passes)
    _judge(task, targets, begun, into, where)


def _judge(
    task: Task, targets: _Targets, begun: Begun, into: Batch, where: Indices | slice
) -> None:
    """Judge what is found for targets, or what is closest to their points, and write it."""
    chain = task.chain
    points, angles, starts = targets
    q = commanded_many(chain, begun.bends, starts)
    x, y = points.T
    tip_x, tip_y = chain.tips(q)
    error = np.hypot(x - tip_x, y - tip_y)
    off = np.abs(wrapped(chain.tip_angles(q) - angles))
    status = np.where(off <= task.angle_tolerance, Status.REACHED.value, Status.TIP_ANGLE.value)
    status = status.astype(np.int8)
    proven = np.ones(len(points), dtype=np.bool_)
    # The point is reached after all, or might be: one by one.
    unclear = begun.there & (error > task.tolerance)
    out = np.flatnonzero(~begun.there)
    if len(out):
        plain = _without_angle(task, targets.at(out))
        q[out], error[out], status[out] = plain.q, plain.error, plain.status
        off[out] = np.abs(wrapped(chain.tip_angles(q[out]) - angles[out]))
        if not is_proven(Status.JOINT_LIMIT, chain):
            proven[out] = status[out] != Status.JOINT_LIMIT
        unclear[out] = (status[out] == Status.REACHED) | (status[out] == Status.NOT_CONVERGED)
    for k in np.flatnonzero(unclear).tolist():
        found = Batch(q, error, status, proven, off, chain)
        _fill_one(task, points, angles, starts, found, k)
    into.q.T[:, where], into.error[where], into.status[where] = q.T, error, status
    into.angle_error[where], into.proven[where] = off, proven


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


def _without_angle(task: Task, targets: _Targets) -> Poses:
    return solved(
        task.chain,
        targets.points,
        task.solver,
        targets.starts,
        targets.starts,
        'nearest',
        task.tolerance,
        task.max_iterations,
    )

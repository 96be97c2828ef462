"""What is done to reach many targets in the plane: :mod:`.strategy` in NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import ANGLE_ROUNDING
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices, hypotenuses
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.two_bone_batch import at_rest, fill_plain
from ik2d_ros.kinematics.closed_form.two_bone_many import reaching_many
from ik2d_ros.kinematics.parts import in_parts, rows
from ik2d_ros.kinematics.planar.descent_many import closed_form, descended
from ik2d_ros.kinematics.planar.edge import edge_poses
from ik2d_ros.kinematics.planar.planar_solver import Effort
from ik2d_ros.kinematics.planar.strategy import AT_LIMITS
from ik2d_ros.kinematics.planar.verdict import verdicts
from ik2d_ros.kinematics.positions import commanded_many
from ik2d_ros.kinematics.solution import Poses, Status
from ik2d_ros.kinematics.starts import columns_of
from ik2d_ros.kinematics.targets import check_finite, goals_of
from ik2d_ros.kinematics.tuning import DESCENT_CHUNK, DESCENT_JOINTS, TWO_BONE_CHUNK


def solved(
    chain: Chain,
    points: FloatArray,
    solver: str,
    given: FloatArray | None,
    starts: FloatArray,
    bend: str,
    tolerance: float,
    max_iterations: int,
    effort: Effort = Effort.ALL,
) -> Poses:
    """Return what :func:`.batch.solve_batch` finds for arguments that are checked already.

    The starts are those ``given``, or the default.
    """
    if solver == 'hybrid' and len(chain) == 2:
        solver, bend = 'two_bone', 'nearest'  # The same, in closed form.
    plain = solver == 'two_bone' and bend == 'nearest' and at_rest(chain, given)
    if not plain:
        check_finite(points)
    batch = Poses(
        # A column per joint lies together in memory: so it is computed and mostly read.
        rows(len(chain), len(points)).T,
        np.empty(len(points)),
        np.zeros(len(points), dtype=np.int8),  # Reached.
    )

    if solver != 'two_bone':
        thorough = effort is Effort.ALL
        size = DESCENT_CHUNK * DESCENT_JOINTS // max(DESCENT_JOINTS, len(chain))
        every: Indices = np.arange(len(points))
        later: list[Indices] = []

        def fill(some: Indices | slice, postpone: bool) -> None:
            bends, settled, left_out = _descended(
                chain,
                solver,
                points[some],
                starts[some],
                tolerance,
                max_iterations,
                thorough,
                postpone,
            )
            if len(left_out):
                later.append(every[some][left_out])
            _write(chain, points[some], starts[some], bends, settled, tolerance, batch, some)

        in_parts(lambda part: fill(part, len(points) > size), len(points), size)
        rest = np.sort(np.concatenate(later)) if later else np.arange(0)
        in_parts(lambda part: fill(rest[part], False), len(rest), size)
        return batch
    rest = fill_plain(chain, points, batch.q, batch.error) if plain else np.arange(len(points))
    if plain and not np.isfinite(points[rest]).all():
        check_finite(points)
    in_parts(
        lambda part: _fill_two_bone(
            chain, points, starts, bend, tolerance, effort, batch, rest[part]
        ),
        len(rest),
        TWO_BONE_CHUNK,
    )
    return batch


def _fill_two_bone(
    chain: Chain,
    points: FloatArray,
    starts: FloatArray,
    bend: str,
    tolerance: float,
    effort: Effort,
    into: Poses,
    rest: Indices,
) -> None:
    goals = goals_of(points[rest], chain.size)
    begun = chain.bends_many(starts[rest]).T
    if effort is Effort.CLOSE and not chain.has_slides:
        (shoulder, elbow), found = reaching_many(
            chain.unit_lengths,
            chain.bend_limits,
            goals.real,
            goals.imag,
            (begun[0], begun[1]),
            bend,
            # At a limit rounding has half of them outside: by that little they are reached there.
            max(ANGLE_ROUNDING, min(AT_LIMITS, 0.25 * tolerance / chain.size)),
        )
        if not found.all():
            # How far the start is from what limits forbid is of no use.
            left = rest[~found]
            into.q[left], into.error[left] = starts[left], np.inf
            into.status[left] = Status.JOINT_LIMIT
            rest = rest[found]
            if not len(rest):
                return
            shoulder, elbow = shoulder[found], elbow[found]
        bends = np.stack([shoulder, elbow])
    else:
        bends = closed_form(chain, goals, begun, bend)
    # Who asks for what is close only is not told why the others are missed.
    settled = np.ones(len(rest), dtype=np.bool_) if effort is Effort.ALL else None
    _write(chain, points[rest], starts[rest], bends, settled, tolerance, into, rest)


def _descended(
    chain: Chain,
    solver: str,
    points: FloatArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
    thorough: bool,
    postpone: bool,
) -> tuple[FloatArray, Flags, Indices]:
    """Return bends (n, m), which are settled, and which targets are left for later."""
    size = chain.size
    targets = goals_of(points, size)
    begun = columns_of(chain, starts)
    bends, settled = edge_poses(chain, targets, begun)
    inside = np.flatnonzero(~settled)
    if not len(inside):
        return bends, settled, inside
    if len(inside) == len(targets):  # Copying takes as long as a good part of the work.
        return descended(
            chain, targets, begun, solver, tolerance / size, budget, thorough, postpone
        )
    bends[:, inside], settled[inside], left_out = descended(
        chain,
        targets[inside],
        begun[:, inside],
        solver,
        tolerance / size,
        budget,
        thorough,
        postpone,
    )
    return bends, settled, inside[left_out]


def _write(
    chain: Chain,
    points: FloatArray,
    starts: FloatArray,
    bends: FloatArray,
    settled: NDArray[np.bool_] | None,
    tolerance: float,
    into: Poses,
    where: Indices | slice,
) -> None:
    """Judge the bends (n, k) for targets (k, 2) and write positions and judgement to ``where``.

    No judgement but whether they are reached where it is not said which are ``settled``.
    """
    q = commanded_many(chain, bends, starts)
    x, y = points.T
    tip_x, tip_y = chain.tips(q)
    error = hypotenuses(x - tip_x, y - tip_y)
    into.q[where] = q
    into.error[where] = error
    if settled is None:
        into.status[where] = np.where(error <= tolerance, Status.REACHED, Status.NOT_CONVERGED)
        return
    into.status[where] = verdicts(chain, points, error, tolerance, settled)

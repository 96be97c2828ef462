"""Many targets in space for one arm, as :mod:`.in_space` does for one."""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.planar.planar_solver import PlanarBatch, PlanarBatchSolver
from ik2d_ros.kinematics.solution import Status
from ik2d_ros.kinematics.space.at_turns_many import Task, try_places
from ik2d_ros.kinematics.space.closest_in_space_many import (
    chosen,
    other_poses,
    straight_poses,
    why_not_many,
)
from ik2d_ros.kinematics.space.places_many import are_outside, places_of_many, seen_from_axis_many
from ik2d_ros.kinematics.sweep import Sweep


def solve_many_on_turntable(
    arm: Arm,
    sweep: Sweep,
    points: FloatArray,
    starts: FloatArray,
    tolerance: float,
    planar: PlanarBatchSolver,
) -> PlanarBatch:
    """Return the poses for an arm with a turntable.

    Args:
        arm: the arm.
        sweep: of its plane.
        points: (m, 3) targets in m, in the base frame.
        starts: (m, n + 1) positions in rad, inside the limits.
        tolerance: distance in m that counts as reached.
        planar: solves for the chain.

    Returns:
        As a planar batch, with the turntable first and distances in space.
    """
    goals, rounding = seen_from_axis_many(arm, sweep, points)
    outside = are_outside(arm, sweep, goals, rounding, tolerance)
    if not outside.any():
        return _searched(arm, sweep, points, goals, rounding, starts, tolerance, planar)
    far = np.flatnonzero(outside)
    poses, known = straight_poses(arm, sweep, goals[far], starts[far])
    far = far[known]
    if not len(far):
        return _searched(arm, sweep, points, goals, rounding, starts, tolerance, planar)
    q, error = starts.copy(), np.zeros(len(points))
    status = np.full(len(points), Status.TOO_FAR, dtype=np.int8)
    tried = [(far, each[known]) for each in poses]
    q[far], error[far] = chosen(arm, points, far, tried, starts, tolerance)
    if len(far) < len(points):
        left = np.delete(np.arange(len(points)), far)
        q[left], error[left], status[left] = _searched(
            arm,
            sweep,
            points[left],
            goals[left],
            rounding[left],
            starts[left],
            tolerance,
            lambda some, *asked: planar(left[some], *asked),
        )
    return q, error, status


def _searched(
    arm: Arm,
    sweep: Sweep,
    points: FloatArray,
    goals: FloatArray,
    rounding: FloatArray,
    starts: FloatArray,
    tolerance: float,
    planar: PlanarBatchSolver,
) -> PlanarBatch:
    """Do what :func:`solve_many_on_turntable` does, where the straight pose is not known to do.

    Besides: ``goals`` (m, 3) are the targets about the axis, ``rounding`` (m,) theirs in m.
    """
    places, beyond = places_of_many(arm, sweep, goals, rounding, starts[:, 0])
    # How close the chain comes to what is out of reach matters only where that is how close the arm
    # comes.
    every = goals[:, 0] <= rounding
    if sweep.d == 0.0 == sweep.e:
        every = every | (places[0].allowed & places[1].allowed)
    task = Task.begun(arm, starts, beyond, every, tolerance, planar)
    try_places(task, places)
    q, error, status = task.q, task.error, np.zeros(len(points), dtype=np.int8)
    left = np.flatnonzero(np.isinf(task.moved))
    if len(left):
        # As for one target: those are all the poses that may be closest.
        others = left[~(task.met | every)[left]]
        task.tried.extend(
            other_poses(arm, sweep, goals, others, task.tried, starts, planar, task.nearest)
        )
        q[left], error[left] = chosen(arm, points, left, task.tried, starts, tolerance)
        missed = left[error[left] > tolerance]
        away = np.stack([place.away[missed] for place in places])
        stopped = ~task.proven[missed]
        status[missed] = why_not_many(arm, away, beyond[missed], stopped, error[missed])
    return q, error, status

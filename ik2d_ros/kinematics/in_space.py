"""Solving for arms in space: with a turntable, with a lift, or with nothing before their plane.

A layer over the solver of the chain in its plane. A lift and the chain know nothing of each other:
each comes as close as it can. What turntable and chain do together is in the kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import FloatArray, norms
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.solution import Batch, Solution, Status, is_proven
from ik2d_ros.kinematics.sweep import Sweep

Tolerances = tuple[float, float]  # Distance in m, and from the angle in rad, that count as reached.


def solve_on_turntable(
    arm: Arm,
    sweep: Sweep,
    target: Vector,
    start: Sequence[float],
    angle: float | Vector,
    tolerances: Tolerances,
    solver: str,
    options: tuple[int, int, int],
) -> Solution:
    """Return the pose that brings the tip of an arm onto a target, or as close as it can come.

    Args:
        arm: an arm with a turntable.
        sweep: of its plane.
        target: in m, in the base frame.
        start: (m,) positions inside the limits.
        angle: of the last link's frame in the plane in rad, infinite for any; or the direction in
            which its x-axis is to point, a unit vector in the base frame.
        tolerances: that count as reached.
        solver: its name.
        options: what the kernel takes for solver, bend and passes.
    """
    wish = sweep.direction(angle) if isinstance(angle, tuple) else angle
    q, (x, y), _, code, passes, turned, off = arm.solver.solve(
        sweep.locate(target), start, wish, tolerances, options
    )
    tip = sweep.point(sweep.raised(x, y), q[0])
    error = math.dist(tip, target)
    status = judged(Status(code), error, off, tolerances)
    proven = is_proven(status, arm.chain)
    return Solution(np.array(q), np.array(tip), error, status, solver, passes, proven, turned, off)


def solve_on_lift(
    arm: Arm,
    target: Vector,
    start: Sequence[float],
    tolerances: Tolerances,
    planar: Callable[[tuple[float, float], Sequence[float]], Solution],
) -> Solution:
    """Do what :func:`solve_on_turntable` does for an arm with a lift, or with nothing.

    Args:
        arm: the arm.
        target: in m, in the base frame.
        start: (m,) positions inside the limits.
        tolerances: that count as reached.
        planar: solves for the chain, from a target in the plane and a start.
    """
    x, y, away = arm.plane.locate(target)
    found = planar((x, y), start[len(arm) - len(arm.chain) :])
    q, shift = found.q, 0.0
    if arm.lift is not None:
        lower, upper = arm.travel
        height = min(max(arm.lift.axis * away, lower), upper)
        q, shift = np.array((height, *q.tolist())), arm.lift.axis * height
    tip_x, tip_y = found.tip.tolist()
    tip = arm.plane.point(tip_x, tip_y, shift)
    error = math.dist(tip, target)
    missed = error > tolerances[0] and abs(away - shift) > tolerances[0]
    if missed:
        status = _missed(arm, found.status)
    else:
        status = judged(found.status, error, found.angle_error, tolerances)
    proven = missed or (found.proven and status is not Status.NOT_CONVERGED)
    return found._replace(q=q, tip=np.array(tip), error=error, status=status, proven=proven)


def judged(status: Status, error: float, off: float, tolerances: Tolerances) -> Status:
    """Return the status that goes with the error in space, as rounding may have it otherwise."""
    tolerance, slack = tolerances
    at_point = status in (Status.REACHED, Status.TIP_ANGLE)
    if error > tolerance:
        return Status.NOT_CONVERGED if at_point else status
    if off <= slack:
        return Status.REACHED
    return Status.TIP_ANGLE if at_point else Status.NOT_CONVERGED


def _missed(arm: Arm, status: Status) -> Status:
    """Return the status where the plane is not at the target, from that of the chain in it."""
    if arm.lift is None or arm.lift.lower is None:
        return Status.TOO_FAR
    return status if status in (Status.TOO_FAR, Status.TOO_NEAR) else Status.JOINT_LIMIT


def batch_on_turntable(
    arm: Arm,
    sweep: Sweep,
    points: FloatArray,
    tolerances: Tolerances,
    seen: Callable[[FloatArray], Batch],
) -> Batch:
    """Do what :func:`solve_on_turntable` does for many targets.

    Args:
        arm: an arm with a turntable.
        sweep: of its plane.
        points: (m, 3) targets in m, in the base frame.
        tolerances: that count as reached.
        seen: solves for the arm, from (m, 3) targets seen from the axis.
    """
    found = seen(sweep.located(points))
    return _judged_batch(arm, found, points, tolerances, np.zeros(len(points)))


def batch_on_lift(
    arm: Arm,
    points: FloatArray,
    tolerances: Tolerances,
    planar: Callable[[FloatArray], Batch],
) -> Batch:
    """Do what :func:`solve_on_lift` does for many targets.

    Args:
        arm: the arm.
        points: (m, 3) targets in m, in the base frame.
        tolerances: that count as reached.
        planar: solves for the chain, from (m, 2) targets in the plane.
    """
    local = (points - arm.plane.origin) @ np.array(arm.plane.axes).T
    found = planar(local[:, :2])
    away = local[:, 2]
    if arm.lift is not None:
        height = np.clip(arm.lift.axis * away, *arm.travel)
        away = away - arm.lift.axis * height
        found = replace(found, q=np.column_stack([height, found.q]))
    return _judged_batch(arm, found, points, tolerances, np.abs(away))


def _judged_batch(
    arm: Arm, found: Batch, points: FloatArray, tolerances: Tolerances, beside: FloatArray
) -> Batch:
    """Return answers with their errors in space, and the statuses that go with these.

    Args:
        arm: the arm.
        found: what was found for each target.
        points: (m, 3) targets in m, in the base frame.
        tolerances: that count as reached.
        beside: (m,) how far the target is from the plane in m.
    """
    with np.errstate(over='ignore'):  # What overflows is farther away than anything is long.
        error = norms(arm.tips(found.q) - points)
    status, proven = found.status.copy(), found.proven.copy()
    there = error <= tolerances[0]
    missed = ~there & (beside > tolerances[0])
    for k in np.flatnonzero(missed | (there != (status == Status.REACHED))):
        before = Status(status[k])
        if missed[k]:
            status[k] = _missed(arm, before)
        else:
            status[k] = judged(before, error[k], found.angle_error[k], tolerances)
    proven = missed | (found.proven & (status != Status.NOT_CONVERGED))
    return Batch(found.q, error, status, proven, found.angle_error, arm)

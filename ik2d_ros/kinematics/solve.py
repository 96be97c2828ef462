"""One call for every chain, arm and target: checks arguments and picks the solver."""

from __future__ import annotations

from math import inf

from numpy import array

from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.in_space import solve_on_lift, solve_on_turntable
from ik2d_ros.kinematics.kernel.solver import METHODS
from ik2d_ros.kinematics.options import (
    Numbers,
    check_angle,
    check_chain,
    check_options,
    clamped_start,
    is_arm,
    point_of,
    space_point_of,
)
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.solution import Solution, Status, is_proven

ANGLE_TOLERANCE = 1e-3  # rad
STATUSES = tuple(Status)
SIDES = {'nearest': 0, 'positive': 1, 'negative': -1}


def solve(
    chain: Chain | Arm,
    target: Numbers,
    solver: str = 'auto',
    start: Numbers | None = None,
    bend: str = 'nearest',
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    angle: float | None = None,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Solution:
    """Find the joint positions that bring the tip onto a target, or as close as the arm can come.

    Args:
        chain: the chain, which moves in its plane, or the arm, which moves in space. Everything
            below about joints holds for an arm's turntable or lift, too.
        target: (2,) where the tip of a chain is to go, in m, in the plane, from the base; (3,)
            where that of an arm is to go, in m, in the base frame.
        solver: ``two_bone`` (closed form, exactly two joints); ``ccd`` (cyclic coordinate descent,
            any number of joints: sweeps over the joints, and an exact step where sweeps stall or
            creep); ``hybrid`` (any number: small joint moves from the start, and an exact step
            where these stick); or ``auto``: ``two_bone`` for two joints, else ``hybrid``.
        start: (n,) positions to move from, in rad, those of a lift and of prismatic joints in m;
            what is outside the limits is clamped into them, and that of a continuous joint must be
            from -1e9 to 1e9. Default: the middle of each joint's range, 0 for a continuous one.
        bend: for ``two_bone``: ``positive`` or ``negative`` is the sign of the angle from the first
            link to the second, ``nearest`` the solution with the smallest largest joint move from
            the start. A bend that the limits forbid gives way to the other one. Where a joint
            slides, ``positive`` is the solution whose tip is ahead of the revolute joint, in the
            direction of the slide. In the largest joint move, here and everywhere, a slide counts
            its move in reaches of the chain and a revolute joint in radians.
        tolerance: distance from the target in m that counts as reached.
        max_iterations: passes over the chain that ``ccd`` and ``hybrid`` may make: a sweep and a
            step are one each. The closed form makes none.
        angle: the direction in rad that the x-axis of the last link's frame is to have in the plane
            (of an arm: in its plane, as the turntable carries it), or None for any. Three joints or
            more, a turntable or lift not counted.
        angle_tolerance: distance from the angle in rad that counts as reached.

    Returns:
        The pose and what it achieves. An unreachable target is no error: the status says why, and
        the pose is the closest one found. Continuous joints are in the turn nearest to the start.
        Of the two turns of a turntable that bring the target into the plane, the one is taken at
        which the tip reaches it, else comes closer, else whose largest joint move is smaller.
        With more than ten joints within limits, what is not found is not proven to be out of reach;
        with 256, the most that there may be, that takes up to two seconds.

    Raises:
        ArgumentError: an argument is not of its kind or out of its range.
    """
    if type(chain) is not Chain:
        if is_arm(chain):
            return solve_arm(
                chain,
                target,
                solver,
                start,
                bend,
                tolerance,
                max_iterations,
                angle,
                angle_tolerance,
            )
        chain = check_chain(chain)
    x, y = point_of(target)
    solver, bend, tolerance, max_iterations = check_options(
        len(chain.lengths), solver, bend, tolerance, max_iterations
    )
    if angle is not None or angle_tolerance is not ANGLE_TOLERANCE:
        angle, angle_tolerance = check_angle(chain, angle, angle_tolerance)
    start_q = list(chain.middle) if start is None else clamped_start(chain, start)
    q, tip, error, status, passes, turned, off = chain.solver.solve(
        (x, y),
        start_q,
        inf if angle is None else angle,
        (tolerance, angle_tolerance),
        (METHODS[solver], SIDES[bend], max_iterations),
    )
    found = STATUSES[status]
    proven = is_proven(found, chain)
    return Solution(array(q), array(tip), error, found, solver, passes, proven, turned, off)


def solve_arm(
    arm: Arm,
    target: Numbers,
    solver: str = 'auto',
    start: Numbers | None = None,
    bend: str = 'nearest',
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    angle: float | Vector | None = None,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Solution:
    """Do what :func:`solve` does for an arm.

    Besides, the angle of an arm with a turntable may be a direction: a unit vector in the base
    frame to which the x-axis of the last link's frame is to point, projected into the plane as the
    turntable carries it.
    """
    point = space_point_of(target)
    method, side, distance, most = check_options(
        len(arm.chain), solver, bend, tolerance, max_iterations
    )
    asked, slack = check_angle(
        arm.chain, 0.0 if isinstance(angle, tuple) else angle, angle_tolerance
    )
    start_q = list(arm.middle) if start is None else clamped_start(arm, start)
    if arm.sweep is None:
        return solve_on_lift(
            arm,
            point,
            start_q,
            (distance, slack),
            lambda place, q: solve(arm.chain, place, method, q, side, distance, most, asked, slack),
        )
    return solve_on_turntable(
        arm,
        arm.sweep,
        point,
        start_q,
        angle if isinstance(angle, tuple) else inf if asked is None else asked,
        (distance, slack),
        method,
        (METHODS[method], SIDES[side], most),
    )

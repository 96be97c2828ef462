"""One call for every chain, arm and target: checks arguments, solves, and reports."""

from __future__ import annotations

import math
from collections.abc import Sequence

from numpy import array

from ik2d_ros.kinematics.arguments import Numbers
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.options import (
    NO_ANGLE,
    Options,
    check_angle,
    check_options,
    check_roll,
    clamped_start,
    flat_chain,
    target_of,
)
from ik2d_ros.kinematics.plane import Vector, direction
from ik2d_ros.kinematics.solution import Solution, Status, is_proven
from ik2d_ros.kinematics.solve_clear import solve_clear

ANGLE_TOLERANCE = 1e-3  # rad
_STATUSES = tuple(Status)


def solve(
    chain: Chain | Arm,
    target: Numbers,
    solver: str = 'auto',
    start: Numbers | None = None,
    bend: str = 'nearest',
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    angle: float | Vector | None = None,
    angle_tolerance: float = ANGLE_TOLERANCE,
    roll: float | None = None,
) -> Solution:
    """Find the joint positions that bring the tip onto a target, or as close as the arm can come.

    Example:
        >>> from ik2d_ros.kinematics import Chain, solve
        >>> solution = solve(Chain.from_lengths([0.30, 0.25]), (0.5, 0.4))
        >>> solution.status.name, round(solution.error, 3)
        ('TOO_FAR', 0.09)

    Args:
        chain: the chain, which moves in its plane, or the arm, which moves in space. What is said
            of joints also holds for an arm's turntable or lift.
        target: (2,) where the tip of a chain is to go, in m, in the plane, from the base; (3,)
            where the tip of an arm is to go, in m, in the base frame.
        solver: ``two_bone`` (closed form, exactly two joints); ``ccd`` (cyclic coordinate descent,
            any number of joints, and an exact step where sweeps stall or creep); ``hybrid`` (any
            number: small joint moves from the start, and an exact step where these stick); or
            ``auto``: ``two_bone`` for two joints, else ``hybrid``.
        start: (n,) positions to move from, in rad, for a lift and prismatic joints in m. Positions
            outside the limits are clamped into them; for continuous joints they must be from -1e9
            to 1e9. Default: the middle of each joint's range, 0 for a continuous one.
        bend: for ``two_bone``: ``positive`` or ``negative`` is the sign of the angle from the first
            link to the second, ``nearest`` the solution with the smallest largest joint move from
            the start, in rad or, of slides, in reaches. A bend that the limits forbid gives way to
            the other one. Where a joint slides, the tip of ``positive`` is ahead of the revolute
            joint, in the direction of the slide.
        tolerance: distance from the target in m that counts as reached.
        max_iterations: passes over the chain that ``ccd`` and ``hybrid`` may make: a sweep and a
            step are one each. The closed form makes none.
        angle: the direction in rad that the x-axis of the last link's frame is to have in the
            plane, as a turntable carries it, or None for any; for three joints or more of the
            chain. For an arm with a turntable it may be a unit vector in the base frame, which is
            projected.
        angle_tolerance: distance from the angle, and from the roll, in rad that counts as reached.
        roll: where the roll of an arm is to be in rad, or whole turns aside: as it is where that is
            within its limits, in the turn nearest to the start where it has none. Default: that of
            the start.

    Returns:
        The pose and what it achieves. An unreachable target is no error: the status says why, and
        the pose is the closest one found. Continuous joints are in the turn nearest to the start.
        Of a turntable's two turns, the answer has the one that reaches, or comes closer, or moves
        less. With more than ten joints within limits, a target that is not reached is not proven to
        be out of reach. What some 0.2 s of work do not decide is ``NOT_CONVERGED``.

    Raises:
        ArgumentError: an argument is not of its kind or out of its range.
    """
    flat = chain if type(chain) is Chain else flat_chain(chain)
    options = check_options(len(flat.lengths), solver, bend, tolerance, max_iterations)
    wish: float | Vector = NO_ANGLE
    slack = angle_tolerance
    if angle is not None or angle_tolerance is not ANGLE_TOLERANCE:
        is_direction = isinstance(angle, tuple) and isinstance(chain, Arm) and chain.turntable
        wish, slack = check_angle(flat, 0.0 if is_direction else angle, angle_tolerance)
        wish = direction('angle', angle) if is_direction else wish
    asked = None if roll is None else check_roll(chain, roll)
    if isinstance(chain, Arm):
        x, y, z = target_of(target, 3)
        begin = clamped_start(chain, start)
        return solve_in_space(chain, (x, y, z), begin, wish, slack, options, asked)
    x, y = target_of(target, 2)
    begin, (name, tolerance, codes) = clamped_start(flat, start), options
    q, tip, error, code, passes, found, off = flat.solver.solve(
        (x, y, 0.0), begin, wish, (tolerance, slack), codes
    )
    status = _STATUSES[code]
    proven = is_proven(status, flat, tolerance, NO_ANGLE if wish == NO_ANGLE else slack)
    return Solution(array(q), array(tip), error, status, name, passes, proven, found, off)


def solve_in_space(
    arm: Arm,
    target: Vector,
    start: list[float],
    wish: float | Vector,
    slack: float,
    options: Options,
    roll: float | None = None,
    turn: float | None = None,
) -> Solution:
    """Solve for an arm in space, with a pose that keeps off its walls, from checked arguments.

    The wish is the tip angle in rad, ``NO_ANGLE`` for any, or, with a turntable, a direction: a
    unit vector in the base frame; the slack is the distance from it in rad that counts as reached.
    The turn is the only position that a turntable may take in rad; None for any.
    """
    planar, asked = arm, start[-1] if roll is None else roll
    position = asked if arm.roll is None else arm.roll.nearest(asked, start[-1])
    if arm.roll is not None:
        planar = arm.at_roll(position)
    if turn is not None:
        planar = planar.at_turn(turn)
    solver, tolerance, (method, bend, most) = options
    seen = planar.frame.direction(wish) if isinstance(wish, tuple) else wish
    least = NO_ANGLE if wish == NO_ANGLE else slack

    def once(point: Vector, begin: Sequence[float], near: float, side: int) -> Solution:
        q, (x, y), error, code, passes, angle, off = planar.solver.solve(
            planar.frame.locate(point),
            begin,
            seen,
            (near, slack),
            (method, side or bend, most),
        )
        tip, status = planar.placed(x, y, q[0]), _STATUSES[code]
        proven = is_proven(status, planar.chain, near, least)
        if arm.roll is not None:
            q.append(position)
        return Solution(array(q), array(tip), error, status, solver, passes, proven, angle, off)

    if not arm.walls:
        found = once(target, start, tolerance, 0)
    else:
        found = solve_clear(arm, target, start, wish, (tolerance, slack), once)
    if arm.walls:
        position = float(found.q[-1])  # that of the start where nothing keeps off
    if arm.roll is None or position == asked:
        return found
    off = abs(math.remainder(asked - position, math.tau))
    status = Status.TIP_ANGLE if found.status is Status.REACHED and off > slack else found.status
    return found._replace(status=status, roll_error=off)

"""Reaching a target with the tip in an orientation: tip angle and roll together.

Plane and roll depend on each other where the tip is beside the roll's axis: the roll shifts the
plane of the tip, a turntable turns it to bring it to the target, and the roll turns back. That
converges in a few rounds, for a small shift has the turntable turn by little.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.arguments import ArgumentError, Numbers
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.options import check_angle, check_options, clamped_start
from ik2d_ros.kinematics.plane import Plane, Vector, dot
from ik2d_ros.kinematics.pointing import angle_in
from ik2d_ros.kinematics.solution import Solution, Status
from ik2d_ros.kinematics.solve import ANGLE_TOLERANCE, solve_in_space

_ROUNDS = 20
_SAME = 1e-12  # rad


class Orientation(NamedTuple):
    """Unit vectors in the base frame: where the roll's axis, and its left at 0, point."""

    along: Vector
    left: Vector

    @classmethod
    def of_tip(cls, arm: Arm, x: Vector, y: Vector) -> Orientation:
        """Return the orientation for axes of the tip, which at roll 0 is as the last link."""
        a, b = arm.roll.axis if arm.roll else (1.0, 0.0)
        along, left = ([c * p + d * q for p, q in zip(x, y)] for c, d in ((a, b), (-b, a)))
        return cls((along[0], along[1], along[2]), (left[0], left[1], left[2]))

    def in_plane(self, arm: Arm, plane: Plane) -> tuple[float, float]:
        """Return the tip angle and the roll in rad that come closest to it in a plane."""
        x, y, out = plane.direction(self.along)
        (p, q, r), heading = plane.direction(self.left), math.atan2(y, x)
        cos, sin = math.cos(heading), math.sin(heading)
        # The rotation about the axis that is nearest to one that leads out of the plane, too.
        ahead, above = cos * q - sin * p, r
        third = y * r - out * q, out * p - x * r, x * q - y * p
        roll = math.atan2(above + sin * third[0] - cos * third[1], ahead + third[2])
        a, b = arm.roll.axis if arm.roll else (1.0, 0.0)
        return math.remainder(heading - math.atan2(b, a), math.tau), roll

    def errors(self, arm: Arm, q: Sequence[float], angle: float) -> tuple[float, float]:
        """Return how far tip angle and roll are at (m,) positions from those closest to it."""
        wanted, roll = self.in_plane(arm, arm.carried_plane(q[0]))
        off, roll_off = (math.remainder(each, math.tau) for each in (angle - wanted, q[-1] - roll))
        return abs(off), abs(roll_off)

    def lean(self, arm: Arm, q: Sequence[float]) -> float:
        """Return how far the axis is to point out of the plane as it is carried at (m,), in rad."""
        return math.asin(min(1.0, abs(dot(self.along, arm.carried_plane(q[0]).axes[2]))))


def solve_oriented(
    arm: Arm,
    target: Vector,
    orientation: Orientation,
    start: Numbers | None = None,
    solver: str = 'auto',
    bend: str = 'nearest',
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Solution:
    """Solve for an arm with a roll, at the tip angle and the roll of an orientation.

    What leads out of the plane is not an error: no joint takes it. Other arguments and errors are
    those of :func:`.solve.solve`.
    """
    options = check_options(len(arm.chain), solver, bend, tolerance, max_iterations)
    begin, sides = clamped_start(arm, start), list[Solution]()
    for side in (0, 1) if arm.turning_plane else (0,):
        turn, angle, asked = _asked_at(arm, target, orientation, begin[-1], side)
        check_angle(arm.chain, angle, angle_tolerance)
        fixed = arm.turntable.nearest(turn, begin[0]) if arm.turntable else None
        found = solve_in_space(arm, target, begin, angle, angle_tolerance, options, asked, fixed)
        sides.append(_judged(arm, orientation, found, angle_tolerance))
    reached = [each for each in sides if each.status is Status.REACHED]
    if reached or not arm.turning_plane:
        best = reached or sides
        leans = [orientation.lean(arm, each.q.tolist()) for each in best]
        moves = [np.max(np.abs(each.q - begin) / arm.units_of_move) for each in best]
        most = min(leans) + angle_tolerance
        costs = [move if lean <= most else math.inf for move, lean in zip(moves, leans)]
        return best[int(np.argmin(costs))]
    # The closest pose may have the plane anywhere.
    turn, angle, asked = _asked_at(arm, target, orientation, begin[-1], 0)
    (a, b, c), (d, e, f), _ = arm.carried_plane(turn).axes
    cos, sin = math.cos(angle), math.sin(angle)
    wish = cos * a + sin * d, cos * b + sin * e, cos * c + sin * f
    free = solve_in_space(arm, target, begin, wish, angle_tolerance, options, asked)
    sides.insert(0, _judged(arm, orientation, free, angle_tolerance))

    return min(
        sides, key=lambda each: (max(each.error, tolerance), each.angle_error + each.roll_error)
    )


def orientations_along(
    arm: Arm, points: Sequence[Vector], orientations: Sequence[Orientation], start: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Return tip angles and rolls in rad of (k,) orientations at points that follow one another.

    To each of the (k,) points in m, in the base frame, the turn is taken that is nearer to the one
    before, first to that of (m,) positions. A roll is not needed.

    Raises:
        ArgumentError: the tip is to point along the plane's normal.
    """
    angles, rolls = list[float](), list[float]()
    normal, roll = arm.carried_plane(start[0]).axes[2], start[-1]
    for number, (point, orientation) in enumerate(zip(points, orientations), 1):
        sides = [_asked_at(arm, point, orientation, roll, side) for side in (0, 1)]
        planes = [arm.carried_plane(turn) for turn, _, _ in sides]
        nearer = int(dot(planes[1].axes[2], normal) > dot(planes[0].axes[2], normal))
        normal, (_, angle, asked) = planes[nearer].axes[2], sides[nearer]
        if angle_in(planes[nearer], orientation.along) is None:
            raise ArgumentError(f"the direction at point {number} is along the plane's normal")
        roll = asked if arm.roll is None else arm.roll.nearest(asked, roll)
        angles.append(angle)
        rolls.append(roll + math.remainder(asked - roll, math.tau))
    return angles, rolls


def _asked_at(
    arm: Arm, target: Vector, orientation: Orientation, start: float, side: int
) -> tuple[float, float, float]:
    """Return the turn that brings the plane to a target on a side, tip angle and roll there."""
    if arm.turning_plane is None:
        return 0.0, *orientation.in_plane(arm, arm.plane)
    roll = start
    for _ in range(_ROUNDS):
        turn = arm.turning_plane.turns_to(target, arm.out_of_plane(roll))[side]
        angle, asked = orientation.in_plane(arm, arm.carried_plane(turn))
        before, roll = roll, asked if arm.roll is None else arm.roll.nearest(asked, start)
        if abs(roll - before) < _SAME:
            break
    return turn, angle, asked


def _judged(arm: Arm, orientation: Orientation, found: Solution, slack: float) -> Solution:
    """Return a solution with its errors in the plane as it is carried there."""
    off, roll_off = orientation.errors(arm, found.q.tolist(), found.angle)
    status = found.status
    if status in (Status.REACHED, Status.TIP_ANGLE):
        status = Status.REACHED if max(off, roll_off) <= slack else Status.TIP_ANGLE
    # Another turn may do what limits forbid at one.
    is_proven = found.proven and (
        arm.turning_plane is None or status not in (Status.JOINT_LIMIT, Status.TIP_ANGLE)
    )
    return found._replace(status=status, proven=is_proven, angle_error=off, roll_error=roll_off)

"""Reaching a target with the tip in an orientation: where it points, and the roll if there is one.

Plane and roll depend on each other where the tip is beside the roll's axis: the roll shifts the
plane of the tip, a turntable turns it to bring it to the target, and the roll turns back. That
converges in a few rounds, for a small shift has the turntable turn by little. Next to the axis of
the turntable it may not: all turns are searched where no pose fits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ik2d_ros.kinematics.arguments import ArgumentError, Numbers
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.options import check_angle, check_options, clamped_start
from ik2d_ros.kinematics.plane import Plane, Vector, dot
from ik2d_ros.kinematics.solution import Solution, Status
from ik2d_ros.kinematics.solve import ANGLE_TOLERANCE, solve_in_space

_ROUNDS = 20
_SAME = 1e-12  # rad between two rounds,
_ALIKE = 1e-9  # and between two turns.
_LEAN = 1e-3  # rad out of the plane; where a pose leans more, another turn may fit.
_TURNS = 256  # Turns among which others are searched,
_SEARCHES = 6  # so often: to some 1e-12 rad,
_SPLITS = 2  # and so often for two next to each other.


class Orientation(NamedTuple):
    """Unit vectors in the base frame: where the roll's axis, and its left at 0, point.

    For an arm without a roll they are the tip's x-axis, and 0.
    """

    along: Vector
    left: Vector

    @classmethod
    def of_tip(cls, arm: Arm, x: Vector, y: Vector) -> Orientation:
        """Return the orientation for axes of the tip, which at roll 0 is as the last link."""
        if arm.roll is None:
            return cls(x, (0.0, 0.0, 0.0))
        a, b = arm.roll.axis
        along, left = ([c * p + d * q for p, q in zip(x, y)] for c, d in ((a, b), (-b, a)))
        return cls((along[0], along[1], along[2]), (left[0], left[1], left[2]))

    def in_plane(self, arm: Arm, plane: Plane) -> tuple[Any, Any]:
        """Return the tip angle and the roll in rad that come closest to it in a plane.

        They are numbers of NumPy, or arrays for a plane whose vectors have arrays as components.
        """
        x, y, out = plane.direction(self.along)
        (p, q, r), heading = plane.direction(self.left), np.arctan2(y, x)
        cos, sin = np.cos(heading), np.sin(heading)
        # The rotation about the axis that is nearest to one that leads out of the plane, too.
        ahead, above = cos * q - sin * p, r
        third = y * r - out * q, out * p - x * r, x * q - y * p
        roll = np.arctan2(above + sin * third[0] - cos * third[1], ahead + third[2])
        a, b = arm.roll.axis if arm.roll else (1.0, 0.0)
        angle = heading - math.atan2(b, a)
        return angle - math.tau * np.rint(angle / math.tau), roll

    def errors(self, arm: Arm, q: Sequence[float], angle: float) -> tuple[float, float]:
        """Return how far tip angle and roll are at (m,) positions from those closest to it."""
        plane = arm.carried_plane(q[0])
        if arm.roll is None:
            return plane.angle_off(angle, self.along), 0.0
        wanted, roll = self.in_plane(arm, plane)
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
    begin = clamped_start(arm, start)

    def solved_at(turn: float) -> Solution:
        angle, asked = map(float, orientation.in_plane(arm, arm.carried_plane(turn)))
        check_angle(arm.chain, angle, angle_tolerance)
        fixed = arm.turntable.nearest(turn, begin[0]) if arm.turntable else None
        found = solve_in_space(arm, target, begin, angle, angle_tolerance, options, asked, fixed)
        return _judged(arm, orientation, found, angle_tolerance)

    behind = (0, 1) if arm.turning_plane else (0,)
    turns = [_turn_on(side, arm, target, orientation, begin[-1]) for side in behind]
    sides = [*map(solved_at, turns)]
    leans = [orientation.lean(arm, each.q.tolist()) for each in sides]
    fits = [each.status is Status.REACHED for each, lean in zip(sides, leans) if lean <= _LEAN]
    if arm.turning_plane and not any(fits):
        others = _all_turns(arm, target, orientation, tolerance)
        gaps = ([abs(math.remainder(turn - each, math.tau)) for each in turns] for turn in others)
        sides += [solved_at(turn) for turn, off in zip(others, gaps) if min(off) > _ALIKE]
    reached = [each for each in sides if each.status is Status.REACHED]
    if reached or arm.turning_plane is None:
        best = reached or sides
        leans = [orientation.lean(arm, each.q.tolist()) for each in best]
        moves = [arm.largest_move(begin, each.q) for each in best]
        most = min(leans) + angle_tolerance
        costs = [move if lean <= most else math.inf for move, lean in zip(moves, leans)]
        return best[int(np.argmin(costs))]
    # The closest pose may have the plane anywhere.
    plane = arm.carried_plane(turns[0])
    angle, asked = map(float, orientation.in_plane(arm, plane))
    (a, b, c), (d, e, f), _ = plane.axes
    cos, sin = math.cos(angle), math.sin(angle)
    wish = cos * a + sin * d, cos * b + sin * e, cos * c + sin * f
    free = solve_in_space(arm, target, begin, wish, angle_tolerance, options, asked)
    sides.insert(0, _judged(arm, orientation, free, angle_tolerance))
    # Of two that differ by rounding, the first.
    return min(
        sides,
        key=lambda each: (
            round(max(each.error, tolerance), 9),
            round(each.angle_error + each.roll_error, 9),
        ),
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
        sides = (_turn_on(side, arm, point, orientation, roll) for side in (0, 1))
        plane = max(map(arm.carried_plane, sides), key=lambda each: dot(each.axes[2], normal))
        if plane.angle_of(orientation.along) is None:
            raise ArgumentError(f"the direction at point {number} is along the plane's normal")
        angle, asked = map(float, orientation.in_plane(arm, plane))
        normal = plane.axes[2]
        roll = asked if arm.roll is None else arm.roll.nearest(asked, roll)
        angles.append(angle)
        rolls.append(roll + math.remainder(asked - roll, math.tau))
    return angles, rolls


def has_direction(arm: Arm, target: Vector, direction: Vector) -> bool:
    """Return whether a unit vector has an angle at a turn that leads to a target in m."""
    turns = arm.turning_plane.turns_to(target) if arm.turning_plane else (0.0,)
    return any(arm.carried_plane(turn).angle_of(direction) is not None for turn in turns)


def _turn_on(side: int, arm: Arm, target: Vector, orientation: Orientation, start: float) -> float:
    """Return the turn that brings the plane to a target on a side, with the roll it takes there."""
    if arm.turning_plane is None:
        return 0.0
    roll = start
    for _ in range(_ROUNDS):
        turn = arm.turning_plane.turns_to(target, arm.rolled(roll)[1])[side]
        asked = float(orientation.in_plane(arm, arm.carried_plane(turn))[1])
        before, roll = roll, asked if arm.roll is None else arm.roll.nearest(asked, start)
        if abs(roll - before) < _SAME:
            break
    return turn


def _all_turns(arm: Arm, target: Vector, orientation: Orientation, tolerance: float) -> list[float]:
    """Return all turns that bring the plane to a target, the roll anywhere but for its limits.

    They are minima of the distance between target and plane: next to the turntable's axis two may
    be so close that its sign is the same on both sides.
    """
    turns, reach = np.array([0.0]), math.pi * (1.0 + 2.0 / _TURNS)  # over both ends
    for search in range(_SEARCHES):
        around = turns[:, None] + reach * np.linspace(-1.0, 1.0, _TURNS + 1)
        plane = arm.carried_plane(around)
        rolls = orientation.in_plane(arm, plane)[1]
        gaps = np.abs(plane.locate(target).out_of_plane - arm.rolled(rolls)[1])
        if search < _SPLITS:
            is_least = (gaps[:, 1:-1] <= gaps[:, :-2]) & (gaps[:, 1:-1] < gaps[:, 2:])
            turns = around[:, 1:-1][is_least]
        else:
            least = gaps.argmin(axis=1)[:, None]
            turns, gaps = (np.take_along_axis(each, least, 1)[:, 0] for each in (around, gaps))
        reach *= 2.0 / _TURNS
    return [*map(float, turns[gaps <= tolerance])]


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

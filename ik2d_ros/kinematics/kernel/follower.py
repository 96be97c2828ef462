"""Follows a path from a pose, by moves so small that the tip stays on it."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Any

try:
    import cython
except ImportError:
    from ik2d_ros.kinematics.kernel import uncompiled as cython

from ik2d_ros.kinematics.kernel import buffers, codes, points
from ik2d_ros.kinematics.kernel.chain_solver import TargetSolver
from ik2d_ros.kinematics.kernel.joint_table import padded

LARGEST_MOVE = 0.05  # rad or reaches, of a joint at once.
SAFETY = 4  # Safety factor: a quarter of the tolerance, for an even tip speed.
LEAST_STRAIN = 1e-12  # Added to a strain that may be 0.
GIVEN_UP = 1e-6  # rad; where the last pose misses the angle by more, any within its tolerance
WITHIN = 0.999  # will do, or this share of it.
# Of the next step for a strain of 1, which grows with the square of a step: some less, so that few
AIM, AIM_SMALLER = 0.9, 0.8  # steps are in vain; after one that was, more so.
MOST_GROWTH = 4.0  # From a step to the next: what was straight may soon bend,
LEAST_SHRINKAGE, MOST_SHRINKAGE = 0.5, 0.1  # and where one fails, it at least halves.
LAST_REST = 2.0  # Shortest steps; less of a rest is gone at once, as its half would be too short.
SHORT = 1.5  # Shortest steps; a step that is no longer is not halved.
STRETCH = 256  # Steps that are tried before the interpreter has its turn.
OPTIONS = (codes.DESCENT, 0, 100)  # Of the solver, as a solve without options has them.


class Follower:
    """Moves one arm along a path from a pose; for one thread at a time.

    A place is a parameter that grows along the path; it is given for each of its points.

    Attributes:
        answers: the places of the poses, and their positions; count: how many there are.
        tried: number of steps that were tried.
        ended: whether the last point is reached, or no small move leads on.
        at: the place that has been reached; passed: number of the last point up to there.
        step: how far to go next.
        pose: positions of the last pose; ahead: of the pose that is tried next.
        point, wanted: that are tried next: a point in m, and an angle in rad.
        angle_error, angle_error_ahead: how far both poses are from the wanted angle, in rad.
    """

    def __init__(
        self,
        solver: TargetSolver,
        pose: Sequence[float],
        places: array[float],
        points: array[float],
        angles: array[float],
        tolerances: tuple[float, float, float],
        least: float,
        most: int,
    ) -> None:
        """Lay out m points, two or more, each at a greater place than the one before.

        Args:
            solver: of the arm.
            pose: (n,) positions at the first place.
            places: (m,).
            points: (m, 2) in m in the plane, or (m, 3) as the arm's solver sees them.
            angles: (m,) of the last link's frame there in rad, or none.
            tolerances: of the tip in m and of its angle in rad, and of the line in m.
            least: the shortest step; where none so short can be taken, the path has ended.
            most: poses that there is room for.
        """
        self.solver = solver
        self.pose = padded(pose)
        self.ahead = padded()
        self.point = padded([], 3)
        self.wanted = self.angle_error = self.angle_error_ahead = 0.0
        self.answers = array('d', bytes(8 * most)), array('d', bytes(8 * most * len(pose)))
        self.point_count = len(places)
        self.dimensions = len(points) // len(places)
        self.most = most
        self.aimed = len(angles) > 0
        self.tolerance, self.angle_tolerance, self.line_tolerance = tolerances
        self.least = least
        self.arrays: list[Any] = []
        self.place_of = buffers.doubles(places, self.arrays)
        self.coordinate = buffers.doubles(points, self.arrays)
        self.angle = buffers.doubles(angles, self.arrays)
        self.place = buffers.doubles(self.answers[0], self.arrays)
        self.position = buffers.doubles(self.answers[1], self.arrays)
        self.count = self.passed = self.tried = 0
        self.ended = False
        self.at = places[0]
        self.step = places[self.point_count - 1] - places[0]

    def follow(self) -> None:
        """Go on along the path for some milliseconds, or as long as there is room for poses.

        A full room is emptied before. Others may hold the interpreter's lock meanwhile.
        """
        self.solver.configure(0.0 if self.aimed else codes.NO_ANGLE, OPTIONS)
        if self.count == self.most:
            self.count = 0
        with cython.nogil:
            self.take_steps()

    def take_steps(self) -> None:
        """Take steps: each makes way, at least halves the next, or is the last.

        A decision takes long, and so ends the stretch.
        """
        last = self.tried + STRETCH
        while not self.ended and self.tried < last and self.count < self.most:
            self.tried += 1
            end = self.place_of[self.passed + 1]
            place = self.at + self.step
            if place > end - self.least:
                place = end
            length = place - self.at
            shortest = (LAST_REST if place == end else SHORT) * self.least
            self.locate_target(place)
            strain = self.step_at(self.wanted)
            if strain >= points.FAR or (strain > 1 and length <= shortest):
                strain = self.solve_at(self.wanted)
                last = self.tried
            if strain > 1 and self.angle_error > GIVEN_UP:
                strain = min(strain, self.step_at_any_angle())
            if strain <= 1:
                self.take_pose(place)
                length *= points.clamp(AIM / math.sqrt(strain + LEAST_STRAIN), 1.0, MOST_GROWTH)
                self.step = max(self.step, length) if place == end else length
                self.ended = self.passed == self.point_count - 1
            elif length <= shortest:
                self.ended = True
            else:
                length *= points.clamp(
                    AIM_SMALLER / math.sqrt(strain), MOST_SHRINKAGE, LEAST_SHRINKAGE
                )
                self.step = max(length, self.least)

    def take_pose(self, place: float) -> None:
        """Take the pose ahead, and write it down."""
        self.angle_error = self.angle_error_ahead
        joints = self.solver.joints
        for j in range(joints):
            self.pose[j] = self.ahead[j]
            self.position[joints * self.count + j] = self.pose[j]
        self.place[self.count] = place
        self.count += 1
        self.at = place
        if place == self.place_of[self.passed + 1]:
            self.passed += 1

    # --- a pose ahead, and its strain ---

    def step_at_any_angle(self) -> float:
        """Step to the target at any angle within its tolerance, or at the end of that."""
        strain = self.step_at(codes.NO_ANGLE)
        away = math.remainder(self.solver.angle - self.wanted, points.TAU)
        if strain >= points.FAR and abs(away) > self.angle_tolerance:
            end = math.copysign(WITHIN * self.angle_tolerance, away)
            strain = self.step_at(self.wanted + end)
        return strain

    def solve_at(self, angle: float) -> float:
        """Solve for the target at an angle, as small steps do not lead there; return the strain."""
        at: complex = self.point[0] + 1j * self.point[1]
        near, slack = self.tolerance, self.angle_tolerance
        self.solver.solve_target(at, self.point[2], angle, near, slack)
        return self.strain_ahead(self.solver.angle_error)

    def locate_target(self, place: float) -> None:
        """Find point and angle of a place, and start from the last pose."""
        passed = self.passed
        before = self.place_of[passed]
        share = (place - before) / (self.place_of[passed + 1] - before)
        for j in range(self.solver.joints):
            self.solver.set_start(j, self.pose[j])
        for axis in range(self.dimensions):
            here = self.dimensions * passed + axis
            onward = self.coordinate[here + self.dimensions] - self.coordinate[here]
            self.point[axis] = self.coordinate[here] + share * onward
        self.wanted = codes.NO_ANGLE
        if self.aimed:
            turn = self.angle[passed + 1] - self.angle[passed]
            self.wanted = self.angle[passed] + share * turn

    def step_at(self, angle: float) -> float:
        """Step to the target at an angle; return the strain of the move."""
        at: complex = self.point[0] + 1j * self.point[1]
        self.solver.step_to(at, self.point[2], angle, self.tolerance)
        off: float = 0.0
        if self.aimed:
            off = abs(math.remainder(self.wanted - self.solver.angle, points.TAU))
        return self.strain_ahead(off)

    def strain_ahead(self, off: float) -> float:
        """Take the solver's pose as the one ahead; return the move's strain, FAR if it misses.

        That is the square of the share that the move has of the largest that is allowed.
        """
        for j in range(self.solver.joints):
            self.ahead[j] = self.solver.positions[j]
        self.angle_error_ahead = off
        error: float = self.solver.error
        if error > self.tolerance or off > self.angle_tolerance or error >= self.line_tolerance:
            return points.FAR
        self.solver.measure_move(self.pose, self.ahead, 0)
        line = self.line_tolerance - error
        bow: float = self.solver.bow * (SAFETY * self.solver.size / (8 * line))
        largest: float = self.solver.largest
        return max(bow, largest * largest / (LARGEST_MOVE * LARGEST_MOVE))

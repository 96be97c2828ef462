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
STRETCH = 256  # Steps that are tried before the interpreter has its turn.
OPTIONS = (codes.DESCENT, 0, 100)  # Of the solver, as a solve without options has them.


class Course:
    """A path as C reads it, and room for poses on it.

    A place is a parameter that grows along the path; it is given for each of its points.

    Attributes:
        answers: the places of the poses, and their positions.
        count: number of poses.
        most: how many there is room for.
        tried: number of steps that were tried.
        ended: whether the last point is reached, or no small move leads on.
        at: the place that has been reached.
        passed: number of the last point up to there.
        step: how far to go next.
        least: the shortest step; where none so short can be taken, the path has ended.
        tolerance: distance in m that counts as reached.
        angle_tolerance: distance from the angle in rad that does.
        line_tolerance: how far from the line the tip may be in m.
    """

    def __init__(
        self,
        places: array[float],
        points: array[float],
        angles: array[float],
        joints: int,
        tolerances: tuple[float, float, float],
        least: float,
        most: int,
    ) -> None:
        """Lay out m points, two or more, each at a greater place than the one before.

        Args:
            places: (m,).
            points: (m, 2) in m in the plane, or (m, 3) as the arm's solver sees them.
            angles: (m,) of the last link's frame there in rad, or none.
            joints: number of joints, turntable or lift among them.
            tolerances: tolerance, angle_tolerance and line_tolerance.
            least: the shortest step.
            most: poses that there is room for.
        """
        self.answers = array('d', bytes(8 * most)), array('d', bytes(8 * most * joints))
        self.point_count = len(places)
        self.dimensions = len(points) // len(places)
        self.joints = joints
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


class Follower:
    """Moves one arm along a path; for one thread at a time.

    Attributes:
        solver: of the arm.
        pose: positions of the last pose; ahead: of the pose that is tried next.
        point: that is tried next, in m, its third coordinate 0 in the plane; wanted: the angle
            there in rad.
        angle_error: how far the tip's angle in the last pose is from the wanted one, in rad;
            angle_error_ahead: in the pose that is tried next.
    """

    def __init__(self, solver: TargetSolver) -> None:
        self.solver = solver
        self.pose = padded()
        self.ahead = padded()
        self.point = padded([], 3)
        self.wanted = 0.0
        self.angle_error = self.angle_error_ahead = 0.0

    def set_pose(self, pose: Sequence[float]) -> None:
        """Begin with a pose."""
        self.angle_error = 0.0
        for j in range(self.solver.joints):
            self.pose[j] = pose[j]

    def follow(self, course: Course) -> None:
        """Go on along a path for some milliseconds, or as long as there is room for poses.

        A full room is emptied before.
        """
        self.solver.configure(0.0 if course.aimed else codes.NO_ANGLE, OPTIONS)
        if course.count == course.most:
            course.count = 0
        with cython.nogil:
            self.take_steps(course)

    def strain_between(
        self, line_tolerance: float, before: Sequence[float], after: Sequence[float]
    ) -> float:
        """Return how large a move from one pose to another is, as a share of the allowed one."""
        for j in range(self.solver.joints):
            self.pose[j] = before[j]
            self.ahead[j] = after[j]
        return self.strain(line_tolerance)

    def take_steps(self, course: Course) -> None:
        """The loop of :meth:`follow`, without the interpreter's lock.

        Each step makes way, by ``least`` or to the next point; or it at least halves the next; or
        it is the last. A decision takes long, and so ends the stretch.
        """
        last = course.tried + STRETCH
        while not course.ended and course.tried < last and course.count < course.most:
            course.tried += 1
            end = course.place_of[course.passed + 1]
            place = course.at + course.step
            if place > end - course.least:
                place = end
            length = place - course.at
            # A rest of less than two shortest steps is gone at once, or not at all.
            shortest = (2.0 if place == end else 1.5) * course.least
            self.locate_target(course, place)
            strain = self.step_at(course, self.wanted)
            if strain >= points.FAR or (strain > 1 and length <= shortest):
                strain = self.decide_ahead(course)
                last = course.tried
            if strain > 1 and self.angle_error > GIVEN_UP:
                strain = min(strain, self.step_at_any_angle(course))
            if strain <= 1:
                self.take_pose(course, place)
                length *= points.clamp(0.9 / math.sqrt(strain + LEAST_STRAIN), 1.0, 4.0)
                course.step = max(course.step, length) if place == end else length
                course.ended = course.passed == course.point_count - 1
            elif length <= shortest:
                course.ended = True
            else:
                length *= points.clamp(0.8 / math.sqrt(strain), 0.1, 0.5)
                course.step = max(length, course.least)

    def take_pose(self, course: Course, place: float) -> None:
        """Take the pose ahead, and write it down."""
        self.angle_error = self.angle_error_ahead
        joints = course.joints
        for j in range(joints):
            self.pose[j] = self.ahead[j]
            course.position[joints * course.count + j] = self.pose[j]
        course.place[course.count] = place
        course.count += 1
        course.at = place
        if place == course.place_of[course.passed + 1]:
            course.passed += 1

    # --- a pose ahead, and its strain ---

    def step_at_any_angle(self, course: Course) -> float:
        """Step to the target at any angle within its tolerance, or at the end of that."""
        strain = self.step_at(course, codes.NO_ANGLE)
        away = math.remainder(self.solver.angle - self.wanted, points.TAU)
        if strain >= points.FAR and abs(away) > course.angle_tolerance:
            end = math.copysign(WITHIN * course.angle_tolerance, away)
            strain = self.step_at(course, self.wanted + end)
        return strain

    def decide_ahead(self, course: Course) -> float:
        """Try a whole solve for the target, where small steps do not lead on; return the strain."""
        at: complex = self.point[0] + 1j * self.point[1]
        near, slack = course.tolerance, course.angle_tolerance
        self.solver.solve_target(at, self.point[2], self.wanted, near, slack)
        return self.strain_ahead(course, self.solver.angle_error)

    def locate_target(self, course: Course, place: float) -> None:
        """Find point and angle of a place, and start from the last pose."""
        passed = course.passed
        before = course.place_of[passed]
        share = (place - before) / (course.place_of[passed + 1] - before)
        for j in range(self.solver.joints):
            self.solver.set_start(j, self.pose[j])
        for axis in range(course.dimensions):
            here = course.dimensions * passed + axis
            onward = course.coordinate[here + course.dimensions] - course.coordinate[here]
            self.point[axis] = course.coordinate[here] + share * onward
        self.wanted = codes.NO_ANGLE
        if course.aimed:
            turn = course.angle[passed + 1] - course.angle[passed]
            self.wanted = course.angle[passed] + share * turn

    def step_at(self, course: Course, angle: float) -> float:
        """Step to the target at an angle; return the strain of the move."""
        at: complex = self.point[0] + 1j * self.point[1]
        self.solver.step_to(at, self.point[2], angle, course.tolerance)
        off: float = 0.0
        if course.aimed:
            off = abs(math.remainder(self.wanted - self.solver.angle, points.TAU))
        return self.strain_ahead(course, off)

    def strain_ahead(self, course: Course, off: float) -> float:
        """Take the solver's pose as the one ahead; return its strain, FAR if it misses."""
        for j in range(self.solver.joints):
            self.ahead[j] = self.solver.positions[j]
        self.angle_error_ahead = off
        error: float = self.solver.error
        if (
            error > course.tolerance
            or off > course.angle_tolerance
            or error >= course.line_tolerance
        ):
            return points.FAR
        return self.strain(course.line_tolerance - error)

    def strain(self, line_tolerance: float) -> float:
        """Return the square of the share that the move to the pose ahead has of the allowed one."""
        self.solver.measure_move(self.pose, self.ahead, 0)
        bow = self.solver.bow * (SAFETY * self.solver.size / (8 * line_tolerance))
        largest = self.solver.largest
        return max(bow, largest * largest / (LARGEST_MOVE * LARGEST_MOVE))

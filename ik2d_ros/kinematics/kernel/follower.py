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
from ik2d_ros.kinematics.kernel.chain_solver import ChainSolver, TargetSolver
from ik2d_ros.kinematics.kernel.lift import LiftSolver
from ik2d_ros.kinematics.kernel.linkage import room
from ik2d_ros.kinematics.kernel.turntable import TurntableSolver

ROUNDS = 10  # At most, of the descent; a small enough move takes three.
LARGEST = 0.05  # rad or reaches, that a joint may move at once.
EVEN = 4  # By so much less than it may, the tip leaves the line: then it moves evenly, too.
NOTHING = 1e-12  # Keeps from dividing by 0.
MISSED = 1e-6  # rad; an angle that is missed by more has been given up.
WITHIN = 0.999  # Share of the angle's tolerance to which it may be missed then.
TURNS = 256  # Steps that are tried before the interpreter has its turn.


class Course:
    """A path as C reads it, and room for poses on it.

    A place is a number that grows along the path: at each of its points it is given.

    Attributes:
        answers: the places of the poses, and their positions.
        count: how many poses there are.
        most: how many there is room for.
        turns: how many steps were tried.
        ended: whether the last point is reached, or no small move leads on.
        at: the place that has been reached.
        row: the point before that.
        step: how far to go next.
        least: the shortest step; where none so short can be taken, the path has ended.
        tolerance: distance in m that counts as reached.
        slack: distance from the angle in rad that does.
        aside: how far from the line the tip may be in m.
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
        """Lay them out.

        Args:
            places: (m,) of the points, each greater than the one before; two or more.
            points: (m, 2) of them in m in the plane, or (m, 3) as the arm's solver sees them.
            angles: (m,) of the last link's frame there in rad, or none.
            joints: how many there are, turntable or lift among them.
            tolerances: tolerance, slack and aside.
            least: the shortest step.
            most: poses that there is room for.
        """
        self.answers = array('d', bytes(8 * most)), array('d', bytes(8 * most * joints))
        self.points = len(places)
        self.dimensions = len(points) // len(places)
        self.joints = joints
        self.most = most
        self.aimed = len(angles) > 0
        self.tolerance, self.slack, self.aside = tolerances
        self.least = least
        self.arrays: list[Any] = []
        self.place_of = buffers.doubles(places, self.arrays)
        self.point = buffers.doubles(points, self.arrays)
        self.angle = buffers.doubles(angles, self.arrays)
        self.place = buffers.doubles(self.answers[0], self.arrays)
        self.position = buffers.doubles(self.answers[1], self.arrays)
        self.count = self.row = self.turns = 0
        self.ended = False
        self.at = places[0]
        self.step = places[self.points - 1] - places[0]


class Follower:
    """Moves one arm along a path; for one thread at a time.

    Attributes:
        q: positions of the last pose, that of turntable or lift first.
        ahead: of the pose that is tried next.
        off: how far the tip's angle in the last pose is from the one asked for, in rad.
    """

    def __init__(self, whole: ChainSolver | TurntableSolver | LiftSolver) -> None:
        self.whole: TargetSolver = whole
        self.chain = whole if isinstance(whole, ChainSolver) else whole.chain
        self.solver = self.chain.solver
        self.turns = isinstance(whole, TurntableSolver)
        self.lifts = isinstance(whole, LiftSolver)
        self.turntable: Any = whole if self.turns else None
        self.lift: Any = whole if self.lifts else None
        self.first = self.whole.joints - self.chain.joints
        self.q = room()
        self.ahead = room()
        self.x = self.y = self.z = self.wish = 0.0
        self.off = self.off_ahead = 0.0

    def begin(self, q: Sequence[float]) -> None:
        """Begin with a pose."""
        self.off = 0.0
        for j in range(self.whole.joints):
            self.q[j] = q[j]

    def follow(self, course: Course) -> None:
        """Go on along a path for some milliseconds, or as long as there is room for poses.

        A full room is emptied before.
        """
        if course.aimed:
            self.solver.prepare_angles()
        if course.count == course.most:
            course.count = 0
        with cython.nogil:
            self.run(course)

    def strain_between(self, aside: float, before: Sequence[float], q: Sequence[float]) -> float:
        """Return how large a move from one pose to another is, as a share of the allowed one."""
        for j in range(self.whole.joints):
            self.q[j] = before[j]
            self.ahead[j] = q[j]
        return self.strain(aside)

    def run(self, course: Course) -> None:
        """The loop of :meth:`follow`, without the interpreter's lock.

        Each turn makes way, by ``least`` or to the next point; or it at least halves the step; or
        it is the last. A decision takes long, and so ends the stretch.
        """
        last = course.turns + TURNS
        while not course.ended and course.turns < last and course.count < course.most:
            course.turns += 1
            end = course.place_of[course.row + 1]
            place = course.at + course.step
            if place > end - course.least:
                place = end
            length = place - course.at
            # A rest of less than two shortest steps is gone at once, or not at all.
            shortest = (2.0 if place == end else 1.5) * course.least
            strain = self.go(course, place)
            if strain >= points.FAR or (strain > 1 and length <= shortest):
                strain = self.jump(course, place)
                last = course.turns
            if strain > 1 and self.off > MISSED:
                strain = min(strain, self.give_way(course, place))
            if strain <= 1:
                self.arrive(course, place)
                length *= points.clamp(0.9 / math.sqrt(strain + NOTHING), 1.0, 4.0)
                course.step = max(course.step, length) if place == end else length
                course.ended = course.row == course.points - 1
            elif length <= shortest:
                course.ended = True
            else:
                length *= points.clamp(0.8 / math.sqrt(strain), 0.1, 0.5)
                course.step = max(length, course.least)

    def arrive(self, course: Course, place: float) -> None:
        """Take the pose ahead, and write it down."""
        self.off = self.off_ahead
        joints = course.joints
        for j in range(joints):
            self.q[j] = self.ahead[j]
            course.position[joints * course.count + j] = self.q[j]
        course.place[course.count] = place
        course.count += 1
        course.at = place
        if place == course.place_of[course.row + 1]:
            course.row += 1

    def aim(self, course: Course, place: float) -> None:
        """Start from the last pose, to a place."""
        before = course.place_of[course.row]
        share = (place - before) / (course.place_of[course.row + 1] - before)
        here = course.dimensions * course.row
        there = here + course.dimensions
        for j in range(self.whole.joints):
            self.whole.begin(j, self.q[j])
        self.x = course.point[here] + share * (course.point[there] - course.point[here])
        self.y = course.point[here + 1] + share * (course.point[there + 1] - course.point[here + 1])
        self.wish = codes.NO_ANGLE
        if course.aimed:
            turn = course.angle[course.row + 1] - course.angle[course.row]
            self.wish = course.angle[course.row] + share * turn
        if self.turns or self.lifts:
            up = course.point[there + 2] - course.point[here + 2]
            self.z = course.point[here + 2] + share * up

    def go(self, course: Course, place: float) -> float:
        """Try small moves to a place; return how large they are, as a share of the allowed."""
        self.aim(course, place)
        return self.move(course, self.wish)

    def give_way(self, course: Course, place: float) -> float:
        """Do so at any angle within its tolerance, or at the end of that."""
        self.aim(course, place)
        strain = self.move(course, codes.NO_ANGLE)
        away = math.remainder(self.chain.angle - self.wish, points.TAU)
        if strain >= points.FAR and abs(away) > course.slack:
            self.aim(course, place)
            strain = self.move(course, self.wish + math.copysign(WITHIN * course.slack, away))
        return strain

    def move(self, course: Course, angle: float) -> float:
        """Move to the place that is aimed at, towards an angle; return what :meth:`judge` does."""
        target: complex = self.x / self.chain.size + 1j * (self.y / self.chain.size)
        target -= self.chain.tool
        if self.lifts:
            self.ahead[0] = self.lift.height(self.z)
        if self.turns:
            self.turntable.aim(self.x + 1j * self.y, self.z)
            front = self.turntable.allowed(self.turntable.front)
            back = self.turntable.allowed(self.turntable.back)
            self.ahead[0] = back
            if abs(front - self.q[0]) <= abs(back - self.q[0]):
                self.ahead[0] = front
            target = self.turntable.seen(self.ahead[0])
        self.descend(target, angle, min(course.tolerance / self.chain.size, points.PRECISE))
        error: float = math.hypot(self.x - self.chain.x, self.y - self.chain.y)
        if self.turns:
            error = self.turntable.miss(self.ahead[0])
        if self.lifts:
            error = math.hypot(error, self.z - self.lift.axis * self.ahead[0])
        off: float = (
            abs(math.remainder(self.wish - self.chain.angle, points.TAU)) if course.aimed else 0.0
        )
        for j in range(self.solver.linkage.count):
            self.ahead[self.first + j] = self.chain.positions[j]
        return self.judge(course, error, off)

    def descend(self, target: complex, angle: float, enough: float) -> None:
        """Move the chain to a target in its plane, in reaches, from where it starts."""
        if angle != codes.NO_ANGLE:
            angle = math.remainder(angle, points.TAU) + self.chain.aside
        self.solver.set_out(angle)
        self.solver.descent.begin()
        error = self.solver.descent.run(target, ROUNDS, enough)
        self.solver.take(self.solver.descent.pose, error)
        self.chain.place()

    def jump(self, course: Course, place: float) -> float:
        """Do what :meth:`go` does, with the decision where small moves do not lead on."""
        self.aim(course, place)
        self.whole.bring(self.x + 1j * self.y, self.z, self.wish, course.tolerance, course.slack)
        for j in range(self.whole.joints):
            self.ahead[j] = self.whole.positions[j]
        return self.judge(course, self.whole.error, self.whole.angle_error)

    def judge(self, course: Course, error: float, off: float) -> float:
        """Return the move to the pose ahead as a share of the allowed one; FAR if it misses."""
        self.off_ahead = off
        if error > course.tolerance or off > course.slack or error >= course.aside:
            return points.FAR
        return self.strain(course.aside - error)

    def strain(self, aside: float) -> float:
        """Return the move to the pose ahead as a share of the allowed one.

        Between two poses, all joints moving evenly, the tip leaves the line between its ends by no
        more than an eighth of its largest second derivative. A link of length l whose heading
        changes by h counts l h^2 in that, and as much as l h in the first one.

        Args:
            aside: how far the tip may leave the line in m.
        """
        heading: float = 0.0
        speed: float = 0.0
        bow: float = 0.0
        largest: float = 0.0
        for j in range(self.solver.linkage.count):
            i = self.first + j
            move = self.chain.sign[j] * (self.ahead[i] - self.q[i])
            length = self.solver.linkage.fixed[j]
            if self.solver.linkage.slides[j]:
                before = self.chain.sign[j] * self.q[i] + self.chain.shift[j]
                length = max(abs(before), abs(before + move))
                speed += abs(move)
                bow += 2 * abs(move * heading)
            else:
                heading = move + (0.0 if self.solver.linkage.absolute[j] else heading)
            speed += abs(length * heading)
            bow += length * heading * heading
            largest = max(largest, abs(move))
        if self.turns:
            turn = self.ahead[0] - self.q[0]
            bow += 2 * abs(turn) * speed + turn * turn * (self.turntable.radius + speed)
            largest = max(largest, abs(turn))
        bow *= EVEN * self.chain.size / (8 * aside)
        return max(bow, largest * largest / (LARGEST * LARGEST))

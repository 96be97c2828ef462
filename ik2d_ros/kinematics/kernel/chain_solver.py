"""Solves for a chain in metres and in positions as users know them, one target or many."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

try:
    import cython
except ImportError:
    from ik2d_ros.kinematics.kernel import uncompiled as cython

from ik2d_ros.kinematics.kernel import buffers, codes, points
from ik2d_ros.kinematics.kernel.linkage import Index, Link, room
from ik2d_ros.kinematics.kernel.solver import Solver

Direction: TypeAlias = 'tuple[float, float, float]'

# Positions, tip in m, error in m, status, passes, angle of the last link's frame and error in rad.
Answer: TypeAlias = 'tuple[list[float], tuple[float, float], float, int, int, float, float]'

FLAT = 2  # Dimensions of a plane.
SHORTEST = 1e-15  # reaches; a target closer to the base is at the base but for rounding.


class Description(NamedTuple):
    """All that the solver needs to know of a chain.

    Attributes:
        links: in their normal form, in reaches.
        signs: of each joint, the derivative of the number that the solver varies by the position.
        shifts: that number at position 0.
        limits: the least and the largest position, infinite for a continuous joint.
        inner: how near the tip can come to the base in reaches, limits of bends ignored.
        outer: how far; 1, or 0 if no link has a length.
        size: a reach in m.
        aside: direction of the last link in its frame, in rad.
        tool: a constant vector from the last link to the tip, in reaches.
    """

    links: Sequence[Link]
    signs: Sequence[float]
    shifts: Sequence[float]
    limits: Sequence[tuple[float, float]]
    inner: float
    outer: float
    size: float
    aside: float
    tool: complex = 0j


class TargetSolver:
    """Solves for targets in metres, one or many, for one thread at a time.

    Subclasses say how: in :meth:`set_up`, :meth:`begin` and :meth:`bring`.

    Attributes:
        joints: how many there are.
        positions: of the last answer, inside the limits to the bit.
        x: of the tip in the plane in m; y: the same.
        error: how far the tip is from the target in m.
        angle: of the last link's frame in rad, above -pi and up to pi.
        angle_error: how far that is from the one asked for; 0 if none was.
        passes: that were made.
        lock: held while it solves.
    """

    def __init__(self, joints: int, lock: Lock) -> None:
        self.joints = joints
        self.lock = lock
        self.positions = room()
        self.x = self.y = self.error = self.angle = self.angle_error = 0.0
        self.passes = 0

    def set_up(self, angle: float | Direction, options: tuple[int, int, int]) -> None:
        """Make ready for targets at an angle, NO_ANGLE for any."""

    def begin(self, j: Index, position: float) -> None:
        """Start with joint j at a position, or at the limit next to it."""

    def bring(self, at: complex, z: float, angle: float, tolerance: float, slack: float) -> Index:  # noqa: ARG002
        """Bring the tip to a target, from the start; return the status.

        Args:
            at: x and y of the target in m.
            z: of the target in m, if it is in space.
            angle: of the last link's frame in the plane in rad, or NO_ANGLE for any.
            tolerance: distance in m that counts as reached.
            slack: distance from the angle in rad that does.
        """
        return codes.NOT_CONVERGED

    def solve(
        self,
        target: Sequence[float],
        start: Sequence[float],
        angle: float | Direction,
        tolerances: tuple[float, float],
        options: tuple[int, int, int],
    ) -> Answer:
        """Solve for one target.

        Args:
            target: x, y and z in m; z is 0 in the plane.
            start: (n,) positions.
            angle: of the last link's frame in rad, or NO_ANGLE for any; with a turntable it may be
                the direction of its x-axis instead, a unit vector seen as the target is.
            tolerances: distance in m, and from the angle in rad, that count as reached.
            options: method, side and most passes, as :class:`.Solver` has them.
        """
        x, y, z = target
        tolerance, slack = tolerances
        with self.lock:
            self.set_up(angle, options)
            for j in range(self.joints):
                self.begin(j, start[j])
            wish = 0.0 if isinstance(angle, tuple) else angle
            status = self.bring(x + 1j * y, z, wish, tolerance, slack)
            positions = [self.positions[j] for j in range(self.joints)]
            tip, passes, error = (self.x, self.y), self.passes, self.error
            return positions, tip, error, status, passes, self.angle, self.angle_error

    def solve_batch(self, task: Task, rows: range, options: tuple[int, int, int]) -> None:
        """Solve for some of the targets of a task, without the interpreter's lock.

        Args:
            task: the targets.
            rows: the targets to solve for.
            options: as for :meth:`solve`.
        """
        first, last = rows.start, rows.stop
        with self.lock:
            self.set_up(0.0 if task.aimed else codes.NO_ANGLE, options)
            self.run(task, first, last)

    def run(self, task: Task, first: Index, last: Index) -> None:
        """Solve for them; other threads may hold the interpreter's lock meanwhile."""
        with cython.nogil:
            for i in range(first, last):
                self.answer(task, i)

    def answer(self, task: Task, i: Index) -> None:
        """Solve for target i of a task."""
        for j in range(self.joints):
            self.begin(j, task.start[task.stride * i + j])
        first = task.dimensions * i
        z = task.target[first + 2] if task.dimensions > FLAT else 0.0
        angle = task.angle[i] if task.aimed else codes.NO_ANGLE
        at = task.target[first] + 1j * task.target[first + 1]
        task.status[i] = self.bring(at, z, angle, task.tolerance, task.slack)
        task.error[i] = self.error
        task.angle_error[i] = self.angle_error
        for j in range(self.joints):
            task.position[self.joints * i + j] = self.positions[j]


class ChainSolver(TargetSolver):
    """Solves for one chain.

    Attributes:
        solver: what solves, in reaches and bends.
    """

    def __init__(self, description: Description, solver: Solver | None = None) -> None:
        super().__init__(len(description.links), Lock())
        self.description = description
        self.solver = solver or Solver(description.links, description.inner, description.outer)
        self.size = description.size
        self.aside = description.aside
        self.tool = description.tool
        self.sign = room(description.signs)
        self.shift = room(description.shifts)
        self.lower = room([lower for lower, _ in description.limits])
        self.upper = room([upper for _, upper in description.limits])
        self.start = room()

    def twin(self) -> ChainSolver:
        """Return another solver for the same chain, for another thread."""
        return ChainSolver(self.description, self.solver.twin())

    def set_up(self, angle: float | Direction, options: tuple[int, int, int]) -> None:
        """Choose how to solve; make the tables for tip angles if they are needed."""
        self.solver.method, self.solver.side, self.solver.most = options
        if angle != codes.NO_ANGLE:
            self.solver.prepare_angles()

    def begin(self, j: Index, position: float) -> None:
        """Start with joint j at a position, or at the limit next to it."""
        self.start[j] = points.clamp(position, self.lower[j], self.upper[j])
        number = self.sign[j] * self.start[j] + self.shift[j]
        if self.solver.linkage.limits[j] == 0:
            number = points.near_zero(number)  # Many turns would cost digits.
        self.solver.begin(j, number)

    def bring(self, at: complex, z: float, angle: float, tolerance: float, slack: float) -> Index:  # noqa: ARG002
        """Bring the tip to a target in the plane."""
        x, y = at.real, at.imag
        target = x / self.size + 1j * (y / self.size) - self.tool
        if math.hypot(target.real, target.imag) <= SHORTEST:
            target = 0j
        if angle == codes.NO_ANGLE:
            status = self.solver.point(target, tolerance / self.size)
        else:
            heading = math.remainder(angle, points.TAU) + self.aside
            status = self.solver.point_at(target, heading, tolerance / self.size, slack)
        self.passes = self.solver.passes
        self.place()
        self.error = math.hypot(x - self.x, y - self.y)
        self.angle_error = (
            0.0 if angle == codes.NO_ANGLE else abs(math.remainder(angle - self.angle, points.TAU))
        )
        if self.error > tolerance:
            return codes.NOT_CONVERGED if status in (codes.REACHED, codes.TIP_ANGLE) else status
        return codes.REACHED if self.angle_error <= slack else codes.TIP_ANGLE

    def place(self) -> None:
        """Find the positions of the pose that was found, and where the tip is at these."""
        for j in range(self.solver.linkage.count):
            self.positions[j] = self.position(j)
            self.solver.pose[j] = self.sign[j] * self.positions[j] + self.shift[j]
        tip = self.solver.tip() + self.tool
        self.x = self.size * tip.real
        self.y = self.size * tip.imag
        turned = math.remainder(self.solver.descent.heading - self.aside, points.TAU)
        self.angle = turned if turned > -points.TAU / 2 else points.TAU / 2

    def position(self, j: Index) -> float:
        """Return the position of joint j in the pose: in the turn nearest to the start."""
        number = self.solver.pose[j]
        if not self.solver.linkage.bent and self.solver.linkage.fit(j, number):
            number = self.solver.linkage.trial[j]
        position = (number - self.shift[j]) / self.sign[j]
        if self.solver.linkage.limits[j] > 0:
            return points.clamp(position, self.lower[j], self.upper[j])
        away = position - self.start[j]
        return self.start[j] + away - points.TAU * math.floor(away / points.TAU + (0.5 - 1e-13))


class Task:
    """Many targets for one chain, and room for their answers.

    Attributes:
        answers: positions, error in m, distance from the angle in rad, and status of each target.
    """

    def __init__(
        self,
        targets: array[float],
        starts: array[float],
        angles: array[float],
        joints: int,
        dimensions: int,
        tolerances: tuple[float, float],
    ) -> None:
        """Lay them out.

        Args:
            targets: coordinates of each in m.
            starts: positions, one pose for each target or one for all.
            angles: one in rad for each, or none.
            joints: how many there are.
            dimensions: how many coordinates each target has.
            tolerances: distance in m, and from the angle in rad, that count as reached.
        """
        count = len(targets) // dimensions
        self.answers = (
            array('d', bytes(8 * count * joints)),
            array('d', bytes(8 * count)),
            array('d', bytes(8 * count)),
            array('i', bytes(4 * count)),
        )
        self.stride = joints if len(starts) == count * joints else 0
        self.dimensions = dimensions
        self.aimed = len(angles) > 0
        self.tolerance, self.slack = tolerances
        self.arrays: list[Any] = []
        self.target = buffers.doubles(targets, self.arrays)
        self.start = buffers.doubles(starts, self.arrays)
        self.angle = buffers.doubles(angles, self.arrays)
        self.position = buffers.doubles(self.answers[0], self.arrays)
        self.error = buffers.doubles(self.answers[1], self.arrays)
        self.angle_error = buffers.doubles(self.answers[2], self.arrays)
        self.status = buffers.integers(self.answers[3], self.arrays)

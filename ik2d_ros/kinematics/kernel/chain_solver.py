"""Solves for a chain, also on a lift, in metres and in positions as users know them."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from threading import Lock
from typing import Any, TypeAlias

try:
    import cython
except ImportError:
    from ik2d_ros.kinematics.kernel import uncompiled as cython

from ik2d_ros.kinematics.kernel import buffers, codes, points
from ik2d_ros.kinematics.kernel.joint_table import Index, Numbers, Range, padded
from ik2d_ros.kinematics.kernel.solver import Solver

Direction: TypeAlias = 'tuple[float, float, float]'

# Positions, tip in m, error in m, status, passes, angle of the last link's frame and error in rad.
Answer: TypeAlias = 'tuple[list[float], tuple[float, float], float, int, int, float, float]'

PLANAR = 2  # Coordinates of a point of the plane.
AT_BASE = 1e-15  # reaches; a target closer to the base is at the base but for rounding.
FEW = 8  # Joints; they take at most some 1 ms, and the interpreter's lock is kept.
STEPS = 10  # At most, in one small move; a small enough one takes three.


class TargetSolver:
    """Solves for targets in metres, one or many, for one thread at a time. Subclasses say how.

    Attributes:
        size: a reach in m.
        positions: of the last answer, inside the limits to the bit.
        x, y: of the tip in the plane in m; error: how far the tip is from the target in m.
        angle: of the last link's frame in rad, above -pi and up to pi; angle_error: how far that is
            from the wanted angle in rad; 0 if any will do.
        speed, bow, largest: of the move that :meth:`measure_move` has measured, in reaches: bounds
            of the tip's speed and acceleration in a unit of time, and the largest move of a joint.
        lock: held while it solves.
    """

    def __init__(self, joints: int, size: float, lock: Lock) -> None:
        self.joints = joints
        self.size = size
        self.lock = lock
        self.positions = padded()
        self.x = self.y = self.error = self.angle = self.angle_error = 0.0
        self.speed = self.bow = self.largest = 0.0
        self.passes = 0

    def configure(self, angle: float | Direction, options: tuple[int, int, int]) -> None:
        """Prepare for targets at an angle, NO_ANGLE for any."""

    def set_start(self, j: Index, position: float) -> None:
        """Start with joint j at a position, or at the limit next to it."""

    def solve_target(
        self, at: complex, z: float, angle: float, tolerance: float, angle_tolerance: float
    ) -> Index:
        """Bring the tip to a target, or as close as it can come, from the start; return the status.

        The target is at x + i y, and at z if it is in space, in m; the angle is that of the last
        link's frame in the plane in rad, or NO_ANGLE. Tolerances are those of :meth:`solve`.
        """
        return codes.NOT_CONVERGED

    def status_at(self, status: Index, tolerance: float, angle_tolerance: float) -> Index:
        """Return the status of a pose by its errors in m and rad; a search's says why it misses."""
        if self.error > tolerance:
            return codes.NOT_CONVERGED if status in (codes.REACHED, codes.TIP_ANGLE) else status
        if self.angle_error <= angle_tolerance:
            return codes.REACHED
        return codes.NOT_CONVERGED if status == codes.NOT_CONVERGED else codes.TIP_ANGLE

    def step_to(self, at: complex, z: float, angle: float, tolerance: float) -> None:
        """Come close to a target by a few small steps from the start, without a decision."""

    def measure_move(self, before: Numbers, after: Numbers, first: Index) -> None:
        r"""Measure a move, all joints moving evenly from one pose to another.

        In these positions the solver's own joints begin at ``first``.

        A link of length l whose heading changes by h moves the tip by l h at most, and bends its
        way by l h^2; a slide that moves by d, by d, and by 2 d h. Over a move, the tip leaves the
        line between its ends by at most an eighth of its largest second derivative:

        .. math:: \max_t |x''(t)| / 8

        (linear interpolation; the error term goes back to J.-L. Lagrange).
        """

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
        tolerance, angle_tolerance = tolerances
        with self.lock:
            self.configure(angle, options)
            for j in range(self.joints):
                self.set_start(j, start[j])
            wanted = 0.0 if isinstance(angle, tuple) else angle
            if self.joints > FEW:
                status = self.solve_long(x + 1j * y, z, wanted, tolerance, angle_tolerance)
            else:
                status = self.solve_target(x + 1j * y, z, wanted, tolerance, angle_tolerance)
            positions = [self.positions[j] for j in range(self.joints)]
            tip, passes, error = (self.x, self.y), self.passes, self.error
            return positions, tip, error, status, passes, self.angle, self.angle_error

    def solve_long(
        self, at: complex, z: float, angle: float, tolerance: float, angle_tolerance: float
    ) -> Index:
        """Solve for a target, without the interpreter's lock."""
        with cython.nogil:
            return self.solve_target(at, z, angle, tolerance, angle_tolerance)

    def step(
        self, target: Sequence[float], start: Sequence[float], angle: float, tolerance: float
    ) -> tuple[list[float], float, float]:
        """Come close to a target by small steps; return positions, error in m and tip angle."""
        x, y, z = target
        for j in range(self.joints):
            self.set_start(j, start[j])
        self.step_to(x + 1j * y, z, angle, tolerance)
        return [self.positions[j] for j in range(self.joints)], self.error, self.angle

    def solve_batch(self, task: Task, rows: range, options: tuple[int, int, int]) -> None:
        """Solve for some of the targets of a task, without the interpreter's lock."""
        first, last = rows.start, rows.stop
        with self.lock:
            self.configure(0.0 if task.aimed else codes.NO_ANGLE, options)
            self.solve_rows(task, first, last)

    def solve_rows(self, task: Task, first: Index, last: Index) -> None:
        """Solve for the rows before the last; others may hold the interpreter's lock meanwhile."""
        near, slack = task.tolerance, task.angle_tolerance
        with cython.nogil:
            for i in range(first, last):
                for j in range(self.joints):
                    self.set_start(j, task.start[task.stride * i + j])
                x = task.dimensions * i
                at = task.target[x] + 1j * task.target[x + 1]
                z = task.target[x + 2] if task.dimensions > PLANAR else 0.0
                angle = task.angle[i] if task.aimed else codes.NO_ANGLE
                task.status[i] = self.solve_target(at, z, angle, near, slack)
                task.error[i] = self.error
                task.angle_error[i] = self.angle_error
                for j in range(self.joints):
                    task.position[self.joints * i + j] = self.positions[j]


class ChainSolver(TargetSolver):
    """Solves for one chain.

    Attributes:
        solver: what solves, in reaches and bends.
        aside: direction of the last link in its frame, in rad.
        tool: a constant vector from the last link to the tip; in reaches, when given in m.
        sign, shift: of each joint, the derivative of its value in the solver by its position, and
            that value at position 0.
        lower, upper: least and largest positions; infinite for a continuous joint.
    """

    def __init__(
        self,
        solver: Solver,
        size: float,
        aside: float,
        tool: Range,
        signs: Sequence[float],
        shifts: Sequence[float],
        limits: Sequence[Range],
    ) -> None:
        super().__init__(solver.table.count, size, Lock())
        self.solver = solver
        self.aside = aside
        self.tool = complex(*tool) / size
        self.sign = padded(signs)
        self.shift = padded(shifts)
        self.lower = padded([lower for lower, _ in limits])
        self.upper = padded([upper for _, upper in limits])
        self.start = padded()

    def configure(self, angle: float | Direction, options: tuple[int, int, int]) -> None:
        """Choose how to solve; make the tables for tip angles if they are needed."""
        self.solver.method, side, self.solver.most_passes = options
        self.solver.at_point.side = self.solver.closest_point.side = side
        if angle != codes.NO_ANGLE:
            self.solver.prepare_angles()

    def set_start(self, j: Index, position: float) -> None:
        """Start with joint j at a position, or at the limit next to it."""
        self.start[j] = points.clamp(position, self.lower[j], self.upper[j])
        value = self.sign[j] * self.start[j] + self.shift[j]
        if self.solver.table.limit_count[j] == 0:
            value = points.near_zero(value)  # Many whole turns would cost digits.
        self.solver.set_start(j, value)

    def solve_target(
        self, at: complex, z: float, angle: float, tolerance: float, angle_tolerance: float
    ) -> Index:
        """Bring the tip to a target in the plane, or as close as it can come."""
        target = self.in_reaches(at)
        if math.hypot(target.real, target.imag) <= AT_BASE:
            target = 0j
        near = tolerance / self.size
        if angle == codes.NO_ANGLE:
            status = self.solver.solve_for_point(target, near)
        else:
            status = self.solver.solve_for_angle(target, self.heading(angle), near, angle_tolerance)
        self.passes = self.solver.passes
        self.update_positions()
        self.measure_errors(at, angle)
        return self.status_at(status, tolerance, angle_tolerance)

    def step_to(self, at: complex, z: float, angle: float, tolerance: float) -> None:
        """Come close to a target in the plane by a few small steps from the start."""
        self.step_in_plane(self.in_reaches(at), angle, tolerance)
        self.measure_errors(at, angle)

    def step_in_plane(self, target: complex, angle: float, tolerance: float) -> None:
        """Take a few small steps to a target in reaches, from which the tool is taken off."""
        self.solver.begin(angle if angle == codes.NO_ANGLE else self.heading(angle))
        self.solver.descent.set_pose(self.solver.trial.start)
        enough = min(tolerance / self.size, points.DESCENT_TOLERANCE)
        error = self.solver.descent.descend_to(target, STEPS, enough)
        self.solver.take_if_closer(self.solver.descent.pose, error)
        self.update_positions()

    def in_reaches(self, at: complex) -> complex:
        """Return where the last link ends in reaches if the tip is at a point in m."""
        target: complex = at.real / self.size + 1j * (at.imag / self.size)
        return target - self.tool

    def heading(self, angle: float) -> float:
        """Return the heading of the last link if its frame has an angle in rad."""
        return math.remainder(angle, points.TAU) + self.aside

    def measure_errors(self, at: complex, angle: float) -> None:
        """Find how far tip and angle are from a target."""
        self.error = math.hypot(at.real - self.x, at.imag - self.y)
        self.angle_error = (
            0.0 if angle == codes.NO_ANGLE else abs(math.remainder(angle - self.angle, points.TAU))
        )

    def update_positions(self) -> None:
        """Find the pose's positions, in the turns nearest to the start, and the tip there."""
        for j in range(self.joints):
            value = self.solver.pose[j]
            if not self.solver.table.limits_bends and self.solver.trial.set_joint(j, value):
                value = self.solver.trial.pose[j]
            position = (value - self.shift[j]) / self.sign[j]
            if self.solver.table.limit_count[j] > 0:
                position = points.clamp(position, self.lower[j], self.upper[j])
            else:
                away = position - self.start[j]
                turns = math.floor(away / points.TAU + (0.5 - 1e-13))
                position = self.start[j] + away - points.TAU * turns
            self.positions[j] = position
            self.solver.pose[j] = self.sign[j] * position + self.shift[j]
        tip = self.solver.tip() + self.tool
        self.x = self.size * tip.real
        self.y = self.size * tip.imag
        turned = math.remainder(self.solver.descent.heading - self.aside, points.TAU)
        self.angle = turned if turned > -points.TAU / 2 else points.TAU / 2

    def measure_move(self, before: Numbers, after: Numbers, first: Index) -> None:
        """Measure a move from one pose to another: see :class:`TargetSolver`."""
        heading: float = 0.0
        self.speed = self.bow = self.largest = 0.0
        for j in range(self.joints):
            move = self.sign[j] * (after[first + j] - before[first + j])
            length = self.solver.table.fixed[j]
            if self.solver.table.slides[j]:
                begin = self.sign[j] * before[first + j] + self.shift[j]
                length = max(abs(begin), abs(begin + move))
                self.speed += abs(move)
                self.bow += 2 * abs(move * heading)
            else:
                heading = move + (0.0 if self.solver.table.absolute[j] else heading)
            self.speed += abs(length * heading)
            self.bow += length * heading * heading
            self.largest = max(self.largest, abs(move))


class CarriedSolver(TargetSolver):
    """Solves for a chain in a plane of space; the position of a joint that carries it comes first.

    ``first`` is 1, or 0 if nothing carries the plane.
    """

    def __init__(self, chain: ChainSolver, first: int, limits: tuple[float, float]) -> None:
        super().__init__(chain.joints + first, chain.size, chain.lock)
        self.chain = chain
        self.first = first
        self.carrier_lower, self.carrier_upper = limits
        self.carrier_start = 0.0

    def configure(self, angle: float | Direction, options: tuple[int, int, int]) -> None:
        """Prepare the chain for targets at an angle."""
        self.chain.configure(angle, options)

    def set_start(self, j: Index, position: float) -> None:
        """Start with a joint at a position."""
        if j >= self.first:
            self.chain.set_start(j - self.first, position)
        else:
            self.carrier_start = points.clamp(position, self.carrier_lower, self.carrier_upper)

    def place_pose(self, position: float) -> None:
        """Take the chain's positions, tip and angle, and the position of what carries it."""
        self.x, self.y, self.angle = self.chain.x, self.chain.y, self.chain.angle
        self.positions[0] = position
        for j in range(self.chain.joints):
            self.positions[self.first + j] = self.chain.positions[j]


class LiftSolver(CarriedSolver):
    """Solves for one arm with a lift, whose position comes first, or in a fixed plane.

    A lift and the chain in its plane are independent: each comes as close as it can.

    With a lift, ``axis`` is +1 or -1: along the plane's normal, or against it; else 0.
    ``off_plane`` is how far the target is from the plane in m, with its sign.
    """

    def __init__(
        self, chain: ChainSolver, axis: int, travel: tuple[float, float], limited: bool
    ) -> None:
        super().__init__(chain, abs(axis), travel)
        self.axis = axis
        self.limited = limited
        self.off_plane = 0.0

    def solve_target(
        self, at: complex, z: float, angle: float, tolerance: float, angle_tolerance: float
    ) -> Index:
        """Bring the tip to a target, or as close as it can come; return the status."""
        beside = abs(z - self.axis * self.height(z))
        left = math.sqrt(max(0.0, (tolerance - beside) * (tolerance + beside)))
        left = max(left, points.PLANE_TOLERANCE * self.chain.size)
        status = self.chain.solve_target(at, 0.0, angle, left, angle_tolerance)
        self.place_lift(z)
        if abs(self.off_plane) > tolerance:
            if not self.limited:
                return codes.TOO_FAR
            return status if status in (codes.TOO_FAR, codes.TOO_NEAR) else codes.JOINT_LIMIT
        return self.status_at(status, tolerance, angle_tolerance)

    def step_to(self, at: complex, z: float, angle: float, tolerance: float) -> None:
        """Come close to a target by a few small steps of the chain, and the lift at its height."""
        self.chain.step_to(at, 0.0, angle, tolerance)
        self.place_lift(z)

    def height(self, z: float) -> float:
        """Return the position of the lift that brings the plane closest to a height in m."""
        return points.clamp(self.axis * z, self.carrier_lower, self.carrier_upper)

    def place_lift(self, z: float) -> None:
        """Take the chain's pose, with the lift as close to a height in m as it can be."""
        height = self.height(z)
        self.place_pose(height)
        self.passes, self.angle_error = self.chain.passes, self.chain.angle_error
        self.off_plane = z - self.axis * height
        self.error = math.hypot(self.chain.error, self.off_plane)

    def measure_move(self, before: Numbers, after: Numbers, first: Index) -> None:
        """Measure a move of the chain; the lift moves the tip along a straight line."""
        self.chain.measure_move(before, after, first + self.first)
        self.speed, self.bow = self.chain.speed, self.chain.bow
        self.largest = self.chain.largest


class Task:
    """Many targets for one arm, and room for positions, both errors, and status of each."""

    def __init__(
        self,
        targets: array[float],
        starts: array[float],
        angles: array[float],
        joints: int,
        dimensions: int,
        tolerances: tuple[float, float],
    ) -> None:
        """Lay them out: the targets' coordinates in m, with one start for each or one for all."""
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
        self.tolerance, self.angle_tolerance = tolerances
        self.arrays: list[Any] = []
        self.target = buffers.doubles(targets, self.arrays)
        self.start = buffers.doubles(starts, self.arrays)
        self.angle = buffers.doubles(angles, self.arrays)
        self.position = buffers.doubles(self.answers[0], self.arrays)
        self.error = buffers.doubles(self.answers[1], self.arrays)
        self.angle_error = buffers.doubles(self.answers[2], self.arrays)
        self.status = buffers.integers(self.answers[3], self.arrays)

"""The node's answer to a target: the report and the pose to command; no ROS imports.

:func:`answer` is the node's complete response to a target, as a function of plain data.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Solution, Status, TimedPath
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.plane import Plane, PlanePoint, Quaternion, Vector
from ik2d_ros.kinematics.pointing import angle_refusal, has_direction
from ik2d_ros.motion.way import Way
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.pilot.outcome import Code, Level, explain, length
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.report import MOVING, NO_PLACE, NO_POINT, Report

if TYPE_CHECKING:
    from builtin_interfaces.msg import Time

HOLDS = ' The arm holds.'


class Target(NamedTuple):
    """A target for the tip.

    Attributes:
        point: x, y, z in m in ``frame_id``.
        frame_id: the frame; empty means the arm's base frame.
        age: age of its stamp in s; negative for the future, 0 for no stamp.
        stamp_fault: the stamp's error, to follow "is stamped"; empty for a valid one.
        clock_fault: why the clock gives no valid time; empty if it does.
        frame: pose of ``frame_id`` in the base frame; None if it is unknown, or not needed.
        frame_fault: why it is unknown; empty if it is not needed.
        state_fault: why the arm's pose is not known; empty if it is.
        direction: unit vector in ``frame_id``, where the tip is to point; None for anywhere.
        fault: an error of its content, to follow "The target"; empty for none.
        stamp: the stamp of its statuses; None for a target that came in no message.
        is_stamped: whether it came with that stamp; else it is the time of its arrival.
        pose: (m,) positions that have the tip at the point; None to solve for some.
        message: of a path, whose points are read from it when it is judged; empty for a point.
        path: (k, 3) points of a path in ``frame_id``; None before they are read, and for a point.
    """

    point: Vector
    frame_id: str = ''
    age: float = 0.0
    stamp_fault: str = ''
    clock_fault: str = ''
    frame: Plane | None = None
    frame_fault: str = ''
    state_fault: str = ''
    direction: Vector | None = None
    fault: str = ''
    stamp: Time | None = None
    is_stamped: bool = False
    pose: tuple[float, ...] | None = None
    message: bytes = b''
    path: FloatArray | None = None

    @property
    def is_finite(self) -> bool:
        """Whether the point is finite."""
        return all(map(math.isfinite, self.point))

    def in_base(self) -> tuple[Vector, Vector | None]:
        """Return point and direction in the base frame; meaningful only if the frame is known."""
        point, direction, frame = self.point, self.direction, self.frame
        if frame is None:
            return point, direction
        if direction is not None:
            x, y, z = (np.array(direction) @ frame.axes).tolist()
            direction = x, y, z
        return frame.point(*point), direction

    def asks_the_same(self, other: Target) -> bool:
        """Return whether another target is the same point in the base frame."""
        return self.path is None is other.path and self.in_base() == other.in_base()

    def path_in_base(self) -> FloatArray:
        """Return (k, 3) points of its path in the base frame; meaningful if that is known."""
        path = np.empty((0, 3)) if self.path is None else self.path
        return path if self.frame is None else path @ np.array(self.frame.axes) + self.frame.origin


@dataclass(frozen=True)
class Answer:
    """A pose, and the report on it.

    Attributes:
        target: the target.
        positions: (m,) to command: the solved pose, or the current one if the arm holds.
        report: the status to publish.
        solution: the solver's answer; None for a path, or if the target was refused.
        goes: whether the arm goes there; else it holds.
        judged: the target's path; None for a point, or if it was refused.
    """

    target: Target
    positions: tuple[float, ...]
    report: Report
    solution: Solution | None = None
    goes: bool = False
    judged: JudgedPath | None = None

    @property
    def accepted(self) -> bool:
        """Whether the target was solved, reached or not, or ends a path; else it was refused."""
        return self.report.code.level <= Level.WARN

    @property
    def postponed(self) -> bool:
        """Whether it must be answered again once the clock gives a time and the pose is known."""
        return self.report.code in (Code.NO_CLOCK, Code.NO_STATE)

    def described(self) -> str:
        """Describe target and outcome in one line, for the log."""
        report, (x, y, z) = self.report, self.target.point
        by = f' by {report.solver} in {1e6 * report.solve_time:.0f} us' if report.solver else ''
        pose = ', '.join(f'{position:.6g}' for position in self.positions)
        return (
            f"target ({x:.6g}, {y:.6g}, {z:.6g}) in '{printable(self.target.frame_id)}': "
            f'{report.code.name}{by}, error {report.error:.3g} m; commanded [{pose}]'
        )


@dataclass(frozen=True, eq=False)
class JudgedPath:
    """A path, how far it can be followed, and how it is followed.

    Attributes:
        points: (k, 3) the points asked for, in m in the base frame.
        end: how far the tip gets along it, in m.
        total: its length in m.
        way: the poses that follow it; None if the arm holds.
        timed: when each point is passed; None if no joint moves.
    """

    points: FloatArray
    end: float
    total: float
    way: Way | None = None
    timed: TimedPath | None = None

    def left(self, time: float | None) -> float:
        """Return the length in m that is left some time in s after the first point was passed."""
        if time is None:
            return self.total
        if self.timed is None or time >= self.timed.duration:
            return 0.0
        return self.total - float(self.timed.at(time)[2])

    def progress(self, time: float | None) -> float:
        """Return the share of the length that is passed by a time, as :meth:`left` takes it."""
        return 1.0 - self.left(time) / self.total if self.total > 0.0 else float(time is not None)


def answer(
    target: Target,
    configuration: Configuration,
    commanded: tuple[float, ...],
    moves: bool = True,
) -> Answer:
    """Answer a target.

    Args:
        target: the target.
        configuration: the arm, and how to answer targets.
        commanded: (m,) positions, the current pose.
        moves: whether the arm moves; False for a query.
    """
    settings, arm = configuration.settings, configuration.arm
    place, direction = target.in_base()
    refused = refusal(target, place, direction, configuration, commanded, moves)
    if refused is not None:
        return refused
    before = time.perf_counter()
    if target.pose is None:
        solution = settings.solve(arm, place, commanded, direction)
    else:
        solution = _posed(arm, target.pose)
    solve_time = time.perf_counter() - before
    code, solved = Code.of(solution.status), tuple(solution.q.tolist())
    goes = moves and (code.reachable is True or settings.unreachable == 'closest')
    message = explain(solution, arm, place)
    if moves and not goes:
        message += HOLDS
    report = Report(
        code=code,
        message=message,
        point=arm.plane_at(solved).locate(place),
        place=place,
        error=solution.error,
        at_goal=goes or commanded == solved,
        solver=solution.solver,
        iterations=solution.iterations,
        solve_time=solve_time,
        proven=solution.proven,
        angle=solution.angle,
        angle_error=solution.angle_error,
    )
    return Answer(target, solved if goes else commanded, report, solution, goes)


def _posed(arm: ArmDescription, pose: tuple[float, ...]) -> Solution:
    """Return the solution of a target at the tip of (m,) positions, which are given."""
    return Solution(
        q=np.array(pose),
        tip=arm.kinematics.forward(pose),
        error=0.0,
        status=Status.REACHED,
        solver='',
        iterations=0,
        proven=True,
        angle=arm.chain.tip_angle(arm.in_plane(pose)),
        angle_error=0.0,
    )


def under_way(report: Report, left: float, is_settled: bool = False, waits_for: str = '') -> Report:
    """Return the report on a target while the arm is not at its pose.

    Args:
        report: the report for when it is.
        left: distance in m from where the tip is to where it goes.
        is_settled: whether the arm stands; else it is still moving.
        waits_for: the joint that the motion waits for; empty for none.
    """
    waits = f', waiting for joint {printable(waits_for)}' if waits_for else ''
    state = f'{length(left)} off its goal' if is_settled else f'{MOVING}{length(left)} to go{waits}'
    return report._replace(message=f'{state}. {report.message}', at_goal=False)


def without_target(code: Code, problem: str = '') -> Report:
    """Return the report of a code that concerns no target.

    Args:
        code: ``READY``, ``NOT_FOLLOWING``, ``NO_CLOCK`` or ``NO_STATE``.
        problem: the reason; empty for ``READY``.
    """
    report = _refused(code, problem=problem)
    return _holding(report) if code in (Code.NO_CLOCK, Code.NO_STATE) else report


def refusal(
    target: Target,
    place: Vector,
    direction: Vector | None,
    configuration: Configuration,
    commanded: tuple[float, ...],
    moves: bool,
) -> Answer | None:
    """Return the answer that refuses a target; None if it is to be solved.

    Args:
        target: the target.
        place: its point in the base frame, in m.
        direction: its direction there.
        configuration: the arm, and how to answer targets.
        commanded: (m,) positions, the pose.
        moves: whether the arm moves; False for a query, which needs no known pose.
    """
    point = configuration.arm.plane_at(commanded).locate(place)
    report = _refusal(target, point, place, direction, configuration)
    if report is None and moves and target.state_fault:
        report = _refused(Code.NO_STATE, point, place, problem=target.state_fault)
    if report is None:
        return None
    return Answer(target, commanded, _holding(report) if moves else report)


def _refusal(
    target: Target,
    point: PlanePoint,
    place: Vector,
    direction: Vector | None,
    configuration: Configuration,
) -> Report | None:
    settings, arm = configuration.settings, configuration.arm
    x, y, off = point
    is_computable = math.isfinite(math.hypot(x, y)) and math.isfinite(off)
    if target.fault:
        return _invalid(target, target.fault)
    if not is_computable and not target.is_finite:
        return _invalid(target, 'is not finite')
    if target.stamp_fault:
        return _invalid(target, f'is stamped {target.stamp_fault}')
    if target.frame is None and target.frame_id not in ('', arm.base_frame):
        return _refused(
            Code.UNKNOWN_FRAME,
            frame_id=printable(target.frame_id),
            base_frame=arm.base_frame,
            cause=target.frame_fault or 'TF was not asked',
        )
    if not is_computable:
        return _invalid(target, 'is too far away for computation')
    if target.clock_fault:
        return _refused(Code.NO_CLOCK, point, place, problem=target.clock_fault)
    timeout, tolerance = settings.target_timeout, settings.plane_tolerance
    if 0.0 < timeout < abs(target.age):
        when = 'old' if target.age > 0.0 else 'in the future'
        facts = {'off': abs(target.age), 'when': when, 'target_timeout': timeout}
        return _refused(Code.STALE_TARGET, point, place, **facts)
    if arm.carrier is None and abs(off) > tolerance:
        return _refused(Code.OUT_OF_PLANE, point, place, off=abs(off), plane_tolerance=tolerance)
    if direction is None:
        return None
    if problem := angle_refusal(arm.chain):
        words = f'has an orientation, but {problem}: send it without one, to ~/target'
        return _invalid(target, words)
    if not has_direction(arm.kinematics, place, direction):
        words = "has an orientation without a direction in the arm's plane: its x-axis is along"
        return _invalid(target, f"{words} the plane's normal")
    return None


def _invalid(target: Target, problem: str) -> Report:
    x, y, z = target.point
    return _refused(Code.INVALID_TARGET, x=x, y=y, z=z, problem=problem)


def _holding(report: Report) -> Report:
    return report._replace(message=report.message + HOLDS)


def _refused(
    code: Code, point: PlanePoint = NO_POINT, place: Vector = NO_PLACE, **facts: object
) -> Report:
    return Report(code, code.words.format(**facts), point, place)


def direction_of(quaternion: Quaternion) -> tuple[Vector | None, str]:
    """Return the x-axis of an orientation.

    Args:
        quaternion: x, y, z, w; of any length but zero.

    Returns:
        A unit vector and an empty text, or None and the quaternion's error, to follow "The
        target".
    """
    words = f'({", ".join(f"{part:g}" for part in quaternion)})'
    if not all(map(math.isfinite, quaternion)):
        return None, f'has an orientation that is not finite: the quaternion {words}'
    largest = max(map(abs, quaternion))
    if largest == 0.0:
        return None, f'has no orientation: the quaternion is {words}, of length zero'
    # The largest is 1 first: neither huge nor tiny numbers lose their squares.
    x, y, z, w = (part / largest for part in quaternion)
    return Plane.from_quaternion((0.0, 0.0, 0.0), (x, y, z, w)).axes[0], ''

"""What the node answers for a target: the report, and the pose to take; no ROS in here.

:func:`answer` is all of the node's behaviour towards a target as a function of plain data.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ik2d_ros.arm.plane import Plane, PlanePoint, Vector
from ik2d_ros.kinematics import Chain, Solution, solve
from ik2d_ros.node.outcome import Code
from ik2d_ros.node.parameters import Configuration
from ik2d_ros.node.report import NO_POINT, Report
from ik2d_ros.parameters.wording import printable

MOST_STOPS = 10  # joints at their limits that a message names


@dataclass(frozen=True)
class Target:
    """Where the tip shall go.

    Attributes:
        point: x, y, z in m in ``frame_id``.
        frame_id: the frame; empty means the arm's base frame.
        age: how long ago it was stamped, in s; negative for the future, 0 for no stamp.
        stamp_fault: what is wrong with the stamp, to follow the words "is stamped"; empty for
            nothing.
        clock_fault: why there is no time at which the arm could move; empty where there is.
    """

    point: Vector
    frame_id: str = ''
    age: float = 0.0
    stamp_fault: str = ''
    clock_fault: str = ''


@dataclass(frozen=True)
class Answer:
    """A report, and the pose that follows from it.

    Attributes:
        report: what to tell.
        positions: (n,) rad to command: the solved pose, or the present one where the arm holds.
        solution: the solver's; None where the target was refused.
        postponed: whether the target is to be answered again when there is a time.
    """

    report: Report
    positions: tuple[float, ...]
    solution: Solution | None = field(default=None, compare=False)
    postponed: bool = False

    @property
    def accepted(self) -> bool:
        """Whether the target was solved for, reached or not."""
        return self.solution is not None


def answer(
    target: Target,
    configuration: Configuration,
    plane: Plane,
    commanded: tuple[float, ...],
    moves: bool = True,
) -> Answer:
    """What the node does for a target.

    Args:
        target: where the tip shall go.
        configuration: the arm, and how targets are answered.
        plane: the arm's plane in its base frame.
        commanded: (n,) rad, the present pose.
        moves: False for a query, which only asks.
    """
    point = locate(target, configuration, plane)
    if isinstance(point, Report):
        report = _holding(point) if moves else point
        return Answer(report, commanded, postponed=moves and point.code is Code.NO_CLOCK)
    settings, chain = configuration.settings, configuration.arm.chain
    before = time.perf_counter()
    solution = solve(
        chain,
        (point.x, point.y),
        solver=settings.solver,
        start=commanded,
        bend=settings.bend,
        tolerance=settings.tolerance,
        max_iterations=settings.max_iterations,
    )
    solve_time = time.perf_counter() - before
    code = Code.of(solution.status)
    solved: tuple[float, ...] = tuple(solution.q.tolist())
    goes = moves and (code.reachable is True or settings.unreachable == 'closest')
    positions = solved if goes else commanded
    message = explain(solution, chain, (point.x, point.y))
    if moves and not code.reachable:
        message += ' The arm goes there.' if goes else ' The arm holds.'
    report = Report(
        code=code,
        message=message,
        point=point,
        error=solution.error,
        at_goal=positions == solved,
        solver=solution.solver,
        iterations=solution.iterations,
        solve_time=solve_time,
    )
    return Answer(report, positions, solution)


def described(target: Target, result: Answer) -> str:
    """A target and what came of it in one line, for the log."""
    report = result.report
    solved = ''
    if result.accepted:
        solved = (
            f' by {report.solver} in {report.iterations} iterations and '
            f'{1e6 * report.solve_time:.0f} us, error {report.error:.3g} m'
        )
    x, y, z = target.point
    frame = printable(target.frame_id)
    pose = ', '.join(f'{position:.6g}' for position in result.positions)
    return (
        f"target ({x:.6g}, {y:.6g}, {z:.6g}) in '{frame}': {report.code.name}{solved}; "
        f'commanded [{pose}]'
    )


def ready() -> Report:
    """What the node says before the first target."""
    return _refused(Code.READY)


def no_clock(problem: str) -> Report:
    """What the node says while there is no time at which the arm could move.

    Args:
        problem: what is wrong with the clock, in words.
    """
    return _holding(_refused(Code.NO_CLOCK, problem=problem))


def locate(target: Target, configuration: Configuration, plane: Plane) -> PlanePoint | Report:
    """Where a target is in the arm's plane, or the report of why it is not solved for at all."""
    settings, base_frame = configuration.settings, configuration.arm.base_frame
    if not all(map(math.isfinite, target.point)):
        return _invalid(target, 'is not finite')
    if target.stamp_fault:
        return _invalid(target, f'is stamped {target.stamp_fault}')
    if target.frame_id not in ('', base_frame):
        return _refused(
            Code.UNKNOWN_FRAME, frame_id=printable(target.frame_id), base_frame=base_frame
        )
    point = plane.locate(target.point)
    if not (math.isfinite(math.hypot(point.x, point.y)) and math.isfinite(point.out_of_plane)):
        return _invalid(target, 'is too far away to compute with')
    if target.clock_fault:
        return _refused(Code.NO_CLOCK, point, problem=target.clock_fault)
    if 0.0 < settings.target_timeout < abs(target.age):
        return _refused(
            Code.STALE_TARGET,
            point,
            off=abs(target.age),
            when='old' if target.age > 0.0 else 'in the future',
            target_timeout=settings.target_timeout,
        )
    if abs(point.out_of_plane) > settings.plane_tolerance:
        return _refused(
            Code.OUT_OF_PLANE,
            point,
            off=abs(point.out_of_plane),
            plane_tolerance=settings.plane_tolerance,
        )
    return point


def explain(solution: Solution, chain: Chain, target: Sequence[float]) -> str:
    """Why, and by how much, a target is reached or not, in words.

    Args:
        solution: the solver's answer.
        chain: the arm that it is for.
        target: x, y in m in the plane.
    """
    distance, reach = math.hypot(*target), chain.reach
    return Code.of(solution.status).words.format(
        solution=solution,
        distance=distance,
        reach=reach,
        beyond=distance - reach.outer,
        inside=reach.inner - distance,
        stops=_stops(solution, chain),
    )


def _invalid(target: Target, problem: str) -> Report:
    x, y, z = target.point
    return _refused(Code.INVALID_TARGET, x=x, y=y, z=z, problem=problem)


def _holding(report: Report) -> Report:
    return replace(report, message=f'{report.message} The arm holds.')


def _refused(code: Code, point: PlanePoint = NO_POINT, **facts: object) -> Report:
    return Report(code, code.words.format(**facts), point)


def _stops(solution: Solution, chain: Chain) -> str:
    """Which joints stand at a limit, in brackets; empty for none."""
    stops = [
        f'{joint.name} at its {"smallest" if q == joint.lower else "largest"} position, {q:.4g} rad'
        for joint, q in zip(chain.joints, solution.q.tolist(), strict=True)
        if q in (joint.lower, joint.upper)
    ]
    more = [f'and {len(stops) - MOST_STOPS} more'] if len(stops) > MOST_STOPS else []
    return f' ({", ".join(stops[:MOST_STOPS] + more)})' if stops else ''

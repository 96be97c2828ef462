"""What the node answers for a target: code, level, words, and the pose to take; no ROS in here.

:func:`answer` is all of the node's behaviour towards a target as a function of plain data.
"""

from __future__ import annotations

import enum
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from ik2d_ros.arm.plane import Plane, PlanePoint, Vector
from ik2d_ros.kinematics import Chain, Solution, Status, solve
from ik2d_ros.node.parameters import Configuration

_UNKNOWN_POINT = PlanePoint(math.nan, math.nan, math.nan)


class Level(enum.IntEnum):
    """How bad a status is, as diagnostic_msgs/DiagnosticStatus counts it."""

    OK = 0
    WARN = 1
    ERROR = 2
    STALE = 3


class Code(enum.Enum):
    """Why the arm does what it does; the solver's status, or why the target was refused."""

    REACHED = Level.OK, 'REACHED'
    TOO_FAR = Level.WARN, 'TOO_FAR'
    TOO_NEAR = Level.WARN, 'TOO_NEAR'
    JOINT_LIMIT = Level.WARN, 'JOINT_LIMIT'
    NOT_CONVERGED = Level.WARN, 'NOT_CONVERGED'
    INVALID_TARGET = Level.ERROR, 'INVALID_TARGET'
    UNKNOWN_FRAME = Level.ERROR, 'UNKNOWN_FRAME'
    OUT_OF_PLANE = Level.ERROR, 'OUT_OF_PLANE'
    STALE_TARGET = Level.STALE, 'STALE_TARGET'

    @property
    def level(self) -> Level:
        """The level that goes with the code."""
        return self.value[0]


_REACHABLE = {
    Code.REACHED: 'true',
    Code.TOO_FAR: 'false',
    Code.TOO_NEAR: 'false',
    Code.JOINT_LIMIT: 'false',
}


@dataclass(frozen=True)
class Target:
    """Where the tip shall go.

    Attributes:
        point: x, y, z in m in ``frame_id``.
        frame_id: the frame; empty means the arm's base frame.
        age: how long ago it was stamped, in s; negative for the future, 0 for no stamp.
    """

    point: Vector
    frame_id: str = ''
    age: float = 0.0


@dataclass(frozen=True)
class Report:
    """One status: what the node says about a target.

    Attributes:
        code: the outcome.
        message: a sentence or two for a person.
        point: the target as the arm sees it, in m; NaN where that is not known.
        error: distance in m from the tip of the solved pose to the target; NaN where none was
            solved.
        at_goal: whether the commanded pose is the solved one.
        solver: the solver that answered; empty where none was asked.
        iterations: passes over the chain that it took.
        solve_time: in s.
    """

    code: Code
    message: str
    point: PlanePoint = _UNKNOWN_POINT
    error: float = math.nan
    at_goal: bool = False
    solver: str = ''
    iterations: int = 0
    solve_time: float = field(default=0.0, compare=False)

    def values(self) -> list[tuple[str, str]]:
        """Keys and values as they are published; numbers read back as the same float."""
        return [
            ('code', self.code.name),
            ('reachable', _REACHABLE.get(self.code, 'unknown')),
            ('error', repr(self.error)),
            ('at_goal', 'true' if self.at_goal else 'false'),
            ('solver', self.solver),
            ('iterations', str(self.iterations)),
            ('solve_time', repr(self.solve_time)),
            ('x', repr(self.point.x)),
            ('y', repr(self.point.y)),
            ('out_of_plane', repr(self.point.out_of_plane)),
        ]

    def says_the_same(self, other: Report) -> bool:
        """Whether another report differs in nothing but the time that it took."""
        mine, others = (
            [pair for pair in report.values() if pair[0] != 'solve_time']
            for report in (self, other)
        )
        return mine == others and self.message == other.message


@dataclass(frozen=True)
class Answer:
    """A report, and the pose that follows from it.

    Attributes:
        report: what to tell.
        positions: (n,) rad to command: the solved pose, or the present one where the arm holds.
        accepted: whether the target was solved for, reached or not.
    """

    report: Report
    positions: tuple[float, ...]
    accepted: bool


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
    point = _UNKNOWN_POINT
    if _is_finite(target.point) and target.frame_id in ('', configuration.arm.base_frame):
        point = plane.locate(target.point)
    refusal = _refusal(target, point, configuration)
    if refusal is not None:
        code, reason = refusal
        message = f'{reason} The arm holds.' if moves else reason
        return Answer(Report(code, message, point), commanded, accepted=False)
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
    code = Code[solution.status.name]
    solved: tuple[float, ...] = tuple(solution.q.tolist())
    goes = moves and (code is Code.REACHED or settings.unreachable == 'closest')
    positions = solved if goes else commanded
    message = explain(solution, chain, (point.x, point.y))
    if moves and code is not Code.REACHED:
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
    return Answer(report, positions, accepted=True)


def explain(solution: Solution, chain: Chain, target: Sequence[float]) -> str:
    """Why, and by how much, a target is reached or not, in words.

    Args:
        solution: the solver's answer.
        chain: the arm that it is for.
        target: x, y in m in the plane.
    """
    distance, reach, error = math.hypot(*target), chain.reach, _metres(solution.error)
    if solution.status is Status.REACHED:
        return f'The target is reached, to {error}.'
    closest = f'The closest pose ends {error} from it.'
    if solution.status is Status.TOO_FAR:
        return (
            f'The target is {_metres(distance)} from the base, {_metres(distance - reach.outer)} '
            f'beyond the reach of {_metres(reach.outer)}. {closest}'
        )
    if solution.status is Status.TOO_NEAR:
        return (
            f'The target is {_metres(distance)} from the base, {_metres(reach.inner - distance)} '
            f'nearer than the {_metres(reach.inner)} to which the arm can fold. {closest}'
        )
    if solution.status is Status.JOINT_LIMIT:
        stops = _stops(solution, chain)
        where = f' ({stops})' if stops else ''
        return f'The target is within reach, but the joint limits forbid it{where}. {closest}'
    return (
        f'The solver {solution.solver} stopped after {solution.iterations} iterations without '
        f'knowing whether the target can be reached. The closest pose found ends {error} from it.'
    )


def _refusal(
    target: Target, point: PlanePoint, configuration: Configuration
) -> tuple[Code, str] | None:
    """Why a target is not solved for at all, or None."""
    settings, base_frame = configuration.settings, configuration.arm.base_frame
    if not _is_finite(target.point):
        x, y, z = target.point
        return Code.INVALID_TARGET, f'The target ({x}, {y}, {z}) is not finite.'
    if target.frame_id not in ('', base_frame):
        return Code.UNKNOWN_FRAME, (
            f"The target is given in frame '{target.frame_id}', from which there is no transform; "
            f"give it in '{base_frame}', or leave frame_id empty."
        )
    if not _is_finite(point):
        x, y, z = target.point
        return Code.INVALID_TARGET, f'The target ({x}, {y}, {z}) is too far away to compute with.'
    if 0.0 < settings.target_timeout < abs(target.age):
        when = 'old' if target.age > 0.0 else 'in the future'
        return Code.STALE_TARGET, (
            f'The stamp of the target is {abs(target.age):.4g} s {when}, more than the '
            f'target_timeout of {settings.target_timeout:.4g} s.'
        )
    if abs(point.out_of_plane) > settings.plane_tolerance:
        return Code.OUT_OF_PLANE, (
            f"The target is {_metres(abs(point.out_of_plane))} out of the arm's plane, more than "
            f'the plane_tolerance of {_metres(settings.plane_tolerance)}.'
        )
    return None


def _stops(solution: Solution, chain: Chain) -> str:
    """Which joints stand at a limit."""
    return ', '.join(
        f'{joint.name} at its {"smallest" if q == joint.lower else "largest"} position, {q:.4g} rad'
        for joint, q in zip(chain.joints, solution.q.tolist(), strict=True)
        if q in (joint.lower, joint.upper)
    )


def _is_finite(point: Sequence[float]) -> bool:
    return all(map(math.isfinite, point))


def _metres(distance: float) -> str:
    return f'{distance:.4g} m'

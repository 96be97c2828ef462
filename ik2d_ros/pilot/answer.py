"""Plans a target: the report and the pose to command, as a function of plain data."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.drive import Drive, distance
from ik2d_ros.control.supervisor import Goal
from ik2d_ros.kinematics import Solution, Status, TimedPath
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.clearance import collision_between
from ik2d_ros.kinematics.oriented import Orientation
from ik2d_ros.kinematics.plane import Plane, PlanePoint, Vector, combined
from ik2d_ros.kinematics.pointing import angle_refusal, has_direction
from ik2d_ros.kinematics.walls import Contact
from ik2d_ros.motion.trajectory import Trajectory
from ik2d_ros.parameters.checks import closest, listed
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.pilot.clock import fault
from ik2d_ros.pilot.outcome import Code, explain
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.report import NO_PLACE, NO_POINT, Report
from ik2d_ros.pilot.request import (
    Home,
    Jog,
    JogJoints,
    Joints,
    Missing,
    Path,
    Point,
    Pose,
    Target,
)
from ik2d_ros.planning.hysteresis import apply_hysteresis, with_errors_at
from ik2d_ros.planning.settings import Settings
from ik2d_ros.planning.side import bias_start
from ik2d_ros.planning.way_there import way_there

OVERTAKEN = 'A newer target came before this one was answered.'


class Situation(NamedTuple):
    """The state of arm, clock and frames when a target is planned.

    Attributes:
        start: (m,) positions from which the arm moves.
        goal: the answer that it is moving to; None if it is not.
        frame: pose of the target's frame in the base frame; None if it is that, or not needed.
        age: age of the target's stamp in s; negative for the future, 0 for no stamp.
        clock_fault: why the clock gives no valid time; empty if it does.
        state_fault: why the arm's pose is not known; empty if it is.
        is_disabled: whether the arm must not move.
        last: the answer to the target before; None if there is none, or it is forgotten.
        side: to which the arm was bent last, as :func:`.side_of` returns it.
    """

    start: tuple[float, ...]
    goal: Answer | None = None
    frame: Plane | Missing | None = None
    age: float = 0.0
    clock_fault: str = ''
    state_fault: str = ''
    is_disabled: bool = False
    last: Answer | None = None
    side: int = 0


class Aim(NamedTuple):
    """A target in the base frame: its place in m, and where the tip is to point, if anywhere.

    For an arm with a roll that is an orientation, else a direction.
    """

    place: Vector
    direction: Vector | Orientation | None = None


@dataclass(frozen=True)
class Answer:
    """A pose, and the report on it.

    Attributes:
        target: the target.
        frame: as of its situation.
        positions: (m,) to command: the solved pose, or the current one if the arm holds.
        report: the status once the arm is there.
        aim: the target in the base frame; None for a path.
        solution: the solver's answer; None for a path, or if the target was refused.
        accepted: whether the target was solved, reached or not, or ends a path; or else refused.
        goes: whether the arm goes there; else it holds.
        judged: the target's path; None for a point, or if it was refused.
        way: to the pose, if not all joints go there in step.
        velocities: of jogged joints in rad/s, by name; None for other targets.
        is_second: whether the arm tries again, from where it stood at a wall.
    """

    target: Target
    frame: Plane | Missing | None
    positions: tuple[float, ...]
    report: Report
    aim: Aim | None = None
    solution: Solution | None = None
    accepted: bool = False
    goes: bool = False
    judged: JudgedPath | None = None
    way: Trajectory | None = None
    velocities: Mapping[str, float] | None = None
    is_second: bool = False

    @property
    def course(self) -> Goal:
        """The goal of the arm, if it goes."""
        if self.velocities is not None:
            return Goal(velocities=self.velocities)
        return Goal(self.way.start if self.way else self.positions, self.way)

    @property
    def postponed(self) -> bool:
        """Whether it must be answered again once the clock gives a time and the pose is known."""
        return self.report.code in (Code.NO_CLOCK.name, Code.NO_STATE.name)


@dataclass(frozen=True, eq=False)
class JudgedPath:
    """A path, how far it can be followed, and when.

    Attributes:
        points: (k, 3) the points asked for, in m in the base frame.
        end: how far the tip gets along it, in m.
        total: its length in m.
        timed: when each point is passed; None if the arm holds, or no joint moves.
    """

    points: FloatArray
    end: float
    total: float
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


def plan_target(
    target: Target, situation: Situation, configuration: Configuration, moves: bool = True
) -> Answer:
    """Plan a target that is no path.

    Args:
        target: the target.
        situation: what is known besides.
        configuration: the arm, and how to answer targets.
        moves: whether the arm moves; False for a query.
    """
    settings, arm, start = configuration.settings, configuration.arm, situation.start
    aim = aim_of(target, situation, arm)
    refused = refusal(target, situation, configuration, moves, aim)
    if refused is not None:
        return Answer(target, situation.frame, start, refused)
    # The same target, solved anew from the present pose, would lead a redundant arm elsewhere each
    # time, and it would never arrive.
    if (goal := situation.goal) is not None and goal.aim == aim:
        if goal.way is not None:
            return replace(goal, target=target)
        start = goal.positions
    before = time.perf_counter()
    if isinstance(target, Home | Joints):
        solution = _posed(arm, _asked_for(target, situation, arm))
        solution, way = way_there(solution, arm, settings, situation.start, aim.place)
    else:
        going = situation.goal.positions if situation.goal else start
        leant, begin = bias_start(settings, arm, start, situation.side)

        def solve(arm: ArmDescription, start: Sequence[float] | None = None) -> Solution:
            return leant.solve(arm, aim.place, start or begin, aim.direction, going[-1])

        solution, last = solve(arm), situation.last
        if last is not None and last.goes and last.aim is not None:
            targets = last.aim.place, aim.place
            solution = apply_hysteresis(
                solution, arm, settings, targets, last.positions, aim.direction
            )
        angle = _angle_asked(target, aim, settings)
        solution, way = way_there(solution, arm, settings, situation.start, aim.place, solve, angle)
    solve_time = time.perf_counter() - before
    code, solved = Code.of(solution.status), tuple(solution.q.tolist())
    goes = moves and (code.reachable is True or settings.unreachable == 'closest')
    goes = goes and not (code is Code.BLOCKED and solved == situation.start)
    report = _report(
        solution,
        arm,
        aim.place,
        explain(solution, arm, aim.place),
        at_goal=goes or situation.start == solved,
        solve_time=solve_time,
    )
    positions = solved if goes else situation.start
    answered = Answer(target, situation.frame, positions, report, aim, solution, True, goes)
    return replace(answered, way=way if goes else None)


def plan_at_once(
    target: Target, situation: Situation, configuration: Configuration, moves: bool = True
) -> Answer | None:
    """Plan a target as :func:`plan_target`; None where walls would make that take long.

    Without walls in the way, the plan is that of an arm that has none.
    """
    arm, goal = configuration.arm, situation.goal
    if not arm.walls or (goal and goal.aim == aim_of(target, situation, arm)):
        return plan_target(target, situation, configuration, moves)
    without = replace(configuration, arm=arm.without_walls)
    planned, kinematics = plan_target(target, situation, without, moves), arm.kinematics
    if planned.aim is None or planned.solution is None:
        return planned
    pose, most = planned.solution.q.tolist(), kinematics.clearance_tolerance
    if any(wall.height(*planned.aim.place) < -most for wall in arm.walls):
        return None
    if not kinematics.is_clear(pose):
        return None
    return planned if collision_between(kinematics, situation.start, pose) is None else None


def replan_at_wall(
    before: Answer,
    blocked: Contact,
    stands: tuple[float, ...],
    situation: Situation,
    configuration: Configuration,
) -> Answer:
    """Plan a target anew after a wall ended its motion; the second time, the arm holds.

    Args:
        before: the answer that the arm followed.
        blocked: what would have come across.
        stands: (m,) positions at which the arm comes to rest.
        situation: what is known now.
        configuration: the arm, and how to answer targets.
    """
    if before.aim is not None and not before.is_second:
        result = plan_target(before.target, situation, configuration)
        if result.goes:
            return replace(result, is_second=True)
    report, solution = before.report, before.solution
    if before.aim is not None and solution is not None:
        stays = solution._replace(q=np.array(stands), status=Status.BLOCKED, contact=blocked)
        angle = _angle_asked(before.target, before.aim, configuration.settings)
        settings = configuration.settings
        solution = with_errors_at(stays, configuration.arm, before.aim.place, angle, settings.roll)
        report = _report(solution, configuration.arm, before.aim.place, '')
    report = report._replace(
        code=Code.BLOCKED.name,
        level=Code.BLOCKED.level,
        reachable=Code.BLOCKED.reachable,
        message=f"The arm stands at wall '{blocked.wall}', which {blocked.part} would cross.",
        at_goal=False,
        proven=False,
        wall=blocked.wall,
    )
    stopped = replace(before, positions=stands, report=report, solution=solution)
    return replace(stopped, goes=False, way=None)


def _report(
    solution: Solution, arm: ArmDescription, place: Vector, message: str, **more: Any
) -> Report:
    """Return the report on a solution for a target in the base frame."""
    return Report.of(
        Code.of(solution.status),
        message,
        point=arm.tip_plane_at(solution.q.tolist()).locate(place),
        target=place,
        error=solution.error,
        solver=solution.solver,
        iterations=solution.iterations,
        proven=solution.proven,
        angle=solution.angle,
        angle_error=solution.angle_error,
        roll=float(solution.q[-1]) if arm.roll else math.nan,
        roll_error=solution.roll_error if arm.roll else math.nan,
        wall=solution.contact.wall if solution.contact else '',
        **more,
    )


def _angle_asked(
    target: Target, aim: Aim, settings: Settings
) -> Vector | Orientation | float | None:
    """Return the tip angle in rad, or what a target asks for instead; None for any."""
    return None if isinstance(target, Home | Joints) else aim.direction or settings.angle


def _fault_of(target: Target, situation: Situation, configuration: Configuration) -> str:
    """Return what is wrong with a target for this arm now, to follow "The target"; or nothing."""
    settings, holds = configuration.settings, configuration.drive.holds
    if isinstance(target, Jog | JogJoints) and situation.age < -settings.jog_timeout:
        return f'is stamped {-situation.age:.3g} s in the future'
    if not isinstance(target, Joints | JogJoints):
        return ''
    if unknown := [name for name in target.names if configuration.limits(name) is None]:
        known = listed([*configuration.arm.names, *holds])
        meant = closest(unknown[0], [*configuration.arm.names, *holds])
        return f'names {listed(unknown)}, which are not commanded; the joints are {known}{meant}'
    return _led_astray(target, configuration.drive)


def _led_astray(target: Joints | JogJoints, drive: Drive) -> str:
    """Return which joint a target takes from where the tip needs it; empty for none."""
    is_jog, tolerance = isinstance(target, JogJoints), drive.following.goal_tolerance
    values = target.velocities if isinstance(target, JogJoints) else target.positions
    for name, value in zip(target.names, values, strict=True):
        needed = drive.assumes.get(name)
        if needed is not None and (value if is_jog else distance(value, needed) > tolerance):
            return (
                f"takes '{name}' from {needed:.5g}, where the arm's numbers need it "
                f'(assumes.{name}); ~/joint_target brings it back there, and to use the arm with '
                'it elsewhere, describe it so (ik2d import-urdf --hold)'
            )
    return ''


def holds_in(target: Joints, configuration: Configuration) -> dict[str, float]:
    """Return where a target wants held joints, by name, as far as their limits let it."""
    found = {}
    for name, q in zip(target.names, target.positions, strict=True):
        if name in configuration.drive.holds:
            lower, upper = configuration.limits(name) or (q, q)
            found[name] = min(max(q, lower), upper)
    return found


def overtaken(target: Target, situation: Situation, configuration: Configuration) -> Report:
    """Return the report on a target that a newer one has overtaken: it is not solved."""
    if isinstance(target, Path):
        aim = Aim(NO_PLACE)
        report = _unusable(target, NO_PLACE, target.fault, situation, configuration.arm)
    else:
        aim = aim_of(target, situation, configuration.arm)
        report = refusal(target, situation, configuration, False, aim)
    return report or Report.of(Code.NOT_CONVERGED, OVERTAKEN, target=aim.place)


def aim_of(target: Target, situation: Situation, arm: ArmDescription) -> Aim:
    """Return a target that is no path in the base frame; meaningful only if its frame is known."""
    if isinstance(target, Jog | JogJoints):
        return Aim(arm.kinematics.tip(situation.start))
    if isinstance(target, Home | Joints):
        return Aim(arm.kinematics.tip(_asked_for(target, situation, arm)))
    assert isinstance(target, Point)  # noqa: S101  # the only other kind
    place, frame = target.point, situation.frame
    axes = [target.direction[0], target.left] if isinstance(target, Pose) else []
    if isinstance(frame, Plane):
        place = frame.point(*place)
        axes = [axis and combined(frame.axes, *axis) for axis in axes]
    x, y = axes or (None, None)
    if arm.roll is None or x is None or y is None:
        return Aim(place, x)
    return Aim(place, Orientation.of_tip(arm.kinematics, x, y))


def _asked_for(
    target: Home | Joints, situation: Situation, arm: ArmDescription
) -> tuple[float, ...]:
    """Return (m,) positions that a target asks for; other joints stay where they are going."""
    if isinstance(target, Home):
        return arm.home
    if target.fault:
        return situation.start
    given = dict(zip(target.names, target.positions, strict=False))
    stay = situation.goal.positions if situation.goal else situation.start
    return tuple(given.get(name, q) for name, q in zip(arm.names, stay, strict=True))


def _posed(arm: ArmDescription, asked: tuple[float, ...]) -> Solution:
    """Return the solution of a target for (m,) positions: these, or the nearest in the limits."""
    pose = arm.clamped(asked)
    tip, there = (arm.kinematics.forward(q) for q in (pose, asked))
    return Solution(
        q=np.array(pose),
        tip=tip,
        error=math.dist(tip, there),
        status=Status.REACHED if pose == asked else Status.JOINT_LIMIT,
        solver='',
        iterations=0,
        proven=True,
        angle=arm.chain.tip_angle(arm.in_plane(pose)),
        angle_error=0.0,
    )


def refusal(
    target: Target,
    situation: Situation,
    configuration: Configuration,
    moves: bool,
    aim: Aim | None = None,
    problem: str = '',
) -> Report | None:
    """Return the report that refuses a target; None if it is to be solved.

    Args:
        target: the target.
        situation: what is known besides.
        configuration: the arm, and how to answer targets.
        moves: whether the arm moves; False for a query, which needs no known pose.
        aim: where it is, of a path the point that is farthest off; None if it is to be found.
        problem: what is wrong with a path.
    """
    settings, arm = configuration.settings, configuration.arm
    place, direction = aim or aim_of(target, situation, arm)
    problem = problem or target.fault or _fault_of(target, situation, configuration)
    point = arm.plane_at(situation.start).locate(place)
    shown = target.point if isinstance(target, Point) else place
    if moves and situation.is_disabled:
        return report_of(Code.DISABLED, point, place)
    unusable = _unusable(target, shown, problem, situation, arm)
    if unusable is not None:
        return unusable
    x, y, off = point
    if not (math.isfinite(math.hypot(x, y)) and math.isfinite(off)):
        return _invalid(shown, 'is too far away for computation')
    if situation.clock_fault:
        return report_of(Code.NO_CLOCK, point, place, problem=situation.clock_fault)
    timeout = settings.target_timeout
    if 0.0 < timeout < abs(situation.age):
        when = 'old' if situation.age > 0.0 else 'in the future'
        facts = {'off': abs(situation.age), 'when': when, 'target_timeout': timeout}
        return report_of(Code.STALE_TARGET, point, place, **facts)
    most, own = settings.most_out_of_plane(arm), arm.kinematics.plane.locate(place)
    if abs(own.out_of_plane) > most:
        facts = {'off': abs(own.out_of_plane), 'plane_tolerance': most}
        return report_of(Code.OUT_OF_PLANE, own, place, **facts)
    if direction is not None:
        if problem := angle_refusal(arm.chain):
            words = f'has an orientation, but {problem}: send it without one, to ~/target'
            return _invalid(shown, words)
        along = direction.along if isinstance(direction, Orientation) else direction
        if not has_direction(arm.kinematics, place, along):
            words = "has an orientation without a direction in the arm's plane: its x-axis is along"
            return _invalid(shown, f"{words} the plane's normal")
    if moves and situation.state_fault:
        return report_of(Code.NO_STATE, point, place, problem=situation.state_fault)
    return _beyond_limits(target, configuration, point, place)


def _beyond_limits(
    target: Target, configuration: Configuration, point: PlanePoint, place: Vector
) -> Report | None:
    """Return the report on a held joint that is asked beyond its limits, if arms hold then."""
    if isinstance(target, Joints) and configuration.settings.unreachable == 'hold':
        asked = dict(zip(target.names, target.positions, strict=True))
        for name, limit in holds_in(target, configuration).items():
            if asked[name] != limit:
                words = f"The target takes '{name}' to {asked[name]:g}, beyond its limit {limit:g}."
                return Report.of(Code.JOINT_LIMIT, words, point=point, target=place)
    return None


def _unusable(
    target: Target, shown: Vector, problem: str, situation: Situation, arm: ArmDescription
) -> Report | None:
    """Return the report on a target that cannot be located; None if it can."""
    if problem:
        return _invalid(shown, problem)
    if problem := fault(target.stamp.time):
        return _invalid(shown, f'is stamped {problem}')
    if isinstance(situation.frame, Missing):
        return report_of(
            Code.UNKNOWN_FRAME,
            frame_id=printable(target.frame_id),
            base_frame=arm.base_frame,
            cause=situation.frame.cause,
        )
    return None


def _invalid(shown: Vector, problem: str) -> Report:
    x, y, z = shown
    return report_of(Code.INVALID_TARGET, x=x, y=y, z=z, problem=problem)


def report_of(
    code: Code, point: PlanePoint = NO_POINT, place: Vector = NO_PLACE, **facts: object
) -> Report:
    """Return the report of a code, with facts in its message, on a target or on none."""
    return Report.of(code, code.words.format(**facts), point=point, target=place)

"""Plans targets: where they are, how they are solved, and how the arm goes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.supervisor import Goal
from ik2d_ros.kinematics import ArgumentError, Path, Solution, Status
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.clearance import keeps_off
from ik2d_ros.kinematics.options import angle_refusal, finite_numbers
from ik2d_ros.kinematics.orientation import Orientation, orientations_along
from ik2d_ros.kinematics.plane import Contact, Plane, Vector, combined
from ik2d_ros.motion.state import Positions
from ik2d_ros.motion.trajectory import Trajectory
from ik2d_ros.pilot import request as requests
from ik2d_ros.pilot.aim import aim_of, refusal
from ik2d_ros.pilot.answer import Aim, Answer, Going, Refused, Situation, SolvedPath, Staying
from ik2d_ros.pilot.outcome import (
    NO_PLACE,
    Code,
    Report,
    explain,
    lean_text,
    length,
    plane_text,
    report_of,
)
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.request import Target
from ik2d_ros.planning.branch import apply_hysteresis, bias_start, with_errors_at
from ik2d_ros.planning.collision_free import plan_collision_free, trajectory_along
from ik2d_ros.planning.settings import Settings

MOST_POINTS = 20_000  # of a path; Python takes and frees the poses of more in too long a time
ORIGIN = 0.0, 0.0, 0.0
NO_POINTS: FloatArray = np.empty((0, 3))


def plan_target(target: Target, situation: Situation, configuration: Configuration) -> Answer:
    """Plan a target that is no path."""
    aim = aim_of(target, situation, configuration)
    if isinstance(aim, Refused):
        return aim
    return _answer(target, aim, situation, configuration)


def _answer(
    target: Target, aim: Aim, situation: Situation, configuration: Configuration
) -> Staying | Going:
    """Solve a target; the arm stays, or goes there."""
    settings, arm = configuration.settings, configuration.arm
    start, before = situation.start, situation.under_way
    # The same target, solved anew from the present pose, would lead a redundant arm elsewhere each
    # time, and it would never arrive.
    if before is not None and before.aim is not None and before.aim.includes(aim):
        if before.goal.trajectory is not None:
            return replace(before, target=target, frame=situation.frame)
        start = before.positions
    begin = time.perf_counter()
    solution, trajectory = _solve(aim, start, situation, configuration)
    solve_time = time.perf_counter() - begin
    pose = tuple(solution.q.tolist())
    is_there = pose == situation.start
    is_good = solution.status is Status.REACHED or settings.unreachable == 'closest'
    goes = situation.moves and is_good and not (is_there and solution.status is Status.BLOCKED)

    def make_report(is_there: bool, **state: Any) -> Report:
        measured = state.get('measured_error', math.nan) if is_there else math.nan
        message = explain(solution, arm, aim.place, is_there=is_there, measured=measured)
        if aim.orientation is not None:
            message += lean_text(aim.orientation.along, arm.plane_at(pose))
        return Report.on(solution, arm, aim.place, message, solve_time=solve_time, **state)

    found: dict[str, Any] = {'frame': situation.frame, 'aim': aim, 'solution': solution}
    if not goes:
        return Staying(target, make_report, is_there, **found)
    goal = Goal(trajectory.start if trajectory else pose, trajectory)
    return Going(target, make_report, True, **found, positions=pose, goal=goal)


def plan_at_once(
    target: Target, situation: Situation, configuration: Configuration
) -> Answer | None:
    """Plan a target as :func:`plan_target`; None for a path, and where that may take long.

    That is where walls are in the way, or where small steps do not reach and a solve may be long.
    """
    if isinstance(target, requests.Path):
        return None
    aim = aim_of(target, situation, configuration)
    if isinstance(aim, Refused):
        return aim
    arm, before = configuration.arm, situation.under_way
    is_kept = before and before.goal.trajectory and before.aim and before.aim.includes(aim)
    is_aimed = aim.orientation is not None or configuration.settings.angle is not None
    steps = aim.pose is None and not arm.kinematics.is_ready(is_aimed)
    if is_kept or not (steps or arm.walls):
        return _answer(target, aim, situation, configuration)
    if steps and (arm.turntable or arm.kinematics.tip_radius):
        return None  # steps from the start are not all
    arm = arm.stepping if steps else arm
    answer = _answer(target, aim, situation, replace(configuration, arm=arm.without_walls))
    solution = answer.solution
    if solution is None or (steps and solution.status is not Status.REACHED):
        return None
    if not arm.walls:
        return answer
    pose, kinematics = solution.q.tolist(), arm.kinematics
    lowest = min(wall.height(*aim.place) for wall in arm.walls)
    if lowest < -kinematics.clearance_tolerance or not kinematics.is_clear(pose):
        return None
    return answer if keeps_off(kinematics, [situation.start, pose]) else None


def stopped_at_wall(
    before: Going, blocked: Contact, stop: Positions, configuration: Configuration
) -> Staying:
    """Return the answer to a target before, whose motion a contact has ended at (m,) positions."""
    report, solution, settings = before.report, before.solution, configuration.settings
    if before.aim is not None and solution is not None:
        stays = solution._replace(q=np.array(stop))
        asked = _angle_asked(before.aim, settings)
        place = before.aim.place
        solution = with_errors_at(stays, configuration.arm, place, asked, settings.roll)
        report = Report.on(solution, configuration.arm, place)
    code = Code.BLOCKED
    report = report._replace(
        code=code.name,
        level=code.level,
        reachable=code.reachable,
        message=f"The arm stops at wall '{blocked.wall}', which {blocked.part} would cross.",
        at_goal=False,
        proven=False,
        wall=blocked.wall,
    )
    found: dict[str, Any] = {'frame': before.frame, 'aim': before.aim, 'solution': solution}
    return Staying(
        before.target, lambda _, **state: report._replace(**state), **found, path=before.path
    )


def _solve(
    aim: Aim, start: Positions, situation: Situation, configuration: Configuration
) -> tuple[Solution, Trajectory | None]:
    """Return the pose for a target from (m,) positions, and as of :func:`.plan_collision_free`."""
    arm, settings, place = configuration.arm, configuration.settings, aim.place
    if aim.pose is not None:
        return plan_collision_free(_posed(arm, aim.pose), arm, settings, situation.start, place)
    tuned, begin = bias_start(settings, arm, start, situation.side)

    def solve(arm: ArmDescription, start: Sequence[float] | None = None) -> Solution:
        return tuned.solve(arm, place, start or begin, aim.orientation, situation.going[-1])

    solution, last = solve(arm), situation.last
    if isinstance(last, Going) and last.aim is not None:
        places = last.aim.place, place
        before = last.positions
        solution = apply_hysteresis(solution, arm, settings, places, before, aim.orientation)
    asked = _angle_asked(aim, settings)
    return plan_collision_free(solution, arm, settings, situation.start, place, solve, asked)


def _posed(arm: ArmDescription, asked: Positions) -> Solution:
    """Return the solution of a target for (m,) positions: these, or the nearest in the limits."""
    pose = arm.clamped(asked)
    tip, there = (arm.kinematics.tip(q) for q in (pose, asked))
    return Solution(
        q=np.array(pose),
        tip=np.array(tip),
        error=math.dist(tip, there),
        status=Status.REACHED if pose == asked else Status.JOINT_LIMIT,
        solver='',
        iterations=0,
        proven=True,
        angle=arm.chain.tip_angle(arm.in_plane(pose)),
        angle_error=0.0,
    )


def _angle_asked(aim: Aim, settings: Settings) -> Orientation | float | None:
    """Return the tip angle in rad, or the orientation that is asked for; None for any."""
    return None if aim.pose is not None else aim.orientation or settings.angle


# --- paths ----------------------------------------------------------------------------------------


def plan_path(
    target: requests.Path,
    situation: Situation,
    configuration: Configuration,
    ended: Callable[[], bool] | None = None,
) -> Answer:
    """Answer a target that is a path; without points, it ends the path before.

    ``ended`` is as of :func:`.solve_path`.
    """
    settings, arm, start = configuration.settings, configuration.arm, situation.start
    before, places = time.perf_counter(), NO_POINTS
    try:
        rows = target.points()
        places, turns = rows[:, :3], rows[:, 3:]
        if not len(places) and situation.moves and not situation.is_disabled:
            return Refused(target, report_of(Code.READY))
        if isinstance(situation.frame, Plane):
            places = places @ np.array(situation.frame.axes) + situation.frame.origin
        _check(places)
        row = int(_out_of_plane(arm, places).argmax())
        aim = Aim(tuple(places[row].tolist()))
        refused = refusal(target, aim, situation, configuration, subject=_point_title(row))
        if refused is None:
            angles, rolls = None, None
            if turns.size:
                angles, rolls = _angles(turns, places, situation, configuration)
            path = judge(arm, settings, places, start, ended, angles, rolls or situation.going[-1])
    except ArgumentError as error:
        aim = Aim(tuple(places[0].tolist()) if len(places) else NO_PLACE)
        problem = f'begins a path that is refused: {error}'
        refused = refusal(target, aim, situation, configuration, problem)
    if refused is not None:
        return refused
    solve_time = time.perf_counter() - before
    solved = SolvedPath(places, path.end, path.total)
    goes = situation.moves and (path.status is Status.REACHED or settings.unreachable == 'closest')
    goes = goes and len(path.q) > 0
    report = path_report(path, places, arm)._replace(solve_time=solve_time)
    found: dict[str, Any] = {
        'make_report': lambda _, **state: report._replace(**state),
        'frame': situation.frame,
    }
    if not goes:
        return Staying(target, **found, path=solved)
    way = trajectory_along(path, arm, settings, settings.path_speed)
    solved, goal = replace(solved, timed=way.timed), Goal(way.start, way)
    return Going(target, **found, at_goal=True, path=solved, positions=way.end, goal=goal)


def _check(places: FloatArray) -> None:
    """Check the number and the size of (k, 3) points of a path."""
    if not 2 <= len(places) <= MOST_POINTS:
        count = f'{len(places)}; it must be 2 to {MOST_POINTS:,}'
        raise ArgumentError(f'its number of points is {count}')
    finite_numbers('points', places)


def judge(
    arm: ArmDescription,
    settings: Settings,
    places: FloatArray,
    start: Positions | None,
    ended: Callable[[], bool] | None = None,
    angles: Sequence[float] | None = None,
    rolls: Sequence[float] | float | None = None,
) -> Path:
    """Judge a path through (k, 3) points in m in the base frame, from a pose or, with None, any.

    The tip is at (k,) angles there; with None, at that of the settings. The roll is at (k,)
    positions there. One roll counts where the settings have none; with None, that of the start.

    Raises:
        ArgumentError: the points are too few, too many or too far away, or out of the plane.
    """
    off, most = _out_of_plane(arm, places), settings.most_out_of_plane(arm)
    if off.max(initial=0.0) > most:
        subject = _point_title(int(off.argmax()))
        facts = {'off': off.max(), 'plane_tolerance': most, 'subject': subject}
        raise ArgumentError(Code.OUT_OF_PLANE.words.format(**facts))
    angle = settings.angle if angles is None else angles
    how: dict[str, Any] = {'start': start, 'angle': angle, 'ended': ended}
    if arm.roll is not None:
        is_one = rolls is None or isinstance(rolls, float)
        how['roll'] = settings.roll if is_one and math.isfinite(settings.roll) else rolls
    solved = arm.kinematics if arm.is_solved_in_space else arm.chain
    return settings.solve_path(solved, _points(arm, places), **how)


def _angles(
    turns: FloatArray, places: FloatArray, situation: Situation, configuration: Configuration
) -> tuple[list[float], list[float] | None]:
    """Return tip angles and rolls of (k, 4) orientations at (k, 3) places in the base frame.

    Raises:
        ArgumentError: the arm cannot point, or an orientation has no direction in the plane.
    """
    arm, frame = configuration.arm, situation.frame
    axes = frame.axes if isinstance(frame, Plane) else Plane.from_pose(ORIGIN, ORIGIN).axes
    directions, lefts = list[Vector](), list[Vector]()
    for number, (x, y, z, w) in enumerate(turns.tolist(), 1):
        pair, problem = requests.axes_of((x, y, z, w))
        if pair is None:
            raise ArgumentError(f'pose {number} {problem}')
        directions.append(combined(axes, *pair[0]))
        lefts.append(combined(axes, *pair[1]))
    if problem := angle_refusal(arm.chain):
        raise ArgumentError(problem)
    points = [(x, y, z) for x, y, z in places.tolist()]
    kinematics, solve = arm.kinematics, configuration.settings.solve
    asked = [Orientation.of_tip(kinematics, *pair) for pair in zip(directions, lefts, strict=True)]
    first = solve(arm, points[0], situation.start, asked[0])
    angles, rolls = orientations_along(kinematics, points, asked, first.q.tolist())
    return angles, rolls if arm.roll else None


def _point_title(row: int) -> str:
    """Return the name of a point of a path, by its index."""
    return f'Point {row + 1} of the path'


def path_report(path: Path, places: FloatArray, arm: ArmDescription) -> Report:
    """Return the report on a path through (k, 3) points of the base frame."""
    missed = path.missed
    x, y, z = places[-1].tolist()
    if missed is not None and path.target is not None:
        there = path.target.tolist()
        x, y, z = there if len(there) == 3 else arm.kinematics.plane.point(*there)
    place = x, y, z
    end = missed
    if end is None:
        end = with_errors_at(_posed(arm, tuple(path.q[-1].tolist())), arm, place, None)
    report = Report.on(
        end._replace(status=path.status, solver='path', proven=path.proven), arm, place
    )
    if missed is None:
        message = f'All {length(path.total)} of the path can be followed.'
    elif not len(path.q):
        message = f'The path cannot be followed. {explain(missed, arm, place, _point_title(0))}'
    else:
        steps = np.linalg.norm(np.diff(_points(arm, places), axis=0), axis=1)
        passed = np.concatenate(([0.0], np.cumsum(steps)))
        number = min(int(np.searchsorted(passed, path.end, 'right')), len(passed) - 1)
        words = explain(missed._replace(status=path.status), arm, place, 'The next point')
        message = (
            f'The path can be followed for {length(path.end)} of {length(path.total)}, to between '
            f'points {number} and {number + 1}. {words}'
        )
    message += plane_text('Its points are up to', float(_out_of_plane(arm, places).max()))
    return report._replace(message=message, iterations=len(path.q), path_progress=0.0)


def _points(arm: ArmDescription, places: FloatArray) -> FloatArray:
    """Return (k, 3) places as they are solved: in the plane, (k, 2) of it, if nothing carries it.

    An arm with walls is solved in space: (k, 3).
    """
    if arm.carrier is not None:
        return places
    plane = arm.kinematics.plane
    points = plane.located(places)[:, :2]
    return points @ np.array(plane.axes)[:2] + plane.origin if arm.is_solved_in_space else points


def _out_of_plane(arm: ArmDescription, places: FloatArray) -> FloatArray:
    """Return (k,) distances of (k, 3) places from the plane in m; 0 if a joint carries it."""
    off: FloatArray = np.abs(arm.kinematics.plane.located(places)[:, 2])
    return off * (arm.carrier is None)

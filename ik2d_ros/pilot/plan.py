"""Plans targets that are no paths: where they are, how they are solved, and how the arm goes."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.supervisor import Goal
from ik2d_ros.kinematics import Solution, Status
from ik2d_ros.kinematics.clearance import collision_between
from ik2d_ros.kinematics.orientation import Orientation
from ik2d_ros.kinematics.plane import Plane, combined
from ik2d_ros.kinematics.walls import Contact
from ik2d_ros.motion.state import Positions
from ik2d_ros.motion.trajectory import Trajectory
from ik2d_ros.pilot import request as requests
from ik2d_ros.pilot.answer import Aim, Answer, Going, Refused, Situation, Staying
from ik2d_ros.pilot.outcome import Code, explain, leans_out
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.refusal import refusal
from ik2d_ros.pilot.report import Report
from ik2d_ros.pilot.request import Target
from ik2d_ros.planning.hysteresis import apply_hysteresis
from ik2d_ros.planning.pose_errors import with_errors_at
from ik2d_ros.planning.settings import Settings
from ik2d_ros.planning.side import bias_start
from ik2d_ros.planning.way_there import way_there


def plan_target(
    target: Target, situation: Situation, configuration: Configuration, moves: bool = True
) -> Answer:
    """Plan a target that is no path; nothing ``moves`` for a query."""
    settings, arm = configuration.settings, configuration.arm
    aim, before = aim_of(target, situation, arm), situation.under_way
    refused = refusal(target, aim, situation, configuration, moves)
    if refused is not None:
        return Refused(target, refused)
    start = situation.start
    # The same target, solved anew from the present pose, would lead a redundant arm elsewhere each
    # time, and it would never arrive.
    if before is not None and before.aim == aim:
        if before.command.trajectory is not None:
            return replace(before, target=target)
        start = before.positions
    begin = time.perf_counter()
    solution, trajectory = _solve(target, aim, start, situation, configuration)
    solve_time = time.perf_counter() - begin
    pose = tuple(solution.q.tolist())
    is_there = pose == situation.start
    goes = moves and (solution.status is Status.REACHED or settings.unreachable == 'closest')
    goes = goes and not (is_there and solution.status is Status.BLOCKED)

    def make_report(is_there: bool, **state: Any) -> Report:
        measured = state.get('measured_error', math.nan) if is_there else math.nan
        message = explain(solution, arm, aim.place, is_there=is_there, measured=measured)
        if aim.orientation is not None:
            message += leans_out(aim.orientation.along, arm.plane_at(pose))
        return Report.on(solution, arm, aim.place, message, solve_time=solve_time, **state)

    found: dict[str, Any] = {'frame': situation.frame, 'aim': aim, 'solution': solution}
    if not goes:
        return Staying(target, make_report, is_there, **found)
    command = Goal(trajectory.start if trajectory else pose, trajectory)
    return Going(target, make_report, True, **found, positions=pose, command=command)


def plan_at_once(
    target: Target, situation: Situation, configuration: Configuration, moves: bool = True
) -> Answer | None:
    """Plan a target as :func:`plan_target`; None where walls would make that take long.

    Without walls in the way, the plan is that of an arm that has none.
    """
    arm, before = configuration.arm, situation.under_way
    is_kept = before and before.command.trajectory and before.aim == aim_of(target, situation, arm)
    if not arm.walls or is_kept:
        return plan_target(target, situation, configuration, moves)
    planned = plan_target(target, situation, replace(configuration, arm=arm.without_walls), moves)
    if isinstance(planned, Refused) or planned.aim is None or planned.solution is None:
        return planned
    pose, kinematics = planned.solution.q.tolist(), arm.kinematics
    lowest = min(wall.height(*planned.aim.place) for wall in arm.walls)
    if lowest < -kinematics.clearance_tolerance or not kinematics.is_clear(pose):
        return None
    return planned if collision_between(kinematics, situation.start, pose) is None else None


def stopped_at_wall(
    before: Going, blocked: Contact, stands: Positions, configuration: Configuration
) -> Staying:
    """Return the answer to a target whose motion a wall has ended, with the arm at (m,) positions.

    ``before`` is the answer that it followed; ``blocked`` would have come across.
    """
    report, solution, settings = before.report, before.solution, configuration.settings
    if before.aim is not None and solution is not None:
        stays = solution._replace(q=np.array(stands))
        asked = _angle_asked(before.target, before.aim, settings)
        place = before.aim.place
        solution = with_errors_at(stays, configuration.arm, place, asked, settings.roll)
        report = Report.on(solution, configuration.arm, place)
    code = Code.BLOCKED
    report = report._replace(
        code=code.name,
        level=code.level,
        reachable=code.reachable,
        message=f"The arm stands at wall '{blocked.wall}', which {blocked.part} would cross.",
        at_goal=False,
        proven=False,
        wall=blocked.wall,
    )
    found: dict[str, Any] = {'frame': before.frame, 'aim': before.aim, 'solution': solution}
    return Staying(
        before.target, lambda _, **state: report._replace(**state), **found, path=before.path
    )


def aim_of(target: Target, situation: Situation, arm: ArmDescription) -> Aim:
    """Return a target that is no path in the base frame; meaningful only if its frame is known."""
    if isinstance(target, requests.Home | requests.Joints):
        return Aim(arm.kinematics.tip(_pose_asked(target, situation, arm)))
    if not isinstance(target, requests.Point):  # a jog
        return Aim(arm.kinematics.tip(situation.start))
    place, frame = target.point, situation.frame
    axes = target.axes[0] if isinstance(target, requests.Pose) else None
    if isinstance(frame, Plane):
        place = frame.point(*place)
        axes = axes and (combined(frame.axes, *axes[0]), combined(frame.axes, *axes[1]))
    return Aim(place, axes and Orientation.of_tip(arm.kinematics, *axes))


def _pose_asked(
    target: requests.Home | requests.Joints, situation: Situation, arm: ArmDescription
) -> Positions:
    """Return (m,) positions that a target asks for; other joints stay where they are going."""
    if isinstance(target, requests.Home):
        return arm.home
    if target.fault:
        return situation.start
    given = dict(zip(target.names, target.positions, strict=True))
    return tuple(given.get(name, q) for name, q in zip(arm.names, situation.going, strict=True))


def _solve(
    target: Target, aim: Aim, start: Positions, situation: Situation, configuration: Configuration
) -> tuple[Solution, Trajectory | None]:
    """Return the pose for a target from (m,) positions, and as of :func:`.way_there`."""
    arm, settings, place = configuration.arm, configuration.settings, aim.place
    if isinstance(target, requests.Home | requests.Joints):
        solution = _posed(arm, _pose_asked(target, situation, arm))
        return way_there(solution, arm, settings, situation.start, place)
    leant, begin = bias_start(settings, arm, start, situation.side)

    def solve(arm: ArmDescription, start: Sequence[float] | None = None) -> Solution:
        return leant.solve(arm, place, start or begin, aim.orientation, situation.going[-1])

    solution, last = solve(arm), situation.last
    if isinstance(last, Going) and last.aim is not None:
        places = last.aim.place, place
        before = last.positions
        solution = apply_hysteresis(solution, arm, settings, places, before, aim.orientation)
    asked = _angle_asked(target, aim, settings)
    return way_there(solution, arm, settings, situation.start, place, solve, asked)


def _posed(arm: ArmDescription, asked: Positions) -> Solution:
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


def _angle_asked(target: Target, aim: Aim, settings: Settings) -> Orientation | float | None:
    """Return the tip angle in rad, or the orientation that a target asks for; None for any."""
    is_pose = isinstance(target, requests.Home | requests.Joints)
    return None if is_pose else aim.orientation or settings.angle

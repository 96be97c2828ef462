"""Collision-free motions to a pose: joints in step, a straight line of the tip, or a detour."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Arm, Path, Solution, Status
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.clearance import collisions, keeps_off
from ik2d_ros.kinematics.orientation import Orientation
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.solve import other_shapes, search_starts
from ik2d_ros.motion.trajectory import Trajectory, time_path
from ik2d_ros.planning.branch import with_errors_at
from ik2d_ros.planning.settings import Settings

UNLIMITED = 1e12  # m/s
POLLS = 4  # some ms apart, after which following a straight line is given up
CORNERS = (1e-2, 1e-6)  # reaches by which corners of a detour are rounded, tried in turn
SAMPLES = 64  # along a blocked motion, for the depth of the collision
NEAREST = 3  # poses from which each pose is tried; ends are tried from all


def plan_collision_free(
    solution: Solution,
    arm: ArmDescription,
    settings: Settings,
    start: Sequence[float],
    target: Vector,
    solve: Callable[[ArmDescription, Sequence[float] | None], Solution] | None = None,
    asked: Orientation | float | None = None,
) -> tuple[Solution, Trajectory | None]:
    """Return a pose that a collision-free motion reaches, and its trajectory.

    Args:
        solution: the pose that was found.
        arm: the arm.
        settings: the parameters of the solver and of paths.
        start: (m,) positions from which it moves.
        target: x, y, z in m in the base frame.
        solve: solves the target for another arm, or from other positions; None for a joint target.
        asked: the tip angle in rad, or the orientation; the angle turns evenly along the line.

    Returns:
        The solution, and None for a trajectory if joints in step are collision-free. Else, in turn:
        for a target across a wall, a pose with a margin; a trajectory with the tip on a straight
        line; another solution, to which joints in step are collision-free; a detour. If all are
        blocked, ``BLOCKED`` with the start.
    """
    kinematics = arm.kinematics
    if not kinematics.walls or keeps_off(kinematics, [start, solution.q]):
        return solution, None
    pose = tuple(solution.q.tolist())
    if solve is not None and solution.status is Status.BLOCKED:
        eased = solve(arm.eased, None)  # with a margin to the wall
        if keeps_off(kinematics, [start, eased.q]):
            return eased._replace(contact=solution.contact), None
    line = _straight(solution, arm, settings, start, asked is not None, solve is None)
    if line is not None:
        arrives = solution._replace(q=np.array(line.end))
        return with_errors_at(arrives, arm, target, asked, settings.roll), line
    candidates = [solution] if kinematics.is_clear(pose) else []
    if solve is not None and solution.status is not Status.BLOCKED:  # the target is not across
        tip = tuple(kinematics.forward(pose).tolist())
        starts = map(arm.clamped, search_starts(kinematics, tip, start))
        others = (solve(arm.without_walls, begin) for begin in starts)
        alike = (each for each in others if each.status is solution.status)
        candidates += other_shapes(kinematics, start, solution, settings.tolerance, alike)
    poses = find_via_poses(kinematics, np.array(start), [each.q for each in candidates])
    if poses is not None:
        found = next(each for each in candidates if np.array_equal(each.q, poses[-1]))
        if len(poses) == 2:
            return found, None
        for corner in CORNERS:
            detour = _over_poses(poses, corner * kinematics.size, arm, settings)
            if detour.clear_of:
                return found, detour
    *between, contact = map(kinematics.contact, np.linspace(start, pose, SAMPLES + 1).tolist())
    if contact.depth <= kinematics.clearance_tolerance:
        contact = max(between, key=attrgetter('depth'))
        contact = contact._replace(part=f'on the way there, {contact.part}')
    stays = solution._replace(
        q=np.array(start), status=Status.BLOCKED, proven=False, contact=contact
    )
    return with_errors_at(stays, arm, target, asked, settings.roll), None


def _straight(
    solution: Solution,
    arm: ArmDescription,
    settings: Settings,
    start: Sequence[float],
    has_angle: bool,
    is_pose: bool,
) -> Trajectory | None:
    """Return a trajectory of the tip on a line, then to the pose if that is the target; or None."""
    kinematics, ends = arm.kinematics, np.array([start, solution.q])
    polls = iter(range(POLLS))
    path = settings.solve_path(
        kinematics,
        kinematics.tips(ends),
        start=[*start],
        angle=kinematics.tip_angles(ends) if has_angle else None,
        roll=ends[:, -1] if kinematics.roll is not None else None,
        ended=lambda: next(polls, None) is None,
    )
    if path.status is not Status.REACHED:
        return None
    poses = path.q
    if is_pose:
        poses = np.vstack([poses, solution.q])
        if not keeps_off(kinematics, poses[-2:]):
            return None
    line = _over_poses(poses, path.path_tolerance, arm, settings)
    return line if line.clear_of else None


def find_via_poses(arm: Arm, start: FloatArray, goals: Sequence[FloatArray]) -> FloatArray | None:
    """Return (k, m) poses from a start to one of the goals, with no collision if joints go in step.

    A tree grows breadth-first over random poses, with a fixed seed, until it reaches a goal. None
    if none is reached.
    """
    if not goals:
        return None
    random, ends = np.random.default_rng(0), np.array(goals)
    drawn = arm.draw_poses(random, start, math.inf)
    # Of as many others, some joints stay where the arm begins or ends.
    mixed = np.choose(random.integers(3, size=drawn.shape), [drawn, start, ends[0]])
    poses = arm.project_poses(np.concatenate([drawn, mixed]))
    poses = np.concatenate([start[None], poses[arm.are_clear(poses)]])
    before, lengths = np.zeros(len(poses), int), np.zeros(len(poses))
    newest: NDArray[np.int_] = np.array([0])
    rest: NDArray[np.int_] = np.arange(1, len(poses))
    while len(newest):
        last = _reached_from(arm, poses[newest], ends, len(newest), lengths[newest])
        if (last >= 0).any():
            end = int((last >= 0).argmax())
            reverse, at = [ends[end]], newest[last[end]]
            while at:
                reverse.append(poses[at])
                at = before[at]
            return np.array([start, *reverse[::-1]])
        last = _reached_from(arm, poses[newest], poses[rest], NEAREST)
        before[rest] = newest[last]
        moves = np.abs((poses[rest] - poses[before[rest]]) / arm.units_of_move)
        lengths[rest] = lengths[before[rest]] + moves.max(axis=1)
        newest, rest = rest[last >= 0], rest[last < 0]
    return None


def _reached_from(
    arm: Arm, begins: FloatArray, ends: FloatArray, most: int, lengths: FloatArray | float = 0.0
) -> NDArray[np.int_]:
    """Return (j,) from which of (k, m) poses joints in step reach each of (j, m) others.

    At most so many nearest are tried, by the ``lengths`` (k,) to them and from there; -1 if all
    moves collide.
    """
    moves = ends[:, None] - begins
    costs = np.abs(moves / arm.units_of_move).max(axis=-1) + lengths
    nearest = costs.argsort(axis=1)[:, :most]
    moves = np.take_along_axis(moves, nearest[..., None], axis=1).reshape(-1, len(arm))
    if not len(moves):
        return np.empty(0, int)
    _, across = collisions(arm, begins[nearest.ravel()], moves, is_located=False)
    clear = np.isinf(across).reshape(nearest.shape)
    found = np.take_along_axis(nearest, clear.argmax(axis=1)[:, None], axis=1)[:, 0]
    return np.where(clear.any(axis=1), found, -1)


def _over_poses(
    poses: FloatArray, tolerance: float, arm: ArmDescription, settings: Settings
) -> Trajectory:
    """Return the trajectory over (k, m) poses, where the tip rounds corners by a tolerance in m."""
    points = arm.kinematics.tips(poses)
    length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    path = Path(
        points=points,
        q=poses,
        length=length,
        status=Status.REACHED,
        end=length[-1],
        total=length[-1],
        path_tolerance=tolerance,
    )
    return trajectory_along(path, arm, settings)


def trajectory_along(
    path: Path, arm: ArmDescription, settings: Settings, speed: float = UNLIMITED
) -> Trajectory:
    """Return the collision-checked trajectory along a path within limits, at a tip speed in m/s."""
    if any(each.velocity is None for each in arm.motion):
        speed = min(speed, settings.path_speed)
    if not np.ptp(path.q, axis=0).any():  # one pose is all there is to it
        return Trajectory(tuple(path.q[-1].tolist())).checked(arm.kinematics)
    return Trajectory.of(time_path(path, arm.motion, speed)).checked(arm.kinematics)

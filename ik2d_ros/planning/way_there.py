"""Trajectories to a pose that keep off walls: joints in step, a straight line, or a detour."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Arm, Path, Solution, Status
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.clearance import collision_between
from ik2d_ros.kinematics.orientation import Orientation
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.solve_clear import other_shapes, way_over_poses
from ik2d_ros.kinematics.walls import Contact
from ik2d_ros.motion.trajectory import Trajectory, within_limits
from ik2d_ros.planning.pose_errors import with_errors_at
from ik2d_ros.planning.settings import Settings

FASTEST = 1e12  # m/s
ROUNDS = 4  # of some ms in which a straight line is followed
CORNERS = (1e-2, 1e-6)  # reaches by which corners of a way over poses are rounded
LOOKS = 64  # along a way that is blocked, for the depth of the collision


def way_there(
    solution: Solution,
    arm: ArmDescription,
    settings: Settings,
    start: Sequence[float],
    place: Vector,
    again: Callable[[ArmDescription, Sequence[float] | None], Solution] | None = None,
    asked: Orientation | float | None = None,
) -> tuple[Solution, Trajectory | None]:
    """Return a pose to which a trajectory leads that keeps off walls, and the trajectory.

    Args:
        solution: the pose that was found.
        arm: the arm.
        settings: how targets are answered.
        start: (m,) positions from which it moves.
        place: the target in m in the base frame.
        again: solves the target for another arm, or from other positions; None if nothing but the
            pose will do.
        asked: the tip angle in rad, or the orientation; the angle turns evenly along the line.

    Returns:
        The solution, and None for all joints in step; if they would cross a wall, a pose a little
        farther off it for a target across, a trajectory with the tip on a straight line, another
        shape to which joints in step keep off, or a trajectory over poses between. If none of these
        is found, ``BLOCKED`` with the start.
    """
    kinematics, pose = arm.kinematics, tuple(solution.q.tolist())
    if not kinematics.walls or collision_between(kinematics, start, pose) is None:
        return solution, None
    if again is not None and solution.status is Status.BLOCKED:
        eased = again(arm.eased, None)
        if collision_between(kinematics, start, eased.q) is None:
            return eased._replace(contact=solution.contact), None
    line = _straight(solution, arm, settings, start, asked is not None, again is None)
    if line is not None:
        arrives = solution._replace(q=np.array(line.end))
        return with_errors_at(arrives, arm, place, asked, settings.roll), line
    others = list[Solution]()
    if again is not None and solution.status is not Status.BLOCKED:  # the target is not across

        def solved(begin: Sequence[float]) -> Iterator[Solution]:
            other = again(arm.without_walls, arm.clamped(begin))
            if other.status is solution.status:
                yield other

        tip = tuple(kinematics.forward(pose).tolist())
        others = [*other_shapes(kinematics, tip, start, solution, settings.tolerance, solved)]
    for shape in others:
        if collision_between(kinematics, start, shape.q) is None:
            return shape, None
    for shape in [solution, *others] if kinematics.is_clear(pose) else others:
        if (detour := _detour(arm, settings, start, shape.q)) is not None:
            return shape, detour
    stays = solution._replace(
        q=np.array(start),
        status=Status.BLOCKED,
        proven=False,
        contact=_deepest(kinematics, start, pose),
    )
    return with_errors_at(stays, arm, place, asked, settings.roll), None


def _straight(
    solution: Solution,
    arm: ArmDescription,
    settings: Settings,
    start: Sequence[float],
    has_angle: bool,
    is_pose: bool,
) -> Trajectory | None:
    """Return a trajectory of the tip straight to a pose's, then to the pose if that is asked for.

    It is not sought for long.
    """
    kinematics, ends = arm.kinematics, np.array([start, solution.q])
    left = iter(range(ROUNDS))
    path = settings.solve_path(
        kinematics,
        kinematics.tips(ends),
        start=[*start],
        angle=kinematics.tip_angles(ends) if has_angle else None,
        roll=ends[:, -1] if kinematics.roll is not None else None,
        ended=lambda: next(left, None) is None,
    )
    if path.status is not Status.REACHED:
        return None
    if is_pose:
        if collision_between(kinematics, path.q[-1], solution.q) is not None:
            return None
        path = replace(
            path,
            points=np.vstack([path.points, path.points[-1:]]),
            q=np.vstack([path.q, solution.q]),
            length=np.append(path.length, path.length[-1:]),
        )
    line = trajectory_along(path, arm, settings)
    return line if line.clear_until(kinematics) == math.inf else None


def _detour(
    arm: ArmDescription, settings: Settings, start: Sequence[float], pose: FloatArray
) -> Trajectory | None:
    """Return a trajectory over poses between that keeps off walls, as round as they allow."""
    kinematics = arm.kinematics
    poses = way_over_poses(kinematics, np.array(start), pose)
    if poses is None:
        return None
    points = kinematics.tips(poses)
    length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    for corner in CORNERS:
        path = Path(
            points=points,
            q=poses,
            length=length,
            status=Status.REACHED,
            end=length[-1],
            total=length[-1],
            proven=False,
            missed=None,
            target=None,
            angle=None,
            path_tolerance=corner * kinematics.size,
        )
        trajectory = trajectory_along(path, arm, settings)
        if trajectory.clear_until(kinematics) == math.inf:
            return trajectory
    return None


def trajectory_along(
    path: Path, arm: ArmDescription, settings: Settings, speed: float = FASTEST
) -> Trajectory:
    """Return the trajectory along a path in the motion limits, with the tip at a speed in m/s."""
    if any(each.velocity is None for each in arm.motion):
        speed = min(speed, settings.path_speed)
    if not np.ptp(path.q, axis=0).any():  # one pose is all there is to it
        return Trajectory(tuple(path.q[-1].tolist()))
    return Trajectory.of(within_limits(path, arm.motion, speed))


def _deepest(arm: Arm, start: Sequence[float], pose: Sequence[float]) -> Contact:
    """Return what would be deepest across a wall in a pose, or else on the way of all joints."""
    *others, end = map(arm.contact, np.linspace(start, pose, LOOKS + 1).tolist())
    if end.depth > arm.clearance_tolerance:
        return end
    deepest = max(others, key=attrgetter('depth'))
    return deepest._replace(part=f'on the way there, {deepest.part}')

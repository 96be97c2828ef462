"""The way to a pose beside walls: that of the joints, the straight line of the tip, or none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Arm, Path, Solution, Status
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.clearance import collision_between
from ik2d_ros.kinematics.oriented import Orientation
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.solve_clear import way_over_poses
from ik2d_ros.kinematics.walls import Contact
from ik2d_ros.motion.trajectory import Trajectory, within_limits
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.steady import seen

FASTEST = 1e12  # m/s
ROUNDS = 4  # of some ms in which a straight line is followed
STARTS = 16  # from which other shapes are sought
ALIKE = 1e-3  # rad or reaches between two shapes; m by which another one may miss by more
CORNERS = (1e-2, 1e-6)  # reaches by which corners of a way over poses are rounded
LOOKS = 64  # along a way that is blocked, to tell by how much


def way_there(
    solution: Solution,
    configuration: Configuration,
    start: Sequence[float],
    place: Vector,
    again: Callable[[ArmDescription, Sequence[float] | None], Solution] | None = None,
    angle: Vector | Orientation | float | None = None,
) -> tuple[Solution, Trajectory | None]:
    """Return a pose to which a way leads that keeps off walls, and the way.

    Args:
        solution: the pose that was found.
        configuration: the arm, and how it is moved.
        start: (m,) positions from which it moves.
        place: the target in m in the base frame.
        again: solves the target for another arm, or from other positions; None if nothing but the
            pose will do.
        angle: of the tip in rad, or a direction, that is asked for; it turns evenly along the line.

    Returns:
        The solution, and None for all joints in step; if they would cross a wall, a pose a little
        farther off it for a target across, or a way with the tip on a straight line. If that leads
        across, too, another shape to which joints in step keep off, or a way over one or two poses.
        If none is found, ``BLOCKED`` with the start.
    """
    arm, pose = configuration.arm.kinematics, tuple(solution.q.tolist())
    if not arm.walls or collision_between(arm, start, pose) is None:
        return solution, None
    if again is not None and solution.status is Status.BLOCKED:
        eased = again(configuration.arm.eased, None)
        if collision_between(arm, start, eased.q) is None:
            return eased._replace(contact=solution.contact), None
    ends = np.array([start, pose])
    angles = arm.tip_angles(ends) if angle is not None else None
    settings = configuration.settings
    rolls = ends[:, -1] if arm.roll is not None else None
    left = iter(range(ROUNDS))  # other shapes are not sought for long
    path = settings.solve_path(
        arm,
        arm.tips(ends),
        start=[*start],
        angle=angles,
        roll=rolls,
        ended=lambda: next(left, None) is None,
    )
    if path.status is Status.REACHED and again is None:  # from there, all joints in step
        if collision_between(arm, path.q[-1], pose) is None:
            path = replace(
                path,
                points=np.vstack([path.points, path.points[-1:]]),
                q=np.vstack([path.q, pose]),
                length=np.append(path.length, path.length[-1:]),
            )
        else:
            path = replace(path, status=Status.BLOCKED)
    way = way_along(path, configuration, FASTEST) if path.status is Status.REACHED else None
    if way is not None and way.clear_until(arm) == math.inf:
        arrives = solution._replace(q=np.array(way.end))
        return seen(arrives, configuration.arm, place, angle, settings.roll), way
    others = _other_shapes(solution, configuration.arm, start, again) if again else []
    for shape in others:
        if collision_between(arm, start, shape.q) is None:
            return shape, None
    for shape in [solution, *others] if arm.is_clear(pose) else others:
        poses = way_over_poses(arm, np.array(start), shape.q)
        if poses is not None and (way := _way_over(poses, path, configuration)) is not None:
            return shape, way
    stays = solution._replace(
        q=np.array(start),
        status=Status.BLOCKED,
        proven=False,
        contact=_deepest(arm, start, pose),
    )
    return seen(stays, configuration.arm, place, angle, settings.roll), None


def _other_shapes(
    solution: Solution,
    arm: ArmDescription,
    start: Sequence[float],
    again: Callable[[ArmDescription, Sequence[float] | None], Solution],
) -> list[Solution]:
    """Return poses in other shapes that are as good and keep off walls, the nearest first."""
    if solution.status is Status.BLOCKED:  # the target is across
        return []
    kinematics, bare, found = arm.kinematics, replace(arm, walls=()), [solution]
    poses = kinematics.draw_poses(np.random.default_rng(0), start, math.inf)
    poses = poses[kinematics.are_clear(poses)]
    nearest = np.linalg.norm(kinematics.tips(poses) - solution.tip, axis=1).argsort()
    for begin in poses[nearest[:STARTS]].tolist():
        other = again(bare, arm.clamped(begin))
        moves = [np.abs((other.q - each.q) / kinematics.units_of_move).max() for each in found]
        is_as_good = other.status is solution.status and other.error <= solution.error + ALIKE
        if is_as_good and min(moves) > ALIKE and kinematics.is_clear(other.q.tolist()):
            found.append(other)
    return sorted(
        found[1:], key=lambda each: np.abs((each.q - start) / kinematics.units_of_move).max()
    )


def _way_over(poses: FloatArray, path: Path, configuration: Configuration) -> Trajectory | None:
    """Return a way over (k, m) poses that keeps off walls, with corners as round as that allows."""
    arm = configuration.arm.kinematics
    points = arm.tips(poses)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    path = replace(path, points=points, q=poses, length=np.append(0.0, np.cumsum(steps)))
    for corner in CORNERS:
        path = replace(path, path_tolerance=corner * arm.size)
        way = way_along(path, configuration, FASTEST)
        if way.clear_until(arm) == math.inf:
            return way
    return None


def way_along(path: Path, configuration: Configuration, speed: float) -> Trajectory:
    """Return the way along a path, within the motion limits, with the tip at a speed in m/s."""
    motion = configuration.arm.motion
    if any(each.velocity is None for each in motion):
        speed = min(speed, configuration.settings.path_speed)
    if not np.ptp(path.q, axis=0).any():  # one pose is all there is to it
        return Trajectory(path.q[-1].tolist())
    course = within_limits(path, motion, speed)
    return Trajectory(course.at(0.0)[0].tolist(), course)


def _deepest(arm: Arm, start: Sequence[float], pose: Sequence[float]) -> Contact:
    """Return what would be deepest across a wall in a pose, or else on the way of all joints."""
    *others, end = map(arm.contact, np.linspace(start, pose, LOOKS + 1).tolist())
    if end.depth > arm.clearance_tolerance:
        return end
    deepest = max(others, key=attrgetter('depth'))
    return deepest._replace(part=f'on the way there, {deepest.part}')

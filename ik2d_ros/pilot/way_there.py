"""The way to a pose beside walls: that of the joints, the straight line of the tip, or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Arm, Path, Solution, Status
from ik2d_ros.kinematics.clearance import collision_between
from ik2d_ros.kinematics.oriented import Orientation
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.walls import Contact
from ik2d_ros.motion.trajectory import Trajectory, within_limits
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.steady import seen

FASTEST = 1e12  # m/s
LOOKS = 64  # along a way that is blocked, to tell by how much


def way_there(
    solution: Solution,
    configuration: Configuration,
    start: Sequence[float],
    place: Vector,
    again: Callable[[ArmDescription], Solution] | None = None,
    angle: Vector | Orientation | float | None = None,
) -> tuple[Solution, Trajectory | None]:
    """Return a pose to which a way leads that keeps off walls, and the way.

    Args:
        solution: the pose that was found.
        configuration: the arm, and how it is moved.
        start: (m,) positions from which it moves.
        place: the target in m in the base frame.
        again: solves the target for another arm; None if nothing but the pose will do.
        angle: of the tip in rad, or a direction, that is asked for; it turns evenly along the line.

    Returns:
        The solution, and None for all joints in step; if they would cross a wall, a pose a little
        farther off it for a target across, or a way with the tip on a straight line. If that leads
        across, too, ``BLOCKED`` with the start.
    """
    arm, pose = configuration.arm.kinematics, tuple(solution.q.tolist())
    if not arm.walls or collision_between(arm, start, pose) is None:
        return solution, None
    if again is not None and solution.status is Status.BLOCKED:
        eased = again(configuration.arm.eased)
        if collision_between(arm, start, eased.q) is None:
            return eased._replace(contact=solution.contact), None
    ends = np.array([start, pose])
    angles = arm.tip_angles(ends) if angle is not None else None
    settings = configuration.settings
    rolls = ends[:, -1] if arm.roll is not None else None
    path = settings.solve_path(arm, arm.tips(ends), start=[*start], angle=angles, roll=rolls)
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
    if path.status is Status.REACHED:
        way = way_along(path, configuration, FASTEST)
        arrives = solution._replace(q=np.array(way.end))
        return seen(arrives, configuration.arm, place, angle, settings.roll), way
    stays = solution._replace(
        q=np.array(start),
        status=Status.BLOCKED,
        proven=False,
        contact=_deepest(arm, start, pose),
    )
    return seen(stays, configuration.arm, place, angle, settings.roll), None


def way_along(path: Path, configuration: Configuration, speed: float) -> Trajectory:
    """Return the way along a path, within the motion limits, with the tip at a speed in m/s."""
    motion = configuration.arm.motion
    if any(each.velocity is None for each in motion):
        speed = min(speed, configuration.settings.path_speed)
    if not np.ptp(path.q, axis=0).any():  # one pose is all there is to it
        return Trajectory(tuple(path.q[-1].tolist()))
    return Trajectory.of(within_limits(path, motion, speed))


def _deepest(arm: Arm, start: Sequence[float], pose: Sequence[float]) -> Contact:
    """Return what would be deepest across a wall in a pose, or else on the way of all joints."""
    *others, end = map(arm.contact, np.linspace(start, pose, LOOKS + 1).tolist())
    if end.depth > arm.clearance_tolerance:
        return end
    deepest = max(others, key=attrgetter('depth'))
    return deepest._replace(part=f'on the way there, {deepest.part}')

"""The commands for a controller, made of the commanded pose; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ik2d_ros.control.content import BILLION, Trajectory, TrajectoryPoint

Pose = tuple[float, ...]

START = 1000  # ns; less than the period of any controller


def command_pose(
    joints: Sequence[str], positions: Mapping[str, float], held: Mapping[str, float]
) -> Pose | None:
    """Return the positions of all joints of a controller; None if one is not known.

    Args:
        joints: the controller's joints, in its order.
        positions: positions of the arm's joints in rad, by name.
        held: positions of the other joints in rad, by name; missing or NaN means unknown.
    """
    pose = tuple(positions.get(name, held.get(name, math.nan)) for name in joints)
    return pose if all(map(math.isfinite, pose)) else None


def streamed_trajectory(
    joints: Sequence[str], before: Pose | None, now: Pose, span: float
) -> Trajectory:
    """Return the trajectory that continues a stream of poses, one per period.

    joint_trajectory_controller replaces what it carries out by what arrives, and by default
    interpolates from the *measured* pose to the first point. A servo stands behind its command, so
    that a stream of single points, each one period ahead, would pull the command back with every
    message: the arm would stutter and sag. Therefore the first point is the pose that was
    commanded before, and due before the controller's next cycle: it goes on from there, in a
    straight line to the pose that is commanded now, one period later. On the simulated arm, the
    setpoints accelerate an eighth as much as with single points, and a sixth as with poses that are
    due at once.

    The last point must not have a velocity, and without one the line is straight. The first one has
    it: a controller with gains takes the way to it, from the measured pose, for the motion that it
    has to correct, which would be very fast otherwise.

    A standing arm needs no more than one point, and a first command has no pose before it: from
    wherever the arm is, it goes to the pose in one period.

    Args:
        joints: the controller's joints.
        before: (n,) rad commanded before; None for a first command.
        now: (n,) rad commanded now.
        span: s from one to the other, at least the period between commands.
    """
    time = START + math.ceil(span * BILLION)
    if before is None:
        return Trajectory(tuple(joints), (TrajectoryPoint(now, time),))
    if before == now:
        rest = (0.0,) * len(now)
        return Trajectory(tuple(joints), (TrajectoryPoint(now, START, velocities=rest),))
    speed = tuple((b - a) / span for a, b in zip(before, now, strict=True))
    points = (TrajectoryPoint(before, START, velocities=speed), TrajectoryPoint(now, time))
    return Trajectory(tuple(joints), points)

"""What a command for a ros2_control controller says, as plain data; no ROS imports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

BILLION = 10**9


@dataclass(frozen=True)
class TrajectoryPoint:
    """One point of a trajectory, by the trajectory's joints.

    Attributes:
        positions: rad.
        time: ns from the start of the trajectory (``time_from_start``).
        velocities: rad/s; empty for none given.
        accelerations: rad/s^2; empty for none given.
        effort: Nm; empty for none given.
    """

    positions: tuple[float, ...]
    time: int
    velocities: tuple[float, ...] = ()
    accelerations: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()


@dataclass(frozen=True)
class Trajectory:
    """The content of a trajectory_msgs/JointTrajectory.

    Attributes:
        joints: names of the joints.
        points: the points in the order of their times.
        stamp: stamp of the header in ns; 0 means that it starts on arrival.
    """

    joints: tuple[str, ...]
    points: tuple[TrajectoryPoint, ...]
    stamp: int = 0


def read_trajectory(message: Any) -> Trajectory:
    """Return the content of a trajectory_msgs/JointTrajectory.

    Args:
        message: the message, or anything with the same fields.
    """
    points = tuple(
        TrajectoryPoint(
            positions=tuple(point.positions),
            time=_nanoseconds(point.time_from_start),
            velocities=tuple(point.velocities),
            accelerations=tuple(point.accelerations),
            effort=tuple(point.effort),
        )
        for point in message.points
    )
    return Trajectory(tuple(message.joint_names), points, _nanoseconds(message.header.stamp))


def _nanoseconds(time: Any) -> int:
    return int(time.sec) * BILLION + int(time.nanosec)

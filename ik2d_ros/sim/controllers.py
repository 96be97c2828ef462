"""What a ros2_control controller makes of its commands, as plain data; no ROS.

The two that drive position-controlled arms, as in ros2_controllers 4.42 (Jazzy) under their default
parameters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.control.commands import BILLION, Trajectory, TrajectoryPoint
from ik2d_ros.sim.acceptance import Refusal, array_refusal, trajectory_refusal

Array = NDArray[np.float64]


class ForwardController:
    """forward_command_controller and position_controllers: they pass numbers on as they are."""

    def __init__(self, joints: Sequence[str], held: Sequence[float]) -> None:
        """Start active, holding (k,) positions in rad."""
        self._count = len(joints)
        self._setpoint = np.array(held, float)
        self.is_active = True

    def take(self, data: Sequence[float]) -> Refusal | None:
        """Take the numbers of a message, or return why they are refused."""
        if not self.is_active:
            return None  # it is emptied when it is activated
        refusal = array_refusal(data, self._count)
        if refusal is None:
            self._setpoint = np.array(data, float)
        elif refusal.deactivates:
            self.switch(active=False)
        return refusal

    def switch(self, active: bool) -> None:
        """Activate or deactivate it: it stays subscribed, and takes the next message at once."""
        self.is_active = active

    def setpoint(self, now: int, measured: Array) -> Array:
        """Return the last accepted (k,) numbers."""
        del now, measured
        return self._setpoint


class JointTrajectoryController:
    """joint_trajectory_controller: it interpolates between the points of a trajectory."""

    def __init__(
        self, joints: Sequence[str], held: Sequence[float], continuous: Sequence[bool], period: int
    ) -> None:
        """Start active, holding (k,) positions in rad.

        Args:
            joints: names of its (k,) joints.
            held: their positions in rad.
            continuous: which of them have no limits: these turn the short way.
            period: of the control cycles, in ns: a setpoint is that of the end of its cycle.
        """
        self._joints = tuple(joints)
        self._continuous = np.array(continuous, bool)
        self._period = period
        self._setpoint = np.array(held, float)
        self._new: Trajectory | None = None
        self._began = 0
        self._times: Array = np.zeros(0)  # ns since it began
        self._poses: Array = np.zeros((0, len(joints)))
        self.is_active = True

    def take(self, trajectory: Trajectory, now: int) -> Refusal | None:
        """Take a trajectory, or return why it is refused: the running one then goes on.

        Args:
            trajectory: content of the message.
            now: time in ns.
        """
        if not self.is_active:
            return None  # the real one is subscribed, but drops it
        refusal = trajectory_refusal(trajectory, self._joints, now)
        if refusal is None:
            self._new = trajectory
        return refusal

    def switch(self, active: bool) -> None:
        """Activate or deactivate it: either way, it holds what it commanded last."""
        if active != self.is_active:
            self.is_active, self._new, self._times = active, None, np.zeros(0)

    def setpoint(self, now: int, measured: Array) -> Array:
        """Return (k,) setpoints in rad: the trajectory at the end of this cycle.

        Args:
            now: time in ns.
            measured: (k,) rad, from which a new trajectory leads to its first point.
        """
        if self._new is not None:
            self._begin(self._new, now, measured)
            self._new = None
        if len(self._times):
            time = now + self._period - self._began
            columns = [np.interp(time, self._times, column) for column in self._poses.T]
            self._setpoint = np.array(columns)
        return self._setpoint

    def _begin(self, trajectory: Trajectory, now: int, measured: Array) -> None:
        start = (trajectory.stamp or now) - now
        times = [start + point.time for point in trajectory.points]
        held = dict(zip(self._joints, self._setpoint.tolist(), strict=True))
        poses: list[Array] = []
        for point in trajectory.points:
            given = {**held, **dict(zip(trajectory.joints, point.positions, strict=True))}
            poses.append(np.array([given[name] for name in self._joints]))
        if times[0] > 0:
            # A continuous joint starts in the turn nearest to the first point.
            turns = math.tau * np.round((poses[0] - measured) / math.tau)
            times, poses = [0, *times], [measured + turns * self._continuous, *poses]
        self._began, self._times, self._poses = now, np.array(times, float), np.array(poses)


def read_trajectory(message: Any) -> Trajectory:
    """Return the content of a trajectory_msgs/JointTrajectory.

    Args:
        message: the message, or anything with the same fields.
    """
    points = tuple(
        TrajectoryPoint(tuple(point.positions), _nanoseconds(point.time_from_start))
        for point in message.points
    )
    return Trajectory(tuple(message.joint_names), points, _nanoseconds(message.header.stamp))


def _nanoseconds(time: Any) -> int:
    return int(time.sec) * BILLION + int(time.nanosec)

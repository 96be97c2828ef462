"""A joint_trajectory_controller for position-controlled arms, without ROS.

It accepts, refuses and interpolates like the one of ros2_controllers 4.42 (Jazzy), 5.17 (Kilted)
and 6.9 (Lyrical) with default parameters. An accepted message is not always safe: it accepts NaN,
for example.
Velocities, accelerations and efforts of a trajectory are ignored: the node sends none.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.control.commands import Trajectory

Array = NDArray[np.float64]


def accepts(trajectory: Trajectory, joints: Sequence[str], now: int) -> bool:
    """Return whether the controller of some joints accepts a trajectory at a time in ns."""
    points, count = trajectory.points, len(joints)
    times = [point.time for point in points]
    return (
        sorted(trajectory.joints) == sorted(joints)
        and bool(points)
        and not (trajectory.stamp and trajectory.stamp + times[-1] < now)
        and all(time > before for before, time in itertools.pairwise(times))
        and all(len(point.positions) == count for point in points)
    )


class Controller:
    """Interpolates between the points of the newest trajectory."""

    def __init__(
        self, joints: Sequence[str], held: Sequence[float], continuous: Sequence[bool], period: int
    ) -> None:
        """Start active, holding (k,) positions in rad.

        Args:
            joints: names of its (k,) joints.
            held: their positions in rad.
            continuous: which joints have no limits: these turn the short way.
            period: of the control cycles, in ns: a setpoint is for the end of its cycle.
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

    def take(self, trajectory: Trajectory, now: int) -> bool:
        """Take a trajectory at a time in ns; False: it is refused, and the last one goes on."""
        if not self.is_active:
            return True  # the real one is still subscribed, but drops it
        if not accepts(trajectory, self._joints, now):
            return False
        self._new = trajectory
        return True

    def switch(self, active: bool) -> None:
        """Activate or deactivate it; either way, it holds its last setpoint."""
        if active != self.is_active:
            self.is_active, self._new, self._times = active, None, np.zeros(0)

    def setpoint(self, now: int, measured: Array) -> Array:
        """Return (k,) setpoints in rad: the trajectory at the end of this cycle.

        Args:
            now: time in ns.
            measured: (k,) rad; a new trajectory begins there.
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
        poses = np.tile(self._setpoint, (len(times), 1))
        given = [self._joints.index(name) for name in trajectory.joints]
        poses[:, given] = [point.positions for point in trajectory.points]
        if times[0] > 0:
            # A continuous joint starts in the turn nearest to the first point.
            turns = math.tau * np.round((poses[0] - measured) / math.tau)
            begin = measured + turns * self._continuous
            times, poses = [0, *times], np.vstack([begin, poses])
        self._began, self._times, self._poses = now, np.array(times, float), poses

"""A simulated robot: a controller that takes commands, and measured joints; no ROS.

The controller is a joint_trajectory_controller for position-controlled arms. It accepts, refuses
and interpolates like the one of ros2_controllers 4.42 (Jazzy), 5.17 (Kilted) and 6.9 (Lyrical) with
default parameters. An accepted message is not always safe: it accepts NaN, for example. Velocities,
accelerations and efforts of a trajectory are ignored: the node sends none. A continuous joint turns
as far as a trajectory says, not the short way.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from ik2d_ros.control.trajectory_messages import TrajectoryMessage
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.sim.parameters import SimSettings
from ik2d_ros.sim.physics import STEP, Physics


def accepts(trajectory: TrajectoryMessage, joints: Sequence[str], now: int) -> bool:
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

    def __init__(self, joints: Sequence[str], held: FloatArray, period: int) -> None:
        """Start active, holding (k,) positions in rad.

        Args:
            joints: names of its (k,) joints.
            held: their positions in rad.
            period: of the control cycles, in ns: a setpoint is for the end of its cycle.
        """
        self._joints = tuple(joints)
        self._period = period
        self._setpoint = held
        self._new: TrajectoryMessage | None = None
        self._began = 0
        self._times: FloatArray = np.zeros(0)  # ns since it began
        self._poses: FloatArray = np.zeros((0, len(joints)))
        self.is_active = True

    def take(self, trajectory: TrajectoryMessage, now: int) -> bool:
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

    def setpoint(self, now: int, measured: FloatArray) -> FloatArray:
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

    def _begin(self, trajectory: TrajectoryMessage, now: int, measured: FloatArray) -> None:
        start = (trajectory.stamp or now) - now
        times = [start + point.time for point in trajectory.points]
        poses = np.tile(self._setpoint, (len(times), 1))
        given = [self._joints.index(name) for name in trajectory.joints]
        poses[:, given] = [point.positions for point in trajectory.points]
        if times[0] > 0:
            times, poses = [0, *times], np.vstack([measured, poses])
        self._began, self._times, self._poses = now, np.array(times, float), poses


class SimulatedRobot:
    """A simulated arm behind a controller; time passes in control cycles.

    Other joints of the controller, such as a gripper's, follow their setpoints without physics.

    Attributes:
        controller: takes the commands.
        physics: the arm.
        cycle: time of a control cycle in ns, a whole number of physics steps.
        positions: (k,) measured, in rad, by the controller's joints.
        velocities: (k,) rad/s.
        efforts: (k,) N m.
    """

    def __init__(self, settings: SimSettings) -> None:
        """Start at rest, held by the controller."""
        arm, joints = settings.arm, settings.joints
        initial = [settings.initial[name] for name in arm.names]
        self.physics = Physics(arm, initial)
        self._steps = max(1, round(1.0 / (settings.update_rate * STEP)))
        self.cycle = self._steps * round(STEP * 1e9)
        self._places = [joints.index(name) for name in arm.names]
        self.positions = np.array([settings.initial[name] for name in joints])
        self.velocities = np.zeros(len(joints))
        self.efforts = np.zeros(len(joints))
        self._setpoint = self.positions.copy()
        held = {name: ends for name, ends in settings.hold_limits.items() if name not in arm.names}
        self._ends = np.array([held.get(name, (-math.inf, math.inf)) for name in joints]).T
        self.controller = Controller(joints, self._setpoint, self.cycle)
        self.controller.switch(settings.active)

    def pass_cycle(self, now: int) -> None:
        """Let one control cycle pass, which begins at a time in ns."""
        wanted = self.controller.setpoint(now, self.positions)
        # Servos ignore setpoints that are not finite.
        wanted = np.where(np.isfinite(wanted), wanted, self._setpoint)
        self._setpoint = np.clip(wanted, *self._ends)
        self.physics.command(self._setpoint[self._places])
        self.physics.advance(self._steps)
        self.velocities = (self._setpoint - self.positions) / (self._steps * STEP)
        self.positions = self._setpoint.copy()
        self.positions[self._places] = self.physics.positions
        self.velocities[self._places] = self.physics.velocities
        self.efforts[self._places] = self.physics.efforts

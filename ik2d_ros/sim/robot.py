"""A simulated robot: a controller that takes commands, and measured joints; no ROS."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.sim.controllers import Controller
from ik2d_ros.sim.parameters import SimSettings
from ik2d_ros.sim.physics import STEP, Physics

Array = NDArray[np.float64]


class SimulatedRobot:
    """A simulated arm behind a controller; time passes in control cycles.

    Joints of the controller that are not the arm's, such as a gripper, follow their setpoints
    without physics, between their ``hold_limits``.

    Attributes:
        controller: takes the commands.
        physics: the arm.
        cycle: time of a control cycle in ns, a whole number of physics steps.
        positions: (k,) measured, in rad, by the controller's joints.
        velocities: (k,) rad/s.
        efforts: (k,) N m.

    Raises:
        ConfigError: MuJoCo is not installed, or cannot simulate such an arm.
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
        own = arm.kinematics.all_joints
        endless = {joint.name for joint in own if joint.continuous and joint.unit == 'rad'}
        continuous = [name in endless for name in joints]
        self.controller = Controller(joints, self._setpoint.tolist(), continuous, self.cycle)
        self.controller.switch(settings.active)

    def pass_cycle(self, now: int) -> None:
        """Let one control cycle pass, which begins at a time in ns.

        Servos ignore setpoints that are not finite.
        """
        wanted = self.controller.setpoint(now, self.positions)
        self._setpoint = np.where(np.isfinite(wanted), wanted, self._setpoint)
        self._setpoint = np.clip(self._setpoint, *self._ends)
        self.physics.command(self._setpoint[self._places])
        self.physics.advance(self._steps)
        self.velocities = (self._setpoint - self.positions) / (self._steps * STEP)
        self.positions = self._setpoint.copy()
        self.positions[self._places] = self.physics.positions
        self.velocities[self._places] = self.physics.velocities
        self.efforts[self._places] = self.physics.efforts

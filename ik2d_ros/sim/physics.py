"""The arm in MuJoCo: gravity, inertia, friction, and a position servo on every joint; no ROS.

The model is the arm's URDF, as ``ik2d urdf`` writes it. Links of the arm pass through one another:
inverse kinematics does not know of collisions, and the links of many planar arms are side by side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.robot.export import urdf_of

STEP = 1e-3  # s
GRAVITY = 9.81  # m/s^2

# The servos: a spring and a damper between setpoint and joint, as in most position servos. Nothing
# compensates gravity, so an arm at rest hangs below its setpoint by effort / stiffness.
BANDWIDTH = 100.0  # rad/s, of the servo that turns the outstretched arm: it lags by 20 ms
ROTOR = 0.5  # inertia of motor and gear, as a share of that of the outstretched arm
RESERVE = 3.0  # effort limit, as a multiple of the effort that holds the outstretched arm
FRICTION = 0.01  # dry friction, as a share of the same
WEAKEST = 1e-3  # effort limit, as a share of the largest: nothing loads a roll in line with its tip
POSES = 200  # tried to find the outstretched arm

STOP_MARGINS: Mapping[str, float] = MappingProxyType({'rad': math.radians(10.0), 'm': 0.02})
"""Distance of the mechanical stops from the limits, by the unit of the position."""


class Physics:
    """A simulated arm; it starts at rest, held by its servos.

    These suit the largest inertia on each joint, and the largest effort to hold it.

    Attributes:
        stiffness: (m,) of its servos, in N m/rad, or N/m where joints slide.
        friction: (m,) N m or N.

    Raises:
        ConfigError: MuJoCo is not installed, or cannot simulate such an arm.
    """

    def __init__(self, arm: ArmDescription, initial: Sequence[float]) -> None:
        """Build the model, at (m,) positions."""
        try:
            import mujoco  # noqa: PLC0415  # an extra
        except ImportError as error:
            raise ConfigError(
                f'the simulation needs the Python package mujoco ({error}): pip install mujoco'
            ) from None
        self._mujoco: Any = mujoco
        text = urdf_of(arm)
        try:
            inertia, holding = _loads(mujoco, mujoco.MjModel.from_xml_string(text), arm)
        except ValueError as error:
            raise ConfigError(f'MuJoCo cannot simulate this arm: {error}') from None
        self.stiffness = BANDWIDTH**2 * (1.0 + ROTOR) * inertia
        self.friction = FRICTION * holding
        efforts = RESERVE * np.maximum(holding, WEAKEST * holding.max())
        spec = mujoco.MjSpec.from_string(text)
        spec.option.timestep = STEP
        spec.option.gravity = (0.0, 0.0, -GRAVITY)
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        for index, name in enumerate(arm.names):
            joint, ends = spec.joint(name), (-efforts[index], efforts[index])
            joint.armature = ROTOR * inertia[index]
            joint.frictionloss = self.friction[index]
            joint.actfrcrange = ends
            if math.isfinite(arm.limits[index][0]):
                joint.range = stops(arm, index)
            servo = spec.add_actuator(
                target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT, forcelimited=True, forcerange=ends
            )
            stiffness = self.stiffness[index]
            servo.set_to_position(kp=stiffness, kv=2.0 * stiffness / BANDWIDTH)
        for equality in spec.equalities:
            equality.solref[:] = (2.0 * STEP, 1.0)
        spec.bodies[-1].add_site(name='tip')
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
        self._tip = self._model.site('tip').id
        follow = _following(self._model, arm)
        self._joints = [self._model.joint(name).qposadr[0] for name in arm.names]
        self._data.ctrl[:] = initial
        self._data.qpos[:] = follow @ np.array(initial)
        mujoco.mj_forward(self._model, self._data)

    @property
    def positions(self) -> FloatArray:
        """(m,) rad or m."""
        return np.array(self._data.qpos[self._joints])

    @property
    def velocities(self) -> FloatArray:
        """(m,) rad/s or m/s."""
        return np.array(self._data.qvel[self._joints])

    @property
    def efforts(self) -> FloatArray:
        """(m,) efforts of the servos in N m or N."""
        return np.array(self._data.actuator_force)

    @property
    def tip(self) -> Vector:
        """The tip in the base frame, in m."""
        x, y, z = self._data.site_xpos[self._tip].tolist()
        return x, y, z

    def command(self, positions: Sequence[float] | FloatArray) -> None:
        """Give the servos (m,) setpoints in rad or m."""
        self._data.ctrl[:] = positions

    def advance(self, steps: int) -> None:
        """Let time pass: so many times ``STEP``."""
        self._mujoco.mj_step(self._model, self._data, steps)
        # Efforts and tip of the state after the steps.
        self._mujoco.mj_forward(self._model, self._data)


def _loads(mujoco: Any, model: Any, arm: ArmDescription) -> tuple[FloatArray, FloatArray]:
    """Return what joints carry in many poses: (m,) the largest inertia, and effort to hold it.

    Gravity is in any direction; kg m^2 and N m, or kg and N of joints that slide.
    """
    data = mujoco.MjData(model)
    follow, count = _following(model, arm), len(arm.names)
    inertia, holding, column = np.zeros(count), np.zeros(count), np.zeros(model.nv)
    lower, upper = np.clip(np.array(arm.limits).T, -math.pi, math.pi)
    random = np.random.default_rng(0)
    for pose in [np.zeros(count), *random.uniform(lower, upper, (POSES, count))]:
        data.qpos[:] = follow @ pose
        squares = np.zeros(count)
        for direction in np.eye(3):
            model.opt.gravity[:] = GRAVITY * direction
            mujoco.mj_forward(model, data)
            squares += np.square(follow.T @ data.qfrc_bias)
        for index, unit in enumerate(follow.T):
            mujoco.mj_mulM(model, data, column, unit)
            inertia[index] = max(inertia[index], unit @ column)
        holding = np.maximum(holding, np.sqrt(squares))
    return inertia, holding


def _following(model: Any, arm: ArmDescription) -> FloatArray:
    """Return (v, m) how far each joint of the model moves with each of the arm's.

    The passive joints of linkages mimic others.
    """
    follow = np.zeros((model.nv, len(arm.names)))
    for index, name in enumerate(arm.names):
        follow[model.joint(name).dofadr[0], index] = 1.0
    for joint, other, data in zip(model.eq_obj1id, model.eq_obj2id, model.eq_data, strict=True):
        follow[model.jnt_dofadr[joint]] = data[1] * follow[model.jnt_dofadr[other]]
    return follow


def stops(arm: ArmDescription, index: int) -> tuple[float, float]:
    """Return the mechanical stops of a joint in rad or m; infinite where it has no limits."""
    (lower, upper), margin = arm.limits[index], STOP_MARGINS[arm.units[index]]
    return lower - margin, upper + margin

"""The arm in MuJoCo: gravity, inertia, friction, and a position servo on every joint; no ROS.

The model is the arm's URDF, as ``ik2d urdf`` writes it. Links of the arm pass through one another:
inverse kinematics does not know of collisions, and the links of many planar arms stand beside one
another.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.inertia import Inertial, inertial_of
from ik2d_ros.arm.kinds import kind_of
from ik2d_ros.arm.proportions import link_width
from ik2d_ros.arm.solids import bone, finger_tip, foot, guide, post
from ik2d_ros.arm.urdf import DENSITY, urdf_of
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.ros.advice import how_to_install

Array = NDArray[np.float64]

STEP = 1e-3  # s
GRAVITY = 9.81  # m/s^2

# The servos: a spring and a damper between setpoint and joint, as in most position servos. Nothing
# makes up for gravity, so an arm at rest hangs below its setpoint by effort / stiffness.
BANDWIDTH = 100.0  # rad/s, of the servo that turns the outstretched arm: it lags by 20 ms
ROTOR = 0.5  # inertia of motor and gear, as a share of that of the outstretched arm
RESERVE = 3.0  # effort limit, as a multiple of what holds the outstretched arm
FRICTION = 0.01  # dry friction, as a share of the same

STOP_MARGINS: Mapping[str, float] = MappingProxyType({'rad': math.radians(10.0), 'm': 0.02})
"""How far the mechanical stops are beyond the limits, by the unit of the position."""


@dataclass(frozen=True)
class Plant:
    """What is simulated.

    Attributes:
        arm: the arm.
        initial: (m,) positions at the start, within ``STOP_MARGINS`` of the limits.
        density: of the links, in kg/m^3.
        payload: mass at the tip, in kg.
        efforts: (m,) effort limits in N m, of joints that slide in N; 0: ``RESERVE`` times what
            holds the outstretched arm. Empty: 0 for all.
    """

    arm: ArmDescription
    initial: tuple[float, ...]
    density: float = DENSITY
    payload: float = 0.0
    efforts: tuple[float, ...] = ()


@dataclass(frozen=True)
class Servos:
    """What moves the joints; all (m,). For joints that slide, it is m for rad, and N for N m.

    Attributes:
        stiffness: N m/rad.
        damping: N m s/rad.
        rotor: inertia of motor and gear at the joint, in kg m^2.
        friction: N m.
        efforts: largest effort, in N m.
    """

    stiffness: Array
    damping: Array
    rotor: Array
    friction: Array
    efforts: Array


def servos_for(plant: Plant) -> Servos:
    """Return servos that suit the arm without its payload."""
    inertia, holding = _outstretched(plant.arm, plant.density)
    rotor = ROTOR * inertia
    total = inertia + rotor
    efforts = np.array(plant.efforts or np.zeros(len(holding)))
    return Servos(
        stiffness=BANDWIDTH**2 * total,
        damping=2.0 * BANDWIDTH * total,
        rotor=rotor,
        friction=FRICTION * holding,
        efforts=np.where(efforts > 0.0, efforts, RESERVE * holding),
    )


class Physics:
    """An arm in physics; it starts at rest, its servos holding it there.

    Raises:
        ConfigError: MuJoCo is not installed, or cannot simulate such an arm.
    """

    def __init__(self, plant: Plant) -> None:
        """Build the model."""
        self._mujoco = mujoco = _import_mujoco()
        self.servos = servos_for(plant)
        try:
            self._model = _model(mujoco, plant, self.servos)
        except ValueError as error:
            raise ConfigError(f'MuJoCo cannot simulate this arm: {error}') from None
        self._data = mujoco.MjData(self._model)
        self._tip = self._model.site('tip').id
        self._body = self._model.site_bodyid[self._tip]
        self._push = np.zeros(3)
        self._data.qpos[:] = plant.initial
        self._data.ctrl[:] = plant.initial
        mujoco.mj_forward(self._model, self._data)

    @property
    def positions(self) -> list[float]:
        """(m,) rad or m."""
        return list(map(float, self._data.qpos))

    @property
    def velocities(self) -> list[float]:
        """(m,) rad/s or m/s."""
        return list(map(float, self._data.qvel))

    @property
    def efforts(self) -> list[float]:
        """(m,) efforts of the servos in N m or N."""
        return list(map(float, self._data.actuator_force))

    @property
    def tip(self) -> Vector:
        """The tip in the base frame, in m."""
        x, y, z = self._data.site_xpos[self._tip].tolist()
        return x, y, z

    def command(self, positions: Sequence[float]) -> None:
        """Give the servos (m,) setpoints in rad or m."""
        self._data.ctrl[:] = positions

    def push(self, force: Vector) -> None:
        """Push the tip with a force in N, in the base frame, until the next call."""
        self._push[:] = force

    def advance(self, steps: int) -> None:
        """Let time pass: so many times ``STEP``."""
        data = self._data
        data.qfrc_applied[:] = 0.0
        if self._push.any():
            self._mujoco.mj_applyFT(
                self._model, data, self._push, np.zeros(3), data.site_xpos[self._tip], self._body,
                data.qfrc_applied,
            )  # fmt: skip
        self._mujoco.mj_step(self._model, data, steps)
        self._mujoco.mj_forward(self._model, data)  # efforts and tip of the state after the steps


def _model(mujoco: Any, plant: Plant, servos: Servos) -> Any:
    arm = plant.arm
    efforts = servos.efforts.tolist()
    urdf = urdf_of(arm, density=plant.density, payload=plant.payload, efforts=efforts)
    spec = mujoco.MjSpec.from_string(urdf)
    spec.option.timestep = STEP
    spec.option.gravity = (0.0, 0.0, -GRAVITY)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    for index, name in enumerate(arm.names):
        element = spec.joint(name)
        element.armature = servos.rotor[index]
        element.frictionloss = servos.friction[index]
        if math.isfinite(arm.limits[index][0]):
            element.range = stops(arm, index)
        stiffness, damping = servos.stiffness[index], servos.damping[index]
        spec.add_actuator(
            name=name,
            target=name,
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gaintype=mujoco.mjtGain.mjGAIN_FIXED,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            gainprm=[stiffness, *[0.0] * 9],
            biasprm=[0.0, -stiffness, -damping, *[0.0] * 7],
            forcelimited=True,
            forcerange=(-efforts[index], efforts[index]),
        )
    x, y = arm.chain.joints[-1].link
    spec.joint(arm.chain.names[-1]).parent.add_site(name='tip', pos=(x, y, 0.0))
    return spec.compile()


def stops(arm: ArmDescription, index: int) -> tuple[float, float]:
    """Return the mechanical stops of a joint in rad or m; infinite where it has no limits."""
    (lower, upper), margin = arm.limits[index], STOP_MARGINS[arm.units[index]]
    return lower - margin, upper + margin


def _outstretched(arm: ArmDescription, density: float) -> tuple[Array, Array]:
    """Return (m,) the largest inertia that each joint moves, and the largest effort of gravity.

    That is kg m^2 and N m, of a joint that slides kg and N.
    """
    width, joints = link_width(arm.chain), arm.chain.joints
    # What a joint slides on counts as if it slid too.
    bodies = [inertial_of([*bone(joint, width), *guide(joint, width)], density) for joint in joints]
    tip = inertial_of(finger_tip(width), density)

    def outstretched(first: int, out: float) -> tuple[float, float]:
        turned, held, distance = 0.0, 0.0, out
        for body, joint in zip(bodies[first:], joints[first:], strict=True):
            farthest = kind_of(joint).farthest(joint)
            # The link frame of one that slides moves on by as much as the link gets longer.
            turned, held = _with(body, distance + farthest - joint.length, turned, held)
            distance += farthest
        return _with(tip, distance, turned, held)

    def slid(first: int, *others: Inertial) -> tuple[float, float]:
        mass = sum(body.mass for body in (*bodies[first:], tip, *others))
        return mass, GRAVITY * mass

    moved = [
        slid(index) if joint.slides else outstretched(index, 0.0)
        for index, joint in enumerate(joints)
    ]
    if arm.kinematics.sweep is not None:
        # As if all of it were at right angles to the axis, and gravity too.
        out = arm.kinematics.sweep.distance(arm.base_xyz)
        stand = inertial_of(post((out, 0.0, 0.0), width), density)
        moved.insert(0, _with(stand, 0.0, *outstretched(0, out)))
    elif arm.lift is not None:
        moved.insert(0, slid(0, inertial_of(foot(width), density)))
    inertia, holding = zip(*moved, strict=True)
    return np.array(inertia), np.array(holding)


def _with(body: Inertial, distance: float, inertia: float, holding: float) -> tuple[float, float]:
    """Add a body whose frame is at a distance in m to inertia and holding effort."""
    arm = distance + math.hypot(*body.center[:2])
    about_z = float(body.tensor[2, 2])
    return inertia + about_z + body.mass * arm * arm, holding + GRAVITY * body.mass * arm


def _import_mujoco() -> Any:
    try:
        import mujoco  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            f'the simulation needs the Python package mujoco ({error}): '
            f'{how_to_install("mujoco", "ik2d_ros.sim")}'
        ) from None
    return mujoco

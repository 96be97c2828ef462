"""The arm in physics: where it is, what holds it, and how far it hangs below its setpoint."""

from __future__ import annotations

import math

import numpy as np
import pytest
from harness import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.drawing.solids import bone, inertial_of, link_width
from ik2d_ros.drawing.tree import parts_of
from ik2d_ros.kinematics import Chain, Joint
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.sim.physics import GRAVITY, STOP_MARGINS, Physics

SHIPPED = ['snake', 'telescope', 'excavator', 'machines/so101', 'machines/scara_icube']
LINKED = {'machines/magician': 2e-4}  # m; its passive joints give, as MuJoCo's equalities are soft
ANGLE = st.floats(-math.pi, math.pi)


@pytest.fixture(autouse=True)
def _mujoco() -> None:
    pytest.importorskip('mujoco', reason='mujoco is not installed')


def pendulum(rpy: tuple[float, float, float]) -> ArmDescription:
    chain = Chain([Joint('a', (0.4, 0.0)), Joint('b', (0.3, 0.1), axis=-1)])
    return ArmDescription(chain, (0.0, 0.0), (MotionLimits(),) * 2, base_rpy=rpy)


def energy(arm: ArmDescription, q: np.ndarray) -> float:
    """The energy in J that the arm has by its height."""
    plane, width = Plane.from_pose(arm.base_xyz, arm.base_rpy), link_width(arm.chain)
    points, angle, total = arm.chain.forward(q), 0.0, 0.0
    for joint, position, place in zip(arm.chain.joints, q, points, strict=False):
        angle += joint.axis * position + joint.offset
        body = inertial_of(bone(joint, width))
        turn = complex(math.cos(angle), math.sin(angle))
        center = complex(*place) + turn * complex(*body.center[:2])
        total += body.mass * plane.point(center.real, center.imag)[2]
    tip = inertial_of(parts_of(arm)[-1].solids).mass
    return GRAVITY * (total + tip * plane.point(*points[-1])[2])


@settings(max_examples=10)
@given(ANGLE, ANGLE, st.just((0.0, 0.0, 0.0)) | st.tuples(*[ANGLE] * 3))
def test_its_servos_hold_it_by_the_slope_of_its_energy(
    a: float, b: float, rpy: tuple[float, float, float]
) -> None:
    """By the principle of virtual work, but for friction; in a level plane that is nothing."""
    arm = pendulum(rpy)
    physics = Physics(arm, (a, b))
    physics.advance(4000)
    q, h = physics.positions, 1e-5
    steps = h * np.eye(2)
    slope = [(energy(arm, q + step) - energy(arm, q - step)) / (2.0 * h) for step in steps]
    off = np.abs(np.subtract(physics.efforts, slope))
    assert (off <= 1.1 * physics.friction + 1e-3).all()


def test_the_mechanical_stops_are_beyond_the_limits() -> None:
    arm = load_arm(ROOT / 'config/two_bone.yaml')
    physics = Physics(arm, arm.home)
    physics.command((4.0, 4.0))
    physics.advance(3000)
    upper = np.array(arm.limits)[:, 1]
    assert (physics.positions > upper).all()
    assert (physics.positions < upper + STOP_MARGINS['rad'] + 0.05).all()


@pytest.mark.parametrize('name', [*SHIPPED, *LINKED])
def test_it_follows_its_setpoint_and_hangs_below_by_effort_over_stiffness(name: str) -> None:
    arm = load_arm(ROOT / f'config/{name}.yaml')
    goal = arm.clamped(tuple(home + 0.1 for home in arm.home))
    physics = Physics(arm, arm.home)
    for step in range(1, 201):
        share = step / 200
        physics.command([a + share * (b - a) for a, b in zip(arm.home, goal, strict=True)])
        physics.advance(10)
        tip = arm.kinematics.forward(physics.positions)
        assert physics.tip == pytest.approx(tip, abs=LINKED.get(name, 1e-9))
    physics.advance(2000)
    sag = physics.efforts / physics.stiffness
    assert np.abs(physics.velocities).max() < 1e-3
    assert physics.positions + sag == pytest.approx(goal, abs=1e-3)
    assert np.abs(sag).max() < 0.02

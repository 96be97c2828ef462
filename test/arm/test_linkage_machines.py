"""The shipped linkages, judged by their rods."""

from __future__ import annotations

import io

import numpy as np
import pytest
from harness import ROOT
from rods import MACHINES, tip_of_rods

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.urdf import urdf_of
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.sim.physics import Physics


def poses(arm: ArmDescription) -> list[tuple[float, ...]]:
    """Return poses within the limits."""
    lower, upper = np.array(arm.limits).T
    drawn = np.random.default_rng(0).uniform(lower, upper, (50, len(arm.names)))
    return [arm.clamped(positions) for positions in drawn.tolist()]


@pytest.mark.parametrize('name', MACHINES)
def test_the_tip_is_where_the_rods_put_it(name: str) -> None:
    arm = load_arm(ROOT / f'config/machines/{name}.yaml')
    for q in poses(arm):
        there = tip_of_rods(arm, q, MACHINES[name])
        assert arm.kinematics.forward(q) == pytest.approx(there, abs=1e-9)


@pytest.mark.parametrize('name', MACHINES)
def test_motor_positions_put_the_tip_of_the_urdf_in_the_same_place(name: str) -> None:
    yourdfpy = pytest.importorskip('yourdfpy', reason='yourdfpy is not installed')
    arm = load_arm(ROOT / f'config/machines/{name}.yaml')
    robot = yourdfpy.URDF.load(io.StringIO(urdf_of(arm)), load_meshes=False)
    assert tuple(robot.actuated_joint_names) == arm.names
    for q in poses(arm)[:10]:
        robot.update_cfg(np.array(q))
        tip = robot.get_transform('tip', arm.base_frame)[:3, 3]
        assert arm.kinematics.forward(q) == pytest.approx(tip, abs=1e-9)


@pytest.mark.parametrize('name', ['magician'])
def test_motors_hold_a_simulated_linkage_up(name: str) -> None:
    """Its passive joints give a little, since MuJoCo's equalities are soft."""
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    arm = load_arm(ROOT / f'config/machines/{name}.yaml')
    physics = Physics(arm, arm.home)
    physics.command(poses(arm)[0])
    physics.advance(3000)
    assert arm.kinematics.forward(physics.positions) == pytest.approx(physics.tip, abs=2e-4)
    sag = np.subtract(poses(arm)[0], physics.positions)
    assert sag == pytest.approx(np.array(physics.efforts) / physics.servos.stiffness, abs=1e-6)
    assert np.abs(sag).max() < 0.02

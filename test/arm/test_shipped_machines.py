"""The shipped machines match their public descriptions or their rods, and reach every target."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from public_machines import LEAN, LIMBS, SHIPPED, PublicLimb, file_of
from rods import MACHINES, tip_of_rods

from ik2d_ros.arm.urdf import urdf_of
from ik2d_ros.kinematics import Status, solve, solve_batch
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.pilot.parameters import load_configuration
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.sim.physics import Physics
from ik2d_ros.target.demo_path import demo_parameters
from ik2d_ros.target.paths import point_at


def random_positions(arm, count, seed=0):
    """(count, m) inside the limits, or within half a turn to either side without limits."""
    lower, upper = np.clip(np.array(arm.limits).T, -math.pi, math.pi)
    drawn = np.random.default_rng(seed).uniform(lower, upper, (count, len(arm.names)))
    return np.array([arm.clamped(positions) for positions in drawn])


@pytest.mark.parametrize(('name', 'node'), LIMBS)
def test_the_tip_is_where_the_public_description_puts_it(name, node):
    arm, limb = load_arm(file_of(name), node), PublicLimb(name, node)
    assert arm.base_frame == limb.base
    for positions in random_positions(arm, 50):
        public = limb.tip(dict(zip(arm.names, positions, strict=True)))
        assert math.dist(arm.kinematics.forward(positions), public) < LEAN.get(name, 1e-9)


@pytest.mark.parametrize(('name', 'node'), SHIPPED)
def test_every_reachable_target_is_reached(name, node):
    arm = load_arm(file_of(name), node)
    poses = [q for q in random_positions(arm, 200).tolist() if arm.kinematics.is_clear(q)]
    targets = [arm.kinematics.forward(q) for q in poses]
    batch = solve_batch(arm.kinematics, np.array(targets))
    assert set(batch.status) == {Status.REACHED}
    for target in targets[:10]:
        solution = solve(arm.kinematics, target, start=arm.home)
        assert solution.status is Status.REACHED
        assert math.dist(arm.kinematics.forward(solution.q), target) <= 1e-6


@pytest.mark.parametrize(('name', 'node'), SHIPPED)
def test_limits_are_plausible(name, node):
    """Placeholders such as 1000 rad/s, or two turns to either side, are replaced."""
    configuration = load_configuration(file_of(name), node_name=node)
    assert all(0.0 < limits.velocity <= 5.0 for limits in configuration.arm.motion)
    for lower, upper in configuration.arm.limits:
        assert not math.isfinite(lower) or upper - lower <= 2.0 * math.pi + 1e-4


@pytest.mark.parametrize(('name', 'node'), SHIPPED)
def test_the_demo_path_is_in_reach(name, node):
    """All of it in space; some of it in the plane, where it may show unreachable targets, too."""
    arm = load_arm(file_of(name), node)
    demo = demo_parameters(arm)
    points = [point_at(demo['path'], lap / 24, demo['center'], demo['size']) for lap in range(24)]
    plane = Plane.from_pose(demo['base.xyz'], demo['base.rpy'])
    if arm.carrier is None:
        own = [arm.kinematics.plane.locate(plane.point(*point))[:2] for point in points]
        status = solve_batch(arm.chain, np.array(own)).status
        assert np.count_nonzero(status == Status.REACHED) >= 3
        return
    places = np.array([plane.point(x, y) for x, y in points])
    assert (solve_batch(arm.kinematics, places).status == Status.REACHED).all()


@pytest.mark.parametrize('name', MACHINES)
def test_the_tip_is_where_the_rods_put_it(name: str) -> None:
    """In the URDF of the arm, too."""
    yourdfpy = pytest.importorskip('yourdfpy', reason='yourdfpy is not installed')
    arm = load_arm(file_of(name))
    robot = yourdfpy.URDF.load(io.StringIO(urdf_of(arm)), load_meshes=False)
    assert tuple(robot.actuated_joint_names) == arm.names
    for q in random_positions(arm, 50):
        there = tip_of_rods(arm, q, MACHINES[name])
        assert arm.kinematics.forward(q) == pytest.approx(there, abs=1e-9)
        robot.update_cfg(q)
        assert robot.get_transform('tip', arm.base_frame)[:3, 3] == pytest.approx(there, abs=1e-9)


@pytest.mark.parametrize('name', ['magician'])
def test_motors_hold_a_simulated_linkage_up(name: str) -> None:
    """Its passive joints give a little, since MuJoCo's equalities are soft."""
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    arm = load_arm(file_of(name))
    (q,) = random_positions(arm, 1)
    physics = Physics(arm, arm.home)
    physics.command(tuple(q))
    physics.advance(3000)
    assert arm.kinematics.forward(physics.positions) == pytest.approx(physics.tip, abs=2e-4)
    sag = np.subtract(q, physics.positions)
    assert sag == pytest.approx(np.array(physics.efforts) / physics.servos.stiffness, abs=1e-6)
    assert np.abs(sag).max() < 0.02

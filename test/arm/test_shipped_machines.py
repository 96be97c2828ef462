"""The shipped machines match their public descriptions or their rods, and reach every target."""

from __future__ import annotations

import math

import numpy as np
import pytest
from descriptions import PublicLimb
from harness import load_configuration
from public_machines import LEAN, LIMBS, SHIPPED, PublicRobot, file_of
from rods import MACHINES, tip_of_rods

from ik2d_ros.kinematics import Status, solve, solve_batch
from ik2d_ros.robot.export import urdf_of
from ik2d_ros.robot.from_urdf import load_arm


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


@pytest.mark.parametrize('name', MACHINES)
def test_the_tip_is_where_the_rods_put_it(name: str) -> None:
    """In the URDF of the arm, too."""
    arm = load_arm(file_of(name))
    robot = PublicRobot(urdf_of(arm))
    for q in random_positions(arm, 50):
        there = tip_of_rods(arm, q, MACHINES[name])
        assert arm.kinematics.forward(q) == pytest.approx(there, abs=1e-9)
        pose = robot.pose(arm.base_frame, 'tip', dict(zip(arm.names, q, strict=True)))
        assert pose.translation == pytest.approx(there, abs=1e-9)

"""The shipped machines match their public descriptions, and reach every target."""

from __future__ import annotations

import math

import numpy as np
import pytest
from descriptions import PublicLimb
from harness import load_configuration
from public_machines import LEAN, LIMBS, SHIPPED, file_of
from space import random_pose

from ik2d_ros.kinematics import Status, solve_batch
from ik2d_ros.robot.from_urdf import load_arm


def random_poses(arm, count):
    """(count, m) inside the limits."""
    rng = np.random.default_rng(0)
    return np.array([random_pose(arm, rng) for _ in range(count)])


@pytest.mark.parametrize(('name', 'node'), LIMBS)
def test_the_tip_is_where_the_public_description_puts_it(name, node):
    arm, limb = load_arm(file_of(name), node), PublicLimb(name, node)
    assert arm.base_frame == limb.base
    for positions in random_poses(arm.kinematics, 50):
        public = limb.tip(dict(zip(arm.names, positions, strict=True)))
        assert math.dist(arm.kinematics.forward(positions), public) < LEAN.get(name, 1e-9)


@pytest.mark.parametrize(('name', 'node'), SHIPPED)
def test_every_reachable_target_is_reached(name, node):
    """At its angle, too, where there is a joint for that, and at its roll."""
    arm = load_arm(file_of(name), node).kinematics
    poses = np.array([q for q in random_poses(arm, 200) if arm.is_clear(q)])
    rolls = poses[:, -1] if arm.roll is not None else None
    for angles in (None, arm.tip_angles(poses)) if len(arm.chain) > 2 else (None,):
        batch = solve_batch(arm, arm.forward(poses), angle=angles, roll=rolls)
        assert set(batch.status) == {Status.REACHED}


@pytest.mark.parametrize(('name', 'node'), SHIPPED)
def test_limits_are_plausible(name, node):
    """Placeholders such as 1000 rad/s, or two turns to either side, are replaced."""
    configuration = load_configuration(file_of(name), node_name=node)
    assert all(0.0 < limits.velocity <= 5.0 for limits in configuration.arm.motion)
    for lower, upper in configuration.arm.limits:
        assert not math.isfinite(lower) or upper - lower <= 2.0 * math.pi + 1e-4

"""The shipped machines match their public descriptions or their rods, and reach every target."""

from __future__ import annotations

import math

import numpy as np
import pytest
from descriptions import PublicLimb
from harness import examples, load_configuration
from public_machines import LEAN, LIMBS, SHIPPED, PublicRobot, file_of
from rods import MACHINES, tip_of_rods

from ik2d_ros.kinematics import Status, solve_batch
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
    rolls = np.array(poses)[:, -1] if arm.roll is not None else None
    batch = solve_batch(arm.kinematics, np.array(targets), roll=rolls)
    assert set(batch.status) == {Status.REACHED}


ROLLING = [name for name, node in LIMBS if load_arm(file_of(name), node).roll is not None]


@pytest.mark.parametrize('name', ROLLING)
def test_a_machine_with_a_roll_reaches_each_point_at_its_angle_and_roll(name):
    """By the forward kinematics of its public description."""
    arm, limb = load_arm(file_of(name)), PublicLimb(name, 'ik2d')
    bare = arm.kinematics.without_walls
    poses = random_positions(arm, examples(40), seed=1)
    publics = [limb.tip(dict(zip(arm.names, q, strict=True))) for q in poses]
    starts = random_positions(arm, len(poses), seed=2)
    angles, rolls = bare.tip_angles(poses), poses[:, -1]
    for each in (angles, None):
        found = solve_batch(bare, publics, start=starts, angle=each, roll=rolls)
        assert set(found.status) == {Status.REACHED}
        assert (found.q[:, -1] == rolls).all()
        assert ((bare.lower <= found.q) & (found.q <= bare.upper)).all()
        for q, public, error in zip(found.q, publics, found.error, strict=True):
            there = limb.tip(dict(zip(arm.names, q, strict=True)))
            assert math.dist(there, public) == pytest.approx(error, abs=1e-7)
            assert error <= 1e-6
        if each is not None:
            off = bare.tip_angles(found.q) - each
            assert np.abs(off - math.tau * np.rint(off / math.tau)).max() <= 1e-3


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

"""The shipped machines are those of the public robot descriptions, and reach what they can."""

import math
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from public_machines import LEAN, LIMBS, SHIPPED, PublicLimb, file_of

from ik2d_ros.arm.description import load_arm
from ik2d_ros.kinematics import Status, solve, solve_batch
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.node.parameters import load_configuration
from ik2d_ros.target.demo_path import demo_parameters
from ik2d_ros.target.paths import point_at


def random_positions(arm, count, seed=0):
    """(count, m) inside the limits; within a turn either way where there are none."""
    lower, upper = np.clip(np.array(arm.limits).T, -math.pi, math.pi)
    return np.random.default_rng(seed).uniform(lower, upper, (count, len(arm.names)))


@pytest.mark.parametrize(('name', 'node'), LIMBS)
def test_the_tip_is_where_the_public_description_puts_it(name, node):
    arm, limb = load_arm(file_of(name), node), PublicLimb(name, node)
    assert arm.base_frame == limb.base
    for positions in random_positions(arm, 50):
        public = limb.tip(dict(zip(arm.names, positions, strict=True)))
        assert math.dist(arm.kinematics.forward(positions), public) < LEAN.get(name, 1e-9)


@pytest.mark.parametrize(('name', 'node'), SHIPPED)
def test_it_reaches_what_it_can(name, node):
    arm = load_arm(file_of(name), node)
    targets = [arm.kinematics.forward(positions) for positions in random_positions(arm, 200)]
    batch = solve_batch(arm.kinematics, np.array(targets))
    assert set(batch.status) == {Status.REACHED}
    for target in targets[:10]:
        solution = solve(arm.kinematics, target, start=arm.home)
        assert solution.status is Status.REACHED
        assert math.dist(arm.kinematics.forward(solution.q), target) <= 1e-6


@pytest.mark.parametrize(('name', 'node'), SHIPPED)
def test_every_joint_has_a_velocity_and_stops_that_are_no_placeholders(name, node):
    """As 1000 rad/s, or two turns either way, would be."""
    configuration = load_configuration(file_of(name), node_name=node)
    assert all(0.0 < limits.velocity <= 5.0 for limits in configuration.arm.motion)
    for lower, upper in configuration.arm.limits:
        assert not math.isfinite(lower) or upper - lower <= 2.0 * math.pi + 1e-4


@pytest.mark.parametrize(('name', 'node'), SHIPPED)
def test_its_demo_path_is_where_the_arm_reaches(name, node):
    """All of it in space; in the plane most of it, so that something unreachable is seen too."""
    arm = load_arm(file_of(name), node)
    demo = demo_parameters(arm)
    points = [point_at(demo['path'], lap / 24, demo['center'], demo['size']) for lap in range(24)]
    if arm.carrier is None:
        status = solve_batch(arm.chain, np.array(points)).status
        assert 3 <= np.count_nonzero(status == Status.REACHED) < 24
        return
    plane = Plane.from_pose(demo['base.xyz'], demo['base.rpy'])
    places = np.array([plane.point(x, y) for x, y in points])
    assert (solve_batch(arm.kinematics, places).status == Status.REACHED).all()


ROBOT_DATA = Path(sysconfig.get_paths()['purelib'], 'cmeel.prefix/share/example-robot-data/robots')
ORIGINALS = {
    ('asr_twodof', 'ik2d'): ('asr_twodof_description/urdf/TwoDofs.urdf', 'Tip'),
    ('finger_edu', 'ik2d'): ('finger_edu_description/robots/finger_edu.urdf', 'finger_tip_link'),
    ('so101', 'ik2d'): ('so_arm_description/urdf/so101.urdf', 'gripper_frame_link'),
    **{
        (robot, f'/{leg.lower()}/ik2d'): (file, f'{leg}_{foot}')
        for robot, file, foot, legs in (
            ('solo12', 'solo_description/robots/solo12.urdf', 'FOOT', ('FL', 'FR', 'HL', 'HR')),
            ('go2', 'go2_description/urdf/go2.urdf', 'foot', ('FL', 'FR', 'RL', 'RR')),
        )
        for leg in legs
    },
}


@pytest.mark.parametrize('limb', ORIGINALS, ids=map(''.join, ORIGINALS))
def test_the_tip_is_where_the_original_puts_it(limb):
    """By the whole public file, where `pip install example-robot-data` has put it."""
    pinocchio = pytest.importorskip('pinocchio', reason='pinocchio is not installed')
    file, tip = ORIGINALS[limb]
    if not ROBOT_DATA.is_dir():
        pytest.skip('example-robot-data is not installed (it has 400 MB)')
    model = pinocchio.buildModelFromUrdf(str(ROBOT_DATA / file))
    data, frames = model.createData(), [model.getFrameId(tip)]
    arm = load_arm(file_of(limb[0]), limb[1])
    base = model.getFrameId(arm.base_frame)
    assert base < model.nframes
    for positions in random_positions(arm, 20):
        q = pinocchio.neutral(model)
        for name, position in zip(arm.names, positions, strict=True):
            q[model.joints[model.getJointId(name)].idx_q] = position
        pinocchio.framesForwardKinematics(model, data, q)
        place = data.oMf[base].actInv(data.oMf[frames[0]].translation)
        assert math.dist(arm.kinematics.forward(positions), place) < 1e-9

"""The URDF that is written of an arm is imported to the same arm."""

from __future__ import annotations

import math

import numpy as np
import pytest
from descriptions import ARM, arm_of, fixed, imported, joint, robot
from harness import ROOT
from public_machines import LIMBS, file_of

from ik2d_ros.arm.description import ArmDescription, load_arm
from ik2d_ros.arm.urdf import TIP, urdf_of
from ik2d_ros.robot.importing import import_arm
from ik2d_ros.robot.load import read_robot


def there_and_back(arm: ArmDescription) -> ArmDescription:
    return arm_of(import_arm(read_robot(urdf_of(arm), 'r.urdf'), arm.base_frame, TIP))


def assert_same(one: ArmDescription, other: ArmDescription) -> None:
    """The same joints and limits, and the same tip in any pose."""
    assert other.names == one.names
    assert other.units == one.units
    assert other.base_frame == one.base_frame
    assert np.array(other.limits) == pytest.approx(np.array(one.limits), abs=1e-12)
    assert [limits.velocity for limits in other.motion] == [
        limits.velocity for limits in one.motion
    ]
    spans = [(max(low, -math.pi), min(high, math.pi)) for low, high in one.limits]
    q = np.random.default_rng(3).uniform(*zip(*spans, strict=True), (50, len(spans)))
    assert np.abs(one.kinematics.forward(q) - other.kinematics.forward(q)).max() < 1e-9


PAN = joint('pan', 'base', 'body', axis='0 0 -1', xyz=(0.03, 0.02, 0.1), rpy=(0.1, -0.2, 0.3))
LIFT = joint('lift', 'fore', 'hand', 'prismatic', axis='0 -1 0', xyz=(0.1, 0.2, 0.0))


@pytest.mark.parametrize(
    'joints',
    [
        ARM,
        (ARM[0], joint('elbow', 'upper', 'fore', xyz=(0.3, 0, 0.1), axis='0 -1 0'), ARM[2]),
        (fixed('world', 'base', (0.1, 0.2, 0.3), (0.4, 0.5, 0.6)), *ARM),
        (PAN, joint('shoulder', 'body', 'upper', xyz=(0.1, 0.03, 0.3)), *ARM[1:]),
        (*ARM[:2], LIFT, fixed('hand', 'tool', (0.1, 0.0, 0.0))),
        (
            joint('rail', 'base', 'cart', 'prismatic', axis='0 0 1', xyz=(0.1, 0.2, 0.0)),
            joint('shoulder', 'cart', 'upper', xyz=(0.1, 0.0, 0.3)),
            joint('stick', 'upper', 'inner', 'prismatic', axis='-0.6 0 0.8', xyz=(0.3, 0, 0)),
            fixed('inner', 'tool', (0.3, 0.1, -0.2)),
        ),
        (
            *ARM[:2],
            joint('roll', 'fore', 'hand', axis='1 0 0'),
            fixed('hand', 'tool', (0.1, 0, 0.1)),
        ),
    ],
    ids=['plain', 'antiparallel', 'tilted', 'turntable', 'lift', 'slides', 'roll'],
)
def test_an_imported_arm_comes_back_from_its_urdf(joints: tuple[str, ...]) -> None:
    arm = arm_of(imported(robot(*joints)))
    back = there_and_back(arm)
    assert_same(arm, back)
    assert back.base_xyz == pytest.approx(arm.base_xyz, abs=1e-9)
    assert back.base_rpy == pytest.approx(arm.base_rpy, abs=1e-9)
    for one, other in zip(arm.chain.joints, back.chain.joints, strict=True):
        assert (other.axis, other.type) == (one.axis, one.type)
        assert other.offset == pytest.approx(one.offset, abs=1e-12)
        assert other.link == pytest.approx(one.link, abs=1e-9)


@pytest.mark.parametrize('name', ['rail', 'telescope', 'excavator'])
def test_the_shipped_arms_that_slide_come_back_from_their_urdf(name: str) -> None:
    arm = load_arm(ROOT / f'config/{name}.yaml')
    assert_same(arm, there_and_back(arm))


@pytest.mark.parametrize('name', ['magician', 'eezybotarm_mk1', 'robomaster_ep'])
def test_linkages_come_back_from_their_urdf_but_for_the_limits_of_bends(name: str) -> None:
    arm = load_arm(file_of(name))
    back = there_and_back(arm)
    assert_same(arm, back)
    assert [joint.absolute for joint in back.chain.joints] == [False, True]
    assert math.hypot(*back.chain.tool) == pytest.approx(math.hypot(*arm.chain.tool))


def test_a_joint_without_a_velocity_limit_has_none_when_it_comes_back() -> None:
    arm = arm_of(imported(robot(*ARM).replace('velocity="3"', 'velocity="0"')))
    assert not arm.has_motion_limits
    assert_same(arm, there_and_back(arm))


@pytest.mark.parametrize(('name', 'node'), LIMBS)
def test_the_arms_of_public_robots_come_back_from_their_urdf(name: str, node: str) -> None:
    arm = load_arm(file_of(name), node)
    assert_same(arm, there_and_back(arm))

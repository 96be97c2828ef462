"""The URDF of an arm is imported as the same arm."""

from __future__ import annotations

import math

import pytest
from descriptions import ARM, arm_of, assert_same, imported, robot
from public_machines import LIMBS, file_of

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.urdf import TIP, urdf_of
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.robot.importing import import_arm
from ik2d_ros.robot.load import read_robot


def there_and_back(arm: ArmDescription) -> ArmDescription:
    return arm_of(import_arm(read_robot(urdf_of(arm), 'r.urdf'), arm.base_frame, TIP))


def test_a_missing_velocity_limit_survives_a_round_trip() -> None:
    arm = arm_of(imported(robot(*ARM).replace('velocity="3"', 'velocity="0"')))
    assert not arm.has_motion_limits
    assert_same(arm, there_and_back(arm))


@pytest.mark.parametrize(('name', 'node'), LIMBS)
def test_shipped_arms_survive_a_round_trip(name: str, node: str) -> None:
    """Except for the limits of bends."""
    arm = load_arm(file_of(name), node)
    back = there_and_back(arm)
    assert_same(arm, back)
    assert [joint.absolute for joint in back.chain.joints] == [
        joint.absolute for joint in arm.chain.joints
    ]
    assert math.hypot(*back.chain.tool) == pytest.approx(math.hypot(*arm.chain.tool))

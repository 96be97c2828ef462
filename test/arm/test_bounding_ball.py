"""The ball around an arm contains every pose, and is not much larger."""

from __future__ import annotations

import math

import numpy as np
import pytest
from arms import chains
from carried import carried
from hypothesis import given, settings
from hypothesis import strategies as st
from space import random_pose, tip

from ik2d_ros.arm.bounding_ball import bounding_ball
from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Chain, Joint
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.robot.from_urdf import load_arm

CHORDS = 0.02  # of the radius, by which the outline of an area may cut off an arc


def planar(chain):
    home = tuple(min(max(0.0, lower), upper) for lower, upper in chain.limits)
    return ArmDescription(chain, home, (MotionLimits(),) * len(chain), base_xyz=(0.1, -0.2, 0.3))


@given(st.data(), st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_the_tip_is_inside_in_every_pose(data, seed):
    chain = data.draw(chains(st.integers(1, 3)))
    arm = data.draw(carried(planar(chain)))
    center, radius = bounding_ball(arm)
    rng = np.random.default_rng(seed)
    lower = arm.limits[0][0]
    for _ in range(20):
        pose = random_pose(arm.kinematics, rng)
        if arm.lift is not None and not math.isfinite(lower):
            pose[0] = arm.home[0]  # without limits, the lift is unbounded
        assert math.dist(tip(arm.kinematics, pose), center) <= (1.0 + CHORDS) * radius + 1e-9


@pytest.mark.parametrize('name', ['two_bone', 'excavator', 'rail', 'so101', 'scara_icube'])
def test_the_ball_is_not_much_larger_than_the_reached_points(name):
    arm = load_arm(find_config(name))
    center, radius = bounding_ball(arm)
    rng = np.random.default_rng(0)
    tips = [tip(arm.kinematics, random_pose(arm.kinematics, rng)) for _ in range(800)]
    assert max(math.dist(point, center) for point in tips) > 0.9 * radius
    # On both sides of the centre.
    assert max(math.dist(a, b) for a in tips[:300] for b in tips[:300]) > 1.2 * radius


def test_an_arm_that_is_a_point_has_a_ball():
    center, radius = bounding_ball(planar(Chain([Joint('still', link=(0.0, 0.0))])))
    assert center == pytest.approx((0.1, -0.2, 0.3))
    assert radius > 0.0

"""An arm in space: what it is made of, and where its tip is."""

import math

import numpy as np
import pytest
from arms import random_chain
from space import random_pose, some_arms

from ik2d_ros.kinematics import Arm, Chain, Ik2dError, Lift, Plane, Turntable

TWO = Chain.from_lengths([0.3, 0.25])
UPRIGHT = Plane.from_pose((0.0, 0.0, 0.1), (math.pi / 2, 0.0, 0.0))


def arms_of_all_kinds(rng):
    """Arms with a turntable, with a lift, and with neither."""
    plane = Plane.from_pose(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3))
    lifted = [Arm(random_chain(3, rng), plane, lift=Lift(axis, -1.0, 1.0)) for axis in (1, -1)]
    return [*some_arms(60, rng, lean=4.9e-3), *lifted, Arm(random_chain(3, rng), plane), Arm(TWO)]


def test_the_joints_are_named_before_to_after():
    arm = Arm(TWO, UPRIGHT, Turntable(lower=-1.0, upper=2.0, name='waist'))
    assert arm.names == ('waist', 'joint1', 'joint2')
    assert arm.limits == ((-1.0, 2.0), (-math.inf, math.inf), (-math.inf, math.inf))
    assert arm.middle == (0.5, 0.0, 0.0)
    assert arm.limited


def test_the_carried_plane_brings_the_chain_to_where_the_tip_is():
    rng = np.random.default_rng(4)
    for arm in arms_of_all_kinds(rng):
        q = random_pose(arm, rng)
        before = len(arm) - len(arm.chain)
        size = arm.chain.reach.outer + math.hypot(*arm.plane.origin)
        position = q[0] if before else 0.0
        carried = arm.carried_plane(position)
        assert carried.point(*arm.chain.forward(q[before:])[-1]) == pytest.approx(
            arm.forward(q), abs=1e-14 * size
        )
        axes = np.array(carried.axes)
        assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-14)
        assert np.cross(axes[0], axes[1]) == pytest.approx(axes[2], abs=1e-14)
        at_zero = arm.carried_plane(0.0)
        assert at_zero.origin == pytest.approx(arm.plane.origin, abs=1e-14 * size)
        assert np.array(at_zero.axes) == pytest.approx(np.array(arm.plane.axes), abs=1e-14)


@pytest.mark.parametrize('angle', [-4.99e-3, 4.99e-3, -5.01e-3, 5.01e-3, 0.5 * math.pi])
def test_an_axis_may_lean_out_of_the_plane_by_5_mrad(angle):
    axis = (0.0, math.sin(angle), math.cos(angle))
    if abs(angle) < 5e-3:
        Arm(TWO, UPRIGHT, Turntable(axis=axis, name='waist'))
        return
    with pytest.raises(Ik2dError, match=r"'waist'.*leans.*parallel to the plane, to 0\.005 rad"):
        Arm(TWO, UPRIGHT, Turntable(axis=axis, name='waist'))

"""An arm in space: what it is made of, and where its tip is."""

import math

import numpy as np
import pytest
from arms import random_chain
from space import random_pose, some_arms

from ik2d_ros.kinematics import Arm, Chain, Ik2dError, Joint, Lift, Plane, Turntable

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


REFUSED = {
    'both': (lambda: Arm(TWO, UPRIGHT, Turntable(), Lift()), 'not both'),
    'a name twice': (lambda: Arm(TWO, UPRIGHT, Turntable(name='joint1')), 'joint1'),
    'no chain': (lambda: Arm(Joint('a', (1, 0))), 'chain'),
    'no plane': (lambda: Arm(TWO, None), 'plane'),
    'a flat plane': (lambda: Arm(TWO, Plane((0, 0, 0), ((0, 0, 0),) * 3)), 'plane'),
    'a plane of NaN': (lambda: Arm(TWO, Plane((0, 0, math.nan), UPRIGHT.axes)), 'plane'),
    'a lift for a turntable': (lambda: Arm(TWO, UPRIGHT, Lift()), 'turntable'),
    'an axis of zero': (lambda: Turntable(axis=(0, 0, 0), name='waist'), 'waist.*axis'),
    'an axis of NaN': (lambda: Turntable(axis=(0, 0, math.nan)), 'axis'),
    'an axis of text': (lambda: Turntable(axis='abc'), 'axis'),
    'two coordinates': (lambda: Turntable(xyz=(0, 0)), 'xyz'),
    'one limit': (lambda: Turntable(lower=1.0), 'upper'),
    'limits the wrong way': (lambda: Turntable(lower=1.0, upper=0.0), 'above'),
    'an infinite limit': (lambda: Lift(lower=-math.inf, upper=0.0), 'lower.*finite'),
    'a lift askew': (lambda: Lift(axis=0.5), 'axis'),
    'no name': (lambda: Lift(name=''), 'name'),
    'a pose of two angles': (lambda: Plane.from_pose((0, 0, 0), (0, 0)), 'rpy'),
    'a pose of NaN': (lambda: Plane.from_pose((0, math.nan, 0), (0, 0, 0)), 'xyz'),
    'too few positions': (lambda: Arm(TWO, UPRIGHT, Turntable()).forward([0, 0]), '3 positions'),
    'a plane carried to NaN': (
        lambda: Arm(TWO, UPRIGHT, Turntable(name='waist')).carried_plane(math.nan),
        "position of joint 'waist' is nan",
    ),
    'a plane carried to text': (
        lambda: Arm(TWO, UPRIGHT, lift=Lift(name='quill')).carried_plane('up'),
        "position of joint 'quill' is 'up'",
    ),
    'a position of NaN': (
        lambda: Arm(TWO, UPRIGHT, Turntable(name='waist')).forward([math.nan, 0, 0]),
        'waist',
    ),
}


@pytest.mark.parametrize('what', REFUSED)
def test_what_is_no_arm_is_refused_by_name(what):
    make, words = REFUSED[what]
    with pytest.raises(Ik2dError, match=words):
        make()


def test_equal_arms_have_equal_hashes():
    def made():
        return Arm(Chain.from_lengths([0.3, 0.2]), Plane.from_pose((0.0,) * 3, (0.0,) * 3))

    one, same = made(), made()
    assert one == same
    assert hash(one) == hash(same)
    assert hash(Arm(one.chain, one.plane, Turntable(axis=one.plane.axes[1]))) != hash(one)

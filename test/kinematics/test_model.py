"""Chains, planes and arms: what they are made of, and where they put the tip."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from space import ARMS, random_pose, turned

from ik2d_ros.kinematics import Arm, Chain, Ik2dError, Joint, Plane, Turntable, solve


@pytest.mark.parametrize(
    ('lengths', 'inner', 'outer'),
    [
        ([0.5], 0.5, 0.5),
        ([0.3, 0.25], 0.05, 0.55),
        ([0.25, 0.3], 0.05, 0.55),
        ([1, 1, 1], 0, 3),
        ([5, 1, 1], 3, 7),
        ([0, 2, 0], 2, 2),
    ],
)
def test_the_annulus_of_known_arms(lengths, inner, outer):
    assert Chain.from_lengths(lengths).reach == pytest.approx((inner, outer))


def test_equal_chains_and_arms_are_equal_and_hash_alike():
    def made(*carrier):
        chain = Chain.from_lengths([1, 2], [(0, 1), None])
        return chain, Arm(chain, Plane.from_pose((0.0,) * 3, (0.0,) * 3), *carrier)

    for one, same, other in zip(made(), made(), made(Turntable(axis=(0.0, 1.0, 0.0))), strict=True):
        assert one == same
        assert hash(one) == hash(same) == hash(pickle.loads(pickle.dumps(one)))
        assert isinstance(one, Chain) or hash(one) != hash(other)
    assert made()[0] != Chain.from_lengths([1, 2])


def test_limits_are_kept_as_given():
    chain = Chain.from_lengths([1, 1], limits=[(-0.1, 0.2), None])
    assert chain.lower.tolist() == [-0.1, -math.inf]
    assert chain.upper.tolist() == [0.2, math.inf]
    assert [joint.continuous for joint in chain.joints] == [False, True]
    with pytest.raises(ValueError, match='read-only'):
        chain.lower[0] = 0.0


@pytest.mark.parametrize('turns', [(0, 1), (-2, 0), (3, -1)])
def test_whole_turns_of_an_absolute_joint_change_nothing(turns):
    """Where both limits of positions and of bends hold, too."""

    def linkage(turns):
        offsets = [turn * 2.0 * math.pi - 0.5 for turn in turns]
        return Chain(
            [
                Joint('upper', (0.3, 0.0), 0.0, 1.0),
                Joint('fore', (0.25, 0.0), -0.3, 0.3, offsets[0], 1, 'revolute', True, -2.0, -0.4),
                Joint('hand', (0.1, 0.0), -1.0, 1.0, offsets[1], 1, 'revolute', True, -0.2, 0.9),
            ]
        )

    plain, turned = linkage((0, 0)), linkage(turns)
    assert turned.middle == pytest.approx(plain.middle, abs=1e-9)
    assert turned.settled([0.0, 0.3, -1.0]) == pytest.approx(plain.settled([0.0, 0.3, -1.0]))
    for target in ((0.55, 0.1), (0.5, 0.2), (0.3, 0.3)):
        assert solve(turned, target).status is solve(plain, target).status


TWO = Chain.from_lengths([0.3, 0.25])
UPRIGHT = Plane.from_pose((0.0, 0.0, 0.1), (math.pi / 2, 0.0, 0.0))


def test_the_joints_are_named_before_to_after():
    arm = Arm(TWO, UPRIGHT, Turntable(lower=-1.0, upper=2.0, name='waist'))
    assert arm.names == ('waist', 'joint1', 'joint2')
    assert arm.limits == ((-1.0, 2.0), (-math.inf, math.inf), (-math.inf, math.inf))
    assert arm.middle == (0.5, 0.0, 0.0)
    assert arm.limited


@pytest.mark.parametrize('kind', ARMS)
def test_the_carried_plane_brings_the_chain_to_where_the_tip_is(kind):
    rng = np.random.default_rng(4)
    for _ in range(10):
        arm = ARMS[kind](rng)
        q, first = random_pose(arm, rng), len(arm) - len(arm.chain)
        slack = 1e-14 * (arm.chain.reach.outer + math.hypot(*arm.plane.origin))
        carried, at_zero = (arm.carried_plane(at) for at in (q[0] if first else 0.0, 0.0))
        there = carried.point(*arm.chain.forward(q[first:])[-1])
        assert there == pytest.approx(arm.forward(q), abs=slack)
        axes = np.array(carried.axes)
        assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-14)
        assert np.cross(axes[0], axes[1]) == pytest.approx(axes[2], abs=1e-14)
        assert at_zero.origin == pytest.approx(arm.plane.origin, abs=slack)
        assert np.array(at_zero.axes) == pytest.approx(np.array(arm.plane.axes), abs=1e-14)


@pytest.mark.parametrize('angle', [-4.99e-3, 4.99e-3, -5.01e-3, 5.01e-3, 0.5 * math.pi])
def test_an_axis_may_lean_out_of_the_plane_by_5_mrad(angle):
    axis = (0.0, math.sin(angle), math.cos(angle))
    if abs(angle) < 5e-3:
        Arm(TWO, UPRIGHT, Turntable(axis=axis, name='waist'))
        return
    with pytest.raises(Ik2dError, match=r"'waist'.*leans.*parallel to the plane, to 0\.005 rad"):
        Arm(TWO, UPRIGHT, Turntable(axis=axis, name='waist'))


metres = st.floats(-100.0, 100.0)
angles = st.floats(-7.0, 7.0)
vectors = st.tuples(metres, metres, metres)
poses = st.tuples(vectors, st.tuples(angles, angles, angles))


def turn(axis: int, angle: float) -> np.ndarray:
    """Rotation matrix about a coordinate axis."""
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = math.cos(angle)
    matrix[i, j], matrix[j, i] = -math.sin(angle), math.sin(angle)
    return matrix


@given(poses, vectors)
def test_a_point_is_where_fixed_axis_roll_pitch_yaw_put_it(pose, point):
    """And locating undoes placing."""
    xyz, (roll, pitch, yaw) = pose
    plane = Plane.from_pose(*pose)
    expected = turn(2, yaw) @ turn(1, pitch) @ turn(0, roll) @ point + xyz
    assert plane.point(*point) == pytest.approx(expected, abs=1e-9)
    assert plane.locate(plane.point(*point)) == pytest.approx(point, abs=1e-9)
    assert plane.point(*plane.locate(point)) == pytest.approx(point, abs=1e-9)


@given(angles, angles, st.floats(-13.0, 0.0), st.sampled_from([-1.0, 1.0]), angles, angles)
def test_roll_pitch_yaw_give_the_same_axes_however_near_to_upright(
    roll, yaw, nearness, sense, tilt, heading
) -> None:
    """Also of axes that rounding has turned, as those of a frame in another one are."""
    pitch = sense * (0.5 * math.pi - 10.0**nearness)
    frame = turn(2, heading) @ turn(1, tilt)
    rotation = frame.T @ (frame @ turn(2, yaw) @ turn(1, pitch) @ turn(0, roll))
    plane = Plane((0.0, 0.0, 0.0), tuple(map(tuple, rotation.T.tolist())))
    again = Plane.from_pose((0.0, 0.0, 0.0), plane.rpy())
    np.testing.assert_allclose(again.axes, plane.axes, rtol=0.0, atol=3e-12)


@given(vectors, vectors, vectors.filter(lambda axis: np.linalg.norm(axis) > 1e-3), angles)
def test_a_quaternion_of_any_length_turns_about_its_axis(xyz, point, axis, angle) -> None:
    # The quaternion has the length of the axis; Rodrigues' formula is the judge.
    x, y, z = math.sin(angle / 2) * np.array(axis)
    plane = Plane.from_quaternion(xyz, (x, y, z, math.cos(angle / 2) * np.linalg.norm(axis)))
    expected = turned(np.array(point), np.zeros(3), axis, angle) + xyz
    assert plane.point(*point) == pytest.approx(expected, abs=1e-9)
    assert plane.locate(plane.point(*point)) == pytest.approx(point, abs=1e-9)


@given(poses, angles)
def test_the_quaternion_is_that_of_the_axes(pose, angle) -> None:
    """Turned about the normal first, as the plane's own x-axis towards its y-axis."""
    plane = Plane.from_pose(*pose)
    x, y, normal = map(np.array, plane.axes)
    c, s = math.cos(angle), math.sin(angle)
    expected = np.array([c * x + s * y, c * y - s * x, normal])
    again = Plane.from_quaternion(plane.origin, plane.quaternion(angle))
    assert np.array(again.axes) == pytest.approx(expected, abs=1e-7)
    assert math.hypot(*plane.quaternion(angle)) == pytest.approx(1.0)

"""Chains, planes and arms: what they are made of, and where they put the tip."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from space import ARMS, is_carried, random_pose, turned

from ik2d_ros.kinematics import Arm, Chain, Ik2dError, Plane, Turntable

TWO = Chain.from_lengths([0.3, 0.25])
UPRIGHT = Plane.from_pose((0.0, 0.0, 0.1), (math.pi / 2, 0.0, 0.0))


@pytest.mark.parametrize('kind', ARMS)
def test_the_carried_plane_brings_the_chain_to_where_the_tip_is(kind):
    rng = np.random.default_rng(4)
    for _ in range(10):
        arm = ARMS[kind](rng)
        q, first = random_pose(arm, rng), int(is_carried(arm))
        slack = 1e-14 * (arm.chain.reach.outer + math.hypot(*arm.plane.origin))
        carried, at_zero = (arm.carried_plane(at) for at in (q[0] if first else 0.0, 0.0))
        there = carried.point(*arm.points(q)[-1])
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

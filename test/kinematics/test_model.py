"""Planes: where they put points, and the angles and quaternions of their axes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from ik2d_ros.kinematics import Plane

metres = st.floats(-100.0, 100.0)
angles = st.floats(-7.0, 7.0)
vectors = st.tuples(metres, metres, metres)
poses = st.tuples(vectors, st.tuples(angles, angles, angles))


@given(poses, vectors)
def test_a_point_is_where_fixed_axis_roll_pitch_yaw_put_it(pose, point):
    """And locating undoes placing."""
    xyz, rpy = pose
    plane = Plane.from_pose(*pose)
    expected = Rotation.from_euler('xyz', rpy).apply(point) + xyz
    assert plane.point(*point) == pytest.approx(expected, abs=1e-9)
    assert plane.locate(plane.point(*point)) == pytest.approx(point, abs=1e-9)
    assert plane.point(*plane.locate(point)) == pytest.approx(point, abs=1e-9)


@given(angles, angles, st.floats(-13.0, 0.0), st.sampled_from([-1.0, 1.0]), angles, angles)
def test_roll_pitch_yaw_give_the_same_axes_however_near_to_upright(
    roll, yaw, nearness, sense, tilt, heading
) -> None:
    """Also of axes that rounding has turned, as those of a frame in another one are."""
    pitch = sense * (0.5 * math.pi - 10.0**nearness)
    frame = Rotation.from_euler('ZY', (heading, tilt))
    own = Rotation.from_euler('ZYX', (yaw, pitch, roll))
    rotation = frame.as_matrix().T @ (frame * own).as_matrix()
    plane = Plane((0.0, 0.0, 0.0), tuple(map(tuple, rotation.T.tolist())))
    again = Plane.from_pose((0.0, 0.0, 0.0), plane.rpy())
    np.testing.assert_allclose(again.axes, plane.axes, rtol=0.0, atol=3e-12)


@given(poses, angles, st.floats(1e-3, 1e3))
def test_quaternions_of_any_length_are_those_of_the_axes(pose, angle, length) -> None:
    """Turned about the normal first, as the plane's own x-axis towards its y-axis."""
    plane = Plane.from_pose(*pose)
    rotation = Rotation.from_euler('xyz', pose[1]) * Rotation.from_euler('z', angle)
    assert math.hypot(*plane.quaternion(angle)) == pytest.approx(1.0)
    for quaternion in (plane.quaternion(angle), length * rotation.as_quat()):
        again = Plane.from_quaternion(plane.origin, tuple(quaternion))
        np.testing.assert_allclose(np.transpose(again.axes), rotation.as_matrix(), atol=1e-7)

"""The pose of the arm's plane, against rotation matrices multiplied by NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.kinematics.plane import Plane

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
def test_a_point_is_where_fixed_axis_roll_pitch_yaw_put_it(pose, point) -> None:
    xyz, (roll, pitch, yaw) = pose
    rotation = turn(2, yaw) @ turn(1, pitch) @ turn(0, roll)
    expected = rotation @ point + xyz
    assert Plane.from_pose(*pose).point(*point) == pytest.approx(expected, abs=1e-9)


@given(poses, vectors)
def test_locating_undoes_placing(pose, point) -> None:
    plane = Plane.from_pose(*pose)
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
    unit = np.array(axis) / np.linalg.norm(axis)
    turned = (
        math.cos(angle) * np.array(point)
        + math.sin(angle) * np.cross(unit, point)
        + (1.0 - math.cos(angle)) * np.dot(unit, point) * unit
    )
    assert plane.point(*point) == pytest.approx(turned + xyz, abs=1e-9)
    assert plane.locate(plane.point(*point)) == pytest.approx(point, abs=1e-9)


@given(poses, angles)
def test_the_quaternion_is_that_of_the_axes(pose, angle) -> None:
    """Turned about the normal first, as the plane's own x-axis towards its y-axis."""
    plane = Plane.from_pose(*pose)
    x, y, normal = map(np.array, plane.axes)
    c, s = math.cos(angle), math.sin(angle)
    expected = np.array([c * x + s * y, c * y - s * x, normal])
    turned = Plane.from_quaternion(plane.origin, plane.quaternion(angle))
    assert np.array(turned.axes) == pytest.approx(expected, abs=1e-7)
    assert math.hypot(*plane.quaternion(angle)) == pytest.approx(1.0)

"""Answers to targets with a tip angle, as plain data."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.node.answer import Target, answer, direction_of
from ik2d_ros.node.outcome import Code
from ik2d_ros.node.parameters import Configuration, configuration_from_parameters
from ik2d_ros.parameters.checks import ConfigError

TURN = 2.0 * math.pi
PARAMETERS: dict[str, object] = {
    'joints': ['shoulder', 'elbow', 'wrist'],
    'chain.shoulder.length': 0.3,
    'chain.elbow.length': 0.25,
    'chain.elbow.offset': 0.2,
    'chain.wrist.length': 0.1,
    'chain.wrist.axis': -1,
}
UPRIGHT: dict[str, object] = {
    'base.rpy': [math.pi / 2, 0.0, 0.0],
    'base.xyz': [0.02, 0.03, 0.1],
}
ARMS: dict[str, dict[str, object]] = {
    'plane': PARAMETERS,
    'upright': {**PARAMETERS, **UPRIGHT},
    'turntable': {**PARAMETERS, **UPRIGHT, 'turntable.joint': 'waist'},
    'lift': {
        **PARAMETERS,
        'lift.joint': 'quill',
        'lift.min_position': -0.1,
        'lift.max_position': 0.2,
    },
}
HOME = (0.4, 0.8, 0.3)
POINT = (0.3, 0.2, 0.0)
angles = st.floats(-math.pi, math.pi)


def configure(parameters: dict[str, object] = PARAMETERS, **changes: object) -> Configuration:
    return configuration_from_parameters({**parameters, **changes})


def heading(configuration: Configuration, positions: tuple[float, ...]) -> float:
    """The direction of the last link frame's x-axis in the plane, in rad."""
    arm = configuration.arm
    joints = zip(arm.chain.joints, arm.in_plane(positions), strict=True)
    return sum(joint.axis * q + joint.offset for joint, q in joints)


def apart(one: float, other: float) -> float:
    return abs(math.remainder(one - other, TURN))


def about_z(angle: float, length: float = 1.0) -> tuple[float, float, float, float]:
    return 0.0, 0.0, length * math.sin(0.5 * angle), length * math.cos(0.5 * angle)


def towards(point: Vector, quaternion: tuple[float, float, float, float]) -> Target:
    direction, fault = direction_of(quaternion)
    return Target(point, direction=direction, fault=fault)


@pytest.mark.parametrize('kind', ARMS)
@given(st.tuples(*[st.floats(-2.5, 2.5)] * 4), st.tuples(*[st.floats(-2.5, 2.5)] * 4), angles)
def test_the_last_link_points_along_the_x_axis_of_a_pose(
    kind: str, there: tuple[float, ...], here: tuple[float, ...], roll: float
) -> None:
    """Whatever the pose is rolled about that axis, and wherever the plane is carried."""
    configuration = configure(ARMS[kind])
    arm = configuration.arm
    there, here = (arm.clamped(pose[-len(arm.names) :]) for pose in (there, here))
    plane, angle = arm.plane_at(there), heading(configuration, there)
    x, y, z = arm.kinematics.forward(there).tolist()
    u, v, n = plane.axes
    direction = [math.cos(angle) * a + math.sin(angle) * b for a, b in zip(u, v, strict=True)]
    if kind != 'turntable':
        # Out of the plane, it is projected; with a turntable, both turns have their own shadow.
        direction = [0.8 * a + 0.6 * math.sin(roll) * b for a, b in zip(direction, n, strict=True)]
    ax, ay, az = direction
    length = math.hypot(ax, ay, az)
    target = Target((x, y, z), direction=(ax / length, ay / length, az / length))
    result = answer(target, configuration, here)
    assert result.report.code is Code.REACHED
    tip = arm.kinematics.forward(result.positions)
    assert math.dist(tip, (x, y, z)) <= 1e-6
    shadow = arm.plane_at(result.positions)
    wanted = math.atan2(
        *(sum(map(float.__mul__, target.direction, axis)) for axis in shadow.axes[1::-1])
    )
    assert apart(heading(configuration, result.positions), wanted) <= 1e-6
    assert result.report.angle_error <= 1e-6


@pytest.mark.parametrize(
    ('quaternion', 'words'),
    [
        ((0.0, 0.0, 0.0, 0.0), 'has no orientation: the quaternion is (0, 0, 0, 0)'),
        ((math.nan, 0.0, 0.0, 1.0), 'is not finite: the quaternion (nan, 0, 0, 1)'),
        ((0.0, math.inf, 0.0, 1.0), 'is not finite: the quaternion (0, inf, 0, 1)'),
    ],
)
@pytest.mark.parametrize('kind', ARMS)
def test_an_invalid_orientation_is_refused(
    kind: str, quaternion: tuple[float, float, float, float], words: str
) -> None:
    configuration = configure(ARMS[kind])
    result = answer(towards(POINT, quaternion), configuration, configuration.arm.home)
    assert result.report.code is Code.INVALID_TARGET
    assert words in result.report.message
    assert result.report.message.endswith('The arm holds.')
    assert result.positions == configuration.arm.home


@pytest.mark.parametrize('kind', ARMS)
@given(angles)
def test_a_direction_along_the_normal_is_refused(kind: str, turn: float) -> None:
    # Beside the axis, the plane would stand otherwise over the back.
    configuration = configure({**ARMS[kind], 'base.xyz': [0.02, 0.0, 0.1]})
    arm = configuration.arm
    pose = (turn, *HOME) if kind == 'turntable' else arm.home
    x, y, z = arm.kinematics.forward(pose).tolist()
    target = Target((x, y, z), direction=arm.plane_at(pose).axes[2])
    report = answer(target, configuration, pose).report
    assert report.code is Code.INVALID_TARGET
    assert "its x-axis is along the plane's normal" in report.message


@pytest.mark.parametrize('joints', [1, 2])
def test_an_angle_is_refused_for_too_few_joints(joints: int) -> None:
    names = ['shoulder', 'elbow'][:joints]
    few = {'joints': names, **{f'chain.{name}.length': 0.3 for name in names}}
    with pytest.raises(
        ConfigError, match=rf"'tip_angle' is 0.5; .* NaN for this arm: .* has {joints}"
    ):
        configure({**few, 'tip_angle': 0.5})
    configuration = configure({**few, 'tip_angle': math.nan})
    report = answer(towards(POINT, about_z(0.1)), configuration, (0.0,) * joints).report
    assert report.code is Code.INVALID_TARGET
    assert f'this chain has {joints}' in report.message
    assert '~/target' in report.message

"""Values in degrees and millimetres are reported."""

from __future__ import annotations

import pytest

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.arm.suspicion import suspicious_start, suspicious_values

ARM = {
    'joints': ['shoulder', 'boom'],
    'chain.shoulder.length': 0.3,
    'chain.boom.type': 'prismatic',
    'chain.boom.length': 0.2,
    'chain.boom.min_position': 0.0,
    'chain.boom.max_position': 0.3,
}
TURN = {'chain.shoulder.min_position': -6.2832, 'chain.shoulder.max_position': 6.2832}


def arm_with(**more: object) -> ArmDescription:
    return arm_from_parameters({**ARM, **TURN, **more})


def test_an_arm_in_rad_and_m_is_not_suspicious() -> None:
    assert list(suspicious_values(arm_with())) == []
    assert list(suspicious_values(arm_with(**{'chain.shoulder.max_velocity': 49.0}))) == []


@pytest.mark.parametrize(
    ('name', 'value', 'words'),
    [
        ('chain.shoulder.max_position', 90.0, ["'shoulder'", '90 rad', 'degrees', '1.571 rad']),
        ('chain.shoulder.max_velocity', 180.0, ["'shoulder'", '180 rad/s', 'degrees', '3.142']),
        ('chain.shoulder.length', 300.0, ["'shoulder'", '300 m', 'millimetres', '0.3 m']),
        ('chain.boom.max_position', 300.0, ["'boom'", '300 m', 'millimetres', '0.3 m']),
    ],
)
def test_a_value_in_another_unit_is_reported_with_its_conversion(
    name: str, value: float, words: list[str]
) -> None:
    (text,) = suspicious_values(arm_with(**{name: value}))
    assert [word for word in words if word not in text] == []


def test_a_start_outside_the_limits_is_reported() -> None:
    arm = arm_with()
    assert list(suspicious_start(arm, (1.0, 0.1))) == []
    turned, slid = suspicious_start(arm, (90.0, 200.0))
    assert 'degrees? They would be 1.571 rad' in turned
    assert 'millimetres? They would be 0.2 m' in slid
    assert 'the nearest limit is taken' in slid


def test_a_start_just_outside_the_limits_is_not_mistaken_for_degrees() -> None:
    (text,) = suspicious_start(arm_with(), (6.5, 0.1))
    assert 'is outside its limits' in text
    assert 'degrees' not in text

"""The URDF and the parameter file of an arm give the same arm again."""

from __future__ import annotations

import contextlib
import math
from xml.sax.saxutils import quoteattr

import pytest
from descriptions import ARM, arm_of, assert_same, imported, robot
from hypothesis import given
from hypothesis import strategies as st
from public_machines import LIMBS, file_of

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.urdf import TIP, urdf_of
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.parameters.sanitize import is_printable
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.robot.importing import Imported, import_arm
from ik2d_ros.robot.load import read_robot
from ik2d_ros.robot.parameter_text import parameter_text


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


NAMES = st.one_of(
    st.sampled_from(
        ['y', 'no', 'null', '1', '1e3', '0x10', '~', '.inf', '- a', '# b', 'a: b', '{', '*x']
    ),
    st.text(
        st.characters(blacklist_categories=('C', 'Z'), max_codepoint=0x2FFF),
        min_size=1,
        max_size=12,
    ),
)


def named(name: str) -> Imported:
    text = robot(*ARM).replace('"elbow"', quoteattr(name)).replace('"base"', quoteattr(f'{name} 2'))
    return imported(text)


@given(name=NAMES)
def test_any_names_survive_a_round_trip(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    result = named(name)
    path = tmp_path_factory.getbasetemp() / 'names.yaml'
    path.write_text(parameter_text(result, 'arm.urdf'), encoding='utf-8')
    assert load_parameters(path) == result.parameters
    assert load_arm(path) == arm_of(result)


@pytest.mark.parametrize(
    'name', ['a\n/**: {ros__parameters: {x: 1}}', 'a\x85b', '\u202eevil', 'x' * 300]
)
def test_names_cannot_forge_lines(name: str) -> None:
    with contextlib.suppress(ConfigError):
        text = parameter_text(named(name), f'{name}.urdf')
        assert all(is_printable(line) for line in text.splitlines())
        assert text.count('/**:') == 1

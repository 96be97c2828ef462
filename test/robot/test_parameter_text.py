"""The parameter file of an imported arm gives the same parameters when it is read."""

from __future__ import annotations

import contextlib
from xml.sax.saxutils import quoteattr

import pytest
from descriptions import ARM, arm_of, imported, robot
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.parameters.sanitize import is_printable
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.robot.importing import Imported
from ik2d_ros.robot.parameter_text import parameter_text

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

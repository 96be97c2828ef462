"""From a parameter file to parameters, as ROS reads it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import load_parameters


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


SCALARS = {
    '1': 1,
    '-3': -3,
    '1.5': 1.5,
    '1.': 1.0,
    '.5': 0.5,
    '1e-6': 1e-6,
    '-2.5E+3': -2500.0,
    '.inf': math.inf,
    '-.inf': -math.inf,
    'inf': math.inf,
    'yes': True,
    'y': True,
    'Off': False,
    'true': True,
    '"1"': '1',
    "'yes'": 'yes',
    'auto': 'auto',
    '1_000': '1_000',
    '~': '~',
    'null': 'null',
    '0.3.': '0.3.',
    '[1, 2]': [1, 2],
    '[1.0, .nan]': [1.0, math.nan],
    '[a, "b"]': ['a', 'b'],
    '!!python/tuple [1.0, 2.0]': [1.0, 2.0],  # as launch files pass lists on
    '!!python/object/apply:os.system ["false"]': ['false'],
}


def as_rclpy_reads(path: Path) -> dict[str, object]:
    """The parameters that a real node gets from a file."""
    import rclpy
    from rclpy.node import Node

    context = rclpy.Context()
    rclpy.init(context=context, args=['test', '--ros-args', '--params-file', str(path)])
    try:
        node = Node('ik2d', context=context, automatically_declare_parameters_from_overrides=True)
        given = node.get_parameters_by_prefix('')
        values = {name: given[name].value for name in given if name.startswith('p')}
        node.destroy_node()
        return values
    finally:
        rclpy.shutdown(context=context)


def test_values_are_read_as_ros_reads_them(tmp_path: Path, ros_environment: int) -> None:
    text = '\n'.join(f'    p{i}: {scalar}' for i, scalar in enumerate(SCALARS))
    path = write(tmp_path / 'p.yaml', f'/**:\n  ros__parameters:\n{text}\n')
    ours = load_parameters(path)
    theirs = as_rclpy_reads(path)
    assert repr(list(ours.values())) == repr(list(SCALARS.values()))
    assert {name: repr(value) for name, value in ours.items()} == {
        name: repr(value if isinstance(value, (str, int, float)) else list(value))  # type: ignore[call-overload]
        for name, value in theirs.items()
    }


def test_nested_and_dotted_names_are_the_same(tmp_path: Path) -> None:
    text = '/**:\n  ros__parameters:\n    chain: {elbow: {length: 1, axis: -1}}\n    chain.a.b: x\n'
    assert load_parameters(write(tmp_path / 'p.yaml', text)) == {
        'chain.elbow.length': 1,
        'chain.elbow.axis': -1,
        'chain.a.b': 'x',
    }


SECTIONS = '{name}:\n  ros__parameters:\n    p: {value}\n'


@pytest.mark.parametrize(
    ('section', 'node', 'matches'),
    [
        ('/**', 'ik2d', True),
        ('/**', '/left/ik2d', True),
        ('/*', 'ik2d', True),
        ('/*', '/ik2d', True),
        ('/*', '/left/ik2d', False),
        ('ik2d', 'ik2d', True),
        ('/ik2d', 'ik2d', True),
        ('/left/ik2d', 'ik2d', True),
        ('/left/ik2d', '/left/ik2d', True),
        ('/left/ik2d', '/right/ik2d', False),
        ('/left/*', '/left/ik2d', True),
        ('/left/**', 'ik2d', True),
        ('/**/ik2d', '/a/b/ik2d', True),
        ('/**/other', '/a/b/ik2d', False),
        ('ik2d2', 'ik2d', False),
        ('other', 'ik2d', False),
    ],
)
def test_sections_match_nodes_as_in_ros(
    tmp_path: Path, section: str, node: str, matches: bool
) -> None:
    path = write(tmp_path / 'p.yaml', SECTIONS.format(name=section, value=1))
    if matches:
        assert load_parameters(path, node) == {'p': 1}
    else:
        with pytest.raises(ConfigError) as raised:
            load_parameters(path, node)
        assert all(word in str(raised.value) for word in (str(path), section, node, '/**'))


def test_a_namespace_may_be_a_level_of_its_own(tmp_path: Path) -> None:
    level = '{}:\n  ik2d:\n    ros__parameters: {{p: {}}}\n'
    text = level.format('left', 1) + level.format('right', 2)
    path = write(tmp_path / 'p.yaml', text)
    assert load_parameters(path, '/left/ik2d') == {'p': 1}
    assert load_parameters(path, '/right/ik2d') == {'p': 2}
    with pytest.raises(ConfigError, match=r'several nodes.*/left/ik2d, /right/ik2d'):
        load_parameters(path)


def test_later_sections_win(tmp_path: Path, ros_environment: int) -> None:
    values = {'/**': 1, 'ik2d': 2, '/*': 3}
    text = ''.join(SECTIONS.format(name=name, value=value) for name, value in values.items())
    path = write(tmp_path / 'p.yaml', text + SECTIONS.format(name='/**', value=4))
    assert load_parameters(path) == as_rclpy_reads(path) == {'p': 3}


@pytest.mark.parametrize(
    ('value', 'words'),
    [('[1.57, 0, 0]', r'write \[1.57, 0.0, 0.0\]'), ('[90 deg, 0]', "'90 deg', '0 deg'")],
)
def test_a_list_of_mixed_kinds_says_how_to_write_it(tmp_path: Path, value: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        load_parameters(write(tmp_path / 'p.yaml', SECTIONS.format(name='/**', value=value)))

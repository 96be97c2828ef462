"""From a parameter file to parameters, as ROS reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import once
from public_machines import SHIPPED

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import load_parameters, rewritten
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.parameters.table import ROS_PARAMETERS, same
from ik2d_ros.robot.from_urdf import load_arm, load_completed


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


ODD = [
    *('1', '-3', '+4', '0.0', '-0.0', '1.5', '+1.5', '1.', '.5', '1e-6', '-2.5E+3', '1E3', '1.e5'),
    *('99999999999999999', '9223372036854775808', '1e999', '.inf', '-.inf', '.INF', 'inf', '-inf'),
    *('.nan', '.NaN', 'nan', '-nan', '0.3.', '.5.', '1e', '1e+', 'e1', '+.', '1_000', '1,5', '0b1'),
    *('1:30', '2001-01-01', '90deg', '90 deg', '1.0f', '--1', 'yes', 'y', 'Y', 'yEs', 'no', 'Off'),
    *('on', 'true', 'TRUE', 'tRue', '~', 'null', 'None', '=', 'a#b', "'a b'", '"1"', "'yes'", '""'),
    *('"\\n"', 'é', '|\n      some\n      text', '>\n      some\n      text'),
    *('[1, 2]', '[1.0, .nan]', '[a, "b"]', '[true, no]', '[.5, 1.]', '[1.0, 1e-6]'),
    *('!!python/tuple [1.0, 2.0]', '!!python/object/apply:os.system ["false"]'),
]
LIMBS = [('two_bone', 'ik2d'), *SHIPPED]


def as_rclpy_reads(path: Path, node: str = 'ik2d') -> dict[str, object]:
    """The parameters that a real node gets from a file."""
    import rclpy
    from rclpy.node import Node

    context, (namespace, _, name) = rclpy.Context(), node.rpartition('/')
    rclpy.init(context=context, args=['test', '--ros-args', '--params-file', str(path)])
    how = {'namespace': namespace or None, 'automatically_declare_parameters_from_overrides': True}
    try:
        made = Node(name, context=context, **how)
        read = {name: each.value for name, each in made.get_parameters_by_prefix('').items()}
        made.destroy_node()
        return {name: read[name] for name in read if not name.startswith(ROS_PARAMETERS)}
    finally:
        rclpy.shutdown(context=context)


def test_values_are_read_as_ros_reads_them(tmp_path: Path, ros_environment: int) -> None:
    text = '\n'.join(f'    p{i}: {scalar}' for i, scalar in enumerate(ODD))
    path = write(tmp_path / 'p.yaml', f'/**:\n  ros__parameters:\n{text}\n')
    theirs = as_rclpy_reads(path)
    for name, value in load_parameters(path).items():
        other = theirs[name]
        assert type(other) is type(value) or isinstance(value, list), name
        assert same(value, other), name


@once
@pytest.mark.parametrize(('name', 'node'), LIMBS)
def test_shipped_files_are_read_as_ros_reads_them(
    name: str, node: str, ros_environment: int
) -> None:
    path = find_config(name)
    ours, theirs = load_parameters(path, node), as_rclpy_reads(path, node)
    assert ours.keys() == theirs.keys()
    assert all(same(ours[name], theirs[name]) for name in ours)


SECTIONS = '{name}:\n  ros__parameters:\n    p: {value}\n'


@pytest.mark.parametrize(
    ('section', 'node', 'matches'),
    [
        ('/*', 'ik2d', True),
        ('/*', '/left/ik2d', False),
        ('/left/ik2d', 'ik2d', True),
        ('/left/ik2d', '/right/ik2d', False),
        ('/left/*', '/left/ik2d', True),
        ('/left/**', 'ik2d', True),
        ('/**/ik2d', '/a/b/ik2d', True),
        ('/**/other', '/a/b/ik2d', False),
        ('ik2d2', 'ik2d', False),
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


JOINT = '    joints: [a]\n    chain:\n      a:\n        '


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('    p: [1.57, 0, 0]', r'write \[1.57, 0.0, 0.0\]'),
        ('    p: [90 deg, 0]', "'90 deg', '0 deg'"),
        ('    chain: {a: {length: 0,25}}', "a.25' has no value; a number has a point, not a comma"),
        ('    chain: {a: {length:0.25}}', "a space is missing after the colon: 'length: 0.25'"),
        ('    length: 0.3\n\ttolerance: 1.0', 'line 4 .* a tab; indent with spaces'),
        ('    joints: [a\n    b: 1', 'line 4 is not valid YAML'),
        ('    p: 1\n    b:', "'b' has no value"),
        ('    a: &x 1\n    b: *x', r'aliases.*\*x'),
        (f'{JOINT}length: 0,25', 'a number has a point, not a comma: 0.25'),
        (f'{JOINT}length:0.25', "a space is missing after the colon: 'length: 0.25'"),
    ],
)
def test_what_is_mistyped_gets_a_word(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        load_arm(write(tmp_path / 'p.yaml', f'/**:\n  ros__parameters:\n{text}\n'))


NO_FILES = {
    None: 'cannot be read: No such file',
    b'\xff': 'is not a text file in UTF-8',
    b'': 'is not a ROS parameter file',
    b'a: [': 'line 2 is not valid YAML',
    b'joints: [a]': "'joints' is not under ros__parameters",
    b'ros__parameters: {a: 1}': "'ros__parameters.a' is not under .* of a node",
}


@pytest.mark.parametrize(('content', 'words'), NO_FILES.items())
@pytest.mark.parametrize('read', [load_parameters, lambda path: rewritten(path, 'ik2d', {})])
def test_a_refusal_names_the_file_once_and_the_reason(
    tmp_path: Path, read: Callable[[Path], object], content: bytes | None, words: str
) -> None:
    path = tmp_path / 'p.yaml'
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=f'^{path}: {words}') as raised:
        read(path)
    assert str(raised.value).count(str(path)) == 1


IN_DEGREES = """# My arm
/**:
  ros__parameters:
    joints: [a, b]  # base first
    chain:
      a: {length: 0.3, offset: '30 deg'}  # the upper one
      b:
        length: 0.25
        offset: 10 deg
    base.rpy: ['90 deg', '0 deg', '0 deg']
"""


@pytest.mark.parametrize(('name', 'node'), [*LIMBS, ('degrees', 'ik2d')])
def test_a_rewritten_file_has_other_numbers_and_all_else(
    tmp_path: Path, name: str, node: str
) -> None:
    path = tmp_path / 'old.yaml'
    path.write_text(IN_DEGREES if name == 'degrees' else find_config(name).read_text())
    before = load_completed(path, node)
    joints = [f'chain.{joint}.offset' for joint in before['joints']]
    changes = {each: before.get(each, 0.0) + 0.1 for each in joints}
    changes['base.rpy'] = [each + 0.1 for each in before.get('base.rpy', [0.0] * 3)]
    text = rewritten(path, node, changes)
    after = load_completed(write(tmp_path / 'new.yaml', text), node)
    assert after.keys() == {**before, **changes}.keys()
    for each, value in {**before, **changes}.items():
        assert after[each] == (pytest.approx(value) if each in changes else value), each
    old, new = path.read_text(), text
    assert re.findall('#.*| deg', old) == re.findall('#.*| deg', new)
    assert old.count('\n') <= new.count('\n') <= old.count('\n') + len(changes.keys() - before)


def test_parameters_are_added_and_removed_where_they_belong(tmp_path: Path) -> None:
    text = """/**:
  ros__parameters:
    joints:
    - a  # base first
    - b
    chain: {a: {length: 0.3}, b: {length: 0.2}}  # m
    poses:
      up: {b: 1.0}
    hold:
      jaw: 0.1  # rad
"""
    changes = {'joints': ['a', 'c', 'd'], 'chain.b.length': None, 'poses.up.b': None}
    changes |= {'chain.c.length': 0.1, 'chain.c.home': 1.0, 'hold.thumb': 0.2, 'solver': 'ccd'}
    expected = """/**:
  ros__parameters:
    joints:
    - a  # base first
    - c
    - d
    chain: {a: {length: 0.3}, c: {length: 0.1, home: 1.0}}  # m
    hold:
      jaw: 0.1  # rad
      thumb: 0.2
    solver: ccd
"""
    assert rewritten(write(tmp_path / 'old.yaml', text), 'ik2d', changes) == expected

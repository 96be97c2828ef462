"""A bad parameter file is refused in one clear line, and soon, whoever reads it.

With IK2D_FAULTS_FULL=1 the sizes are those of an attack.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness import load_configuration
from sizes import FULL

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.ros.process import check_parameter_files

IN_SECTION = '/**:\n  ros__parameters:\n'
ARM = f'{IN_SECTION}    joints: [a]\n    chain: {{a: {{length: 1.0}}}}\n'
LARGE = 50_000_000 if FULL else 2_000_000
MANY = 10_000 if FULL else 1_000


def joints(count: int) -> str:
    names = [f'joint_{i}' for i in range(count)]
    return f'{IN_SECTION}    joints: [{", ".join(names)}]\n    chain:\n' + ''.join(
        f'      {name}: {{length: 0.1, min_position: -1.0, max_position: 1.0}}\n' for name in names
    )


BAD = {
    'nesting': (f'{IN_SECTION}    a: {"{a: " * 500}1{"}" * 500}\n', ['nested', '32 levels']),
    'a large file': (f'{ARM}# {"x" * LARGE}', ['too large', '1000000']),
    'many joints': (joints(MANY), ["'joints'", 'at most 64']),
    'digits': (f'{ARM}    tolerance: {"9" * 5000}\n', ["'tolerance'", "'999", '...', '> 0']),
    'a joint of control characters': (
        f'{IN_SECTION}    joints: ["a\\x1b[2J"]\n',
        ["'joints'", r'a\x1b[2J', 'control characters'],
    ),
    'a tab': (f'{ARM}\ttolerance: 1.0\n', ['line 5', 'a tab; indent with spaces']),
    'a strange node': ('"a b":\n  ros__parameters: {b: 1}\n', ["node 'ik2d'", 'only for: a b;']),
    'two nodes': (
        ''.join(f'/{side}/ik2d:\n  ros__parameters: {{b: 1}}\n' for side in ('left', 'right')),
        ['/left/ik2d', '/right/ik2d', '--node /left/ik2d', 'namespace:=/left'],
    ),
    'Latin-1': (f'{ARM}    base_frame: é\n'.encode('latin-1'), ['UTF-8']),
    'nothing': ('', ['not a ROS parameter file']),
    'broken': (f'{IN_SECTION}    joints: [a\n    b: 1\n', ['is not valid YAML', 'line 4']),
    'no section': ('joints: [a]\n', ["'joints'", 'not under ros__parameters']),
    'no node': ('ros__parameters:\n  a: 1\n', ["'ros__parameters.a'", 'of a node']),
    'no value': (f'{IN_SECTION}    a: 1\n    b:\n', ["'b'", 'no value']),
    'alias': (f'{IN_SECTION}    a: &x 1\n    b: *x\n', ['aliases', '*x']),
}
FOR_THE_ARM_ONLY = (
    *('many joints', 'digits', 'a joint of control characters', 'a strange node', 'two nodes'),
)


@pytest.mark.parametrize('name', BAD)
def test_a_bad_file_gives_the_same_line_from_command_line_and_node(
    tmp_path: Path, name: str
) -> None:
    content, words = BAD[name]
    path = tmp_path / 'bad.yaml'
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigError) as raised:
        load_configuration(path)
    line = str(raised.value)
    assert [word for word in (str(path), *words) if word not in line] == []
    assert '\n' not in line
    assert len(line) < 2000
    if name not in FOR_THE_ARM_ONLY:
        with pytest.raises(ConfigError, match=re.escape(line)):
            check_parameter_files(['ik2d_node', '--ros-args', '--params-file', str(path)])

"""Whatever is in a parameter file: an arm that works, or a ConfigError in one line; nothing else.

With IK2D_FAULTS_FULL=1, and so in `make faults` and `make fuzz`, the search goes on for
IK2D_FUZZ_SECONDS (600), from another beginning each time.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
import yaml
from faults import for_a_while
from harness import ROOT
from hypothesis import HealthCheck, example, given, seed, settings
from hypothesis import strategies as st

from ik2d_ros.arm.urdf import urdf_of
from ik2d_ros.kinematics import solve
from ik2d_ros.node.parameters import load_configuration
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import as_file, read_sections

EXAMPLES = 150  # at a time

SHIPPED = [path.read_bytes() for path in sorted((ROOT / 'config').glob('*.yaml'))]

hostile = st.sampled_from(
    [
        *('1e400', '-1e400', '1e308', '1e-320', '.inf', '.nan', '0x10', '010', '9' * 50, '-0.0'),
        *('~', 'null', 'yes', '[]', '{}', '[1.0, 2.0]', '[1, 2.0]', '[[1.0]]', "''", '!!str 1'),
        *('"\\0"', '"\\x1b[2J"', '*a', '&a 1', '<<', '|', '? ', '- ', '--- ', '%', '@', '\t', ''),
    ]
)
any_value = st.floats().map(repr) | st.integers().map(str) | hostile | st.text(max_size=8).map(repr)
any_name = st.sampled_from(['', 'a.', '.', '..', 'a b', '\x1b']) | st.text(max_size=3)


def mostly(*usual: str, other: st.SearchStrategy[str] = any_value) -> st.SearchStrategy[str]:
    """Nearly always what works, so that much else has a chance to go wrong."""
    return st.integers(0, 19).flatmap(lambda n: st.sampled_from(usual) if n else other)


FIELDS = {
    'link': mostly('[0.2, -0.1]', '[0, 0]'),
    'max_velocity': mostly('1e-9', '2'),
    'max_acceleration': mostly('5.0', '1e6'),
    'offset': mostly('0.5', '-1000000.0'),
    'axis': mostly('1', '-1', '+1', '1.0', '-1e0'),
    'home': mostly('0.0', '0'),
}
SETTINGS = {
    'solver': mostly('auto', 'ccd'),
    'bend': mostly('nearest', 'positive'),
    'tolerance': mostly('1e-300', '1e-6'),
    'max_iterations': mostly('1', '9223372036854775807'),
    'publish_rate': mostly('0.01', '50'),
    'plane_tolerance': mostly('.inf', 'inf', '0'),
    'base.xyz': mostly('[0.0, 1.0, 2.0]'),
    'base.rpy': mostly('[0, -9, 9]'),
    'base_frame': mostly('map', '"é"', "'1'"),
}


@st.composite
def joints(draw: st.DrawFn) -> str:
    fields = {'length': draw(mostly('0.3', '0', '2.0'))}
    if draw(st.booleans()):
        fields |= {'min_position': draw(mostly('-3.0', '0')), 'max_position': draw(mostly('3.0'))}
    for name in draw(st.lists(st.sampled_from(sorted(FIELDS)), max_size=2, unique=True)):
        fields[name] = draw(FIELDS[name])
        if name == 'link':
            del fields['length']
    flow = ', '.join(f'{name}: {value}' for name, value in fields.items())
    return draw(mostly(f'{{{flow}}}'))


@st.composite
def in_form(draw: st.DrawFn) -> bytes:
    """Files in the right form, with anything in them."""
    good = mostly('a', 'b', 'a.b', 'ä', 'a b', '1', 'true', "x'y", '关', other=any_name)
    names = draw(st.lists(good, min_size=1, max_size=4, unique=True))
    quoted = [yaml.safe_dump(name, default_style='"').strip() for name in names]
    lines = [f'{draw(mostly("/**", "ik2d", "/ik2d", "/*"))}:', '  ros__parameters:']
    lines += [f'    joints: [{", ".join(quoted)}]', '    chain:']
    lines += [f'      {name}: {draw(joints())}' for name in quoted]
    for name in draw(st.lists(st.sampled_from(sorted(SETTINGS)), max_size=3, unique=True)):
        lines.append(f'    {name}: {draw(SETTINGS[name])}')
    return '\n'.join(lines).encode('utf-8', 'surrogatepass')


tokens = st.sampled_from(
    [
        *(b'[', b']', b'{', b'}', b':', b',', b'&a', b'*a', b'!', b'!!int', b'|', b'>', b'?', b'-'),
        *(b'"', b"'", b'\n', b'\t', b'\r', b'\0', b'\x1b', b'\xff', b'\xfe\xff', b'\xef\xbb\xbf'),
        *(b'---\n', b'...\n', b'%YAML 9.9\n', b'<<: ', b'\xc2\x85', b'\xe2\x80\xa8', b'1e999'),
        *(b'ros__parameters:', b'joints:', b'chain:', b'/**:', b'[' * 100, b'{a: ' * 100),
    ]
) | st.binary(max_size=4)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Shipped files, damaged."""
    content = draw(st.sampled_from(SHIPPED))
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(content)))
        end = draw(st.integers(begin, min(len(content), begin + 20)))
        content = content[:begin] + draw(tokens) + content[end:]
    return content


files = in_form() | damaged() | st.binary(max_size=300)


def try_out(path: Path) -> bool:
    """Check a file; return whether it is accepted."""
    try:
        arm = load_configuration(path).arm
    except ConfigError as error:
        line = str(error)
        assert line.startswith(str(path))
        assert re.search('[\x00-\x1f\x7f-\x9f]', line) is None
        assert len(line) < 4000
        return False
    assert all(math.isfinite(q) for q in arm.home)
    assert arm.home == arm.clamped(arm.home)
    solution = solve(arm.chain, (0.3, 0.2), start=arm.home)
    assert np.isfinite(solution.q).all()
    assert ET.fromstring(urdf_of(arm)).tag == 'robot'
    # What is written anew says the same.
    sections = read_sections(path)
    for _, parameters in sections:
        path.write_text(as_file(parameters), encoding='utf-8')
        ((section, again),) = read_sections(path)
        assert section == '/**'
        assert repr(again) == repr(parameters)
    return True


@pytest.mark.filterwarnings('error')
def test_any_file_gives_an_arm_or_one_line(tmp_path: Path) -> None:
    path, tried, accepted = tmp_path / 'any.yaml', [0], [0]

    def test(number: int) -> None:
        @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
        @seed(number)
        @given(content=files)
        @example(content=b'\xef\xbb\xbf' + SHIPPED[0])
        @example(content=SHIPPED[0].decode().encode('utf-16'))
        def run(content: bytes) -> None:
            path.write_bytes(content)
            tried[0] += 1
            accepted[0] += try_out(path)

        run()

    for_a_while(test)
    print(f'{tried[0]} files, of which {accepted[0]} were accepted')
    assert accepted[0] > EXAMPLES // 10  # or else only refusals were tried

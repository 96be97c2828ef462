"""Whatever is in a parameter file: an arm that works, or a ConfigError in one line."""

from __future__ import annotations

import contextlib
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from harness import ROOT, load_configuration
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sizes import count

from ik2d_ros.kinematics import solve
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import as_file, read_sections
from ik2d_ros.robot.export import urdf_of
from ik2d_ros.ros.process import check_parameter_files

SHIPPED = [path.read_bytes() for path in sorted((ROOT / 'config').glob('*.yaml'))]
ARM = b'/**:\n  ros__parameters:\n    joints: [a]\n    chain: {a: {length: 1.0}}\n    '
LARGE = b'# ' + b'x' * count(50_000_000, 2_000_000)
MANY = ', '.join(f'joint_{i}' for i in range(count(10_000, 1_000)))

tokens = st.sampled_from(
    [
        *(b'[', b']', b'{', b'}', b':', b',', b'&a', b'*a', b'!', b'!!int', b'|', b'>', b'?', b'-'),
        *(b'"', b"'", b'\n', b'\t', b'\r', b'\0', b'\x1b', b'\xff', b'\xfe\xff', b'\xef\xbb\xbf'),
        *(b'---\n', b'...\n', b'%YAML 9.9\n', b'<<: ', b'\xc2\x85', b'\xe2\x80\xa8', b'1e999'),
        *(b'ros__parameters:', b'joints:', b'chain:', b'/**:', b'[' * 100, b'{a: ' * 100),
        *(b'1e400', b'1e308', b'1e-320', b'.inf', b'.nan', b'0x10', b'010', b'9' * 50, b'-0.0'),
        *(b'~', b'null', b'yes', b'[1.0, 2.0]', b'[1, 2.0]', b'[[1.0]]', b"''", b'"\\0"', b'#'),
    ]
) | st.binary(max_size=4)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Shipped files, damaged."""
    content = draw(st.sampled_from(SHIPPED))
    for _ in range(draw(st.integers(1, 3))):
        begin = draw(st.integers(0, len(content)))
        end = draw(st.integers(begin, min(len(content), begin + 20)))
        content = content[:begin] + draw(tokens) + content[end:]
    return content


def try_out(path: Path) -> bool:
    """Check a file; return whether it is accepted."""
    try:
        arm = load_configuration(path).arm
    except ConfigError as error:
        line = str(error)
        assert line.startswith(str(path))
        assert re.search('[\x00-\x1f\x7f-\x9f]', line) is None
        assert len(line) < 4000
        with contextlib.suppress(ConfigError):  # a node checks it before ROS reads the file
            check_parameter_files(['ik2d_node', '--ros-args', '--params-file', str(path)])
        return False
    assert all(math.isfinite(q) for q in arm.home)
    assert arm.home == arm.clamped(arm.home)
    solution = solve(arm.chain, (0.3, 0.2), start=arm.home)
    assert np.isfinite(solution.q).all()
    assert ET.fromstring(urdf_of(arm)).tag == 'robot'
    # Written and read again, the parameters are the same.
    sections = read_sections(path)
    for parameters in sections.values():
        path.write_text(as_file(parameters), encoding='utf-8')
        assert repr(read_sections(path)) == repr({'/**': parameters})
    return True


@pytest.mark.filterwarnings('error')
def test_any_file_gives_an_arm_or_one_line(tmp_path: Path) -> None:
    path, accepted = tmp_path / 'any.yaml', list[bool]()

    @settings(max_examples=count(100_000, 150), suppress_health_check=[*HealthCheck])
    @given(content=damaged() | st.binary(max_size=300))
    @example(content=b'\xef\xbb\xbf' + SHIPPED[0])
    def run(content: bytes) -> None:
        path.write_bytes(content)
        accepted.append(try_out(path))

    run()
    assert sum(accepted) > len(accepted) // 10  # or else only refusals were tried


@pytest.mark.parametrize(
    ('content', 'words'),
    [
        (ARM + b'a: ' + b'{a: ' * 500 + b'}' * 500, 'nested too deeply.* 32 levels'),
        (ARM + LARGE, 'is too large'),
        (ARM.replace(b'[a]', f'[{MANY}]'.encode()), "'joints' .* at most 64"),
        (ARM + b'tolerance: ' + b'9' * 5000, r"'tolerance' is '?999.*\.\.\..* > 0"),
        (ARM.replace(b'[a]', rb'["a\x1b[2J"]'), r"'joints' .*a\\x1b\[2J.* control characters"),
        (ARM + b'base_frame: \xe9', 'UTF-8'),
    ],
    ids=['nesting', 'size', 'joints', 'digits', 'controls', 'Latin-1'],
)
def test_what_is_too_much_is_said(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / 'bad.yaml'
    path.write_bytes(content)
    assert not try_out(path)
    with pytest.raises(ConfigError, match=words):
        load_configuration(path)

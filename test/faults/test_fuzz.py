"""Whatever is in a parameter file: an arm that works, or a ConfigError in one line."""

from __future__ import annotations

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

SHIPPED = [path.read_bytes() for path in sorted((ROOT / 'config').glob('*.yaml'))]

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

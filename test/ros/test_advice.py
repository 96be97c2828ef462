"""The commands that are suggested work after pip, in a ROS workspace and beside a system Python."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

from ik2d_ros.ros.advice import command, how_to_install


def test_a_program_is_called_as_it_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('PATH', str(tmp_path / 'path'))
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'/nowhere:{tmp_path / "prefix"}')
    monkeypatch.setattr(sys, 'executable', str(tmp_path / 'python/python3'))
    assert command('ik2d_node') == 'ik2d_node'
    for place, called in (  # later ones take precedence
        ('python', str(tmp_path / 'python/ik2d_node')),
        ('prefix/lib/ik2d_ros', 'ros2 run ik2d_ros ik2d_node'),
        ('path', 'ik2d_node'),
    ):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / 'ik2d_node').touch(0o755)
        assert command('ik2d_node') == called


@pytest.mark.parametrize(('numpy', 'limit'), [('1.26.4', 'numpy<2'), ('2.1.0', 'numpy<3')])
def test_a_system_s_python_gets_an_environment_that_sees_ros(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, numpy: str, limit: str
) -> None:
    monkeypatch.setattr(sys, 'prefix', sys.base_prefix)
    monkeypatch.setattr(sysconfig, 'get_path', lambda _name: str(tmp_path))
    monkeypatch.setattr('numpy.__version__', numpy)
    assert how_to_install('viser', 'ik2d_ros.viewer') == 'pip install viser'
    (tmp_path / 'EXTERNALLY-MANAGED').touch()
    said = how_to_install('viser', 'ik2d_ros.viewer')
    assert 'venv --system-site-packages' in said
    assert f"pip install viser '{limit}'" in said
    assert said.endswith('python -m ik2d_ros.viewer')

"""What to type: the words that work after pip, in a ROS workspace, and with the system's Python."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

from ik2d_ros.ros.advice import command, how_to_install


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without our programs."""
    monkeypatch.setenv('PATH', str(tmp_path / 'path'))
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'/nowhere:{tmp_path / "prefix"}')
    monkeypatch.setattr(sys, 'executable', str(tmp_path / 'python/python3'))
    return tmp_path


def install(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.touch(0o755)


def test_a_program_on_the_path_is_called_by_its_name(place: Path) -> None:
    install(place / 'path/ik2d_node')
    install(place / 'prefix/lib/ik2d_ros/ik2d_node')
    assert command('ik2d_node') == 'ik2d_node'


def test_in_a_workspace_ros2_run_finds_it(place: Path) -> None:
    install(place / 'prefix/lib/ik2d_ros/ik2d_node')
    assert command('ik2d_node') == 'ros2 run ik2d_ros ik2d_node'


def test_in_an_environment_that_is_not_activated_its_path_does(place: Path) -> None:
    install(place / 'python/ik2d_node')
    assert command('ik2d_node') == str(place / 'python/ik2d_node')


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

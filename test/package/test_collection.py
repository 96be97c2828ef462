"""Which tests there are: all of them wherever pytest runs, and each in one part of `make test`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from harness import HAS_ROS, PROGRAM_TIMEOUT, ROOT

WITHOUT = ROOT / 'test' / 'without'

# All that a test may do without: ROS, and whatever is an extra.
NOT_NEEDED = [
    *('rclpy', 'rosidl_parser', 'ament_index_python', 'launch', 'launch_ros'),
    *('viser', 'matplotlib', 'PIL', 'playwright', 'scipy', 'yourdfpy', 'catkin_pkg', 'colcon_ros'),
]

Collect = Callable[..., list[str]]


@pytest.fixture(scope='module')
def collect(importing_plugin: Path) -> Collect:
    """``collect('-m', 'ros', without=[...], plugin=True) -> ids of tests``, in another process."""

    def collect(*arguments: str, without: Sequence[str] = (), plugin: bool = False) -> list[str]:
        path = [str(WITHOUT), str(importing_plugin), os.environ.get('PYTHONPATH', '')]
        done = subprocess.run(
            [
                *(sys.executable, '-m', 'pytest', '--collect-only', '-q', '-p', 'no:cacheprovider'),
                *(['-p', 'importing'] if plugin else []),
                *arguments,
            ],
            env={
                **os.environ,
                'IK2D_WITHOUT': ' '.join(without),
                # In a ROS installation, plugins are loaded that need what is hidden here.
                'PYTEST_DISABLE_PLUGIN_AUTOLOAD': '1',
                'PYTHONPATH': os.pathsep.join(filter(None, path)),
            },
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PROGRAM_TIMEOUT,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return [line for line in done.stdout.splitlines() if '::' in line]

    return collect


def test_none_is_left_out_by_the_parts_nor_where_anything_is_missing(collect: Collect) -> None:
    """As in a ROS installation, whose plugins import the modules, yet without what is optional."""
    every = collect()
    plain, ros = (
        collect('-m', expression, without=NOT_NEEDED, plugin=True)
        for expression in ('not ros', 'ros')
    )
    assert len(every) > 1000
    assert len(plain) > 100
    assert len(ros) > 100
    assert sorted(plain + ros) == sorted(every)
    assert len(set(every)) == len(every)


@pytest.fixture(scope='module')
def commands() -> list[str]:
    """How `make test` starts pytest."""
    if shutil.which('make') is None:
        pytest.skip('make is not installed')
    # Not as a part of a make that runs this.
    outer = {'MAKEFLAGS', 'MAKELEVEL', 'MFLAGS', 'PYTEST_ARGUMENTS'}
    environment = {name: value for name, value in os.environ.items() if name not in outer}
    done = subprocess.run(
        ['make', '--dry-run', 'test'],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PROGRAM_TIMEOUT,
        check=True,
    )
    lines = done.stdout.replace('\\\n', ' ').splitlines()
    return [' '.join(line.split()) for line in lines if '-m pytest' in line]


def test_each_part_is_run_with_what_it_needs(commands: list[str]) -> None:
    parts = sorted(
        (match[1], match[2])
        for command in commands
        if (match := re.search(r"\.venv/(\w+)/bin/python -m pytest -m '([^']+)'$", command))
    )
    assert len(parts) == len(commands)
    assert parts == [('jazzy', 'not ros'), ('jazzy', 'ros'), ('kilted', 'ros')]
    # Where ROS is called for and not there, nothing is skipped.
    assert all('IK2D_REQUIRE_ROS=1' in command for command in commands)


@pytest.mark.skipif(not HAS_ROS and not os.environ.get('IK2D_WITHOUT'), reason='there is no ROS')
def test_the_part_without_ros_has_none(commands: list[str]) -> None:
    (plain,) = (command for command in commands if "'not ros'" in command)
    settings = dict(re.findall(r"(\w+)='([^']*)'", plain))
    program = """
for module in 'rclpy', 'sensor_msgs.msg', 'rcl_interfaces.srv', 'ament_index_python':
    try:
        __import__(module)
        print(module)
    except ModuleNotFoundError:
        pass
"""
    for names, found in ((settings['IK2D_WITHOUT'], False), ('', True)):
        done = subprocess.run(
            [sys.executable, '-c', program],
            env={**os.environ, 'PYTHONPATH': settings['PYTHONPATH'], 'IK2D_WITHOUT': names},
            capture_output=True,
            text=True,
            timeout=PROGRAM_TIMEOUT,
            check=True,
        )
        assert bool(done.stdout) == found, done.stdout

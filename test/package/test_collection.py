"""Which tests there are: all of them wherever pytest runs, and each in one part of `make test`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from harness import PROGRAM_TIMEOUT, ROOT

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

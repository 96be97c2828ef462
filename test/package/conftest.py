"""Statuses of a node, and the package as colcon installs it, for the tests of programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from harness import copy_sources, run_program, runs_in_full


@pytest.fixture
def statuses(ros_node: Any) -> list[Any]:
    """All statuses received on ``ik2d/status``."""
    from diagnostic_msgs.msg import DiagnosticArray

    heard: list[Any] = []
    ros_node.create_subscription(DiagnosticArray, 'ik2d/status', heard.append, 100)
    return heard


@pytest.fixture(scope='session')
def colcon_prefix(ros_packages: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a real ``colcon build`` has installed the package."""
    pytest.importorskip('colcon_ros', reason='colcon-ros is not installed')
    if not runs_in_full():
        pytest.skip('colcon builds the same package with each distribution')
    workspace = tmp_path_factory.mktemp('workspace')
    copy_sources(workspace / 'src/ik2d_ros')
    done = run_program(
        *(sys.executable, '-m', 'colcon', 'build', '--event-handlers', 'console_direct+'),
        env={**os.environ, 'COLCON_HOME': str(workspace), 'PYTHONDONTWRITEBYTECODE': '1'},
        cwd=workspace,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f'{done.stdout}\n{done.stderr}'
    return workspace / 'install/ik2d_ros'

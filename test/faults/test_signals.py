"""A signal at any moment ends a program cleanly: exit status 0, no traceback, nothing left over."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest
from harness import CONFIG, once, wait_for_signal_handler, wait_until
from sizes import count

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

PROGRAMS = {
    'node': ['node', '--ros-args', '--params-file', str(CONFIG / 'two_bone.yaml')],
    'viewer': ['viewer', '--ros-args', '-p', 'port:=0'],
    'demo in the browser': ['-m', 'ik2d_ros.cli', 'demo'],
}


def running(session: int) -> list[str]:
    """The processes in the session of a program that still run: all that it started."""
    found = []
    for stat in Path('/proc').glob('[0-9]*/stat'):
        with contextlib.suppress(OSError):  # it has just ended
            state, _, _, own = stat.read_text().rpartition(')')[2].split()[:4]
            if int(own) == session and state != 'Z':
                found.append(stat.parent.name)
    return found


@once
@pytest.mark.parametrize('program', PROGRAMS)
def test_a_signal_at_any_moment_is_a_clean_end(
    start_process: Any, ros_environment: int, program: str
) -> None:
    if program != 'node':
        pytest.importorskip('viser', reason='viser is not installed')
    random = Random(program)
    # All handle them by the same code; the demo has a viewer.
    shots = count(30, {'node': 3, 'viewer': 0, 'demo in the browser': 1}[program])
    for turn in range(shots):
        number = SIGNALS[turn % 3]
        process = start_process(*PROGRAMS[program])
        wait_for_signal_handler(process.popen.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.popen.wait(random.choice([0.05, 0.5, 2.0]) * random.random())
        assert process.is_running(), process.output
        status = process.stop(number)
        assert status == 0, (turn, number, status, process.output)
        assert 'Traceback' not in process.output, (turn, number, process.output)
        assert 'rror' not in process.stderr, (turn, number, process.output)
        session = process.popen.pid
        wait_until(lambda own=session: not running(own), lambda: 'it has left processes')
    print(f'{program}: {shots} signals, {shots} clean ends')

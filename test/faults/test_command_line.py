"""`ik2d` with closed and full outputs, and on Ctrl-C.

Every case is the real program: no traceback, the right exit status, and the reason in one line.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from random import Random

import pytest
from harness import run_program
from sizes import count

SAYING = 'solve two_bone 0.3 0.1'


def shell(command: str, before: str = '') -> subprocess.CompletedProcess[str]:
    """Run ``ik2d`` with a command line of the shell."""
    return run_program('bash', '-c', f'{before}exec "$0" -m ik2d_ros.cli {command}', sys.executable)


@pytest.mark.parametrize(
    ('redirection', 'reason'),
    [
        ('> /dev/full', 'standard output: cannot be written: No space left'),
        ('>&-', 'standard output is closed'),
    ],
)
def test_output_that_cannot_be_written_is_an_error(redirection, reason):
    done = shell(f'{SAYING} {redirection}')
    assert done.returncode == 1
    assert done.stderr.startswith('ik2d')
    assert done.stderr.count('\n') == 1
    assert reason in done.stderr


def test_a_full_disk_leaves_no_partly_written_file(tmp_path, monkeypatch):
    """A limit on the size of files stands for the disk: writing fails in the middle."""
    monkeypatch.setenv('PYTHONDONTWRITEBYTECODE', '1')
    file = tmp_path / 'arm.urdf'
    file.write_text('what was there')
    # Python ignores SIGXFSZ, so that the write fails.
    done = shell(f'urdf two_bone -o {file}', 'ulimit -f 1; ')
    assert done.returncode == 1
    assert f'{file}: cannot be written: File too large' in done.stderr
    assert 'Traceback' not in done.stderr
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        file.name: 'what was there'
    }


def test_ctrl_c_at_any_moment_is_quiet(start_process):
    """From the first import of the package on; before that, Python answers."""
    random, statuses = Random(1), []
    for number in range(count(60, 3)):
        # The times of imports on stderr say how far it has got.
        program = sys.executable, '-X', 'importtime', '-m', 'ik2d_ros.cli', *SAYING.split()
        process = start_process(*program)
        process.wait_for_output('ik2d_ros.commands\n')
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.popen.wait(random.random() if number else 0.0)
        statuses.append(process.stop())
        assert 'Traceback' not in process.output
        assert 'Exception' not in process.output
    # While Python shuts down nothing of ours is left to answer; for a shell it is the same.
    assert {*statuses} <= {0, 128 + signal.SIGINT, -signal.SIGINT}
    assert any(statuses)

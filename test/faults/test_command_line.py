"""`ik2d` with closed and full outputs, and on Ctrl-C.

Every case is the real program: no traceback, the right exit status, and the reason in one line.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import pytest
from harness import PROGRAM_TIMEOUT, run_program
from sizes import FULL

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


def test_ctrl_c_at_any_moment_is_quiet(tmp_path):
    """From the first import of the package on; before that, Python answers."""
    chance = random.Random(1)
    interrupted = 0
    for number in range(60 if FULL else 3):
        log = tmp_path / 'stderr'
        with log.open('wb') as stderr:
            process = subprocess.Popen(
                # The times of imports on stderr say how far it has got.
                [sys.executable, '-X', 'importtime', '-m', 'ik2d_ros.cli', *SAYING.split()],
                stdout=subprocess.DEVNULL,
                stderr=stderr,
            )
        while b'ik2d_ros.commands\n' not in log.read_bytes() and process.poll() is None:
            time.sleep(0.001)
        try:
            process.wait(0.0 if number == 0 else chance.uniform(0.0, 1.0))
        except subprocess.TimeoutExpired:
            for _ in range(3):  # as impatient users do
                process.send_signal(signal.SIGINT)
        status = process.wait(PROGRAM_TIMEOUT)
        said = log.read_text()
        assert 'Traceback' not in said
        assert 'Exception' not in said
        # While Python shuts down nothing of ours is left to answer; for a shell it is the same.
        assert status in (0, 128 + signal.SIGINT, -signal.SIGINT)
        interrupted += status != 0
        assert not [path for path in tmp_path.iterdir() if path.name.startswith('.ik2d')]
    assert interrupted

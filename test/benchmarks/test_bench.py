"""The benchmarks run, and count the targets that are missed.

Nothing here judges a time, which depends on the machine and its load.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from harness import ROOT, run_program

from ik2d_ros.kinematics import Chain

sys.path.append(str(ROOT / 'benchmarks'))
import trial


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the benchmarks."""
    return run_program(sys.executable, ROOT / 'benchmarks' / script, *arguments)


def table(text: str) -> list[list[str]]:
    """The rows of the tables in a text."""
    return [line.split('|')[1:-1] for line in text.splitlines() if line.startswith('| ')]


def test_every_target_is_reached_and_every_time_is_printed() -> None:
    done = run('bench.py', '--quick')
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    ours = [row for row in table(done.stdout) if '`' in row[0]]
    assert len(ours) == 6
    assert all(float(cell) > 0.0 for row in ours for cell in row[1:] if cell.strip())


@pytest.mark.parametrize(
    ('only', 'kinds'),
    [
        (', 2 links, n', {'no limits', 'narrow limits'}),
        ('hybrid, 2 links, forbidden by narrow', {'forbidden by narrow limits'}),
    ],
)
def test_the_trial_is_passed(only: str, kinds: set[str]) -> None:
    done = run('trial.py', '--count', '50', '--only', only)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    rows = [row for row in table(done.stdout) if '2 links, ' in row[0]]
    assert {row[0].split(', ')[2].strip() for row in rows} == kinds
    assert all(int(cell) == 0 for row in rows for cell in row[2:4])


def test_the_trial_counts_missed_targets() -> None:
    chain = Chain.from_lengths([0.5, 0.5], limits=[(-1.0, 1.0)] * 2)
    found = trial.reached(chain, np.array([[0.9, 0.1], [-0.9, 0.0]]), np.zeros((2, 2)), 'ccd')
    assert (found.targets, found.missed, found.missed_at_once) == (2, 1, 1)
    assert '[-0.9, 0.0]' in found.failures[0]

"""The soak judges what it has seen as it says; the run itself is `make soak`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from harness import HAS_ROS, PROGRAM_TIMEOUT, ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.append(str(ROOT / 'benchmarks'))
if HAS_ROS:
    from soak import BARE, Sample, complaints, judge

pytestmark = pytest.mark.usefixtures('ros_packages')
COUNT, PERIOD = 120, 30.0  # samples, s
LEVELS = st.floats(20.0, 200.0)


def met(memory: list[float], missed: list[float], bare: float = 0.0) -> list[bool | None]:
    """Whether memory and cycles are found to be in order."""
    samples = [
        Sample(PERIOD * i, {'plane': used, BARE: 40.0}, {'plane': share, BARE: bare})
        for i, (used, share) in enumerate(zip(memory, missed, strict=True))
    ]
    bars = sorted(judge(samples, warm_up=300.0), key=lambda bar: 'missed' in bar.demand)
    return [bar.met for bar in bars]


@settings(max_examples=20)
@given(level=LEVELS, busy=st.floats(0.0, 50.0))
def test_what_stays_the_same_is_in_order(level: float, busy: float) -> None:
    assert met([level] * COUNT, [busy] * COUNT, bare=busy) == [True, True]


@settings(max_examples=20)
@given(level=LEVELS, leak=st.floats(0.1, 5.0), more=st.floats(0.1, 0.8))
def test_what_grows_is_found(level: float, leak: float, more: float) -> None:
    growing = [level + leak * i for i in range(COUNT)]
    assert met(growing, [more * i for i in range(COUNT)]) == [False, False]


@settings(max_examples=20)
@given(level=LEVELS, place=st.integers(10, COUNT - 3), height=st.floats(0.0, 50.0))
def test_a_moment_decides_nothing(level: float, place: int, height: float) -> None:
    shares = [height if i in (place, place + 1) else 0.0 for i in range(COUNT)]
    assert met([level + share for share in shares], shares) == [True, True]


def test_a_run_of_some_samples_is_not_judged() -> None:
    assert met([70.0] * 3, [0.0] * 3) == [False]


def test_logs_that_tell_of_exceptions_are_named(tmp_path: Path) -> None:
    (tmp_path / 'plane.log').write_text('[INFO] ready\n[WARN] TOO_FAR: away\n')
    (tmp_path / 'fleet.log').write_text('Traceback (most recent call last):\n')
    (tmp_path / 'visitor.log').write_text('Traceback (most recent call last):\n')
    assert [*complaints(tmp_path)] == ['log of fleet: Traceback (most recent call last):']


@pytest.mark.parametrize('seconds', ['5', 'nan'])
def test_a_soak_that_is_too_short_is_refused(seconds: str) -> None:
    command = [sys.executable, str(ROOT / 'benchmarks' / 'soak.py'), '--seconds', seconds]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PROGRAM_TIMEOUT, check=False
    )
    assert done.returncode == 2
    assert '--seconds' in done.stderr

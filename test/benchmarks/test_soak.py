"""How the soak judges its record; the run itself is `make soak`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from harness import HAS_ROS, ROOT
from hypothesis import given
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


@given(level=LEVELS, busy=st.floats(0.0, 50.0))
def test_steady_values_pass(level: float, busy: float) -> None:
    assert met([level] * COUNT, [busy] * COUNT, bare=busy) == [True, True]


@given(level=LEVELS, leak=st.floats(0.1, 5.0), more=st.floats(0.1, 0.8))
def test_growth_fails(level: float, leak: float, more: float) -> None:
    growing = [level + leak * i for i in range(COUNT)]
    assert met(growing, [more * i for i in range(COUNT)]) == [False, False]


@given(level=LEVELS, place=st.integers(10, COUNT - 3), height=st.floats(0.0, 50.0))
def test_a_short_peak_passes(level: float, place: int, height: float) -> None:
    shares = [height if i in (place, place + 1) else 0.0 for i in range(COUNT)]
    assert met([level + share for share in shares], shares) == [True, True]


def test_a_short_run_fails() -> None:
    assert met([70.0] * 3, [0.0] * 3) == [False]


def test_logs_with_exceptions_are_named(tmp_path: Path) -> None:
    (tmp_path / 'plane.log').write_text('[INFO] ready\n[WARN] TOO_FAR: away\n')
    (tmp_path / 'fleet.log').write_text('Traceback (most recent call last):\n')
    (tmp_path / 'visitor.log').write_text('Traceback (most recent call last):\n')
    assert [*complaints(tmp_path)] == ['log of fleet: Traceback (most recent call last):']

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
    from soak import Sample, complaints, judge

pytestmark = pytest.mark.usefixtures('ros_packages')
COUNT, PERIOD = 120, 30.0  # samples, s
LEVELS = st.floats(20.0, 200.0)


def met(memory: list[float]) -> list[bool | None]:
    """Whether memory is found to be in order."""
    samples = [Sample(PERIOD * i, {'plane': used}) for i, used in enumerate(memory)]
    return [bar.met for bar in judge(samples)]


@given(level=LEVELS, leak=st.floats(0.1, 5.0))
def test_growth_fails(level: float, leak: float) -> None:
    assert met([level + leak * i for i in range(COUNT)]) == [False]


@given(level=LEVELS, place=st.integers(0, COUNT - 3), height=st.floats(0.0, 50.0))
def test_a_short_peak_passes(level: float, place: int, height: float) -> None:
    assert met([level + height * (i in (place, place + 1)) for i in range(COUNT)]) == [True]


def test_logs_with_exceptions_are_named(tmp_path: Path) -> None:
    (tmp_path / 'plane.log').write_text('[INFO] ready\n[WARN] TOO_FAR: away\n')
    (tmp_path / 'fleet.log').write_text('Traceback (most recent call last):\n')
    (tmp_path / 'visitor.log').write_text('Traceback (most recent call last):\n')
    assert [*complaints(tmp_path)] == ['log of fleet: Traceback (most recent call last):']

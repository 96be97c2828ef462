"""Periods of timers for any rate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.ros.timers import timer_period

LONGEST_NS = 2**63 - 1


@given(st.floats(min_value=0.0, exclude_min=True, allow_infinity=False))
def test_every_rate_has_a_period_that_a_timer_can_add_to_the_time_of_day(rate: float) -> None:
    nanoseconds = round(timer_period(rate) * 1e9)
    some_day = 4_000_000_000 * 10**9  # in the year 2096
    assert 1 <= nanoseconds <= LONGEST_NS - some_day


@given(st.floats(1e-6, 1e6))
def test_a_rate_of_use_is_kept(rate: float) -> None:
    assert timer_period(rate) == pytest.approx(1.0 / rate)

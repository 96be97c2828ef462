"""The clock: how much time a tick stands for."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.node.tick_clock import BILLION, TickClock

PERIOD = 0.02  # s
time = st.integers(0, 10**13)


@given(st.lists(time, min_size=1))
def test_on_a_real_clock_a_tick_is_a_period_whatever_it_shows(times: list[int]) -> None:
    clock = TickClock()
    steps = [clock.step(due, PERIOD, is_simulated=False) for due in times]
    assert {step.motion for step in steps} == {PERIOD}
    for step, before, due in zip(steps[1:], times, times[1:], strict=False):
        assert step.elapsed == max((due - before) / BILLION, PERIOD)


@given(st.lists(time, min_size=1))
def test_simulated_time_moves_the_arm_no_further_than_it_goes(times: list[int]) -> None:
    clock = TickClock()
    steps = [clock.step(now, PERIOD, is_simulated=True).motion for now in times]
    assert steps[0] == 0.0
    strides = [(b - a) / BILLION for a, b in itertools.pairwise(times)]
    for step, stride, before in zip(steps[1:], strides, [0.0, *strides], strict=False):
        assert 0.0 <= step <= max(stride, 0.0)
        assert step <= max(PERIOD, 2.0 * before)


@given(st.integers(1, BILLION), st.integers(2, 20))
def test_steady_strides_count_in_full_from_the_second_on(stride: int, count: int) -> None:
    clock = TickClock()
    steps = [clock.step(k * stride, PERIOD, is_simulated=True).motion for k in range(1, count + 2)]
    assert steps[2:] == [stride / BILLION] * (count - 1)


def test_time_since_the_last_tick_is_never_negative() -> None:
    clock = TickClock()
    assert clock.since(5 * BILLION) == 0.0
    clock.step(5 * BILLION, PERIOD, is_simulated=False)
    assert clock.since(6 * BILLION) == 1.0
    assert clock.since(4 * BILLION) == 0.0

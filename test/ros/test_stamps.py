"""Times for stamps: in order, whatever the clock does."""

from __future__ import annotations

import pytest
from harness import HAS_ROS
from hypothesis import given
from hypothesis import strategies as st

if HAS_ROS:
    from ik2d_ros.ros.stamps import Increasing

pytestmark = pytest.mark.usefixtures('ros_packages')

CLOCKS = st.lists(st.integers(0, 2**62), max_size=20)


@given(CLOCKS, st.integers(1, 5))
def test_each_time_is_later_than_the_one_before_unless_the_clock_was_set_back(
    clocks: list[int], count: int
) -> None:
    times = Increasing()
    before = clock_before = 0
    for clock in clocks:
        for _ in range(count):
            now = times.after(clock)
            assert now > before or clock < clock_before
            assert now >= clock
            before, clock_before = now, clock


@given(st.lists(st.integers(1, 2**62), min_size=1, max_size=20, unique=True))
def test_a_clock_that_moves_is_followed_to_the_nanosecond(clocks: list[int]) -> None:
    times = Increasing()
    ordered = sorted(clocks)
    assert [times.after(clock) for clock in ordered] == ordered
    assert times.after(0) == 0

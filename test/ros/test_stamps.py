"""Times for stamps: in order, whatever the clock does."""

from __future__ import annotations

import pytest
from harness import HAS_ROS
from hypothesis import given
from hypothesis import strategies as st

if HAS_ROS:
    from ik2d_ros.ros.stamps import Increasing

pytestmark = pytest.mark.usefixtures('ros_packages')


@given(st.lists(st.integers(1, 2**62), max_size=20), st.integers(1, 5))
def test_each_time_is_later_than_the_one_before_unless_the_clock_was_set_back(
    clocks: list[int], count: int
) -> None:
    times = Increasing()
    before = clock_before = 0
    for clock in clocks:
        for number in range(count):
            now = times.after(clock)
            assert now > before or clock < clock_before
            assert now >= clock
            if number == 0 and not clock_before <= clock <= before:
                assert now == clock  # a clock that moves is followed to the nanosecond
            before, clock_before = now, clock

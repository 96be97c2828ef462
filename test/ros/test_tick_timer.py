"""Ticks keep their distance, whenever they come."""

from __future__ import annotations

import itertools

import pytest
from harness import HAS_ROS
from hypothesis import given
from hypothesis import strategies as st

if HAS_ROS:
    from ik2d_ros.ros import tick_timer

PERIOD = 0.02  # s


@pytest.mark.usefixtures('ros_packages')
def test_ticks_that_come_too_soon_are_skipped() -> None:
    @given(st.lists(st.floats(0.0, 3.0 * PERIOD), min_size=1))
    def law(pauses: list[float]) -> None:
        times = [*itertools.accumulate(pauses, initial=1.0)]
        clock, spacing = iter(times), tick_timer.Spacing()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tick_timer.time, 'monotonic', lambda: next(clock))
            kept = [time for time in times if spacing.is_kept(PERIOD)]
        assert kept[0] == times[0]
        least = tick_timer.CLOSEST * PERIOD
        assert all(later - earlier >= least for earlier, later in itertools.pairwise(kept))
        # None is left out without one before that was too near.
        assert all(any(0.0 <= time - one < least for one in kept) for time in {*times} - {*kept})

    law()

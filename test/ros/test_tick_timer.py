"""Ticks keep their distance, and timers their rates, whenever they come and whoever shares them."""

from __future__ import annotations

import itertools
import time
from functools import partial
from random import Random
from typing import Any

import pytest
from harness import HAS_ROS
from hypothesis import given
from hypothesis import strategies as st

if HAS_ROS:
    from rclpy.executors import SingleThreadedExecutor

    from ik2d_ros.parameters.table import Table
    from ik2d_ros.ros import tick_timer
    from ik2d_ros.ros.parameter_node import ParameterNode

PERIOD = 0.02  # s
RATES = [50.0, 125.0, 200.0]  # Hz
ENOUGH, DEADLINE = 8, 60.0  # ticks and s


@pytest.mark.usefixtures('ros_packages')
def test_ticks_that_come_too_soon_are_skipped() -> None:
    @given(st.lists(st.floats(0.0, 3.0 * PERIOD), min_size=1))
    def law(pauses: list[float]) -> None:
        times = [*itertools.accumulate(pauses, initial=1.0)]
        spacing = tick_timer.Spacing()
        kept = [time for time in times if spacing.is_kept(time, PERIOD)]
        assert kept[0] == times[0]
        least = tick_timer.CLOSEST * PERIOD
        assert all(later - earlier >= least for earlier, later in itertools.pairwise(kept))
        # None is left out without one before that was too near.
        assert all(any(0.0 <= time - one < least for one in kept) for time in {*times} - {*kept})

    law()


def test_timers_of_a_process_keep_their_rates_and_errors(ros: int) -> None:
    """Whichever rates change: no tick is lost for others, comes too often, or for another node."""
    random, executor = Random(0), SingleThreadedExecutor()
    nodes = [ParameterNode(f'arm{number}', Table(()), dict) for number in range(3)]
    ticks, followed = [0] * len(nodes), set[int]()

    def tick(number: int) -> None:
        ticks[number] += 1
        raise LookupError(number)

    timers: list[Any] = []
    for number, node in enumerate(nodes):
        executor.add_node(node)
        leader = timers[0] if timers else None
        timers.append(tick_timer.TickTimer(node, RATES[0], partial(tick, number), leader))
        timers[-1].follow(partial(followed.add, number))
    for _ in range(30):
        number, rate = random.randrange(len(timers)), random.choice(RATES)
        timers[number].restart(rate)
        ticks[:], errors = [0] * len(ticks), [node.faults.count for node in nodes]
        begin, own = time.monotonic(), [timer.left / 1e9 for timer in timers]
        while min(ticks) < ENOUGH and time.monotonic() - begin < DEADLINE:
            executor.spin_once(timeout_sec=PERIOD)
        passed = time.monotonic() - begin
        assert min(ticks) >= ENOUGH
        assert followed == {*range(len(nodes))}
        followed.clear()
        for timer, count, first in zip(timers, ticks, own, strict=True):
            assert count <= (passed - first) / timer.period + 2
        assert [node.faults.count for node in nodes] == [*map(sum, zip(errors, ticks, strict=True))]
    executor.shutdown()

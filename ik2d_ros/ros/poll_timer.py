"""One timer for the periodic checks of all nodes of a process."""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

TICK = 0.05  # s; nothing is called more often


class PollTimer:
    """Calls functions periodically, in steady time, each a tick late at most.

    A timer for each would wake the process for each, and rclpy's EventsExecutor has a thread for
    every clock with timers.
    """

    def __init__(self, node: Node) -> None:
        """Start without anything to call, with a timer of a node."""
        self._due: list[tuple[float, int, float, Callable[[], Any]]] = []
        self._order = itertools.count()
        node.create_timer(TICK, self._tick, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def every(self, period: float, callback: Callable[[], Any]) -> None:
        """Call a function periodically from now on.

        Args:
            period: s between two calls.
            callback: the function; it must not raise.
        """
        due = time.monotonic() + period
        heapq.heappush(self._due, (due, next(self._order), period, callback))

    def _tick(self) -> None:
        # Half a tick early rather than almost a tick late: timers are not that regular.
        now = time.monotonic()
        soon = now + 0.5 * TICK
        while self._due and self._due[0][0] <= soon:
            due, order, period, callback = self._due[0]
            following = max(due + period, now + TICK)  # missed calls are dropped
            heapq.heapreplace(self._due, (following, order, period, callback))
            callback()

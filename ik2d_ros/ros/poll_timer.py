"""One timer for the periodic checks of all nodes of a process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

TICK = 0.05  # s; periods are multiples of it


class PollTimer:
    """Calls functions periodically, in steady time.

    A timer for each would wake the process for each, and rclpy's EventsExecutor has a thread for
    every clock with timers.
    """

    def __init__(self, node: Node) -> None:
        """Start without anything to call, with a timer of a node."""
        self._count = 0
        self._calls: list[tuple[int, Callable[[], Any]]] = []
        node.create_timer(TICK, self._tick, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def every(self, period: float, callback: Callable[[], Any]) -> None:
        """Call a function periodically from now on.

        Args:
            period: s between two calls.
            callback: the function; it must not raise.
        """
        self._calls.append((round(period / TICK), callback))

    def _tick(self) -> None:
        self._count += 1
        for ticks, callback in self._calls:
            if self._count % ticks == 0:
                callback()

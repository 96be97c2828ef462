"""Periodic timers of nodes, on the clock that fits."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType, JumpThreshold
from rclpy.node import Node
from rclpy.timer import Timer

CLOSEST = 0.75
"""Share of a period; a tick that comes sooner after the one before it is left out."""


class TickTimer:
    """Calls a function periodically: in steady time, or in simulated time if the node uses that.

    Not in system time: a timer stands still when that clock is set back.

    Attributes:
        count: number of ticks, including those left out: see :class:`Spacing`.
    """

    def __init__(self, node: Node, rate: float, callback: Callable[[], object]) -> None:
        """Start calling a function at a rate in Hz."""
        self._node, self._rate, self._callback = node, rate, callback
        self._clock: Any = node.get_clock()  # a ROSClock, which rclpy types as any clock
        # A clock of its own: the EventsExecutor is slow with many timers on one clock.
        self._steady_clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._followers: list[Callable[[], object]] = []
        self._spacing = Spacing()
        self.count = 0
        self._timer = self._create()
        self._changes = self._clock.create_jump_callback(
            JumpThreshold(min_forward=None, min_backward=None),
            post_callback=lambda _: self.restart(self._rate),
        )

    @property
    def period(self) -> float:
        """The time between two calls in s."""
        return 1.0 / self._rate

    @property
    def left(self) -> int:
        """The time until the next call in ns; negative if it is due."""
        return self._timer.time_until_next_call() or 0

    def is_due(self) -> bool:
        """Whether the next call should have come by now."""
        return self.left < 0

    def follow(self, callback: Callable[[], object]) -> None:
        """Call another function after each tick, too."""
        self._followers.append(callback)

    def restart(self, rate: float) -> None:
        """Go on at another rate."""
        self._rate = rate
        self._node.destroy_timer(self._timer)
        self._timer = self._create()

    def _create(self) -> Timer:
        self._is_simulated = self._clock.ros_time_is_active
        clock = self._clock if self._is_simulated else self._steady_clock
        return self._node.create_timer(self.period, self._call, clock=clock)

    def _call(self) -> None:
        self.count += 1
        if self._is_simulated or self._spacing.is_kept(self.period):
            self._callback()
        for callback in self._followers:
            callback()


class Spacing:
    """Tells which ticks of a timer keep their distance from the one before.

    After a late tick the next one follows sooner, and a controller would carry out two commands, of
    a period each, in one step. ``Timer.reset()``, which postpones the next tick, makes the
    EventsExecutor call all late timers several times.
    """

    def __init__(self) -> None:
        """Start before the first tick."""
        self._last = -math.inf

    def is_kept(self, period: float) -> bool:
        """Return whether a tick that comes now is far enough from the last one that was.

        Args:
            period: s between ticks.
        """
        now = time.monotonic()
        if now - self._last < CLOSEST * period:
            return False
        self._last = now
        return True

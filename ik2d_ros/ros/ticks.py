"""Periodic calls for the nodes of a process, on the clock that fits."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.clock import Clock, ClockType, JumpThreshold
from rclpy.timer import Timer

from ik2d_ros.ros.parameter_node import ParameterNode

CLOSEST = 0.75
"""Share of a period; a tick that comes sooner after the one before it is left out."""


class Ticks:
    """Calls a function of each node periodically: in steady time, or simulated if one uses that.

    Not in system time: a timer stands still when that clock is set back. Functions of one rate are
    called together: a timer of rclpy for each would wake the process for each.
    """

    def __init__(self, node: ParameterNode[Any], follow: Callable[[], object]) -> None:
        """Call no function yet, and ``follow`` after those that are called together.

        The node decides on the clock. All functions may raise.
        """
        self._node, self._follow = node, node.guarded(follow)
        self._clock: Any = node.get_clock()  # a ROSClock, which rclpy types as any clock
        # Of its own: the EventsExecutor is slow with many timers on one clock.
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._calls: dict[ParameterNode[Any], tuple[float, Callable[[], object]]] = {}
        self._timers: dict[float, Timer] = {}  # by their rates
        self._changes = self._clock.create_jump_callback(
            JumpThreshold(min_forward=None, min_backward=None),
            post_callback=lambda _: self._change_clock(),
        )

    def call(self, node: ParameterNode[Any], rate: float, callback: Callable[[], object]) -> None:
        """Call a function of a node at a rate in Hz, in the place of the one before."""
        self._calls[node] = rate, node.guarded(callback)
        self._arrange()

    def left(self, rate: float) -> int:
        """Return the time until the next call at a rate in ns; negative if it is due."""
        return self._timers[rate].time_until_next_call() or 0

    def is_due(self) -> bool:
        """Return whether any function should have been called by now."""
        return any(self.left(rate) < 0 for rate in self._timers)

    def _change_clock(self) -> None:
        while self._timers:
            self._node.destroy_timer(self._timers.popitem()[1])
        self._arrange()

    def _arrange(self) -> None:
        """Keep a timer for each rate."""
        rates = {rate for rate, _ in self._calls.values()}
        for rate in self._timers.keys() - rates:
            self._node.destroy_timer(self._timers.pop(rate))
        clock = self._clock if self._clock.ros_time_is_active else self._steady
        for rate in rates - self._timers.keys():
            tick = partial(self._tick, rate, Spacing(1.0 / rate))
            self._timers[rate] = self._node.create_timer(1.0 / rate, tick, clock=clock)

    def _tick(self, rate: float, spacing: Spacing) -> None:
        if self._clock.ros_time_is_active or spacing.is_kept(time.monotonic()):
            for callback in [call for own, call in self._calls.values() if own == rate]:
                callback()
        self._follow()


class Spacing:
    """Decides which ticks of a timer keep their distance from the one before.

    After a late tick the next one follows sooner, and a controller would carry out two commands, of
    a period each, in one step. ``Timer.reset()``, which postpones the next tick, makes the
    EventsExecutor call all late timers several times.
    """

    def __init__(self, period: float) -> None:
        """Start before the first tick; s between two of them."""
        self._least, self._last = CLOSEST * period, -math.inf

    def is_kept(self, now: float) -> bool:
        """Return whether a tick that comes now, in s, is far enough from the last one that was."""
        if now - self._last < self._least:
            return False
        self._last = now
        return True

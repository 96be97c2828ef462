"""Periodic timers of nodes, on the clock that fits."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType, JumpThreshold
from rclpy.timer import Timer

from ik2d_ros.ros.parameter_node import ParameterNode

CLOSEST = 0.75
"""Share of a period; a tick that comes sooner after the one before it is left out."""


class TickTimer:
    """Calls a function periodically: in steady time, or in simulated time if the node uses that.

    Not in system time: a timer stands still when that clock is set back.

    Those of one process and rate tick together in steady time: a timer of rclpy for each would wake
    the process for each.

    Attributes:
        count: number of ticks, including those left out: see :class:`Spacing`.
    """

    def __init__(
        self,
        node: ParameterNode[Any],
        rate: float,
        callback: Callable[[], object],
        leader: TickTimer | None = None,
    ) -> None:
        """Start calling a function, which may raise, at a rate in Hz.

        It ticks with a leader, the timer of another node in the same process, while their rates are
        the same; not in simulated time: each node hears of that by itself.
        """
        self._node, self._rate, self._callback = node, rate, node.guarded(callback)
        self._clock: Any = node.get_clock()  # a ROSClock, which rclpy types as any clock
        # Of its own: the EventsExecutor is slow with many timers on one clock.
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._leader, self._led = leader, list[TickTimer]()
        self._followers: list[Callable[[], object]] = []
        self._spacing = Spacing()
        self.count = 0
        self._own: Timer | None = None
        self._start()
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
        if self._own is None:
            return self._leader.left if self._leader else 0
        return self._own.time_until_next_call() or 0

    def is_due(self) -> bool:
        """Whether the next call should have come by now."""
        return self.left < 0

    def follow(self, callback: Callable[[], object]) -> None:
        """Call another function, too, once after all that tick together."""
        self._followers.append(callback)

    def restart(self, rate: float) -> None:
        """Go on at another rate."""
        self._rate = rate
        if self._own is not None:
            self._node.destroy_timer(self._own)
            self._own = None
        elif self._leader is not None:
            self._leader._led.remove(self)
        led, self._led = self._led, []
        for timer in (self, *led):
            timer._start()

    def _start(self) -> None:
        self._is_simulated = self._clock.ros_time_is_active
        leader, is_simulated = self._leader, self._is_simulated
        if leader and leader._rate == self._rate and not (is_simulated or leader._is_simulated):
            leader._led.append(self)
            return
        clock = self._clock if is_simulated else self._steady
        self._own = self._node.create_timer(self.period, self._call, clock=clock)

    def _call(self) -> None:
        now, together = time.monotonic(), (self, *self._led)
        for timer in together:
            timer.count += 1
            if self._is_simulated or timer._spacing.is_kept(now, self.period):
                timer._callback()
        for callback in dict.fromkeys(each for timer in together for each in timer._followers):
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

    def is_kept(self, now: float, period: float) -> bool:
        """Return whether a tick that comes now, in s, is far enough from the last one that was."""
        if now - self._last < CLOSEST * period:
            return False
        self._last = now
        return True

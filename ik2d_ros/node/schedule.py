"""The schedule of the arms of a process: ticks on the clock that fits, and answers between them."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from rclpy.clock import Clock, ClockType, JumpThreshold
from rclpy.timer import Timer

from ik2d_ros.ros.parameter_node import ParameterNode

CLOSEST = 0.75
"""Share of a period; a tick that comes sooner after the one before it is left out."""

TURN_PERIOD = 0.05  # s between checks of those who wait; ticks may be rare


class Answering(Protocol):
    """An arm that may wait for its turn to answer."""

    @property
    def is_waiting(self) -> bool:
        """Whether it has something to answer."""

    def answer_next(self) -> bool:
        """Answer the next request; return False if none can be answered now."""


class Schedule:
    """Ticks the arms of a process periodically, and lets them answer targets and queries in turn.

    Ticks are in steady time, or simulated if the first arm uses that; not in system time: a timer
    stands still when that clock is set back. Functions of one rate are called together: a timer of
    rclpy for each would wake the process for each.

    Solving a target may take longer than the time between two ticks. So the arms answer one at a
    time, and afterwards all ticks that are due by then come first.

    Attributes:
        clock: of the first arm.
    """

    def __init__(self, first: ParameterNode[Any]) -> None:
        """Start without ticks, by the clock of the first arm."""
        self._node = first
        self.clock: Any = first.get_clock()  # a ROSClock, which rclpy types as any clock
        # Of its own: the EventsExecutor is slow with many timers on one clock.
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._calls: dict[ParameterNode[Any], tuple[float, Callable[[], object]]] = {}
        self._timers: dict[float, Timer] = {}  # by their rates
        self._last: dict[float, float] = {}  # when the last tick of each rate was, in s
        self._waiting: deque[Answering] = deque()
        self._answer_after_tick = first.guarded(lambda: self.answer(is_after_tick=True))
        self._changes = self.clock.create_jump_callback(
            JumpThreshold(min_forward=None, min_backward=None),
            post_callback=lambda _: self._arrange(is_changed=True),
        )
        first.poll_every(TURN_PERIOD, self.answer)

    def tick_at(self, node: ParameterNode[Any], rate: float, tick: Callable[[], object]) -> None:
        """Call the tick of a node, which may raise, at a rate in Hz, in place of its last one."""
        self._calls[node] = rate, node.guarded(tick)
        self._arrange()

    def time_left(self, rate: float) -> int:
        """Return the time in ns until the next tick at a rate; negative if it is due."""
        return self._timers[rate].time_until_next_call() or 0

    def queue(self, arm: Answering) -> None:
        """Let an arm answer when its turn comes, and again while it waits; most have no target."""
        if arm not in self._waiting:
            self._waiting.append(arm)

    def answer(self, is_after_tick: bool = False) -> None:
        """Answer until nothing is left to answer, or a tick is due; after a tick, once at least."""
        while self._waiting:
            is_due = not is_after_tick and any(self.time_left(rate) < 0 for rate in self._timers)
            if is_due or not self._answer_one():
                return
            is_after_tick = False

    def _answer_one(self) -> bool:
        """Answer for the first arm that can; return False if none can."""
        for _ in range(len(self._waiting)):
            arm = self._waiting.popleft()
            try:
                is_answered = arm.answer_next()
            finally:
                if arm.is_waiting:
                    self.queue(arm)
            if is_answered:
                return True
        return False

    def _arrange(self, is_changed: bool = False) -> None:
        """Keep a timer for each rate; all begin anew where the clock is changed."""
        rates = {rate for rate, _ in self._calls.values()}
        for rate in self._timers.keys() - (set() if is_changed else rates):
            self._node.destroy_timer(self._timers.pop(rate))
        clock = self.clock if self.clock.ros_time_is_active else self._steady
        for rate in rates - self._timers.keys():
            self._last[rate] = -math.inf
            tick = partial(self._tick, rate)
            self._timers[rate] = self._node.create_timer(1.0 / rate, tick, clock=clock)

    def _tick(self, rate: float) -> None:
        now = time.monotonic()
        # After a late tick the next one follows sooner, and a controller would carry out two
        # commands, of a period each, in one step. ``Timer.reset()``, which postpones the next tick,
        # makes the EventsExecutor call all late timers several times.
        if self.clock.ros_time_is_active or now - self._last[rate] >= CLOSEST / rate:
            self._last[rate] = now
            for callback in [call for own, call in self._calls.values() if own == rate]:
                callback()
        self._answer_after_tick()

"""Detects that a node's clock gives no valid time for message stamps.

With ``use_sim_time`` the time comes from ``/clock``. While nothing arrives there, or only times
outside the range of a stamp, a node driven by its clock does nothing, and looks healthy.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.clock import JumpThreshold

from ik2d_ros.ros import stamps
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.warn_after import WarnAfter

PERIOD = 0.1  # s between checks
FIRST_WARNING = 2.0  # s without a time
NEXT_WARNING = 10.0  # s after the previous one


class ClockWatch:
    """Checks a node's clock periodically, in wall time, and logs warnings.

    Attributes:
        fault: what is currently wrong with the clock; empty for nothing.
        is_simulated: whether it is driven by messages.
    """

    def __init__(
        self, node: ParameterNode[Any], on_change: Callable[[], object] = lambda: None
    ) -> None:
        """Start watching.

        Args:
            node: the node whose clock to watch; it logs the warnings.
            on_change: called when the fault changes.
        """
        self._node, self._on_change = node, on_change
        self._clock: Any = node.get_clock()  # a ROSClock, which rclpy types as any clock
        # A callback; polling costs more than reading the clock.
        self._changes = self._clock.create_jump_callback(
            JumpThreshold(min_forward=None, min_backward=None),
            post_callback=self._on_other_time,
        )
        self._on_other_time()
        self._patience = WarnAfter(FIRST_WARNING, NEXT_WARNING)
        self.fault = self.look()
        node.poll_every(PERIOD, self._watch)

    def now(self) -> int:
        """Return the time of the node's clock in ns.

        rclpy makes three objects for each look at a clock; nearly always, it is the system's.
        """
        if self.is_simulated:
            return int(self._clock.now().nanoseconds)
        return time.time_ns()

    def look(self, now: int | None = None) -> str:
        """Return what is wrong with the clock; empty for nothing.

        Args:
            now: time of the clock in ns; None for that of now.
        """
        if now is None:
            now = self.now()
        if 0 < now < stamps.END:  # nearly always
            return ''
        if now == 0:  # only simulated time is ever 0
            return 'use_sim_time is true, but no time > 0 was received on /clock'
        return f'the clock shows {stamps.fault(now)}'

    def _on_other_time(self, _: object = None) -> None:
        self.is_simulated = bool(self._clock.ros_time_is_active)

    def _watch(self) -> None:
        fault = self.look()
        if self._patience.is_due(bool(fault), time.monotonic()):
            self._node.get_logger().warning(f'there is no valid time: {fault}')
        if fault != self.fault:
            self.fault = fault
            self._on_change()

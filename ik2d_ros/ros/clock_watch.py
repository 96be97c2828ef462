"""Tells when a node's clock shows no time that could be put on a message.

With ``use_sim_time`` the time comes from ``/clock``. As long as nothing comes, or what comes is
beyond what a stamp can hold, a node that is driven by its clock does nothing, and looks as if it
were well.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from ik2d_ros.ros import stamps
from ik2d_ros.ros.patience import Patience

PERIOD = 0.1  # s between looks
FIRST_WARNING = 2.0  # s without a time
NEXT_WARNING = 10.0  # s after the one before


class ClockWatch:
    """Looks at a node's clock again and again, in wall time, and warns in the log.

    Attributes:
        fault: what is wrong with the clock at present, in words; empty for nothing.
    """

    def __init__(self, node: Node, on_change: Callable[[], object] = lambda: None) -> None:
        """Begin to watch.

        Args:
            node: whose clock, and who warns.
            on_change: called when there is another fault than before, or none any more.
        """
        self._node, self._on_change = node, on_change
        self._patience = Patience(FIRST_WARNING, NEXT_WARNING)
        self.fault = self.look()
        clock = Clock(clock_type=ClockType.STEADY_TIME)
        node.create_timer(PERIOD, self._watch, clock=clock)

    def look(self) -> str:
        """What is wrong with the clock now, in words; empty for nothing."""
        now = self._node.get_clock().now().nanoseconds
        if now == 0:  # which no other clock shows
            return 'use_sim_time is true, but no time after 0 has come on /clock'
        fault = stamps.fault(now)
        return f'the clock shows {fault}' if fault else ''

    def _watch(self) -> None:
        fault = self.look()
        if self._patience.is_over(bool(fault), time.monotonic()):
            self._node.get_logger().warning(f'there is no time to go by: {fault}')
        if fault != self.fault:
            self.fault = fault
            self._on_change()

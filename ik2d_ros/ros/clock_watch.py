"""Detects that a node's clock gives no valid time for message stamps.

With ``use_sim_time`` the time comes from ``/clock``. While nothing arrives there, or only times
outside the range of a stamp, a node driven by its clock does nothing, and looks healthy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
        self._warn = WarnAfter(FIRST_WARNING, NEXT_WARNING)
        self.fault = self.fault_at()
        node.poll_every(PERIOD, self._watch)

    @property
    def is_simulated(self) -> bool:
        """Whether the clock is driven by messages."""
        return bool(self._clock.ros_time_is_active)

    def now(self) -> int:
        """Return the time of the node's clock in ns."""
        return int(self._clock.now().nanoseconds)

    def fault_at(self, now: int | None = None) -> str:
        """Return what is wrong with the clock; empty for nothing.

        Args:
            now: time of the clock in ns; None to read it.
        """
        if now is None:
            now = self.now()
        if now == 0:  # only simulated time is ever 0
            return 'use_sim_time is true, but no time > 0 was received on /clock'
        fault = stamps.fault(now)
        return f'the clock shows {fault}' if fault else ''

    def _watch(self) -> None:
        fault = self.fault_at()
        if self._warn.is_due(bool(fault)):
            self._node.get_logger().warning(f'there is no valid time: {fault}')
        if fault != self.fault:
            self.fault = fault
            self._on_change()

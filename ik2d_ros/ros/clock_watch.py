"""The time of a node, and what is wrong with it.

With ``use_sim_time`` the time comes from ``/clock``. While nothing arrives there, or only times
outside the range of a stamp, a node driven by its clock does nothing, and looks healthy.
"""

from __future__ import annotations

import time
from typing import Any

from ik2d_ros.pilot.clock import Now
from ik2d_ros.ros.parameter_node import ParameterNode

PERIOD = 0.1  # s between checks
SECONDS_BETWEEN_LOGS = 5.0


class ClockWatch:
    """Reads a node's clock, and checks it periodically, in wall time."""

    def __init__(self, node: ParameterNode[Any]) -> None:
        """Start watching; the node logs the warnings."""
        self._node = node
        self._clock: Any = node.get_clock()  # a ROSClock, which rclpy types as any clock
        node.poll_every(PERIOD, self._watch)

    def now(self) -> Now:
        """Return the time."""
        if not self._clock.ros_time_is_active:
            return Now.here()  # what the clock would say, in a fifth of the time
        return Now(int(self._clock.now().nanoseconds), time.monotonic(), is_simulated=True)

    def _watch(self) -> None:
        if fault := self.now().fault:
            self._node.get_logger().warning(
                f'there is no valid time: {fault}',
                throttle_duration_sec=SECONDS_BETWEEN_LOGS,
                skip_first=True,
            )

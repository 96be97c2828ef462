"""Times and message stamps, valid or not; rclpy's ``Time`` raises for invalid ones.

A message holds a stamp as seconds (a signed 32-bit integer) and nanoseconds (an unsigned one, which
may be more than a second's worth).
"""

from __future__ import annotations

import time
from typing import Any

from builtin_interfaces.msg import Duration, Time

from ik2d_ros.pilot.clock import BILLION, Now, Stamp


def now_by(clock: Any) -> Now:
    """Return the time by the clock of a node: a ROSClock, which rclpy types as any clock."""
    if not clock.ros_time_is_active:
        return Now.here()  # what the clock would say, in a fifth of the time
    return Now(int(clock.now().nanoseconds), time.monotonic(), is_simulated=True)


def nanoseconds(stamp: Time | Duration) -> int:
    """Convert a stamp to ns since the epoch of its clock, negative before that; or a duration."""
    seconds: int = stamp.sec
    rest: int = stamp.nanosec
    return seconds * BILLION + rest


def stamp_at(time: int) -> Time:
    """Return the stamp for a time in ns; zero, which means none, if a stamp cannot hold it."""
    return Time(**Stamp.at(time)._asdict())


class Increasing:
    """Strictly increasing times for messages of one kind, even while the clock stands still.

    Simulated time moves in steps, and TF keeps only the first transform for a stamp. So a pose that
    is published at the same time as the previous one is stamped 1 ns later.
    """

    def __init__(self) -> None:
        self._clock = self._last = 0

    def after(self, clock: int, time: int) -> int:
        """Return the time for the next message, which is about a time in ns.

        If the clock, in ns, jumps back, the times follow.
        """
        self._last = time if clock < self._clock else max(time, self._last + 1)
        self._clock = clock
        return self._last

"""Ticks of a timer that come late, as on a machine that is busy."""

from __future__ import annotations

from rclpy.timer import Timer

from ik2d_ros.ros.stamps import BILLION

LATE = 0.75  # a tick is late if less than this share of its period is left


def keep_distance(timer: Timer, period: float) -> None:
    """Put off the next tick of a timer whose current one is late.

    It would come the sooner, and two commands, of a period each, could come at the same time: the
    controller would carry them out in one step.

    Args:
        timer: the timer that is being called, of a real clock.
        period: s between its ticks.
    """
    if (timer.time_until_next_call() or 0) < LATE * period * BILLION:
        timer.reset()

"""Times and message stamps, valid or not; rclpy's ``Time`` raises for invalid ones.

A message holds a stamp as seconds (a signed 32-bit integer) and nanoseconds (an unsigned one, which
may be more than a second's worth).
"""

from __future__ import annotations

from builtin_interfaces.msg import Duration, Time

from ik2d_ros.pilot.clock import BILLION, Stamp


def nanoseconds(stamp: Time | Duration) -> int:
    """Convert a stamp to ns since the epoch of its clock, negative before that; or a duration."""
    seconds: int = stamp.sec
    rest: int = stamp.nanosec
    return seconds * BILLION + rest


def stamp_at(time: int) -> Time:
    """Return the stamp for a time in ns; zero, which means none, if a stamp cannot hold it."""
    return Time(**Stamp.at(time)._asdict())

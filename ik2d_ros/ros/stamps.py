"""Stamps of messages, whatever is in them; rclpy's ``Time`` raises where one is no time at all.

A message holds a stamp as seconds (a signed 32-bit integer) and nanoseconds (an unsigned one, which
may be more than a second's worth).
"""

from __future__ import annotations

from builtin_interfaces.msg import Time as TimeMessage

BILLION = 10**9
LAST_SECOND = 2**31 - 1  # the last one that a message can hold


def nanoseconds(stamp: TimeMessage) -> int:
    """A stamp in ns since the epoch of its clock; below 0 where it is before that."""
    return int(stamp.sec) * BILLION + int(stamp.nanosec)


def copied(stamp: TimeMessage) -> TimeMessage:
    """The same stamp to the bit, normalised or not."""
    return TimeMessage(sec=stamp.sec, nanosec=stamp.nanosec)


def stamp_at(time: int) -> TimeMessage | None:
    """The stamp for a time in ns, or None where a message cannot hold it.

    A clock that is driven by ``/clock`` can show such a time, a system clock cannot.
    """
    seconds, rest = divmod(time, BILLION)
    return TimeMessage(sec=seconds, nanosec=rest) if 0 <= seconds <= LAST_SECOND else None


def fault(time: int) -> str:
    """Why a time in ns since the epoch can be no stamp, in words; empty where it can."""
    if time < 0:
        return f'{time / BILLION:.10g} s, which is before 0'
    if time // BILLION > LAST_SECOND:
        return f'{time / BILLION:.10g} s, which is after {LAST_SECOND} s, the last there can be'
    return ''

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


class Increasing:
    """Times for messages of one kind, each later than the one before also while the clock stands.

    Simulated time moves in ticks. What the timer publishes at a tick, and what follows from a
    target that comes before the next one, would carry one and the same stamp; but TF keeps the
    first it gets for a stamp, and robot_state_publisher drops a pose that is not later, by its
    ``publish_frequency``, than the last it took. So the next one is a nanosecond later: that is
    still now to anyone, in the right order, and all that TF needs where robot_state_publisher is
    told not to thin (``ignore_timestamp``, as in our demo). Where it thins, it takes a pose of one
    of the next ticks, for the timer goes on to publish. A stamp so far ahead (50 ms by default)
    that it would take it at once would be a lie, and the poses after it would be dropped until
    time has caught up.
    """

    def __init__(self) -> None:
        self._clock = self._last = 0

    def after(self, clock: int) -> int:
        """The time for the next message.

        Args:
            clock: what the clock shows, in ns; where it was set back, the times follow it.
        """
        self._last = clock if clock < self._clock else max(clock, self._last + 1)
        self._clock = clock
        return self._last


def fault(time: int) -> str:
    """Why a time in ns since the epoch can be no stamp, in words; empty where it can."""
    if time < 0:
        return f'{time / BILLION:.10g} s, which is before 0'
    if time // BILLION > LAST_SECOND:
        return f'{time / BILLION:.10g} s, which is after {LAST_SECOND} s, the last there can be'
    return ''

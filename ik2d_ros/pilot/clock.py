"""The time by a clock, and the stamps of messages; the caller of the pilot passes the time."""

from __future__ import annotations

import math
from time import monotonic, time_ns
from typing import NamedTuple

BILLION = 10**9
LAST_SECOND = 2**31 - 1  # the last one that a stamp can hold
END = (LAST_SECOND + 1) * BILLION  # ns
LOST = 0.5  # s between ticks, if over three periods: longer is a fault, as it is for silent joints


def stamp_fault(time: int) -> str:
    """Return why a time in ns since the epoch is not a valid stamp; empty if it is."""
    if 0 <= time < END:
        return ''
    where = 'before 0' if time < 0 else f'after {LAST_SECOND} s, the largest stamp'
    return f'{time / BILLION:.10g} s, which is {where}'


class Stamp(NamedTuple):
    """A message's stamp to the bit: clients know their target by it. Zero means none.

    Attributes:
        sec: seconds since the epoch.
        nanosec: ns after that, which may be more than a second's worth.
    """

    sec: int = 0
    nanosec: int = 0

    @property
    def time(self) -> int:
        """The time in ns since the epoch; negative before that."""
        return self.sec * BILLION + self.nanosec

    @property
    def fault(self) -> str:
        """Why it is not valid; empty if it is."""
        return stamp_fault(self.time)

    @classmethod
    def at(cls, time: int) -> Stamp:
        """Return the stamp for a time in ns; zero if a stamp cannot hold it."""
        return cls() if stamp_fault(time) else cls(*divmod(time, BILLION))


NO_STAMP = Stamp()


class Now(NamedTuple):
    """The present.

    Attributes:
        clock: time of the arm's clock in ns, which may jump or stop.
        steady: time of a steady clock in s.
        is_simulated: whether messages drive the first one.
    """

    clock: int
    steady: float
    is_simulated: bool = False

    @classmethod
    def here(cls) -> Now:
        """Return the present by this machine's clocks."""
        return cls(time_ns(), monotonic())

    @property
    def fault(self) -> str:
        """The fault of the clock; empty if it is valid."""
        if self.clock == 0:  # only simulated time is ever 0
            return 'use_sim_time is true, but no time > 0 was received on /clock'
        problem = stamp_fault(self.clock)
        return f'the clock shows {problem}' if problem else ''


class TickClock:
    """Turns the ticks of a timer into steps of a motion.

    On a real clock each tick is a step of one period, also a late tick; missed ones are lost. On a
    simulated clock, which may move in strides longer than a period, a step is the time since the
    last tick. A stride more than twice as long as the last one is a jump, and counts as twice as
    long; a stride back does not count.
    """

    def __init__(self) -> None:
        """Start before the first tick."""
        self._due: int | None = None
        self._stride = 0
        self._ticked = math.inf

    def tick(
        self, due: int, steady: float, period: float, is_simulated: bool
    ) -> tuple[float, float, float]:
        """Return the step of the motion with a tick, the time passed, and the time lost, in s.

        More has passed than the step where ticks were missed, or the clock jumped. If that is a
        fault (``LOST``), the time since the tick before was lost; else nothing.

        The tick was due at a time in ns (by a simulated clock: its time); ticks are a period in s
        apart. The ``steady`` time in s goes on while a simulation is paused.
        """
        stride = 0 if self._due is None else max(due - self._due, 0)
        longest = max(period, 2.0 * self._stride / BILLION)
        self._due, self._stride = due, stride
        elapsed = stride / BILLION
        step = min(elapsed, longest) if is_simulated else period
        elapsed = elapsed if is_simulated else max(elapsed, period)
        before, self._ticked = self._ticked, steady
        gap = min(steady - before, elapsed)
        return step, elapsed, gap if gap > max(LOST, 3.0 * period) else 0.0

    def since(self, now: int) -> float:
        """Return the time in s from the last due tick to a time in ns; 0 before the first."""
        return 0.0 if self._due is None else max(now - self._due, 0) / BILLION

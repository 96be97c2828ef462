"""How much time a tick of the node's timer stands for; no ROS imports."""

from __future__ import annotations

from typing import NamedTuple

BILLION = 10**9


class Step(NamedTuple):
    """A tick's share of the time.

    Attributes:
        motion: s by which the motion goes on.
        elapsed: s that passed; more where ticks were missed, or the clock jumped.
    """

    motion: float
    elapsed: float


class TickClock:
    """Turns the ticks of a timer into steps of a motion.

    On a real clock each tick stands for one period: a tick that comes late makes no longer step,
    and of ticks that were missed nothing is made up.

    On a simulated clock, which may move in strides longer than a period, a tick stands for the time
    since the one before. A stride more than twice as long as the one before it is a jump, and
    counts as no more than that; one back does not count at all.
    """

    def __init__(self) -> None:
        """Start before the first tick."""
        self._due: int | None = None
        self._stride = 0

    def step(self, due: int, period: float, is_simulated: bool) -> Step:
        """Return how far the motion goes on with a tick.

        Args:
            due: the time in ns for which the tick was due; on a simulated clock, its time.
            period: s between ticks.
            is_simulated: whether the clock is driven by messages.
        """
        stride = 0 if self._due is None else max(due - self._due, 0)
        longest = max(period, 2.0 * self._stride / BILLION)
        self._due, self._stride = due, stride
        elapsed = stride / BILLION
        if is_simulated:
            return Step(min(elapsed, longest), elapsed)
        return Step(period, max(elapsed, period))

    def since(self, now: int) -> float:
        """Return the time since the last tick was due in s; 0 before the first one.

        Args:
            now: time of the clock in ns.
        """
        return 0.0 if self._due is None else max(now - self._due, 0) / BILLION

"""How much time a tick of the node's timer stands for; no ROS imports."""

from __future__ import annotations

BILLION = 10**9


class Pace:
    """Turns the ticks of a timer into steps of a motion.

    On a real clock each tick stands for one period: a tick that comes late makes no longer step,
    and of ticks that were missed nothing is made up.

    On a simulated clock, which may move in strides longer than a period, a tick stands for the time
    since the one before. A stride more than twice as long as the one before it is a jump, and
    counts as no more than that; one back does not count at all.
    """

    def __init__(self) -> None:
        """Start before the first tick."""
        self._now: int | None = None
        self._stride = 0

    def step(self, now: int, period: float, is_simulated: bool) -> float:
        """Return how far the motion goes on with a tick, in s.

        Args:
            now: time of the clock in ns.
            period: s between ticks.
            is_simulated: whether the clock is driven by messages.
        """
        stride = 0 if self._now is None else now - self._now
        longest = max(period, 2.0 * self._stride / BILLION)
        self._now, self._stride = now, max(stride, 0)
        return min(max(stride, 0) / BILLION, longest) if is_simulated else period

    def since(self, now: int) -> float:
        """Return the time since the last tick in s; 0 before the first one.

        Args:
            now: time of the clock in ns.
        """
        return 0.0 if self._now is None else max(now - self._now, 0) / BILLION

"""Timers for any rate that a user may ask for; no ROS in here."""

from __future__ import annotations

# A timer adds its period to the time of day in ns, and both must fit into 64 bits.
LONGEST_PERIOD = 1e9
SHORTEST_PERIOD = 1e-9


def timer_period(rate: float) -> float:
    """The period in s for a rate > 0 in Hz, as near to it as a ROS timer can have it."""
    return min(max(1.0 / rate, SHORTEST_PERIOD), LONGEST_PERIOD)

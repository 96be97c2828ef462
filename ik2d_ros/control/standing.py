"""Tells an arm that someone moved from one that is still behind its command; no ROS imports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

DEPARTURES: Mapping[str, float] = MappingProxyType({'rad': 0.05, 'm': 0.01})
"""How far a joint of a standing arm may be from where it was commanded, by the position's unit.

A servo stands some hundredths of a radian off, by its own error and the weight that it carries. To
start from there would let the arm sag with every target. Further away, someone has moved it.
"""

SETTLING = 0.5
"""For how long in s an arm may be behind its command once that stands still."""


class Standing:
    """Watches a commanded pose, and the measured one that follows it.

    Servos are behind their command. So an arm that is elsewhere has been moved only if the command
    has stood still since the arm was there, or for a while.
    """

    def __init__(self, units: Sequence[str]) -> None:
        """Start with an arm of which nothing is known.

        Args:
            units: (m,) unit of each joint's position, rad or m.
        """
        self._units = tuple(units)
        self._commanded: tuple[float, ...] = ()
        self._since = self._now = 0.0
        self._was_there = False

    def look(
        self, commanded: tuple[float, ...], measured: Sequence[float] | None, now: float
    ) -> None:
        """Take note of both poses.

        Args:
            commanded: (m,) positions.
            measured: (m,) positions; None if they are not known.
            now: time in s; it may jump back.
        """
        self._now = now
        if commanded != self._commanded or now < self._since:
            self._commanded, self._since, self._was_there = commanded, now, False
        if measured is not None and not has_departed(measured, commanded, self._units):
            self._was_there = True

    def was_moved(self, measured: Sequence[float]) -> bool:
        """Return whether the arm has been moved from where it was commanded to stand.

        Args:
            measured: (m,) positions.
        """
        is_standing = self._was_there or self._now - self._since >= SETTLING
        return is_standing and has_departed(measured, self._commanded, self._units)


def has_departed(
    measured: Sequence[float], commanded: Sequence[float], units: Sequence[str]
) -> bool:
    """Return whether any joint is further from where it was commanded than a servo leaves it.

    Args:
        measured: (m,) positions.
        commanded: (m,) positions.
        units: (m,) unit of each joint's position, rad or m.
    """
    return any(
        abs(a - b) > DEPARTURES[unit] for a, b, unit in zip(measured, commanded, units, strict=True)
    )

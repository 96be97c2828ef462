"""Tells when a controller hears the commands; no ROS imports."""

from __future__ import annotations

import math

DISCOVERY = 1.0
"""For how long in s a subscription must have been known until its end is taken to receive.

The middleware tells both ends of each other one by one: the end that knows the other first sends
messages that are lost, on a busy computer for most of a second.
"""


class ControllerPresence:
    """Watches whether anyone listens to the commands.

    If the first commands of a motion were lost, the arm would jump to where the later ones are.

    Attributes:
        is_there: whether the commands are received.
    """

    def __init__(self) -> None:
        """Start before anyone listens."""
        self.is_there = False
        self._known_since = math.inf

    def update(self, listeners: int, now: float) -> None:
        """Take note of who listens.

        Args:
            listeners: how many subscriptions of the commands are known.
            now: time of a steady clock in s.
        """
        self._known_since = min(self._known_since, now) if listeners else math.inf
        self.is_there = now - self._known_since >= DISCOVERY

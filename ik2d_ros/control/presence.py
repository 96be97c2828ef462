"""Tells when a controller hears the commands; no ROS imports."""

from __future__ import annotations

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
        self._listeners: object = None
        self._since = 0.0

    def update(self, listeners: object, now: float) -> None:
        """Take note of who listens.

        Args:
            listeners: what tells the subscriptions of the commands that are known from others, such
                as those of a controller that has ended and began anew; empty for none.
            now: time of a steady clock in s.
        """
        if listeners != self._listeners:
            self._listeners, self._since = listeners, now
        self.is_there = bool(listeners) and now - self._since >= DISCOVERY

"""Tells when a controller receives commands; no ROS imports."""

from __future__ import annotations

DISCOVERY = 1.0
"""For how long in s a subscription must be known before it counts as receiving.

The middleware connects both ends one by one. The end that is connected first sends messages that
are lost, on a busy computer for most of a second.
"""


class ControllerPresence:
    """Watches the subscriptions to the commands.

    If the first commands of a motion were lost, the arm would jump to the later ones.

    Attributes:
        is_there: whether commands are received.
    """

    def __init__(self) -> None:
        """Start without subscriptions."""
        self.is_there = False
        self._listeners: object = None
        self._since = 0.0

    def update(self, listeners: object, now: float) -> None:
        """Take note of the subscriptions.

        Args:
            listeners: identifies the known subscriptions: those of a restarted controller differ;
                empty for none.
            now: time of a steady clock in s.
        """
        if listeners != self._listeners:
            self._listeners, self._since = listeners, now
        self.is_there = bool(listeners) and now - self._since >= DISCOVERY

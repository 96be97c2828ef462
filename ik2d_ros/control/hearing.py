"""Tells when a controller hears the commands; no ROS imports."""

from __future__ import annotations

DISCOVERY = 1.0
"""For how long in s a subscription must have been known until its end is taken to receive.

The middleware tells both ends of each other one by one: the end that knows the other first sends
messages that are lost, on a busy computer for most of a second.
"""

PATIENCE = 5.0
"""How long in s a motion waits for anyone to listen."""


class Hearing:
    """Watches whether anyone listens to the commands.

    If the first commands of a motion were lost, the arm would jump to where the later ones are. The
    same holds for a controller that ends in the middle of a motion, and is started again.

    Attributes:
        is_sure: whether the commands are received, or no one will wait for it any longer.
        is_alone: whether the waiting ended without anyone who listens.
    """

    def __init__(self) -> None:
        """Start before anyone listens."""
        self.is_sure = self.is_alone = False
        self._known_since: float | None = None
        self._waiting_since: float | None = None

    def look(self, listeners: int, is_commanding: bool, now: float) -> None:
        """Take note of who listens.

        Args:
            listeners: how many subscriptions of the commands are known.
            is_commanding: whether there is something to be heard.
            now: time of a steady clock in s.
        """
        if bool(listeners) != (self._known_since is not None):
            self.is_sure = self.is_alone = False
            self._known_since = now if listeners else None
            self._waiting_since = None
        if self.is_sure:
            return
        if is_commanding and self._waiting_since is None:
            self._waiting_since = now
        is_heard = self._known_since is not None and now - self._known_since >= DISCOVERY
        is_late = self._waiting_since is not None and now - self._waiting_since >= PATIENCE
        self.is_sure = is_heard or is_late
        self.is_alone = is_late and not listeners

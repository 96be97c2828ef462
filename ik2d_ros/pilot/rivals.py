"""Whether a node may publish its joints on a topic where others may publish them, too."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

DISCOVERY = 0.5
"""How long in s after the start the other publishers of a topic may be unknown."""

LISTENING = 1.0
"""How long in s a node that has published nothing listens where there are others."""

SILENCE = 2.0
"""How long in s nobody else must have published the joints until they are published again."""

RECENT = 100
"""How many of the node's own messages may be under way back to it."""


class Rivals:
    """Tells whether others publish the joints of a node; those of other joints do not matter."""

    def __init__(self, joints: Sequence[str], now: float) -> None:
        """Start before the first message.

        Args:
            joints: names of the node's joints.
            now: time of a steady clock in s, as everywhere here.
        """
        self._joints = frozenset(joints)
        self._sent: deque[tuple[int, tuple[float, ...]]] = deque(maxlen=RECENT)
        self._listens_until, self._heard = now + DISCOVERY, -math.inf

    def are_there(self, now: float) -> bool:
        """Return whether others publish the joints."""
        return now - self._heard < SILENCE

    def may_publish(self, now: float) -> bool:
        """Return whether the node may publish its joints."""
        return now >= self._listens_until and not self.are_there(now)

    def appear(self, now: float) -> None:
        """Take note of other publishers of the topic, where there were none."""
        if not self._sent:
            self._listens_until = max(self._listens_until, now + LISTENING)

    def send(self, stamp: int, positions: Sequence[float]) -> None:
        """Take note of a message that the node publishes.

        Args:
            stamp: in ns.
            positions: of its joints.
        """
        self._sent.append((stamp, tuple(positions)))

    def hear(
        self, stamp: int, names: Sequence[str], positions: Sequence[float], now: float
    ) -> bool:
        """Take note of a message on the topic; return whether it is another's about the joints."""
        told = zip(names, positions, strict=False)
        shared = any(name in self._joints and not math.isnan(q) for name, q in told)
        if not shared or (stamp, tuple(positions)) in self._sent:
            return False
        self._heard = now
        return True

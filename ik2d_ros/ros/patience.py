"""When to tell of something that goes on; no ROS in here."""

from __future__ import annotations

import math


class Patience:
    """Tells of a trouble when it has lasted for a while, and now and then as long as it lasts."""

    def __init__(self, first: float, following: float) -> None:
        """Begin without a trouble.

        Args:
            first: for how long a trouble may last untold, in s.
            following: time between tellings after that, in s.
        """
        self._first, self._following = first, following
        self._due = math.inf

    def is_over(self, trouble: bool, now: float) -> bool:
        """Whether to tell of it now.

        Args:
            trouble: whether there is one.
            now: in s, of a clock that never jumps.
        """
        if not trouble:
            self._due = math.inf
        elif self._due == math.inf:
            self._due = now + self._first
        elif now >= self._due:
            self._due = now + self._following
            return True
        return False

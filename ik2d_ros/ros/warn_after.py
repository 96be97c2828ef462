"""When to report a lasting problem; no ROS imports."""

from __future__ import annotations

import math
import time


class WarnAfter:
    """Decides to report a problem once it has lasted a while, then periodically while it lasts."""

    def __init__(self, first: float, following: float) -> None:
        """Start without a problem; s before the first report, and between further ones."""
        self._first, self._following = first, following
        self._due = math.inf

    def is_due(self, trouble: bool) -> bool:
        """Return whether to report the problem now, if there is any trouble."""
        now = time.monotonic()
        is_due = trouble and now >= self._due
        if is_due:
            self._due = now + self._following
        elif not trouble:
            self._due = math.inf
        elif self._due == math.inf:
            self._due = now + self._first
        return is_due

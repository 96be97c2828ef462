"""What a soak does now and then."""

from __future__ import annotations

import time
from collections.abc import Callable


class Every:
    """Calls a function now and then."""

    def __init__(self, period: float, call: Callable[[], object]) -> None:
        """Start; the first call is a period from now."""
        self._period, self._call = period, call
        self._due = time.monotonic() + period

    def look(self, now: float) -> None:
        """Call it if it is time."""
        if now >= self._due:
            self._due = max(self._due + self._period, now)
            self._call()

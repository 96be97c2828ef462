"""The reachable area, computed in a thread: many joints take seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar('Key')
Area = TypeVar('Area')


class BackgroundArea(Generic[Key, Area]):
    """The area of the last requested chain or arm, computed in a thread."""

    def __init__(
        self, compute: Callable[[Key], Area], empty: Area, complain: Callable[[str], object]
    ) -> None:
        """Start idle.

        Args:
            compute: returns the area for a key, such as a chain.
            empty: result for an area that cannot be computed.
            complain: called from the thread with the reason for a failure.
        """
        self._compute, self._empty, self._complain = compute, empty, complain
        self._thread: threading.Thread | None = None
        self._known: tuple[Key, Area] | None = None

    def of(self, key: Key) -> Area | None:
        """Return the area, or None while it is being computed: ask again."""
        newest = self.newest(key)
        return newest[1] if newest is not None and newest[0] == key else None

    def newest(self, key: Key) -> tuple[Key, Area] | None:
        """Return the area that was computed last, and of what; compute this one if it is not."""
        known = self._known
        is_known = known is not None and known[0] == key
        if not is_known and (self._thread is None or not self._thread.is_alive()):
            # A daemon, so that the process can exit without waiting for it.
            self._thread = threading.Thread(target=self._work, args=(key,), daemon=True)
            self._thread.start()
        return known

    def _work(self, key: Key) -> None:
        try:
            self._known = key, self._compute(key)
        except Exception as error:
            # For example an arm near the largest float: better no area than no picture.
            self._complain(f'the reachable area cannot be drawn: {error!r}')
            self._known = key, self._empty

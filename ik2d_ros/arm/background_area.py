"""The reachable area, computed in a thread: it takes seconds for an arm of many joints."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from ik2d_ros.kinematics import Chain

Area = TypeVar('Area')


class BackgroundArea(Generic[Area]):
    """The reachable area of the last requested chain, computed in a thread."""

    def __init__(
        self, compute: Callable[[Chain], Area], empty: Area, complain: Callable[[str], object]
    ) -> None:
        """Start idle.

        Args:
            compute: returns the area of a chain.
            empty: result for an area that cannot be computed.
            complain: called from the thread with the reason why one cannot.
        """
        self._compute, self._empty, self._complain = compute, empty, complain
        self._thread: threading.Thread | None = None
        self._known: tuple[Chain, Area] | None = None

    def of(self, chain: Chain) -> Area | None:
        """Return the area, or None while it is being computed: ask again."""
        known = self._known
        if known is not None and known[0] == chain:
            return known[1]
        if self._thread is None or not self._thread.is_alive():
            # A daemon, so that the process can exit without waiting for it.
            self._thread = threading.Thread(target=self._work, args=(chain,), daemon=True)
            self._thread.start()
        return None

    def _work(self, chain: Chain) -> None:
        try:
            self._known = chain, self._compute(chain)
        except Exception as error:
            # For example an arm near the largest float: better no area than no picture.
            self._complain(f'the reachable area cannot be drawn: {error!r}')
            self._known = chain, self._empty

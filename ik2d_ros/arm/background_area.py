"""The area of reach for those who cannot wait for it: it takes seconds for arms of many joints."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from ik2d_ros.kinematics import Chain

Area = TypeVar('Area')


class BackgroundArea(Generic[Area]):
    """The area of reach of the last chain that was asked for, computed by a thread."""

    def __init__(
        self, compute: Callable[[Chain], Area], empty: Area, complain: Callable[[str], object]
    ) -> None:
        """Begin with nothing to do.

        Args:
            compute: gives the area of a chain.
            empty: stands for an area that cannot be computed.
            complain: told why one cannot, from the thread.
        """
        self._compute, self._empty, self._complain = compute, empty, complain
        self._thread: threading.Thread | None = None
        self._known: tuple[Chain, Area] | None = None

    def of(self, chain: Chain) -> Area | None:
        """The area, or None where it is not known yet: ask again."""
        known = self._known
        if known is not None and known[0] == chain:
            return known[1]
        if self._thread is None or not self._thread.is_alive():
            # A daemon, so that the end of the process does not wait for it.
            self._thread = threading.Thread(target=self._work, args=(chain,), daemon=True)
            self._thread.start()
        return None

    def _work(self, chain: Chain) -> None:
        try:
            self._known = chain, self._compute(chain)
        except Exception as error:
            # An arm as long as a float can hold, say: a picture without it is better than none.
            self._complain(f'the area of reach cannot be drawn: {error!r}')
            self._known = chain, self._empty

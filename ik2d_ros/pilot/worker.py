"""Threads for what takes long."""

from __future__ import annotations

import threading
from collections import deque

from ik2d_ros.pilot.answer import Answer
from ik2d_ros.pilot.pilot import Job


class Worker:
    """Runs jobs, each in a thread of its own; a pilot has one at a time.

    A thread only computes, so that nothing needs locks. The compiled solver releases the
    interpreter's lock; Python code passes it on every 5 ms.
    """

    def __init__(self) -> None:
        """Start without a job."""
        self._left = 0
        self._done = deque[tuple[Answer | None, Exception | None]]()

    def add(self, job: Job) -> None:
        """Let a job be run."""
        self._left += 1
        # A daemon: the process may end before a job does.
        threading.Thread(target=self._run, args=[job], daemon=True).start()

    @property
    def is_busy(self) -> bool:
        """Whether there are jobs whose results were not taken."""
        return self._left > 0

    def take(self) -> tuple[Answer | None, Exception | None] | None:
        """Return the result of the next job that has ended, or its exception; None if none has."""
        if not self._done:
            return None
        self._left -= 1
        return self._done.popleft()

    def _run(self, job: Job) -> None:
        try:
            self._done.append((job(), None))
        except Exception as error:
            self._done.append((None, error))

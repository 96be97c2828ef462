"""Computing beside the node's own thread; no ROS imports."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple


class Worker:
    """Runs one job after the other in a thread; what follows runs where the results are taken.

    The thread only computes, so the node needs no locks. The compiled solver lets go of the
    interpreter; Python itself hands it over every 5 ms.
    """

    def __init__(self) -> None:
        """Start without a job."""
        self._jobs: deque[_Job] = deque()  # the first one runs

    @property
    def count(self) -> int:
        """Number of jobs that are not taken."""
        return len(self._jobs)

    def add(self, work: Callable[[], Any], then: Callable[[Any], object], kind: str = '') -> None:
        """Let a job be run.

        Args:
            work: the job, run in the thread.
            then: takes its result, in :meth:`take`.
            kind: replaces a job of this kind that still waits; empty for none.
        """
        running = list(self._jobs)[:1]
        others = [job for job in list(self._jobs)[1:] if not kind or job.kind != kind]
        self._jobs = deque([*running, *others, _Job(work, then, kind, Future())])
        if not running:
            self._start()

    def take(self) -> bool:
        """Hand on the result of the job that has ended; return False if none has.

        Raises:
            Exception: what the job has raised.
        """
        if not self._jobs or not self._jobs[0].future.done():
            return False
        job = self._jobs.popleft()
        if self._jobs:
            self._start()
        job.then(job.future.result())
        return True

    def _start(self) -> None:
        # A daemon: the process may end before the job does.
        threading.Thread(target=self._jobs[0].run, daemon=True).start()


class _Job(NamedTuple):
    work: Callable[[], Any]
    then: Callable[[Any], object]
    kind: str
    future: Future[Any]

    def run(self) -> None:
        try:
            self.future.set_result(self.work())
        except Exception as error:
            self.future.set_exception(error)

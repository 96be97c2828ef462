"""Whose turn it is to answer a target, and the thread that works aside."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ik2d_ros.ros.tick_timer import TickTimer


class Turns:
    """Lets the arms of a process answer targets and queries one at a time, in turn.

    Solving a target may take longer than the time between two ticks. Afterwards all ticks that are
    due by then come first, of every arm: none waits for more than one target.
    """

    def __init__(self) -> None:
        """Start without any arm."""
        self._arms: deque[tuple[TickTimer, Callable[[], bool]]] = deque()
        self._late: list[tuple[TickTimer, int]] = []

    def join(self, timer: TickTimer, answer_next: Callable[[], bool]) -> None:
        """Take an arm in.

        Args:
            timer: its timer.
            answer_next: answers a target or query; returns False if none can be answered now.
        """
        self._arms.append((timer, answer_next))

    def run(self) -> None:
        """Answer until nothing is left to answer, or a tick is due."""
        while not any(timer.count == count and timer.is_due() for timer, count in self._late):
            for _ in range(len(self._arms)):
                self._arms.rotate(-1)
                if self._arms[-1][1]():
                    break
            else:
                return
            self._late = [(timer, timer.count) for timer, _ in self._arms if timer.is_due()]


class Worker:
    """Runs one job after the other in a thread; the caller takes the results.

    The thread only computes, so the node needs no locks. The compiled solver releases the
    interpreter's lock; Python code passes it on every 5 ms.

    Attributes:
        count: number of jobs whose results are not taken.
    """

    def __init__(self) -> None:
        """Start without a job, and without a thread."""
        self.count = 0
        self._jobs: SimpleQueue[tuple[Callable[[], Any], Callable[[Any], object]]] = SimpleQueue()
        self._results = deque[tuple[Any, Callable[[Any], object]]]()
        # A daemon: the process may end before a job does.
        self._thread = threading.Thread(target=self._run, daemon=True)

    def add(self, work: Callable[[], Any], then: Callable[[Any], object]) -> None:
        """Let a job be run.

        Args:
            work: the job, run in the thread.
            then: takes its result, in :meth:`take`.
        """
        if not self._thread.ident:
            self._thread.start()
        self.count += 1
        self._jobs.put((work, then))

    def take(self) -> bool:
        """Hand on the result of the next job that has ended; return False if none has.

        Raises:
            Exception: the job raised it.
        """
        if not self._results:
            return False
        self.count -= 1
        result, then = self._results.popleft()
        if isinstance(result, Exception):
            raise result
        then(result)
        return True

    def _run(self) -> None:
        while True:
            work, then = self._jobs.get()
            try:
                self._results.append((work(), then))
            except Exception as error:
                self._results.append((error, then))
            del work, then  # nothing is kept of a job that is done

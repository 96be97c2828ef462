"""Targets and queries that wait for their turn, a transform, or a thread; no ROS imports."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from ik2d_ros.node.answer import Target

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


@dataclass(frozen=True)
class _Waiting:
    target: Target
    arrival: float
    is_refused: bool = False


class WaitingLine:
    """Answers targets, or queries, one at a time, as soon as their transforms are there.

    One that gets no transform in time is answered without it, which refuses it.

    The last target wins: as soon as it has its transform, older ones are dropped, and refused if
    they still wait for theirs. Not as soon as it arrives: in a stream of targets whose transforms
    are always a bit late, none would ever be answered. If the last target was refused for want of a
    transform, it is answered again when the transform is there, unless another target has come.
    """

    def __init__(
        self,
        update: Callable[[Target], Target],
        answer: Callable[[Target], object],
        gives_up_at: Callable[[float], float],
        last_wins: bool,
        most: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start empty.

        Args:
            update: returns a target as it is now, with its transform if that is known.
            answer: answers a target.
            gives_up_at: when a target that arrived at a time is answered in any case; -inf if
                there will never be a transform.
            last_wins: whether these are targets; False for queries, each of which counts.
            most: how many may wait. The oldest target makes room for one more.
            clock: time in s.
        """
        self._update, self._answer, self._gives_up_at = update, answer, gives_up_at
        self._last_wins, self._most, self._clock = last_wins, most, clock
        self._waiting: list[_Waiting] = []

    def add(self, target: Target) -> bool:
        """Let a target or query wait; return False if there is no room for it."""
        self._waiting = [each for each in self._waiting if not each.is_refused]
        if len(self._waiting) >= self._most:
            if not self._last_wins:
                return False
            del self._waiting[0]
        self._waiting.append(_Waiting(target, self._clock()))
        return True

    def clear(self) -> Target | None:
        """Forget all that wait; return the newest, if any."""
        waiting, self._waiting = self._waiting, []
        return waiting[-1].target if waiting else None

    def answer_next(self) -> bool:
        """Answer the next one that can be answered by now; return False if there is none."""
        places = range(len(self._waiting))
        for place in reversed(places) if self._last_wins else places:
            target = self._update(self._waiting[place].target)
            if not target.frame_fault:
                older = self._waiting[:place] if self._last_wins else []
                # Before it is answered, for that may fail.
                del self._waiting[place - len(older) : place + 1]
                for each in older:
                    overtaken = self._update(each.target)
                    if overtaken.frame_fault:
                        self._answer(overtaken)
                self._answer(target)
                return True
        for place, each in enumerate(self._waiting):
            end = self._gives_up_at(each.arrival)
            if not each.is_refused and self._clock() >= end:
                is_last = self._last_wins and place == places[-1] and end > -math.inf
                self._waiting[place : place + 1] = [replace(each, is_refused=True)] * is_last
                self._answer(self._update(each.target))
                return True
        return False


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

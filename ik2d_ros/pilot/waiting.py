"""Queues of requests that wait for transforms, planning or state, and threads that plan."""

from __future__ import annotations

import itertools
import math
import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.pilot.answer import Answer
from ik2d_ros.pilot.clock import NO_STAMP, Now, Stamp
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.request import Missing, Path, Target

MOST_TARGETS = 100  # that wait for their frames; more can only be a flood
MOST_QUERIES = 10
NUMBERS = itertools.count(1)

Job = Callable[[], Answer]
"""Plans a path, or a target with walls; it may take long, and run in another thread."""


class PendingRequest(NamedTuple):
    """A target or a query, from when it is taken to its last status.

    Attributes:
        target: the target.
        stamp: of its statuses: its own to the bit, or that of its arrival; zero for none yet.
        arrival: when it came, in s of the steady clock.
        number: its identity, by which outcomes match; later requests have larger ones.
        is_query: whether nothing is to move.
        may_wait: whether it waits for the first measurement, or for the time.
        is_replan: whether it was answered, and is planned again.
    """

    target: Target
    stamp: Stamp = NO_STAMP
    arrival: float = -math.inf
    number: int = 0
    is_query: bool = False
    may_wait: bool = True
    is_replan: bool = False

    @classmethod
    def at(cls, now: Now, target: Target, **how: bool) -> PendingRequest:
        """Return a target that comes now, and how."""
        return cls(target, target.stamp, now.steady, next(NUMBERS), **how).stamped(now)

    def stamped(self, now: Now) -> PendingRequest:
        """Return it with the present time for its stamp if it has none."""
        return self if self.stamp.time else self._replace(stamp=Stamp.at(now.clock))

    def is_due(self, frame: Plane | Missing | None, now: float, timeout: float) -> bool:
        """Return whether its frame is known, or is not to be waited for any more."""
        if not isinstance(frame, Missing) or frame.until == -math.inf:
            return True
        return now >= max(self.arrival + timeout, frame.until)


class Waiting:
    """Holds all pending requests.

    Targets and queries wait for their frames, and are refused if these come too late. The last
    target wins: as soon as its frame is known, it overtakes all older ones (when it arrives would
    be too early: a stream whose transforms are always late would never be answered).

    A target whose turn has come is answered at once, or left to a job (a path, a search for a way
    past walls), or it waits for the pose or the time to be known.

    Attributes:
        current: the target whose turn has come, if it is not answered yet, or is planned again.
        waits_for_state: whether it waits for the pose or the time; otherwise it is left to a job.
        long_queries: those that are left to jobs.
        job: request and configuration of the job under way; None if there is none.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.current: PendingRequest | None = None
        self.waits_for_state = False
        self.long_queries: deque[PendingRequest] = deque()
        self.job: tuple[PendingRequest, Configuration] | None = None
        self._targets: list[PendingRequest] = []
        self._queries: list[PendingRequest] = []

    @property
    def has_queued(self) -> bool:
        """Whether a target or a query waits for its turn."""
        return bool(self._targets or self._queries)

    @property
    def has_target(self) -> bool:
        """Whether a target is not answered yet."""
        return self.current is not None or bool(self._targets)

    def add_target(self, request: PendingRequest) -> list[PendingRequest]:
        """Add a target; return the oldest one if the queue is full."""
        self._targets.append(request)
        return [self._targets.pop(0)] if len(self._targets) > MOST_TARGETS else []

    def add_query(self, request: PendingRequest) -> str:
        """Add a query; return why it is refused, empty if it is not."""
        if len(self._queries) + len(self.long_queries) < MOST_QUERIES:
            self._queries.append(request)
            return ''
        return f'the query gets no answer: {MOST_QUERIES} wait already'

    def next(
        self, frame_of: Callable[[Target], Plane | Missing | None], now: float, timeout: float
    ) -> list[PendingRequest]:
        """Take the next request that can be answered by now, after targets that it supersedes.

        It waits for its frame for a timeout in s; ``now`` is the time of the steady clock in s.
        """
        current = self.current
        # One of a stream that were overtaken in its search would never be followed.
        searches = current and not (self.waits_for_state or isinstance(current.target, Path))
        if searches or not (self._targets or self._queries):
            return []
        frames = [frame_of(each.target) for each in self._targets]
        known = [k for k, frame in enumerate(frames) if not isinstance(frame, Missing)]
        due = known[-1:] or [
            k for k, each in enumerate(self._targets) if each.is_due(frames[k], now, timeout)
        ]
        if due:
            taken = self._targets[: due[0] + 1]
            self._targets = self._targets[due[0] + 1 :]
            return taken
        for k, query in enumerate(self._queries):
            if query.is_due(frame_of(query.target), now, timeout):
                return [self._queries.pop(k)]
        return []

    def begin_job(self, configuration: Configuration) -> PendingRequest | None:
        """Return the target or query that the next job is for; None if none begins now."""
        if self.job is not None:
            return None
        request = None if self.waits_for_state else self.current
        if request is None and self.long_queries:
            request = self.long_queries.popleft()
        self.job = None if request is None else (request, configuration)
        return request

    def clear(self) -> list[PendingRequest]:
        """Forget all targets; return those that are not answered, from first to last."""
        current = [self.current] if self.current and not self.current.is_replan else []
        waiting = [*current, *self._targets]
        self.current, self._targets = None, []
        return waiting


class Worker:
    """Runs jobs, each in a thread of its own; a pilot has one at a time.

    A thread only computes, so that nothing needs locks. It passes on the interpreter's lock: Python
    code does so after the switch interval, which programs set, compiled code on its way.

    Attributes:
        unfinished: number of jobs whose results were not taken.
    """

    def __init__(self) -> None:
        """Start without a job."""
        self.unfinished = 0
        self._done = deque[tuple[Answer | None, Exception | None]]()

    def add(self, job: Job) -> None:
        """Run a job in a thread."""

        def run() -> None:
            try:
                self._done.append((job(), None))
            except Exception as error:
                self._done.append((None, error))

        self.unfinished += 1
        # A daemon: the process may end before a job does.
        threading.Thread(target=run, daemon=True).start()

    def take(self) -> tuple[Answer | None, Exception | None] | None:
        """Return the result of the next job that has ended, or its exception; None if none has."""
        if not self._done:
            return None
        self.unfinished -= 1
        return self._done.popleft()

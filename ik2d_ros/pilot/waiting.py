"""Queues of requests that wait for transforms, planning or state."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.pilot.clock import Now, Stamp
from ik2d_ros.pilot.request import Missing, Path, Target

MOST_TARGETS = 100  # that wait for their frames; more can only be a flood
MOST_QUERIES = 10


@dataclass(frozen=True)
class PendingRequest:
    """A target, and how it came.

    Attributes:
        target: the target.
        stamp: its stamp, or that of its arrival; zero if there was no valid time.
        arrival: when it came, in s of the steady clock.
        is_query: whether nothing is to move.
        is_refused: whether it was refused for want of its frame, which may still come.
        may_wait: whether it waits for the first measurement, or for the time.
        is_second: whether it was answered, and another way is sought as a wall ended its motion.
    """

    target: Target
    stamp: Stamp
    arrival: float
    is_query: bool = False
    is_refused: bool = False
    may_wait: bool = True
    is_second: bool = False

    @classmethod
    def at(cls, now: Now, target: Target, **how: bool) -> PendingRequest:
        """Return a target that comes now, and how."""
        stamp = target.stamp if target.stamp.time else Stamp.at(now.clock)
        return cls(target, stamp, now.steady, **how)

    def stamp_at(self, now: Now) -> Stamp:
        """Return the stamp of its statuses: its own to the bit, by which clients know it."""
        return self.stamp if self.stamp.time else Stamp.at(now.clock)


FrameOf = Callable[[PendingRequest], Plane | Missing | None]
"""Returns the pose of a target's frame in the base frame; None if it is that."""

NextRequest = tuple[PendingRequest, list[PendingRequest]]
"""The next request, and the requests that it supersedes."""


class RequestQueue:
    """Hands on targets, or queries, one at a time, as soon as their frames are known.

    One whose frame is not known in time is handed on without it, and refused for that.

    The last target wins: as soon as its frame is known, it overtakes all older ones. Not as soon as
    it arrives: in a stream of targets whose transforms are always a bit late, none would ever be
    answered. If the last target was refused for want of its frame, it is handed on again when that
    is known, unless another target has come.

    Attributes:
        waiting: the pending requests, from first to last.
    """

    def __init__(self, last_wins: bool) -> None:
        """Start empty.

        Args:
            last_wins: whether these are targets; False for queries, each of which counts.
        """
        self.waiting: list[PendingRequest] = []
        self._last_wins = last_wins

    def add(self, asked: PendingRequest) -> None:
        """Append a target or query to the queue."""
        self.waiting = [*(each for each in self.waiting if not each.is_refused), asked]

    def clear(self) -> list[PendingRequest]:
        """Empty the queue; return its requests that are not refused, from first to last."""
        waiting, self.waiting = self.waiting, []
        return [each for each in waiting if not each.is_refused]

    def next(self, frame_of: FrameOf, now: float, timeout: float) -> NextRequest | None:
        """Take the next one that can be answered by now; None if there is none.

        Args:
            frame_of: knows the frames.
            now: time of the steady clock in s.
            timeout: how long one waits for its frame in s.
        """
        if not self.waiting:
            return None
        frames = [*map(frame_of, self.waiting)]
        places = range(len(frames))
        for place in reversed(places) if self._last_wins else places:
            if not isinstance(frames[place], Missing):
                return self._take(place)
        for place, (each, frame) in enumerate(zip(self.waiting, frames, strict=True)):
            assert isinstance(frame, Missing)  # noqa: S101  # as all are
            may_come = frame.until > -math.inf
            if each.is_refused or (may_come and now < max(each.arrival + timeout, frame.until)):
                continue
            turn = self._take(place)
            if self._last_wins and not self.waiting and may_come:
                self.waiting = [replace(each, is_refused=True)]
            return turn
        return None

    def _take(self, place: int) -> NextRequest:
        """Take the one at a place, and as the last one wins, all before it."""
        first = 0 if self._last_wins else place
        *older, asked = self.waiting[first : place + 1]
        del self.waiting[first : place + 1]
        return asked, [each for each in older if not each.is_refused]


class Waiting:
    """Holds all pending requests.

    Targets and queries wait for their turn. A target whose turn has come is answered at once, but
    for a path and a target whose way past walls is to be searched, which are left to a job, and for
    one that comes before the pose or the time is known.

    Attributes:
        newest: the target whose turn has come, if it is not answered yet.
        for_state: whether it waits for the pose or the time; otherwise it is left to a job.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.newest: PendingRequest | None = None
        self.for_state = False
        self._targets, self._queries = RequestQueue(last_wins=True), RequestQueue(last_wins=False)
        self._long_queries: deque[PendingRequest] = deque()  # that are left to jobs
        self._missed = 0

    @property
    def for_turn(self) -> bool:
        """Whether a target or a query waits for its turn."""
        return bool(self._targets.waiting or self._queries.waiting)

    @property
    def has_target(self) -> bool:
        """Whether a target is not answered yet."""
        return self.newest is not None or bool(self._targets.waiting)

    def add_target(self, asked: PendingRequest) -> list[PendingRequest]:
        """Add a target; return the oldest one if the queue is full."""
        self._targets.add(asked)
        is_flood = len(self._targets.waiting) > MOST_TARGETS
        return [self._targets.waiting.pop(0)] if is_flood else []

    def add_query(self, asked: PendingRequest) -> str:
        """Add a query; return why it is refused, empty if it is not."""
        if len(self._queries.waiting) + len(self._long_queries) < MOST_QUERIES:
            self._queries.add(asked)
            return ''
        self._missed += 1
        return (
            f'{self._missed} queries since start got no answer: they come faster than they can be '
            f'solved, and {MOST_QUERIES} wait already'
        )

    def next(self, frame_of: FrameOf, now: float, timeout: float) -> NextRequest | None:
        """Take the next target, or else the next query, as :meth:`RequestQueue.next`."""
        if (turn := self._targets.next(frame_of, now, timeout)) is not None:
            return turn
        while (turn := self._queries.next(frame_of, now, timeout)) is not None:
            if not isinstance(turn[0].target, Path):
                return turn
            self._long_queries.append(turn[0])
        return None

    @property
    def is_searched(self) -> bool:
        """Whether a job searches a way past walls for the newest target."""
        if self.newest is None or self.for_state:
            return False
        return not isinstance(self.newest.target, Path)

    def add_long_query(self, asked: PendingRequest) -> None:
        """Leave a query to a job."""
        self._long_queries.append(asked)

    def next_job(self) -> PendingRequest | None:
        """Return the target or query that the next job is for; None if there is none."""
        if self.newest is not None and not self.for_state:
            return self.newest
        return self._long_queries.popleft() if self._long_queries else None

    def clear(self) -> list[PendingRequest]:
        """Forget all targets, and return them from first to last."""
        newest = [self.newest] if self.newest and not self.newest.is_second else []
        waiting = [*newest, *self._targets.clear()]
        self.newest = None
        return waiting

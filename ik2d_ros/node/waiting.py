"""Targets that wait for the transform from their frame; no ROS imports."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ik2d_ros.node.answer import Target

Message = TypeVar('Message')

MOST_WAITING = 100  # messages; more can only be a flood


@dataclass(frozen=True)
class _Waiting(Generic[Message]):
    message: Message
    arrival: float


class WaitingLine(Generic[Message]):
    """Answers messages in their order, as soon as their transforms are there.

    A message that gets no transform in time is answered without one, which refuses it.

    For targets the last one wins: as soon as it has its transform, older ones that still wait are
    refused. Not as soon as it arrives: in a stream of targets whose transforms are always a bit
    late, none would ever be answered. If the last target was refused for want of a transform, it
    is answered again when the transform is there, unless another target has come since.
    """

    def __init__(
        self,
        read: Callable[[Message], Target],
        answer: Callable[[Message, Target], object],
        gives_up_at: Callable[[float], float],
        last_wins: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start empty.

        Args:
            read: returns the target in a message, with its transform if that is known now.
            answer: answers a message.
            gives_up_at: when a message that arrived at a time is answered in any case; -inf if
                there will never be a transform.
            last_wins: whether these are targets; False for queries, each of which counts.
            clock: time in s.
        """
        self._read, self._answer, self._gives_up_at = read, answer, gives_up_at
        self._last_wins, self._clock = last_wins, clock
        self._waiting: list[_Waiting[Message]] = []
        self._refused: Message | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no message waits, not even a refused one."""
        return not self._waiting and self._refused is None

    def add(self, message: Message) -> None:
        """Answer a new message, now or later."""
        self._refused = None
        if not self._waiting:
            target = self._read(message)
            if not target.frame_fault:
                self._answer(message, target)
                return
        self._waiting.append(_Waiting(message, self._clock()))
        self.look()

    def look(self) -> None:
        """Answer what can be answered by now."""
        if self._refused is not None:
            self._look_at_refused(self._refused)
        now = self._clock()
        read = [self._read(each.message) for each in self._waiting]
        ready = [not target.frame_fault for target in read]
        # All before this one are answered in any case.
        first = len(ready) - MOST_WAITING
        if self._last_wins and True in ready:
            first = max(first, len(ready) - ready[::-1].index(True))
        is_due = [
            place < first or ready[place] or now >= self._gives_up_at(each.arrival)
            for place, each in enumerate(self._waiting)
        ]
        looked_at = list(zip(self._waiting, read, is_due, strict=True))
        # Before any is answered, for that may fail.
        self._waiting = [each for each, _, due in looked_at if not due]
        if looked_at and not self._waiting and self._last_wins:
            last, target, _ = looked_at[-1]
            if target.frame_fault and self._gives_up_at(last.arrival) > -math.inf:
                self._refused = last.message
        for each, target, due in looked_at:
            if due:
                self._answer(each.message, target)

    def _look_at_refused(self, message: Message) -> None:
        target = self._read(message)
        if not target.frame_fault:
            self._refused = None
            self._answer(message, target)

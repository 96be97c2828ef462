"""Targets and queries that wait for their turn or a transform."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from ik2d_ros.pilot.answer import Target


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

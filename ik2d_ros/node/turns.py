"""Who answers when, among the arms of a process; no ROS imports."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol


class Ticks(Protocol):
    """The ticks of an arm."""

    @property
    def count(self) -> int:
        """How many there were."""

    def is_due(self) -> bool:
        """Whether the next one should have come by now."""


class Turns:
    """Lets the arms of a process answer targets and queries one at a time, in turn.

    To solve a target may take longer than the time between two ticks. After each, all ticks that
    are due by then come first, those of every arm: none waits for more than one target.
    """

    def __init__(self) -> None:
        """Start without any arm."""
        self._arms = deque[tuple[Ticks, Callable[[], bool]]]()
        self._late: list[tuple[Ticks, int]] = []

    def join(self, ticks: Ticks, answer_next: Callable[[], bool]) -> None:
        """Take an arm in.

        Args:
            ticks: its ticks.
            answer_next: answers a target or query; returns False if none can be answered now.
        """
        self._arms.append((ticks, answer_next))

    def run(self) -> None:
        """Answer until nothing is left to answer, or a tick is due."""
        while not any(ticks.count == count and ticks.is_due() for ticks, count in self._late):
            if not self._answer_one():
                return
            self._late = [(ticks, ticks.count) for ticks, _ in self._arms if ticks.is_due()]

    def _answer_one(self) -> bool:
        for _ in range(len(self._arms)):
            self._arms.rotate(-1)
            if self._arms[-1][1]():
                return True
        return False

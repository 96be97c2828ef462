"""The parts that the arms of a process share: the clock, ticks, the order of answers, frames."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from ik2d_ros.node.frames import Frames
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.ticks import Ticks

TURN_PERIOD = 0.05  # s between checks of those who wait; ticks may be rare


class Shared:
    """The parts that the arms of a process share; the first one decides on the clock.

    Attributes:
        clock: of the first one.
        frames: poses of foreign frames.
        ticks: call each arm at its rate.
        turns: decide which arm answers next.
    """

    def __init__(self, first: ParameterNode[Any]) -> None:
        """Start with the first arm."""
        self.clock, self.frames = first.get_clock(), Frames(first)
        self.ticks = Ticks(first, lambda: self.turns.run(is_after_tick=True))
        self.turns = Turns(self.ticks.is_due)
        first.poll_every(TURN_PERIOD, self.turns.run)


class Arm(Protocol):
    """An arm that answers targets and queries."""

    @property
    def is_waiting(self) -> bool:
        """Whether it has, or is about to have, something to answer."""

    def answer_next(self) -> bool:
        """Answer a target or query; return False if none can be answered now."""


class Turns:
    """Lets the arms of a process answer targets and queries one at a time, in turn.

    Solving a target may take longer than the time between two ticks. Afterwards all ticks that are
    due by then come first.
    """

    def __init__(self, is_due: Callable[[], bool]) -> None:
        """Start without any arm; ``is_due`` returns whether a tick is due."""
        self._is_due = is_due
        self._waiting: deque[Arm] = deque()

    def wait(self, arm: Arm) -> None:
        """Let an arm take its turn, and further ones while it waits: most arms have no target."""
        if arm not in self._waiting:
            self._waiting.append(arm)

    def run(self, is_after_tick: bool = False) -> None:
        """Answer until nothing is left to answer, or a tick is due; after a tick, once at least."""
        while self._waiting and (is_after_tick or not self._is_due()) and self._answer():
            is_after_tick = False

    def _answer(self) -> bool:
        """Answer for the first arm that can; return False if none can."""
        for _ in range(len(self._waiting)):
            arm = self._waiting.popleft()
            try:
                is_answered = arm.answer_next()
            finally:
                if arm.is_waiting:
                    self.wait(arm)
            if is_answered:
                return True
        return False

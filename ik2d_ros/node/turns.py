"""The parts that the arms of a process share: the order of answers, and the frames."""

from __future__ import annotations

from collections import deque
from typing import Protocol

from rclpy.node import Node

from ik2d_ros.node.frames import Frames
from ik2d_ros.ros.tick_timer import TickTimer


class Shared:
    """What the arms of a process share.

    Attributes:
        turns: decides which arm answers next.
    """

    def __init__(self) -> None:
        """Start without any arm."""
        self.turns = Turns()
        self._frames: dict[tuple[str, ...], Frames] = {}

    def frames_of(self, node: Node) -> Frames:
        """Return the frames of the topics on which a node hears of them.

        Robots whose transforms do not meet have topics of their own, by remapping.
        """
        topics = tuple(node.resolve_topic_name(topic) for topic in ('/tf', '/tf_static'))
        return self._frames.setdefault(topics, Frames(node))


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
    due by then come first, of every arm: none waits for more than one target.
    """

    def __init__(self) -> None:
        """Start without any arm."""
        self._timers: list[TickTimer] = []
        self._waiting: deque[Arm] = deque()
        self._late: list[tuple[TickTimer, int]] = []

    def join(self, timer: TickTimer) -> None:
        """Take in the timer of an arm: answers follow its ticks."""
        self._timers.append(timer)
        timer.follow(self.run)

    def wait(self, arm: Arm) -> None:
        """Let an arm take its turn, and further ones while it waits: most arms have no target."""
        if arm not in self._waiting:
            self._waiting.append(arm)

    def run(self) -> None:
        """Answer until nothing is left to answer, or a tick is due."""
        while self._waiting and not any(
            timer.count == count and timer.is_due() for timer, count in self._late
        ):
            for _ in range(len(self._waiting)):
                arm = self._waiting.popleft()
                try:
                    is_answered = arm.answer_next()
                finally:
                    if arm.is_waiting:
                        self.wait(arm)
                if is_answered:
                    break
            else:
                return
            self._late = [(timer, timer.count) for timer in self._timers if timer.is_due()]

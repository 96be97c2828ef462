"""What the arms of a process share: whose turn it is to answer, and the frames."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

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

"""A way along timed poses."""

from __future__ import annotations

from collections.abc import Sequence

from ik2d_ros.kinematics import TimedPath
from ik2d_ros.motion.state import MotionState

PAUSE = 0.25
"""How long in s an arm stands at the first pose of a way.

A servo that lags by 0.05 s is then within a hundredth of how far it was behind, and a controller
that looks now and then has been there.
"""


class Way:
    """A way that begins and ends at rest.

    Attributes:
        start: (n,) rad, its first pose.
        end: (n,) rad, its last pose.
        duration: s.
    """

    def __init__(self, start: Sequence[float], course: TimedPath | None = None) -> None:
        """Take a path that begins at a pose, or stay there."""
        self.start = self.end = tuple(map(float, start))
        self.duration = 0.0
        if course is not None:
            self._course, self.duration = course, course.duration
            self.end = tuple(course.at(self.duration)[0].tolist())

    def at(self, time: float) -> MotionState:
        """Return the state at a time in s; it stands before the beginning and after the end."""
        if not 0.0 < time < self.duration:
            return MotionState.at_rest(self.end if time >= self.duration else self.start)
        return MotionState(*(tuple(each.tolist()) for each in self._course.motion_at(time)))

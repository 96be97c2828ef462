"""A way along timed poses."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ik2d_ros.kinematics import Arm, TimedPath
from ik2d_ros.kinematics.crossing import keep_off
from ik2d_ros.motion.state import MotionState

PAUSE = 0.25
"""How long in s an arm stands at the first pose of a way.

A servo that lags by 0.05 s is then within a hundredth of how far it was behind, and a controller
that looks now and then has been there.
"""

LOOK, MOST = 2e-3, 50_000
"""The time in s between looks at a way, to see if it keeps off walls, and their largest number."""


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

    def keeps_off(self, arm: Arm) -> bool:
        """Return whether it keeps off the walls of an arm."""
        if not self.duration:
            return arm.is_clear(self.start)
        times = np.linspace(0.0, self.duration, math.ceil(min(self.duration / LOOK, MOST)) + 1)
        q, velocities, _ = self._course.at(times)
        return bool(keep_off(arm, q, velocities[:-1], velocities[1:], np.diff(times)).all())

    def at(self, time: float) -> MotionState:
        """Return the state at a time in s; it stands before the beginning and after the end."""
        if not 0.0 < time < self.duration:
            return MotionState.at_rest(self.end if time >= self.duration else self.start)
        return MotionState(*(tuple(each.tolist()) for each in self._course.motion_at(time)))

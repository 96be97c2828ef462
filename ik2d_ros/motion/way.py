"""A way along timed poses."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.kinematics import Arm, Path, TimedPath, timed
from ik2d_ros.kinematics.clearance import COMMANDED, first_collision
from ik2d_ros.motion.state import MotionState

PAUSE = 0.25
"""How long in s an arm stands at the first pose of a way.

A servo that lags by 0.05 s is then within a hundredth of how far it was behind, and a controller
that looks now and then has been there.
"""

SLOWEST = 1e-9
"""Per s, and per s^2: the smallest speed and limit that ``timed`` takes."""


def within_limits(path: Path, motion: Sequence[MotionLimits], speed: float) -> TimedPath:
    """Return a path with times, within the motion limits of the joints; ``speed`` in m/s."""
    limits = np.array([(each.velocity, each.acceleration) for each in motion], float)
    limits = np.maximum(np.where(np.isnan(limits), math.inf, limits), SLOWEST)
    return timed(path, limits, max(speed, SLOWEST))


class Way:
    """A way that begins and ends at rest.

    Attributes:
        start: (n,) rad, its first pose.
        end: (n,) rad, its last pose.
        duration: s.
        timed: its poses by time; None for one pose.
    """

    def __init__(self, start: Sequence[float], timed: TimedPath | None = None) -> None:
        """Take a path that begins at a pose, or stay there."""
        self.start = self.end = tuple(map(float, start))
        self.timed, self.duration = timed, 0.0
        if timed is not None:
            self.duration = timed.duration
            self.end = tuple(timed.at(self.duration)[0].tolist())

    def clear_until(self, arm: Arm, since: float = 0.0) -> float:
        """Return until when in s it keeps off the walls of an arm; infinity if to its end."""
        if self.timed is None or not arm.walls:
            return math.inf
        for times, q, moves, bends in self.timed.curves():
            k = max(int(times.searchsorted(since, 'right')) - 1, 0)
            collision = first_collision(arm, q[k:], moves[k:], bends[k:], COMMANDED)
            if collision is not None:
                return float(times[k + collision.number])
        return math.inf

    def at(self, time: float) -> MotionState:
        """Return the state at a time in s; it stands before the beginning and after the end."""
        if self.timed is None or not 0.0 < time < self.duration:
            return MotionState.at_rest(self.end if time >= self.duration else self.start)
        return MotionState(*map(tuple, self.timed.motion_at(time)))

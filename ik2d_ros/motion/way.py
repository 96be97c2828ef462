"""A way along timed poses."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.kinematics import Arm, Path, TimedPath, timed
from ik2d_ros.kinematics.crossing import floors, gaps_of, keep_off
from ik2d_ros.motion.state import MotionState

PAUSE = 0.25
"""How long in s an arm stands at the first pose of a way.

A servo that lags by 0.05 s is then within a hundredth of how far it was behind, and a controller
that looks now and then has been there.
"""

LOOK, MOST, MOST_NEAR, HALVINGS = 2e-3, 50_000, 2000, 30
"""The time in s between looks at a way, to see if it keeps off walls, and their largest number.

Times between which it is next to a wall are halved so often, if there are not more.
"""

TINY = 1e-300  # in place of a divisor of 0

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
        times = np.linspace(since, self.duration, math.ceil(min(self.duration / LOOK, MOST)) + 1)
        spans, until = np.column_stack([times[:-1], times[1:]]), math.inf
        least = floors(arm, arm.clearances(self.at(since).positions))
        for _ in range(HALVINGS):
            q, velocities, _ = self.timed.at(spans.ravel())
            gaps, q = gaps_of(arm, q, least), q.reshape(*spans.shape, -1)
            # Its speed does not matter, but where it stands it has no direction.
            velocities = velocities.reshape(q.shape)
            paces = np.linalg.norm(velocities, axis=2, keepdims=True)
            ways = velocities / np.maximum(paces, TINY)
            ways = np.where(paces > 0.0, ways, ways[:, ::-1])
            ways *= np.linalg.norm(q[:, 1] - q[:, 0], axis=1)[:, None, None]
            near = ~keep_off(arm, gaps[:, ::2], gaps[:, 1::2], ways[:, 0], ways[:, 1])
            is_across = (gaps.min(axis=0) < 0.0).reshape(-1, 2).any(axis=1)[near]
            spans = spans[near]
            count = min(int(np.argmax(np.append(is_across, True))), MOST_NEAR)
            if count < len(spans):
                until, spans = float(spans[count, 0]), spans[:count]
            if not count:
                return until
            middles = spans.mean(axis=1)
            spans = np.column_stack([spans[:, 0], middles, middles, spans[:, 1]]).reshape(-1, 2)
        return float(spans[0, 0])

    def at(self, time: float) -> MotionState:
        """Return the state at a time in s; it stands before the beginning and after the end."""
        if self.timed is None or not 0.0 < time < self.duration:
            return MotionState.at_rest(self.end if time >= self.duration else self.start)
        return MotionState(*map(tuple, self.timed.motion_at(time)))

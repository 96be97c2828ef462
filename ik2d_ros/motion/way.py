"""A way along timed poses."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics import TimedPath
from ik2d_ros.motion.state import MotionState


class Way:
    """Timed poses, and a smooth way from each to the next.

    Attributes:
        start: (n,) rad, its first pose.
        end: (n,) rad, its last pose.
        duration: s.
    """

    def __init__(self, times: ArrayLike, positions: ArrayLike, velocities: ArrayLike) -> None:
        """Take poses that begin and end at rest.

        Args:
            times: (m,) s, rising, the first one 0.
            positions: (m, n) rad.
            velocities: (m, n) rad/s.
        """
        self._times = np.asarray(times, float).tolist()
        self._positions = np.asarray(positions, float)
        self._velocities = np.asarray(velocities, float)
        self.start: tuple[float, ...] = tuple(self._positions[0].tolist())
        self.end: tuple[float, ...] = tuple(self._positions[-1].tolist())
        self.duration: float = self._times[-1]

    def at(self, time: float) -> MotionState:
        """Return the state at a time in s; it stands before the beginning and after the end."""
        if time >= self.duration:
            return MotionState.at_rest(self.end)
        i = bisect_right(self._times, max(time, 0.0)) - 1
        span = self._times[i + 1] - self._times[i]
        p, q = self._positions[i : i + 2]
        v, w = span * self._velocities[i : i + 2]
        # The cubic of s, from 0 to 1, with these ends and these slopes.
        s = max(time - self._times[i], 0.0) / span
        bend, bow = 3.0 * (q - p) - 2.0 * v - w, 2.0 * (p - q) + v + w
        states = (
            p + s * (v + s * (bend + s * bow)),
            (v + s * (2.0 * bend + 3.0 * s * bow)) / span,
            (2.0 * bend + 6.0 * s * bow) / span**2,
        )
        return MotionState(*(tuple(each.tolist()) for each in states))


class TimedWay(Way):
    """A way along a timed path, which also knows what is between the poses."""

    def __init__(self, timed: TimedPath) -> None:
        """Take a path that begins and ends at rest."""
        super().__init__(timed.times, timed.q, timed.velocities)
        self._timed = timed

    def at(self, time: float) -> MotionState:
        """Return the state at a time in s; it stands before the beginning and after the end."""
        if time >= self.duration:
            return MotionState.at_rest(self.end)
        i = bisect_right(self._times, max(time, 0.0)) - 1
        positions, velocities, _ = self._timed.at(time)
        states = positions, velocities, self._timed.accelerations[i]
        return MotionState(*(tuple(each.tolist()) for each in states))

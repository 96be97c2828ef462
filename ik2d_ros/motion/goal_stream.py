"""Position and velocity of a stream of incoming goals: a dragged handle, a path at 100 Hz."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# With longer gaps on average, as at 20 Hz, the arm comes to rest at each goal.
LONGEST_MEAN_GAP = 0.045  # s

# A goal after a longer gap begins a new stream: some messages of a stream may be late.
LONGEST_GAP = 0.15  # s

# The newest goals count: enough to average out the scatter of their times of arrival, too few to
# make a curve look straight.
WINDOW = 0.08  # s
FEWEST = 4

# After so many mean gaps without a goal the stream has ended; one message may be lost.
GAPS_TO_END = 2.5


class GoalStream(NamedTuple):
    """The newest goals of a stream, with their times."""

    goals: tuple[tuple[float, NDArray[np.float64]], ...] = ()

    def with_goal(
        self, time: float, goal: Sequence[float], max_velocities: NDArray[np.float64]
    ) -> GoalStream:
        """Return the stream with another goal.

        Args:
            time: s, on any clock, the same for all.
            goal: (n,) rad.
            max_velocities: (n,) rad/s; goals that move faster begin a new stream.
        """
        newest, goals = np.array(goal), self.goals
        if goals:
            before, last = goals[-1]
            gap = time - before
            # Goals that were delayed may come at once: their speed is that over a window at least.
            speed = np.abs(newest - last) / max(gap, WINDOW)
            if not 0.0 <= gap <= LONGEST_GAP or bool((speed > max_velocities).any()):
                goals = ()
        goals = *goals, (time, newest)
        while len(goals) > FEWEST and time - goals[0][0] > WINDOW:
            goals = goals[1:]
        return GoalStream(goals)

    def moving_goal(
        self, time: float, until: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return the position of the stream, (n,) rad, and its velocity, (n,) rad/s, by a line fit.

        Args:
            time: s; clamped to a mean gap after the newest goal.
            until: s, the time until which the stream must go on.

        Returns:
            None if there is no stream, if it has ended by then, or if it does not move.
        """
        if len(self.goals) < FEWEST:
            return None
        times, goals = (np.array(column) for column in zip(*self.goals, strict=True))
        span = times[-1] - times[0]
        gap = span / (len(times) - 1)
        if not 0.0 < gap <= LONGEST_MEAN_GAP or until > times[-1] + GAPS_TO_END * gap:
            return None
        if bool((goals == goals[-1]).all()):
            return None
        centre, middle = times.mean(), goals.mean(axis=0)
        offsets = times - centre
        slope = offsets @ (goals - middle) / (offsets @ offsets)
        return middle + slope * (min(time, times[-1] + gap) - centre), slope


NO_STREAM = GoalStream()

"""Timed poses, and how far the arm is along them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import sub
from typing import NamedTuple

import numpy as np

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.kinematics import Arm, Path, TimedPath, timed
from ik2d_ros.kinematics.clearance import COMMANDED, collisions
from ik2d_ros.motion.profile import needs_ruckig
from ik2d_ros.motion.state import ROUNDING, MotionState, Positions

PAUSE = 0.25
"""How long in s an arm stands at the first pose of a trajectory.

A servo that lags by 0.05 s is then within a hundredth of how far it was behind, and a controller
that looks now and then has been there.
"""

RATE_HALVINGS = 12  # of the interval in which a rate is sought

SLOWEST = 1e-9
"""Per s, and per s^2: the smallest speed and limit that ``timed`` takes."""


def time_path(path: Path, limits: Sequence[MotionLimits], speed: float) -> TimedPath:
    """Time a path within the motion limits of its joints and a speed of its tip in m/s."""
    rows = np.array([(each.velocity, each.acceleration) for each in limits], float)
    rows = np.maximum(np.where(np.isnan(rows), math.inf, rows), SLOWEST)
    return timed(path, rows, max(speed, SLOWEST))


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Poses by time, at rest at the beginning and the end."""

    start: Positions  # (n,) rad, the first pose
    timed: TimedPath | None = None  # the poses by time; None for one pose
    clear_of: Arm | None = None  # the arm whose walls it is known to keep off, to its end

    @classmethod
    def of(cls, timed: TimedPath) -> Trajectory:
        """Return the trajectory of a timed path."""
        return cls(tuple(timed.at(0.0)[0].tolist()), timed)

    @property
    def duration(self) -> float:
        """Duration in s."""
        return self.timed.duration if self.timed else 0.0

    @cached_property
    def end(self) -> Positions:
        """(n,) rad, the last pose."""
        return tuple(self.timed.at(self.duration)[0].tolist()) if self.timed else self.start

    def clear_until(self, arm: Arm, since: float = 0.0) -> float:
        """Return the time in s until which it keeps off the walls of an arm; infinity: its end."""
        if self.timed is None or not arm.walls or arm is self.clear_of:
            return math.inf
        for times, q, moves, bends in self.timed.curves():
            k = max(int(times.searchsorted(since, 'right')) - 1, 0)
            meets = np.isfinite(collisions(arm, q[k:], moves[k:], bends[k:], COMMANDED)[1])
            if meets.any():
                return float(times[k + meets.argmax()])
        return math.inf

    def judged(self, arm: Arm) -> Trajectory:
        """Return it, known to keep off the walls of an arm if it does: a tick need not judge it."""
        return replace(self, clear_of=arm) if self.clear_until(arm) == math.inf else self

    def at(self, time: float) -> MotionState:
        """Return the state at a time in s; it stands before the beginning and after the end."""
        if self.timed is None or not 0.0 < time < self.duration:
            return MotionState.at_rest(self.end if time >= self.duration else self.start)
        return MotionState(*map(tuple, self.timed.motion_at(time)))


class TrajectoryProgress(NamedTuple):
    """How far an arm is along a trajectory."""

    trajectory: Trajectory
    time: float = -PAUSE  # s along it, negative before the arm leaves its first pose
    rate: float = 1.0  # how fast its time passes, from 0 to 1
    clear_until: float = math.inf  # s along it until which it keeps off walls; inf for its end

    @property
    def state(self) -> MotionState:
        """The state of the arm."""
        return self.trajectory.at(self.time).slowed(self.rate)

    def beside(self, arm: Arm) -> TrajectoryProgress:
        """Return it beside the walls of an arm."""
        return self._replace(clear_until=self.trajectory.clear_until(arm, max(self.time, 0.0)))

    def after(
        self, dt: float, limits: Sequence[MotionLimits], rate: float = 0.0
    ) -> TrajectoryProgress:
        """Return it dt s later, with its rate as near to another as accelerations allow."""
        start, before = self.time, self.rate
        if start < 0.0:
            before = rate
            if rate > 0.0:  # the pause takes no longer at a slower rate
                start = min(start + (1.0 - rate) * dt, 0.0)
        is_limited, end = needs_ruckig(limits), self.trajectory.duration

        def at(rate: float) -> TrajectoryProgress:
            mean = 0.5 * (before + rate) if is_limited else rate
            return self._replace(time=min(start + mean * dt, end), rate=rate)

        later, state = at(rate), self.state
        if rate != before and not _is_allowed(state, later.state, dt, limits):
            later = at(before)
            for _ in range(RATE_HALVINGS):
                middle = at(0.5 * (later.rate + rate))
                if _is_allowed(state, middle.state, dt, limits):
                    later = middle
                else:
                    rate = middle.rate
        return later

    def stopped(self, dt: float, limits: Sequence[MotionLimits]) -> TrajectoryProgress:
        """Return it where it comes to rest if it brakes from now on, in ticks of dt s."""
        there = self
        while there.rate > 0.0:
            there = there.after(dt, limits)
        return there


def _is_allowed(
    before: MotionState, after: MotionState, dt: float, limits: Sequence[MotionLimits]
) -> bool:
    """Return whether accelerations allow a tick: up to its mean velocity, and from there."""
    steps = map(sub, after.positions, before.positions)
    most = (each.acceleration for each in limits)
    return all(
        limit is None or max(abs(step / dt - u), abs(v - step / dt)) <= 0.5 * limit * dt + ROUNDING
        for u, step, v, limit in zip(before.velocities, steps, after.velocities, most, strict=True)
    )

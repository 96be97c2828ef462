"""Timed poses, and how far the arm is along them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import sub
from typing import NamedTuple

import numpy as np

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.kinematics import Arm, Path, TimedPath, timed
from ik2d_ros.kinematics.clearance import COMMANDED, collisions
from ik2d_ros.motion import smooth
from ik2d_ros.motion.state import ROUNDING, MotionState, Positions

PAUSE = 0.25
"""How long in s an arm stands at the first pose of a trajectory.

A servo that lags by 0.05 s is then within a hundredth of how far it was behind, and a controller
that looks now and then has been there.
"""

RATE_HALVINGS = 12  # of the interval in which a rate is sought

SLOWEST = 1e-9
"""Per s, and per s^2: the smallest speed and limit that ``timed`` takes."""


def within_limits(path: Path, motion: Sequence[MotionLimits], speed: float) -> TimedPath:
    """Return a path with times, within the motion limits of the joints; ``speed`` in m/s."""
    limits = np.array([(each.velocity, each.acceleration) for each in motion], float)
    limits = np.maximum(np.where(np.isnan(limits), math.inf, limits), SLOWEST)
    return timed(path, limits, max(speed, SLOWEST))


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Poses by time, at rest at the beginning and the end.

    Attributes:
        start: (n,) rad, the first pose.
        timed: the poses by time; None for one pose.
    """

    start: Positions
    timed: TimedPath | None = None

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
        """Return until when in s it keeps off the walls of an arm; infinity if to its end."""
        if self.timed is None or not arm.walls:
            return math.inf
        for times, q, moves, bends in self.timed.curves():
            k = max(int(times.searchsorted(since, 'right')) - 1, 0)
            meets = np.isfinite(collisions(arm, q[k:], moves[k:], bends[k:], COMMANDED)[1])
            if meets.any():
                return float(times[k + meets.argmax()])
        return math.inf

    def at(self, time: float) -> MotionState:
        """Return the state at a time in s; it stands before the beginning and after the end."""
        if self.timed is None or not 0.0 < time < self.duration:
            return MotionState.at_rest(self.end if time >= self.duration else self.start)
        return MotionState(*map(tuple, self.timed.motion_at(time)))


class OnTrajectory(NamedTuple):
    """How far an arm is along a trajectory, whose time passes at a rate from 0 to 1.

    Attributes:
        trajectory: the trajectory.
        time: s along it, negative before the arm leaves its first pose.
        rate: at which its time passes.
        clear_until: s along it, until when it keeps off walls; infinity for its end.
    """

    trajectory: Trajectory
    time: float = -PAUSE
    rate: float = 1.0
    clear_until: float = math.inf

    @property
    def state(self) -> MotionState:
        """The state of the arm."""
        return self.trajectory.at(self.time).slowed(self.rate)

    def beside(self, arm: Arm) -> OnTrajectory:
        """Return it beside the walls of an arm."""
        return self._replace(clear_until=self.trajectory.clear_until(arm, max(self.time, 0.0)))

    def after(self, dt: float, motion: Sequence[MotionLimits], rate: float = 0.0) -> OnTrajectory:
        """Return it dt s later, at the rate nearest to another that the accelerations allow."""
        begun, since = self.time, self.rate
        if begun < 0.0:
            since = rate
            if rate > 0.0:  # the pause takes no longer at a slower rate
                begun = min(begun + (1.0 - rate) * dt, 0.0)
        is_smooth, end = smooth.is_needed(motion), self.trajectory.duration

        def at(rate: float) -> OnTrajectory:
            mean = 0.5 * (since + rate) if is_smooth else rate
            return self._replace(time=min(begun + mean * dt, end), rate=rate)

        later, state = at(rate), self.state
        if rate != since and not _is_allowed(state, later.state, dt, motion):
            later = at(since)
            for _ in range(RATE_HALVINGS):
                middle = at(0.5 * (later.rate + rate))
                if _is_allowed(state, middle.state, dt, motion):
                    later = middle
                else:
                    rate = middle.rate
        return later

    def stopped(self, dt: float, motion: Sequence[MotionLimits]) -> OnTrajectory:
        """Return where it stops if it slows down, in ticks of dt s."""
        there = self
        while there.rate > 0.0:
            there = there.after(dt, motion)
        return there


def _is_allowed(
    before: MotionState, after: MotionState, dt: float, motion: Sequence[MotionLimits]
) -> bool:
    """Return whether accelerations allow a tick: up to its mean velocity, and from there."""
    steps = map(sub, after.positions, before.positions)
    limits = (each.acceleration for each in motion)
    return all(
        limit is None or max(abs(step / dt - u), abs(v - step / dt)) <= 0.5 * limit * dt + ROUNDING
        for u, step, v, limit in zip(
            before.velocities, steps, after.velocities, limits, strict=True
        )
    )

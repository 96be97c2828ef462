"""Trajectories, which are paths timed by ``kinematics/``, and progress along them at a rate."""

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

# A servo with a lag of 0.05 s settles to 1 % meanwhile, and a slow controller has sampled the pose.
PAUSE = 0.25  # s at rest at the first pose of a trajectory

RATE_HALVINGS = 12  # of the interval in which a rate is sought, to 1/4096

LEAST_LIMIT = 1e-9  # the smallest speed, velocity and acceleration that ``timed`` takes


def time_path(path: Path, limits: Sequence[MotionLimits], speed: float) -> TimedPath:
    """Time a path within the motion limits of its joints and a speed of its tip in m/s."""
    rows = np.array([(each.velocity, each.acceleration) for each in limits], float)
    rows = np.maximum(np.where(np.isnan(rows), math.inf, rows), LEAST_LIMIT)
    return timed(path, rows, max(speed, LEAST_LIMIT))


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A time-parameterized path, at rest at the beginning and the end."""

    start: Positions  # (n,) rad, the first pose
    timed: TimedPath | None = None  # the time-parameterized path; None for one pose
    clear_of: Arm | None = None  # the arm for whose walls it is known to be collision-free

    @classmethod
    def of(cls, path: TimedPath) -> Trajectory:
        """Return the trajectory of a timed path."""
        return cls(tuple(path.at(0.0)[0].tolist()), path)

    @property
    def duration(self) -> float:
        """Duration in s."""
        return self.timed.duration if self.timed else 0.0

    @cached_property
    def end(self) -> Positions:
        """(n,) rad, the last pose."""
        return tuple(self.timed.at(self.duration)[0].tolist()) if self.timed else self.start

    def clear_until(self, arm: Arm, since: float = 0.0) -> float:
        """Return until when in s it is collision-free for an arm's walls; infinity: its end."""
        if self.timed is None or not arm.walls or arm is self.clear_of:
            return math.inf
        for times, q, moves, bends in self.timed.curves():
            k = max(int(times.searchsorted(since, 'right')) - 1, 0)
            collide = np.isfinite(collisions(arm, q[k:], moves[k:], bends[k:], COMMANDED)[1])
            if collide.any():
                return float(times[k + collide.argmax()])
        return math.inf

    def checked(self, arm: Arm) -> Trajectory:
        """Return it marked as collision-free for an arm if it is: ticks skip the check."""
        return replace(self, clear_of=arm) if self.clear_until(arm) == math.inf else self

    def at(self, time: float) -> MotionState:
        """Return the state at a time in s; at rest before the beginning and after the end."""
        if self.timed is None or not 0.0 < time < self.duration:
            return MotionState.at_rest(self.end if time >= self.duration else self.start)
        return MotionState(*map(tuple, self.timed.motion_at(time)))


class TrajectoryProgress(NamedTuple):
    """How far an arm is along a trajectory, and its rate there."""

    trajectory: Trajectory
    time: float = -PAUSE  # s along it, negative before the arm leaves its first pose
    rate: float = 1.0  # how fast its time passes, from 0 to 1
    clear_until: float = math.inf  # s along it until which it is collision-free; inf for its end

    @property
    def state(self) -> MotionState:
        """The state of the arm."""
        return self.trajectory.at(self.time).slowed(self.rate)

    def checked(self, arm: Arm) -> TrajectoryProgress:
        """Return it with its collision-free time for the walls of an arm."""
        return self._replace(clear_until=self.trajectory.clear_until(arm, max(self.time, 0.0)))

    def after(self, dt: float, limits: Sequence[MotionLimits], rate: float) -> TrajectoryProgress:
        """Return the progress dt s later, its rate as near to ``rate`` as accelerations allow."""
        start, before = self.time, self.rate
        if start < 0.0:
            before = rate
            if rate > 0.0:  # the pause runs in real time, whatever the rate
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

    def at_rest(self, dt: float, limits: Sequence[MotionLimits]) -> TrajectoryProgress:
        """Return the progress at the end of braking from now on, in ticks of dt s."""
        progress = self
        while progress.rate > 0.0:
            progress = progress.after(dt, limits, 0.0)
        return progress


def _is_allowed(
    before: MotionState, after: MotionState, dt: float, limits: Sequence[MotionLimits]
) -> bool:
    """Return whether both halves of a tick, to its mean velocity and from it, keep the limits."""
    steps = map(sub, after.positions, before.positions)
    accelerations = (each.acceleration for each in limits)
    rows = zip(before.velocities, steps, after.velocities, accelerations, strict=True)
    return all(
        limit is None or max(abs(step / dt - u), abs(v - step / dt)) <= 0.5 * limit * dt + ROUNDING
        for u, step, v, limit in rows
    )

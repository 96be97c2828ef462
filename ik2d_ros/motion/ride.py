"""An arm on a way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import sub
from typing import NamedTuple

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.kinematics import Arm
from ik2d_ros.motion import smooth
from ik2d_ros.motion.state import ROUNDING, MotionState
from ik2d_ros.motion.way import PAUSE, Way

HALVINGS = 12  # of the interval in which a rate is sought


class Ride(NamedTuple):
    """How far an arm is along a way, whose time passes at a rate from 0 to 1.

    Attributes:
        way: the way.
        time: s along it, negative before the arm leaves its first pose.
        rate: at which its time passes.
        clear_until: s along it, until when it keeps off walls; infinity for its end.
    """

    way: Way
    time: float = -PAUSE
    rate: float = 1.0
    clear_until: float = math.inf

    @property
    def has_begun(self) -> bool:
        """Whether the first pose was reached."""
        return self.time > -PAUSE

    @property
    def state(self) -> MotionState:
        """The state of the arm."""
        return self.way.at(self.time).slowed(self.rate)

    def beside(self, arm: Arm) -> Ride:
        """Return it beside the walls of an arm."""
        return self._replace(clear_until=self.way.clear_until(arm, max(self.time, 0.0)))

    def after(self, dt: float, motion: Sequence[MotionLimits], rate: float = 0.0) -> Ride:
        """Return it dt s later, at the rate nearest to another that the accelerations allow."""
        begun, since = self.time, self.rate
        if begun < 0.0:
            since = rate
            if rate > 0.0:  # the pause takes no longer at a slower pace
                begun = min(begun + (1.0 - rate) * dt, 0.0)
        is_smooth, end = smooth.is_needed(motion), self.way.duration

        def at(rate: float) -> Ride:
            mean = 0.5 * (since + rate) if is_smooth else rate
            return self._replace(time=min(begun + mean * dt, end), rate=rate)

        later, state = at(rate), self.state
        if rate != since and not _is_allowed(state, later.state, dt, motion):
            later = at(since)
            for _ in range(HALVINGS):
                middle = at(0.5 * (later.rate + rate))
                if _is_allowed(state, middle.state, dt, motion):
                    later = middle
                else:
                    rate = middle.rate
        return later

    def stopped(self, dt: float, motion: Sequence[MotionLimits]) -> Ride:
        """Return where it stops if it slows down, in ticks of dt s."""
        ride = self
        while ride.rate > 0.0:
            ride = ride.after(dt, motion)
        return ride

    def stops_clear(self, dt: float, motion: Sequence[MotionLimits]) -> bool:
        """Return whether it keeps off walls if it stops like that."""
        until = self.clear_until
        return until == math.inf or self.stopped(dt, motion).time <= until


def _is_allowed(
    before: MotionState, after: MotionState, dt: float, motion: Sequence[MotionLimits]
) -> bool:
    """Return whether accelerations allow a tick: up to its mean velocity, and from there."""
    steps = map(sub, after.positions, before.positions)
    return all(
        limit is None or max(abs(step / dt - u), abs(v - step / dt)) <= 0.5 * limit * dt + ROUNDING
        for u, step, v, (_, limit, _) in zip(
            before.velocities, steps, after.velocities, motion, strict=True
        )
    )

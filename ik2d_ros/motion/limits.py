"""Limits of positions, velocities, accelerations and jerks, and steps and braking within them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.motion.profile import Profile, needs_ruckig
from ik2d_ros.motion.state import ROUNDING, MotionState

Range = tuple[float, float]


@dataclass(frozen=True)
class Limits:
    """The limits of (n,) joints that move together."""

    ranges: tuple[Range, ...]  # smallest and largest position of each joint
    active: tuple[MotionLimits, ...]  # on velocity, acceleration and jerk
    pending: tuple[MotionLimits, ...]  # replace the active ones once the joints are at rest
    scaling: float  # of velocities and accelerations in both, above 0 and at most 1
    clamped: Callable[[Sequence[float]], tuple[float, ...]]  # clamps positions, also bends

    @classmethod
    def of_arm(cls, arm: ArmDescription, scaling: float) -> Limits:
        """Return the limits of an arm with its velocities and accelerations scaled."""
        motion = tuple(each.slowed(scaling) for each in arm.motion)
        return cls(arm.limits, motion, motion, scaling, arm.clamped)

    @classmethod
    def of_joint(cls, lower: float, upper: float, velocity: float) -> Limits:
        """Return the limits of one joint on position and velocity alone."""
        motion = (MotionLimits(velocity),)

        def clamped(positions: Sequence[float]) -> tuple[float, ...]:
            return (min(max(positions[0], lower), upper),)

        return cls(((lower, upper),), motion, motion, 1.0, clamped)

    @cached_property
    def takes_time(self) -> bool:
        """Whether any joint has a motion limit; without, motions are at their goals at once."""
        return any(each != MotionLimits() for each in self.active)

    @cached_property
    def has_acceleration(self) -> bool:
        """Whether there are limits on acceleration or jerk, so that Ruckig is needed."""
        return needs_ruckig(self.active)

    @property
    def has_jerk(self) -> bool:
        """Whether there are limits on jerk."""
        return any(each.jerk for each in self.active)

    @property
    def velocities(self) -> NDArray[np.float64]:
        """(n,) largest velocities; inf for none."""
        return np.array([math.inf if m.velocity is None else m.velocity for m in self.active])

    def changed_to(self, new: Limits) -> Limits:
        """Return new limits for moving joints: the old deceleration stays allowed until rest."""

        def larger(a: float | None, b: float | None) -> float | None:
            return None if a is None or b is None else max(a, b)

        active = tuple(
            MotionLimits(
                each.velocity,
                larger(each.acceleration, old.acceleration),
                larger(each.jerk, old.jerk),
            )
            for each, old in zip(new.active, self.active, strict=True)
        )
        return replace(new, active=active)

    def braking_profile(self, state: MotionState) -> Profile | None:
        """Return the fastest stop, of each joint by itself; None if none is needed."""
        if not self.has_acceleration or state.is_at_rest:
            return None
        zeros = (0.0,) * len(state.positions)
        return Profile.to_velocities(state, zeros, self.active, in_step=False)

    def step_to(self, state: MotionState, goal: Sequence[float], dt: float) -> MotionState:
        """Return the state after a step towards a goal within limits on velocity alone.

        The joint that needs longest moves at its limit; the others are slowed to arrive with it.
        """
        offsets = [g - p for g, p in zip(goal, state.positions, strict=True)]
        duration = max(
            abs(offset) / m.velocity if m.velocity is not None else 0.0
            for offset, m in zip(offsets, self.active, strict=True)
        )
        if duration <= dt:
            return MotionState.at_rest(goal)
        velocities = tuple(offset / duration for offset in offsets)
        positions = tuple(p + v * dt for p, v in zip(state.positions, velocities, strict=True))
        return MotionState(positions, velocities, (0.0,) * len(velocities))

    def safe_velocities(
        self, state: MotionState, wanted: Sequence[float], dt: float
    ) -> tuple[float, ...]:
        """Reduce (n,) velocities to those from which each joint can stop inside its limits."""
        safe = []
        for v, q, speed, limits, (lower, upper) in zip(
            wanted, state.positions, state.velocities, self.active, self.ranges, strict=True
        ):
            room = max(upper - q if v > 0.0 else q - lower, 0.0)
            if limits.acceleration is None:
                largest = room / dt
            else:
                # It moves for a step at this velocity, or its present one, then brakes.
                a = limits.acceleration
                largest = math.sqrt(2.0 * a * max(room - abs(speed) * dt, 0.0))
                largest = min(largest, math.sqrt((a * dt) ** 2 + 2.0 * a * room) - a * dt)
            if limits.velocity is not None:
                largest = min(largest, limits.velocity)
            safe.append(min(max(v, -largest), largest))
        return tuple(safe)


def are_within(bounds: Sequence[Range], ranges: Sequence[Range]) -> bool:
    """Return whether ranges of positions are within bounds, but for rounding."""
    return all(
        lower - ROUNDING <= lowest and highest <= upper + ROUNDING
        for (lower, upper), (lowest, highest) in zip(bounds, ranges, strict=True)
    )


def clip(bounds: Sequence[Range], state: MotionState) -> MotionState:
    """Return a state with positions clipped to bounds, which rounding may have passed."""
    positions = tuple(
        min(max(p, lower), upper) for p, (lower, upper) in zip(state.positions, bounds, strict=True)
    )
    return state if positions == state.positions else state._replace(positions=positions)

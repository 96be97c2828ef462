"""Single steps within motion limits."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.motion.state import ROUNDING, MotionState


def safe_speed(
    dt: float,
    wanted: float,
    position: float,
    velocity: float,
    motion: MotionLimits,
    limits: tuple[float, float],
) -> float:
    """Return the speed nearest to the wanted one from which a joint stops inside its limits."""
    if motion.velocity is not None:
        wanted = min(max(wanted, -motion.velocity), motion.velocity)
    room = max(limits[1] - position if wanted > 0.0 else position - limits[0], 0.0)
    if motion.acceleration is None:
        most = room / dt
    else:
        # It goes on for a step at this speed, or the one that it has, and brakes.
        pull, speed = motion.acceleration, abs(velocity)
        most = math.sqrt(2.0 * pull * max(room - speed * dt, 0.0))
        most = min(most, math.sqrt((pull * dt) ** 2 + 2.0 * pull * room) - pull * dt)
    return min(max(wanted, -most), most)


def slowed(motion: Sequence[MotionLimits], pace: float) -> tuple[MotionLimits, ...]:
    """Return limits with velocities and accelerations by a factor."""
    return tuple(limits.slowed(pace) for limits in motion)


def braking(new: MotionLimits, old: MotionLimits) -> MotionLimits:
    """Return new limits that allow to brake as hard as old ones."""

    def larger(a: float | None, b: float | None) -> float | None:
        return None if a is None or b is None else max(a, b)

    return MotionLimits(
        new.velocity, larger(new.acceleration, old.acceleration), larger(new.jerk, old.jerk)
    )


def stepped(
    state: MotionState, goal: Sequence[float], motion: Sequence[MotionLimits], dt: float
) -> MotionState:
    """Return the state after a step towards a goal within limits on velocity alone.

    The joint that needs longest moves at its limit, the others as much slower as makes them arrive
    with it; those without a limit keep step.
    """
    way = [g - p for g, p in zip(goal, state.positions, strict=True)]
    duration = max(
        abs(w) / m.velocity if m.velocity is not None else 0.0
        for w, m in zip(way, motion, strict=True)
    )
    if duration <= dt:
        return MotionState.at_rest(goal)
    velocities = tuple(w / duration for w in way)
    return MotionState(
        tuple(p + v * dt for p, v in zip(state.positions, velocities, strict=True)),
        velocities,
        (0.0,) * len(velocities),
    )


def are_within(
    bounds: Sequence[tuple[float, float]], ranges: Sequence[tuple[float, float]]
) -> bool:
    """Return whether ranges of positions are within bounds."""
    return all(
        lower - ROUNDING <= lowest and highest <= upper + ROUNDING
        for (lower, upper), (lowest, highest) in zip(bounds, ranges, strict=True)
    )


def held_to(bounds: Sequence[tuple[float, float]], state: MotionState) -> MotionState:
    """Take off the rounding that a position may be beyond its bounds."""
    positions = tuple(
        min(max(p, lower), upper) for p, (lower, upper) in zip(state.positions, bounds, strict=True)
    )
    return state if positions == state.positions else state._replace(positions=positions)

"""Braking to a stop as fast as a joint's limits allow, in closed form."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from ik2d_ros.arm.description import MotionLimits


class Stretch(NamedTuple):
    """A time in which the jerk is constant.

    Attributes:
        duration: s.
        acceleration: rad/s^2, at its beginning.
        jerk: rad/s^3.
    """

    duration: float
    acceleration: float
    jerk: float


def braking(velocity: float, acceleration: float, limits: MotionLimits) -> list[Stretch]:
    """Return the fastest way to a stop; empty if the joint stands or may stop at once.

    Args:
        velocity: rad/s.
        acceleration: rad/s^2; it counts only where the jerk is limited.
        limits: limits of the joint.
    """
    most, jerk = limits.acceleration or math.inf, limits.jerk
    if jerk is None:
        duration = abs(velocity) / most
        acceleration = -math.copysign(most, velocity)
        return [Stretch(duration, acceleration, 0.0)] if duration > 0.0 else []
    # What the velocity becomes while the acceleration alone is taken away.
    left = velocity + acceleration * abs(acceleration) / (2.0 * jerk)
    sign = -1.0 if left > 0.0 else 1.0
    # From here on, forwards is where the joint has to accelerate, from v to zero.
    v, a = sign * velocity, sign * acceleration
    peak, hold = math.sqrt(max(0.5 * a * a - jerk * v, 0.0)), 0.0
    if peak > most:
        peak = most
        without = v + (a * a if a > peak else 2.0 * peak * peak - a * a) / (2.0 * jerk)
        hold = max(-without, 0.0) / peak
    stretches = (
        Stretch(abs(peak - a) / jerk, sign * a, sign * math.copysign(jerk, peak - a)),
        Stretch(hold, sign * peak, 0.0),
        Stretch(peak / jerk, sign * peak, -sign * jerk),
    )
    return [stretch for stretch in stretches if stretch.duration > 0.0]


def stop_range(
    position: float, velocity: float, acceleration: float, limits: MotionLimits
) -> tuple[float, float]:
    """Return the smallest and largest position on the fastest way to a stop, in rad.

    Args:
        position: rad.
        velocity: rad/s.
        acceleration: rad/s^2.
        limits: limits of the joint.
    """
    lowest = highest = position
    for stretch, p, v in _passed(position, velocity, braking(velocity, acceleration, limits)):
        for t in (*_reversals(v, stretch), stretch.duration):
            there, _ = _after(t, p, v, stretch)
            lowest, highest = min(lowest, there), max(highest, there)
    return lowest, highest


def braked(
    position: float, velocity: float, acceleration: float, limits: MotionLimits, dt: float
) -> tuple[float, float, float]:
    """Return position, velocity and acceleration after braking for some time.

    Args:
        position: rad.
        velocity: rad/s.
        acceleration: rad/s^2.
        limits: limits of the joint.
        dt: s; infinite for where the joint stops.
    """
    for stretch, p, v in _passed(position, velocity, braking(velocity, acceleration, limits)):
        if dt < stretch.duration:
            there, speed = _after(dt, p, v, stretch)
            return there, speed, stretch.acceleration + stretch.jerk * dt
        dt -= stretch.duration
        position, _ = _after(stretch.duration, p, v, stretch)
    return position, 0.0, 0.0


def _passed(
    position: float, velocity: float, stretches: list[Stretch]
) -> Iterator[tuple[Stretch, float, float]]:
    """Yield each stretch with the position and the velocity at its beginning."""
    for stretch in stretches:
        yield stretch, position, velocity
        position, velocity = _after(stretch.duration, position, velocity, stretch)


def _after(t: float, position: float, velocity: float, stretch: Stretch) -> tuple[float, float]:
    _, a, j = stretch
    return (
        position + t * (velocity + t * (a / 2.0 + t * j / 6.0)),
        velocity + t * (a + t * j / 2.0),
    )


def _reversals(velocity: float, stretch: Stretch) -> Iterator[float]:
    """Yield the times inside a stretch at which the velocity passes zero."""
    duration, a, j = stretch
    if not j:
        times = [-velocity / a] if a else []
    else:
        root = a * a - 2.0 * j * velocity
        times = [] if root < 0.0 else [(-a + s * math.sqrt(root)) / j for s in (1.0, -1.0)]
    yield from (t for t in times if 0.0 < t < duration)

"""Reports values that look like degrees or millimetres; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.parameters.sanitize import printable

FAST = 50.0  # rad/s or m/s
LONG = 50.0  # m
FAR = 3.0  # times the limits; a start this far outside is in another unit


OTHERS = {
    # Some files have 6.2832 for a turn.
    'rad': ('degrees', 'a turn', 2.0 * math.pi + 0.01),
    'm': ('millimetres', f'{LONG:g} m', LONG),
}
"""By unit: the unit that may have been used by mistake, and the bound that shows it."""


def suspicious_values(arm: ArmDescription) -> Iterator[str]:
    """Yield a sentence for each value of an arm that looks like one in another unit."""
    limits = zip(arm.names, arm.units, arm.limits, arm.motion, strict=True)
    for name, unit, (lower, upper), motion in limits:
        joint, (other, beyond, most) = f"joint '{printable(name)}'", OTHERS[unit]
        if any(math.isfinite(end) and abs(end) > most for end in (lower, upper)):
            meant = f'{converted(lower, unit)} to {converted(upper, unit)}'
            yield (
                f'{joint}: its limits, {lower:g} to {upper:g} {unit}, are beyond {beyond}: '
                f'{other}? They would be {meant} {unit}'
            )
        if motion.velocity is not None and motion.velocity > FAST:
            yield (
                f'{joint}: its max_velocity, {motion.velocity:g} {unit}/s, is beyond {FAST:g}: '
                f'{other} per second? They would be {converted(motion.velocity, unit)} {unit}/s'
            )
    for link in arm.chain.joints:
        if link.length > LONG:
            yield (
                f"joint '{printable(link.name)}': its link is {link.length:g} m long: millimetres? "
                f'They would be {converted(link.length, "m")} m'
            )


def suspicious_start(arm: ArmDescription, start: Sequence[float]) -> Iterator[str]:
    """Yield a sentence for each of (m,) positions to start from that is outside the limits."""
    for name, unit, (lower, upper), q in zip(arm.names, arm.units, arm.limits, start, strict=True):
        if not lower <= q <= upper:
            meant, other = converted(q, unit), OTHERS[unit][0]
            fits = lower <= float(meant) <= upper and abs(q) > FAR * max(-lower, upper)
            hint = f' {other}? They would be {meant} {unit};' if fits else ''
            yield (
                f"the start of joint '{printable(name)}', {q:g} {unit}, is outside its limits, "
                f'{lower:g} to {upper:g} {unit}:{hint} the nearest limit is taken'
            )


def converted(value: float, unit: str) -> str:
    """Return degrees in rad, or millimetres in m."""
    return f'{math.radians(value) if unit == "rad" else value / 1000.0:.4g}'

"""Reports values that look like degrees or millimetres; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ik2d_ros.arm.description import ArmDescription

OTHERS = {
    # Some files have 6.2832 for a turn.
    'rad': ('degrees', math.radians(1.0), 2.0 * math.pi + 0.01),
    'rad/s': ('degrees per second', math.radians(1.0), 50.0),
    'm': ('millimetres', 1e-3, 50.0),
    'm/s': ('millimetres per second', 1e-3, 50.0),
}
"""By unit: the one that may have been used by mistake, what it is, and the bound that shows it."""


def suspicious_values(arm: ArmDescription) -> Iterator[str]:
    """Yield a sentence for each parameter of an arm that looks like one in another unit."""
    values = [(f'chain.{joint.name}.length', joint.length, 'm') for joint in arm.chain.joints]
    joints = zip(arm.prefixes, arm.units, arm.limits, arm.motion, strict=True)
    for prefix, unit, (lower, upper), motion in joints:
        values += [
            (f'{prefix}.min_position', lower, unit),
            (f'{prefix}.max_position', upper, unit),
            (f'{prefix}.max_velocity', motion.velocity or 0.0, f'{unit}/s'),
        ]
    for name, value, unit in values:
        if doubt := doubt_about(value, unit):
            yield f"parameter '{name}' is {value:g} {unit}: {doubt}"


def suspicious_start(arm: ArmDescription, start: Sequence[float]) -> Iterator[str]:
    """Yield a sentence for each of (m,) positions to start from that is outside the limits."""
    for name, unit, (lower, upper), q in zip(arm.names, arm.units, arm.limits, start, strict=True):
        if not lower <= q <= upper:
            doubt = doubt_about(q, unit)
            yield (
                f"the start of joint '{name}', {q:g} {unit}, is outside its limits, "
                f'{lower:g} to {upper:g} {unit}: {doubt}{"; " if doubt else ""}the nearest limit '
                'is taken'
            )


def doubt_about(value: float, unit: str) -> str:
    """Return a question about a value that may be in another unit, or nothing."""
    other, size, most = OTHERS[unit]
    is_far = most < abs(value) < math.inf
    return f'{other}? It would be {value * size:.4g} {unit}' if is_far else ''

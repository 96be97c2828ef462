"""Reports values that look like degrees or millimetres; no ROS imports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.suspicion import doubt_about


def suspicious_values(arm: ArmDescription) -> Iterator[str]:
    """Yield a sentence for each parameter of an arm that looks like one in another unit."""
    values = [
        (f'chain.{joint.name}.{field}', value, unit)
        for joint in arm.chain.joints
        for field, value, unit in (('length', joint.length, 'm'), ('offset', joint.offset, 'rad'))
    ]
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

"""What the parameters need beside this package; no ROS imports."""

from __future__ import annotations

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.motion import smooth
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.ros.advice import how_to_install


def check_motion(arm: ArmDescription) -> None:
    """Check that what the motion limits need is installed.

    Raises:
        ConfigError: it is not; the message names the parameter that needs it.
    """
    if not smooth.is_needed(arm.motion) or smooth.is_available():
        return
    name, value = next(
        (f'{prefix}.{field}', value)
        for prefix, limits in zip(arm.prefixes, arm.motion, strict=True)
        for field, value in (
            ('max_acceleration', limits.acceleration),
            ('max_jerk', limits.jerk),
        )
        if value is not None
    )
    raise ConfigError(
        f"parameter '{name}' is {value}, which needs the Python package ruckig (the "
        "extra 'motion'), and that is not installed; leave out max_acceleration and max_jerk of "
        f'all joints, or: {how_to_install("ruckig", "ik2d_ros.node")}'
    )

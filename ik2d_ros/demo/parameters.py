"""With which parameters the demo runs the nodes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.drive import TRAJECTORY

# To drive an arm: limits of joints that have none, and targets that leave time to arrive.
VELOCITY = 2.0  # rad/s
LIFT_VELOCITY = 0.2  # m/s
RUN_UP = 0.25  # s to full speed
HOPS: Mapping[str, object] = MappingProxyType({'path': 'random', 'period': 12.0})

JOINTS = ('chain.', 'turntable.', 'lift.')
MOTION_LIMITS = ('max_velocity', 'max_acceleration', 'max_jerk')  # fields of a joint


def unlimited(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return the parameters of a node without motion limits.

    The demo's targets go round faster than most arms may move, and each one is to be checked: the
    arm has to be there before the next one comes.

    Args:
        parameters: values by flat dotted name.
    """
    return {
        name: value
        for name, value in parameters.items()
        if not (name.startswith(JOINTS) and name.rpartition('.')[2] in MOTION_LIMITS)
    }


def driving(parameters: Mapping[str, object], arm: ArmDescription) -> dict[str, object]:
    """Return the parameters of a node that drives the arm in physics, with motion limits.

    Args:
        parameters: values by flat dotted name.
        arm: the arm that they describe.
    """
    driven: dict[str, object] = {
        **parameters,
        'use_measured_state': True,
        'command_out_type': TRAJECTORY,
        'command_out_topic': 'arm_controller/joint_trajectory',
    }
    for prefix, motion, unit in zip(arm.prefixes, arm.motion, arm.units, strict=True):
        velocity = motion.velocity or (VELOCITY if unit == 'rad' else LIFT_VELOCITY)
        driven[f'{prefix}.max_velocity'] = velocity
        driven[f'{prefix}.max_acceleration'] = motion.acceleration or velocity / RUN_UP
    return driven

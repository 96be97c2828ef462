"""The parameters of ``ik2d_sim``; no ROS imports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.arm.fields import ARM_PARAMETERS
from ik2d_ros.control.settings import CONTROL_PARAMETERS, HOLD_LIMITS, check_commanded
from ik2d_ros.parameters.checks import Number, Text, Truth, refuse
from ik2d_ros.parameters.table import Effect, Table, of_each, rows_of, setting
from ik2d_ros.robot.from_urdf import DESCRIPTION_PARAMETERS
from ik2d_ros.sim.physics import stops


@dataclass(frozen=True)
class SimSettings:
    """The checked parameters of the simulation; the rows describe most fields.

    Attributes:
        arm: the arm.
        joints: the controller's joints in its order.
        initial: positions at the start in rad (m for joints that slide), by name.
        hold_limits: stops of the joints that are not the arm's, by name.
    """

    arm: ArmDescription = field(kw_only=True)
    joints: tuple[str, ...] = field(kw_only=True)
    initial: Mapping[str, float] = field(kw_only=True)
    hold_limits: Mapping[str, tuple[float, float]] = field(kw_only=True)
    controller: str = setting(
        'arm_controller',
        Text(pattern='[A-Za-z][A-Za-z0-9_]*'),
        'Name of the controller, in front of its topics',
        None,
        allowed='the name of a controller, such as arm_controller',
    )
    update_rate: float = setting(
        200.0,
        Number(least=10.0, most=1000.0),
        'Control cycles and measured joint_states per second',
        None,
        unit='Hz',
    )
    active: bool = setting(True, Truth(), 'Whether the controller is active', Effect.MOVING)


INITIAL = of_each('initial.<joint>', 'Where a joint is at the start; default: its home')

OWN = Table((*rows_of(SimSettings), CONTROL_PARAMETERS['command_joints']), (INITIAL, HOLD_LIMITS))

PARAMETERS = Table(
    (OWN | DESCRIPTION_PARAMETERS | ARM_PARAMETERS).values(),
    (*OWN.families, *ARM_PARAMETERS.families),
)
"""Every parameter of ``ik2d_sim``."""


def settings_from_parameters(parameters: Mapping[str, object]) -> SimSettings:
    """Check a set of parameters as a whole.

    Raises:
        ConfigError: a value is refused, on its own or in combination.
    """
    checked = {**OWN.defaults, **OWN.checked(parameters)}
    arm = arm_from_parameters(parameters)
    joints = tuple(checked.pop('command_joints')) or arm.names
    check_commanded(joints, arm.names)
    limits = HOLD_LIMITS.of_joints(parameters)
    zeros = {name: float(np.clip(0.0, *limits.get(name, (0.0, 0.0)))) for name in joints}
    homes = dict(zip(arm.names, arm.home, strict=True))
    initial = {**zeros, **homes, **INITIAL.of_joints(parameters, joints)}
    for index, name in enumerate(arm.names):
        (lower, upper), position = stops(arm, index), initial[name]
        if not lower <= position <= upper:
            refuse(
                f'initial.{name}',
                position,
                f'a number from {lower:.6g} to {upper:.6g}, in {arm.units[index]}, between the '
                'mechanical stops',
            )
    return SimSettings(arm=arm, joints=joints, initial=initial, hold_limits=limits, **checked)

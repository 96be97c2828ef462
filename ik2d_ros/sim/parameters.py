"""The parameters of ``ik2d_sim``: table and settings; no ROS imports."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ik2d_ros.arm.description import ARM_PARAMETERS, ArmDescription, arm_from_parameters
from ik2d_ros.arm.urdf import DENSITY
from ik2d_ros.control.drive import COMMAND_JOINTS, check_commanded
from ik2d_ros.kinematics.bounds import LARGEST_ANGLE
from ik2d_ros.parameters.checks import (
    Choice,
    ConfigError,
    Number,
    Truth,
    closest,
    listed,
    refuse,
)
from ik2d_ros.parameters.table import Effect, Family, Row, Table, by_name
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.described import DESCRIPTION_PARAMETERS, with_description
from ik2d_ros.sim.physics import STOP_MARGINS, Plant, stops

TRAJECTORY = 'joint_trajectory_controller/JointTrajectoryController'
FORWARD = 'forward_command_controller/ForwardCommandController'

_NAME = re.compile(r'[A-Za-z][A-Za-z0-9_]*')


@dataclass(frozen=True)
class SimSettings:
    """What is simulated, checked.

    Attributes:
        plant: the arm, its start and its weight.
        controller: name of the controller.
        controller_type: TRAJECTORY or FORWARD.
        command_joints: the controller's joints in its order.
        initial: where they start, in rad (of joints that slide in m), by name.
        update_rate: control cycles and measurements per second.
        real_time_factor: simulated seconds per second; other than 1: time is on ``/clock``.
    """

    plant: Plant
    controller: str
    controller_type: str
    command_joints: tuple[str, ...]
    initial: Mapping[str, float]
    update_rate: float
    real_time_factor: float

    @property
    def arm(self) -> ArmDescription:
        """The arm."""
        return self.plant.arm


def _controller(name: str, value: object, allowed: str) -> str:
    is_name = isinstance(value, str) and _NAME.fullmatch(value)
    return str(value) if is_name else refuse(name, value, allowed)


INITIAL = Row(
    name='',
    unit='rad or m',
    read_only=True,
    allowed=f'a finite number, in rad (m for a joint that slides), at most '
    f'{math.degrees(STOP_MARGINS["rad"]):.0f} degrees ({STOP_MARGINS["m"]:g} m) outside the limits '
    'of the joint, or NaN for its home',
    check=Number(least=-LARGEST_ANGLE, most=LARGEST_ANGLE, nan=True),
    description='Where a joint is at the start',
)

EFFORT = Row(
    name='',
    unit='N m',
    read_only=True,
    check=Number(least=0.0, most=1e12),
    description='Largest effort of a joint, in N if it slides; 0: three times what holds the arm',
)

SIM_PARAMETERS = Table(
    rows=(
        Row(
            name='controller',
            default='arm_controller',
            read_only=True,
            allowed='the name of a controller, such as arm_controller',
            check=_controller,
            description='Name of the controller, in front of its topics',
        ),
        Row(
            name='controller_type',
            default=TRAJECTORY,
            read_only=True,
            check=Choice((TRAJECTORY, FORWARD)),
            description='Type of the controller',
        ),
        COMMAND_JOINTS,
        Row(
            name='density',
            default=DENSITY,
            unit='kg/m^3',
            read_only=True,
            check=Number(least=1.0, most=1e5),
            description='Density of the links',
        ),
        Row(
            name='payload',
            default=0.0,
            unit='kg',
            read_only=True,
            check=Number(least=0.0, most=1e9),
            description='Mass at the tip',
        ),
        Row(
            name='update_rate',
            default=200.0,
            unit='Hz',
            read_only=True,
            check=Number(least=10.0, most=1000.0),
            description='Control cycles and measured joint_states per second',
        ),
        Row(
            name='real_time_factor',
            default=1.0,
            read_only=True,
            check=Number(least=0.01, most=100.0),
            description='Simulated seconds per second; other than 1, time is published on /clock',
        ),
        Row(
            name='is_active',
            default=True,
            affects=Effect.LISTENING,
            check=Truth(),
            description='Whether the controller takes commands; a wrong one may switch it off',
        ),
    ),
    families=(
        Family(prefix='initial', member='joint', rows=by_name(INITIAL)),
        Family(prefix='effort', member='joint', rows=by_name(EFFORT)),
    ),
)
"""The parameters that are not the arm's."""

PARAMETERS = Table(
    (*SIM_PARAMETERS.rows, *DESCRIPTION_PARAMETERS.rows, *ARM_PARAMETERS.rows),
    (*SIM_PARAMETERS.families, *ARM_PARAMETERS.families),
)
"""Every parameter of ``ik2d_sim``."""


def completed(given: Mapping[str, object]) -> dict[str, object]:
    """Return parameters with what a robot description among them says, as the arm's node does.

    Raises:
        ConfigError: the description is refused, or there is no arm in it.
    """
    parameters, _ = with_description(given)
    return {name: value for name, value in parameters.items() if PARAMETERS.is_known(name)}


def settings_from_parameters(parameters: Mapping[str, object]) -> SimSettings:
    """Check a set of parameters as a whole.

    Raises:
        ConfigError: a value is refused, on its own or in combination.
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    checked = {**SIM_PARAMETERS.defaults, **SIM_PARAMETERS.checked(given)}
    arm = arm_from_parameters(given)
    own = arm.names
    joints = tuple(checked['command_joints']) or own
    check_commanded(joints, own)
    initial = {**dict.fromkeys(joints, 0.0), **dict(zip(own, arm.home, strict=True))}
    initial |= {
        name: value
        for name, value in _of_joints('initial', INITIAL, given, joints).items()
        if not math.isnan(value)
    }
    _check_stops(arm, initial)
    efforts = _of_joints('effort', EFFORT, given, own)
    return SimSettings(
        plant=Plant(
            arm=arm,
            initial=tuple(initial[name] for name in own),
            density=checked['density'],
            payload=checked['payload'],
            efforts=tuple(efforts.get(name, 0.0) for name in own),
        ),
        controller=checked['controller'],
        controller_type=checked['controller_type'],
        command_joints=joints,
        initial=initial,
        update_rate=checked['update_rate'],
        real_time_factor=checked['real_time_factor'],
    )


def _of_joints(
    prefix: str, row: Row, given: Mapping[str, object], joints: Sequence[str]
) -> dict[str, float]:
    """Return the checked values of ``<prefix>.<joint>`` by joint."""
    values = {}
    for parameter, value in given.items():
        if parameter != prefix and not parameter.startswith(f'{prefix}.'):
            continue
        joint = parameter.removeprefix(prefix).removeprefix('.')
        if joint not in joints:
            raise ConfigError(
                f"parameter '{printable(parameter)}': there is no joint '{printable(joint)}'; "
                f'joints are {listed(joints)}{closest(joint, joints)}'
            )
        values[joint] = row.checked(value, parameter)
    return values


def _check_stops(arm: ArmDescription, initial: Mapping[str, float]) -> None:
    for index, name in enumerate(arm.names):
        (lower, upper), position = stops(arm, index), initial[name]
        if not lower <= position <= upper:
            refuse(
                f'initial.{name}',
                position,
                f'a number from {lower:.6g} to {upper:.6g}, in {arm.units[index]}, between the '
                'mechanical stops',
            )

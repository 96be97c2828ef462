"""The parameters of ``ik2d_sim``: table and settings; no ROS imports."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ik2d_ros.arm.description import ARM_PARAMETERS, ArmDescription, arm_from_parameters
from ik2d_ros.control.drive import COMMAND_JOINTS, check_commanded
from ik2d_ros.kinematics.bounds import LARGEST_ANGLE
from ik2d_ros.parameters.checks import (
    Choice,
    ConfigError,
    Number,
    Numbers,
    Truth,
    closest,
    is_sequence,
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
        active: whether the controller is active.
        power: whether the servos have power.
        freeze: whether the controller manager stands still.
        restart_at: the (k,) pose at which the controller manager starts again; empty for none.
    """

    plant: Plant
    controller: str
    controller_type: str
    command_joints: tuple[str, ...]
    initial: Mapping[str, float]
    update_rate: float
    real_time_factor: float
    active: bool
    power: bool
    freeze: bool
    restart_at: tuple[float, ...]

    @property
    def arm(self) -> ArmDescription:
        """The arm."""
        return self.plant.arm

    @property
    def restarted(self) -> SimSettings:
        """The same with the arm where it is found after a restart."""
        initial = dict(zip(self.command_joints, self.restart_at, strict=True))
        at = tuple(initial[name] for name in self.arm.names)
        return replace(self, plant=replace(self.plant, initial=at), initial=initial)


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


def _pose(name: str, value: object, allowed: str) -> tuple[float, ...]:
    count = len(value) if is_sequence(value) else 0
    return Numbers(count, LARGEST_ANGLE)(name, value, allowed)


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
            name='active',
            default=True,
            affects=Effect.MOVING,
            check=Truth(),
            description='Whether the controller is active; a wrong command may deactivate it',
        ),
        Row(
            name='power',
            default=True,
            affects=Effect.MOVING,
            check=Truth(),
            description='Whether the servos have power; without it, the arm sags',
        ),
        Row(
            name='freeze',
            default=False,
            affects=Effect.MOVING,
            check=Truth(),
            description='Whether the controller manager stands still, like a stopped process',
        ),
        Row(
            name='restart_at',
            default=[],
            unit='rad or m',
            affects=Effect.MOVING,
            allowed="a position for each of the controller's joints, between their stops, or empty",
            check=_pose,
            description='A new value ends the controller manager; a second later it is back, '
            'with the arm at these positions',
        ),
    ),
    families=(Family(prefix='initial', member='joint', rows=by_name(INITIAL)),),
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
    initial |= _initial(given, joints)
    _check_stops(arm, initial, 'initial')
    restart_at = checked['restart_at']
    if len(restart_at) not in {0, len(joints)}:
        refuse('restart_at', restart_at, SIM_PARAMETERS['restart_at'].allowed)
    if restart_at:
        _check_stops(arm, dict(zip(joints, restart_at, strict=True)), 'restart_at')
    return SimSettings(
        plant=Plant(
            arm=arm, initial=tuple(initial[name] for name in own), payload=checked['payload']
        ),
        controller=checked['controller'],
        controller_type=checked['controller_type'],
        command_joints=joints,
        initial=initial,
        update_rate=checked['update_rate'],
        real_time_factor=checked['real_time_factor'],
        active=checked['active'],
        power=checked['power'],
        freeze=checked['freeze'],
        restart_at=restart_at,
    )


def _initial(given: Mapping[str, object], joints: Sequence[str]) -> dict[str, float]:
    """Return the positions of ``initial.<joint>`` that are given, by joint."""
    values = {}
    for parameter, value in given.items():
        if parameter != 'initial' and not parameter.startswith('initial.'):
            continue
        joint = parameter.removeprefix('initial').removeprefix('.')
        if joint not in joints:
            raise ConfigError(
                f"parameter '{printable(parameter)}': there is no joint '{printable(joint)}'; "
                f'joints are {listed(joints)}{closest(joint, joints)}'
            )
        position = INITIAL.checked(value, parameter)
        if not math.isnan(position):
            values[joint] = position
    return values


def _check_stops(arm: ArmDescription, positions: Mapping[str, float], parameter: str) -> None:
    for index, name in enumerate(arm.names):
        (lower, upper), position = stops(arm, index), positions[name]
        if not lower <= position <= upper:
            refuse(
                f'{parameter}.{name}',
                position,
                f'a number from {lower:.6g} to {upper:.6g}, in {arm.units[index]}, between the '
                'mechanical stops',
            )

"""The arm that ``joints``, ``chain.*``, ``base_frame`` and ``base.*`` describe; no ROS imports.

The node passes in the parameters that it was given, tools read them from the same file
(:func:`load_parameters`), and both get the same :class:`ArmDescription` or the same error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ik2d_ros.kinematics import Chain, ChainError, Joint
from ik2d_ros.kinematics.bounds import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.parameters.checks import (
    ConfigError,
    Names,
    Number,
    Numbers,
    Text,
    closest,
    listed,
    refuse,
    shown,
)
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.parameters.table import Effect, Family, Row, Table, by_name
from ik2d_ros.parameters.wording import printable

__all__ = [
    'ARM_PARAMETERS',
    'JOINT_FIELDS',
    'ArmDescription',
    'ConfigError',
    'MotionLimits',
    'arm_from_parameters',
    'load_arm',
    'load_parameters',
]


@dataclass(frozen=True)
class MotionLimits:
    """Motion limits of a joint; None for no limit.

    Attributes:
        velocity: rad/s.
        acceleration: rad/s^2.
        jerk: rad/s^3.
    """

    velocity: float | None = None
    acceleration: float | None = None
    jerk: float | None = None


@dataclass(frozen=True)
class ArmDescription:
    """A chain, its base pose, its home position and its motion limits.

    Attributes:
        chain: the joints, links and position limits.
        home: (n,) positions in rad at start-up, inside the limits.
        motion: (n,) motion limits, one per joint.
        base_frame: frame of the base pose.
        base_xyz: origin of the arm's plane in ``base_frame``, in m.
        base_rpy: roll, pitch, yaw of the arm's plane in ``base_frame``, in rad (URDF convention).
    """

    chain: Chain
    home: tuple[float, ...]
    motion: tuple[MotionLimits, ...]
    base_frame: str = 'base_link'
    base_xyz: tuple[float, float, float] = (0.0, 0.0, 0.0)
    base_rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def has_motion_limits(self) -> bool:
        """Whether any joint has a motion limit, so that moving takes time."""
        return any(limits != MotionLimits() for limits in self.motion)

    def clamped(self, positions: Sequence[float]) -> tuple[float, ...]:
        """Clamp (n,) positions in rad to the limits."""
        return tuple(
            q
            if joint.lower is None or joint.upper is None
            else min(max(q, joint.lower), joint.upper)
            for joint, q in zip(self.chain.joints, positions, strict=True)
        )


MOST_JOINTS = 256
"""Largest number of joints; it keeps computations on the whole arm fast."""


def _axis(name: str, value: object, allowed: str) -> int:
    axis = Number()(name, value, allowed)
    return int(axis) if axis in (1.0, -1.0) else refuse(name, value, allowed)


_ANGLE = Number(least=-LARGEST_ANGLE, most=LARGEST_ANGLE)
_PAIR = Numbers(2, largest=LARGEST_LENGTH)
_PLACE = Numbers(3, largest=LARGEST_LENGTH)
_TURNS = Numbers(3, largest=LARGEST_ANGLE)


def _motion_limit(name: str, what: str, unit: str) -> Row:
    return Row(
        name=name,
        unit=unit,
        allowed=f'a finite number > 0, in {unit}, or omitted for no limit',
        affects=Effect.MOVING,
        check=Number(above=0.0),
        description=f'{what} limit',
    )


JOINT_FIELDS: Mapping[str, Row] = by_name(
    Row(
        name='length',
        unit='m',
        affects=Effect.SOLVING,
        check=Number(least=0.0, most=LARGEST_LENGTH),
        description='Length of a straight link; same as link: [length, 0]',
    ),
    Row(
        name='link',
        unit='m',
        allowed=f'two finite numbers{_PAIR.range}, [x, y] in m',
        affects=Effect.SOLVING,
        check=_PAIR,
        description='Vector to the next joint or the tip, in the frame that turns with the joint',
    ),
    Row(
        name='min_position',
        unit='rad',
        affects=Effect.SOLVING,
        check=_ANGLE,
        description='Smallest position; with max_position, or neither for a continuous joint',
    ),
    Row(
        name='max_position',
        unit='rad',
        affects=Effect.SOLVING,
        check=_ANGLE,
        description='Largest position; with min_position, or neither for a continuous joint',
    ),
    _motion_limit('max_velocity', 'Velocity', 'rad/s'),
    _motion_limit('max_acceleration', 'Acceleration', 'rad/s^2'),
    _motion_limit('max_jerk', 'Jerk', 'rad/s^3'),
    Row(
        name='offset',
        unit='rad',
        affects=Effect.SOLVING,
        check=_ANGLE,
        description='Angle of the link frame at position 0',
    ),
    Row(
        name='axis',
        allowed='+1 or -1',
        affects=Effect.SOLVING,
        check=_axis,
        description="Sense of rotation about the plane's normal: +1 or -1",
    ),
    Row(
        name='home',
        unit='rad',
        affects=Effect.NOTHING,
        check=_ANGLE,
        description='Position at start-up; default: 0, or the limit nearest to 0',
    ),
)
"""The fields of ``chain.<joint>.<field>``."""

ARM_PARAMETERS = Table(
    rows=(
        Row(
            name='base_frame',
            default=ArmDescription.base_frame,
            read_only=True,
            check=Text(),
            description='Frame of targets and of the base pose',
        ),
        Row(
            name='base.xyz',
            default=list(ArmDescription.base_xyz),
            unit='m',
            allowed=f'three finite numbers{_PLACE.range}, in m',
            affects=Effect.SOLVING,
            check=_PLACE,
            description="Origin of the arm's plane in base_frame",
        ),
        Row(
            name='base.rpy',
            default=list(ArmDescription.base_rpy),
            unit='rad',
            allowed=f'three finite numbers{_TURNS.range}, in rad',
            affects=Effect.SOLVING,
            check=_TURNS,
            description="Roll, pitch, yaw of the arm's plane in base_frame (URDF convention)",
        ),
        Row(
            name='joints',
            allowed='a list of unique joint names, base first: [shoulder, elbow]',
            read_only=True,
            check=Names(most=MOST_JOINTS),
            description='Names of the joints, base first; each has chain.<joint>.<field>',
        ),
    ),
    families=(Family(prefix='chain', member='joint', rows=JOINT_FIELDS),),
)
"""Every parameter that describes the arm."""


def arm_from_parameters(parameters: Mapping[str, object]) -> ArmDescription:
    """Build the arm that a set of parameters describes.

    Args:
        parameters: values by flat dotted name (``chain.shoulder.length``); None means not given.
            Parameters that do not describe the arm are ignored.

    Raises:
        ConfigError: a parameter is missing, unknown or refused; the message names it, its value
            and what is allowed.
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    if 'joints' not in given:
        allowed = ARM_PARAMETERS['joints'].allowed
        raise ConfigError(f"parameter 'joints' is missing; it must be {allowed}")
    checked = ARM_PARAMETERS.checked(given)
    names = checked.pop('joints')
    fields = _fields_by_joint(given, names)
    joints = [_joint(name, fields[name]) for name in names]
    try:
        chain = Chain(joints)
    except ChainError as error:
        raise ConfigError(f"parameters 'chain.*': {error}") from None
    return ArmDescription(
        chain=chain,
        home=tuple(_home(joint, fields[joint.name]) for joint in joints),
        motion=tuple(_motion(name, fields[name]) for name in names),
        **checked,
    )


def load_arm(path: str | Path, node_name: str = 'ik2d') -> ArmDescription:
    """Read the arm from a ROS parameter file.

    Args:
        path: the file.
        node_name: the node, as in :func:`load_parameters`.

    Raises:
        ConfigError: the file cannot be read or is refused; the message names file and reason.
    """
    parameters = load_parameters(path, node_name)
    try:
        return arm_from_parameters(parameters)
    except ConfigError as error:
        raise ConfigError(f'{printable(str(path))}: {error}') from None


def _fields_by_joint(given: Mapping[str, object], names: list[str]) -> dict[str, dict[str, object]]:
    """Sort ``chain.*`` by joint and field; refuse anything else."""
    fields: dict[str, dict[str, object]] = {name: {} for name in names}
    for parameter, value in given.items():
        if parameter != 'chain' and not parameter.startswith('chain.'):
            continue
        joint, _, field = parameter.removeprefix('chain.').rpartition('.')
        if parameter == 'chain' or not joint:
            refuse(
                parameter,
                value,
                f'given as chain.<joint>.<field>, with a joint of {listed(names)} '
                f'and a field of {", ".join(JOINT_FIELDS)}',
            )
        if joint not in fields:
            raise ConfigError(
                f"parameter '{printable(parameter)}': there is no joint '{printable(joint)}'; "
                f'joints are {listed(names)}{closest(joint, names)}'
            )
        if field not in JOINT_FIELDS:
            raise ConfigError(
                f"parameter '{printable(parameter)}': there is no field '{printable(field)}'; "
                f'fields are {", ".join(JOINT_FIELDS)}{closest(field, JOINT_FIELDS)}'
            )
        fields[joint][field] = value
    return fields


def _joint(name: str, fields: Mapping[str, object]) -> Joint:
    lower, upper = _limits(name, fields)
    return Joint(
        name,
        link=_link(name, fields),
        lower=lower,
        upper=upper,
        offset=_checked(name, 'offset', fields, 0.0),
        axis=_checked(name, 'axis', fields, 1),
    )


def _checked(name: str, field: str, fields: Mapping[str, object], default: Any = None) -> Any:
    """Return the checked value of one field of a joint."""
    if field not in fields:
        return default
    return JOINT_FIELDS[field].checked(fields[field], f'chain.{name}.{field}')


def _link(name: str, fields: Mapping[str, object]) -> tuple[float, float]:
    if ('length' in fields) == ('link' in fields):
        what = 'both' if 'length' in fields else 'neither'
        raise ConfigError(
            f"joint '{name}' has {what} of 'chain.{name}.length' and 'chain.{name}.link'; "
            'give one of them: length: L or link: [x, y], in m'
        )
    x, y = _checked(name, 'link', fields) or (_checked(name, 'length', fields), 0.0)
    return x, y


def _limits(name: str, fields: Mapping[str, object]) -> tuple[float | None, float | None]:
    ends = ('min_position', 'max_position')
    given = [end for end in ends if end in fields]
    if len(given) == 1:
        missing = ends[1 - ends.index(given[0])]
        raise ConfigError(
            f"parameter 'chain.{name}.{given[0]}' is {shown(fields[given[0]])}, but "
            f"'chain.{name}.{missing}' is not given; give both, or neither for a continuous joint"
        )
    lower, upper = (_checked(name, end, fields) for end in ends)
    if given and lower > upper:
        refuse(
            f'chain.{name}.min_position', lower, f"<= 'chain.{name}.max_position', which is {upper}"
        )
    return lower, upper


def _home(joint: Joint, fields: Mapping[str, object]) -> float:
    home: float
    if joint.lower is None or joint.upper is None:
        home = _checked(joint.name, 'home', fields, 0.0)
        return home
    if 'home' not in fields:
        return min(max(0.0, joint.lower), joint.upper)
    parameter = f'chain.{joint.name}.home'
    allowed = f'inside the limits of the joint, {joint.lower} to {joint.upper} rad'
    home = Number()(parameter, fields['home'], allowed)
    if not joint.lower <= home <= joint.upper:
        refuse(parameter, fields['home'], allowed)
    return home


def _motion(name: str, fields: Mapping[str, object]) -> MotionLimits:
    return MotionLimits(
        velocity=_checked(name, 'max_velocity', fields),
        acceleration=_checked(name, 'max_acceleration', fields),
        jerk=_checked(name, 'max_jerk', fields),
    )

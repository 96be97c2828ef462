"""From parameters to the arm: what ``joints``, ``chain.*``, ``base_frame`` and ``base.*`` say.

Free of ROS: the node hands in the parameters that it was given, tools read them from the same file
(:func:`load_parameters`), and both get the same :class:`ArmDescription` or the same error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ik2d_ros.kinematics import Chain, ChainError, Joint
from ik2d_ros.parameters.checks import (
    ConfigError,
    closest,
    is_sequence,
    listed,
    not_negative,
    number,
    numbers,
    positive,
    refuse,
    shown,
    text,
)
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.parameters.wording import LONGEST, is_printable, printable

__all__ = [
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
    """How fast a joint may move; None where there is no limit.

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
    """A chain, where it stands, and how it starts and moves.

    Attributes:
        chain: the joints, links and position limits.
        home: (n,) positions in rad at start-up, inside the limits.
        motion: (n,) motion limits, one per joint.
        base_frame: the frame in which the base pose is given.
        base_xyz: origin of the arm's plane in ``base_frame``, in m.
        base_rpy: roll, pitch, yaw of the arm's plane in ``base_frame``, in rad (URDF convention).
    """

    chain: Chain
    home: tuple[float, ...]
    motion: tuple[MotionLimits, ...]
    base_frame: str = 'base_link'
    base_xyz: tuple[float, float, float] = (0.0, 0.0, 0.0)
    base_rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def clamped(self, positions: Sequence[float]) -> tuple[float, ...]:
        """The pose inside the limits that is nearest to (n,) positions in rad."""
        return tuple(
            q
            if joint.lower is None or joint.upper is None
            else min(max(q, joint.lower), joint.upper)
            for joint, q in zip(self.chain.joints, positions, strict=True)
        )


MOST_JOINTS = 256
"""The most joints that an arm may have: what is worked out at once for an arm stays quick."""

JOINT_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        'length': 'Length of a straight link [m]; the same as link: [length, 0]',
        'link': 'Vector to the next joint or the tip, in the frame that turns with the joint [m]',
        'min_position': 'Smallest position [rad]; with max_position, or neither: continuous joint',
        'max_position': 'Largest position [rad]; with min_position, or neither: continuous joint',
        'max_velocity': 'Velocity limit [rad/s]',
        'max_acceleration': 'Acceleration limit [rad/s^2]',
        'max_jerk': 'Jerk limit [rad/s^3]',
        'offset': 'Angle of the link frame at position 0 [rad]',
        'axis': "Sense of rotation about the plane's normal: +1 or -1",
        'home': 'Position at start-up [rad]; default: 0, or the limit nearest to 0',
    }
)
"""The fields of ``chain.<joint>.<field>``, each with its meaning and unit."""


def arm_from_parameters(parameters: Mapping[str, object]) -> ArmDescription:
    """Build the arm that a set of parameters describes.

    Args:
        parameters: values by flat dotted name (``chain.shoulder.length``); None means not given.
            Parameters that do not describe the arm are left alone.

    Raises:
        ConfigError: a parameter is missing, unknown or refused; the message names it, its value
            and what is allowed.
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    names = _joint_names(given)
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
        base_frame=text('base_frame', given.get('base_frame', ArmDescription.base_frame)),
        base_xyz=_triple('base.xyz', given.get('base.xyz', ArmDescription.base_xyz), 'm'),
        base_rpy=_triple('base.rpy', given.get('base.rpy', ArmDescription.base_rpy), 'rad'),
    )


def load_arm(path: str | Path, node_name: str = 'ik2d') -> ArmDescription:
    """Read the arm from a ROS parameter file.

    Args:
        path: the file.
        node_name: the node that it is for, as in :func:`load_parameters`.

    Raises:
        ConfigError: the file cannot be read or is refused; the message names file and reason.
    """
    parameters = load_parameters(path, node_name)
    try:
        return arm_from_parameters(parameters)
    except ConfigError as error:
        raise ConfigError(f'{printable(str(path))}: {error}') from None


def _joint_names(given: Mapping[str, object]) -> list[str]:
    allowed = 'a list of unique joint names, base first: [shoulder, elbow]'
    if 'joints' not in given:
        raise ConfigError(f"parameter 'joints' is missing; it must be {allowed}")
    value = given['joints']
    if not is_sequence(value) or not value:
        refuse('joints', value, allowed)
    if len(value) > MOST_JOINTS:
        refuse('joints', value, f'{allowed}, at most {MOST_JOINTS}; these are {len(value)}')
    names = [name for name in value if isinstance(name, str) and name.strip()]
    if len(names) != len(value):
        refuse('joints', value, allowed)
    for name in names:
        if not is_printable(name) or len(name) > LONGEST:
            refuse(
                'joints',
                value,
                f'{allowed}, of at most {LONGEST} characters each, and no control characters; '
                f"not so: '{printable(name, 40)}'",
            )
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        refuse('joints', value, f'{allowed}; given twice: {listed(twice)}')
    return names


def _fields_by_joint(given: Mapping[str, object], names: list[str]) -> dict[str, dict[str, object]]:
    """Sort ``chain.*`` by joint and field, refusing what is neither."""
    fields: dict[str, dict[str, object]] = {name: {} for name in names}
    for parameter, value in given.items():
        if parameter != 'chain' and not parameter.startswith('chain.'):
            continue
        joint, _, field = parameter.removeprefix('chain.').rpartition('.')
        if parameter == 'chain' or not joint:
            refuse(
                parameter,
                value,
                f'given as chain.<joint>.<field>, with a joint out of {listed(names)} '
                f'and a field out of {", ".join(JOINT_FIELDS)}',
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
        offset=number(f'chain.{name}.offset', fields.get('offset', 0.0), 'a finite number, in rad'),
        axis=_axis(f'chain.{name}.axis', fields.get('axis', 1)),
    )


def _link(name: str, fields: Mapping[str, object]) -> tuple[float, float]:
    if ('length' in fields) == ('link' in fields):
        what = 'both' if 'length' in fields else 'neither'
        raise ConfigError(
            f"joint '{name}' has {what} of 'chain.{name}.length' and 'chain.{name}.link'; "
            'give one of them: length: L or link: [x, y], in m'
        )
    if 'length' in fields:
        allowed = 'a finite number >= 0, in m'
        return not_negative(f'chain.{name}.length', fields['length'], allowed), 0.0
    allowed = 'two finite numbers, [x, y] in m'
    x, y = numbers(f'chain.{name}.link', fields['link'], 2, allowed)
    return x, y


def _limits(name: str, fields: Mapping[str, object]) -> tuple[float | None, float | None]:
    ends = ('min_position', 'max_position')
    given = [end for end in ends if end in fields]
    if not given:
        return None, None
    if len(given) == 1:
        missing = ends[1 - ends.index(given[0])]
        raise ConfigError(
            f"parameter 'chain.{name}.{given[0]}' is {shown(fields[given[0]])}, but "
            f"'chain.{name}.{missing}' is not given; give both, or neither for a continuous joint"
        )
    lower, upper = (
        number(f'chain.{name}.{end}', fields[end], 'a finite number, in rad') for end in ends
    )
    if lower > upper:
        refuse(
            f'chain.{name}.min_position', lower, f"<= 'chain.{name}.max_position', which is {upper}"
        )
    return lower, upper


def _axis(name: str, value: object) -> int:
    allowed = '+1 or -1'
    axis = number(name, value, allowed)
    return int(axis) if axis in (1.0, -1.0) else refuse(name, value, allowed)


def _home(joint: Joint, fields: Mapping[str, object]) -> float:
    parameter = f'chain.{joint.name}.home'
    if joint.lower is None or joint.upper is None:
        return number(parameter, fields.get('home', 0.0), 'a finite number, in rad')
    if 'home' not in fields:
        return min(max(0.0, joint.lower), joint.upper)
    allowed = f'inside the limits of the joint, {joint.lower} to {joint.upper} rad'
    home = number(parameter, fields['home'], allowed)
    if not joint.lower <= home <= joint.upper:
        refuse(parameter, fields['home'], allowed)
    return home


def _motion(name: str, fields: Mapping[str, object]) -> MotionLimits:
    def limit(field: str, unit: str) -> float | None:
        if field not in fields:
            return None
        allowed = f'a finite number > 0, in {unit}, or left out for no limit'
        return positive(f'chain.{name}.{field}', fields[field], allowed)

    return MotionLimits(
        velocity=limit('max_velocity', 'rad/s'),
        acceleration=limit('max_acceleration', 'rad/s^2'),
        jerk=limit('max_jerk', 'rad/s^3'),
    )


def _triple(name: str, value: object, unit: str) -> tuple[float, float, float]:
    x, y, z = numbers(name, value, 3, f'three finite numbers, in {unit}')
    return x, y, z

"""The arm that its parameters describe; no ROS imports.

The node passes in the parameters that it was given, tools read them from the same file
(:func:`load_parameters`), and both get the same :class:`ArmDescription` or the same error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ik2d_ros.arm.fields import ARM_PARAMETERS, CARRIERS, FIELDS_BY_TYPE, JOINT_FIELDS, TYPE
from ik2d_ros.arm.joint_parameters import JointParameters, MotionLimits
from ik2d_ros.arm.kinds import KINDS, REVOLUTE
from ik2d_ros.kinematics import Arm, Chain, ChainError, Joint, Lift, Plane, Turntable
from ik2d_ros.parameters.checks import ConfigError, closest, listed, refuse
from ik2d_ros.parameters.file import load_parameters
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
class ArmDescription:
    """A chain, what carries its plane, its base pose, home and motion limits.

    Wherever there is a value for each joint, the turntable or lift comes first, if there is one,
    then the chain's joints. Positions are in rad, those of joints that slide in m.

    Attributes:
        chain: the joints, links and position limits.
        home: (m,) positions at start-up, inside the limits.
        motion: (m,) motion limits, one per joint.
        base_frame: frame of the base pose.
        base_xyz: origin of the arm's plane in ``base_frame``, in m, with turntable or lift at 0.
        base_rpy: roll, pitch, yaw of the arm's plane in ``base_frame``, in rad (URDF convention).
        turntable: the joint that turns the plane, if any.
        lift: the joint that shifts the plane along its normal, if any; not both.
        kinematics: the arm in space, in ``base_frame``.

    Raises:
        ChainError: the parts do not fit together.
    """

    chain: Chain
    home: tuple[float, ...]
    motion: tuple[MotionLimits, ...]
    base_frame: str = 'base_link'
    base_xyz: tuple[float, float, float] = (0.0, 0.0, 0.0)
    base_rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turntable: Turntable | None = None
    lift: Lift | None = None
    kinematics: Arm = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        plane = Plane.from_pose(self.base_xyz, self.base_rpy)
        kinematics = Arm(self.chain, plane, self.turntable, self.lift)
        object.__setattr__(self, 'kinematics', kinematics)

    @cached_property
    def carrier(self) -> Turntable | Lift | None:
        """The joint that carries the plane, if any."""
        return self.turntable or self.lift

    @cached_property
    def names(self) -> tuple[str, ...]:
        """(m,) names of the joints."""
        return self.kinematics.names

    @cached_property
    def limits(self) -> tuple[tuple[float, float], ...]:
        """(m,) smallest and largest position of each joint; -inf and inf where there are none."""
        return self.kinematics.limits

    @cached_property
    def units(self) -> tuple[str, ...]:
        """(m,) unit of each joint's position: rad or m."""
        return self.kinematics.units

    @cached_property
    def prefixes(self) -> tuple[str, ...]:
        """(m,) what the names of each joint's parameters begin with, such as ``chain.elbow``."""
        carriers = [prefix for prefix in CARRIERS if getattr(self, prefix) is not None]
        return (*carriers, *(f'chain.{name}' for name in self.chain.names))

    @cached_property
    def has_motion_limits(self) -> bool:
        """Whether any joint has a motion limit, so that moving takes time."""
        return any(limits != MotionLimits() for limits in self.motion)

    def clamped(self, positions: Sequence[float]) -> tuple[float, ...]:
        """Clamp (m,) positions to the limits."""
        return tuple(
            min(max(q, lower), upper)
            for q, (lower, upper) in zip(positions, self.limits, strict=True)
        )

    def in_plane(self, positions: Sequence[float]) -> Sequence[float]:
        """Return the part of (m,) positions that are the chain's, (n,)."""
        return positions[len(positions) - len(self.chain) :]

    def plane_at(self, positions: Sequence[float]) -> Plane:
        """Return where the arm's plane is in ``base_frame``.

        Args:
            positions: (m,) of all joints.
        """
        if self.carrier is None:
            return self.kinematics.plane
        return self.kinematics.carried_plane(positions[0])


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
    joints = _joint_parameters(given, checked.pop('joints'))
    try:
        chain = Chain([_joint(name, fields) for name, fields in joints.items()])
    except ChainError as error:
        raise ConfigError(f"parameters 'chain.*': {error}") from None
    carriers = [_carrier_parameters(given, prefix, chain.names) for prefix in CARRIERS]
    before = [fields for fields in carriers if fields is not None]
    if len(before) > 1:
        raise ConfigError(
            "an arm has a turntable or a lift, not both: parameters 'turntable.*' and 'lift.*' "
            'are given; omit those of one of them'
        )
    every = [*before, *joints.values()]
    checked |= {fields.prefix: _carrier(fields) for fields in before}
    try:
        return ArmDescription(
            chain=chain,
            home=tuple(fields.home() for fields in every),
            motion=tuple(fields.motion() for fields in every),
            **checked,
        )
    except ChainError as error:
        raise ConfigError(f"parameters '{before[0].prefix}.*': {error}") from None


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


def _joint_parameters(
    given: Mapping[str, object], names: Sequence[str]
) -> dict[str, JointParameters]:
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
        _refuse_unknown(parameter, field, JOINT_FIELDS)
        fields[joint][field] = value
    return {name: _of_its_type(f'chain.{name}', values) for name, values in fields.items()}


def _of_its_type(prefix: str, given: Mapping[str, object]) -> JointParameters:
    """Return the parameters of a joint of the chain, with what its type allows."""
    kind = TYPE.checked(given.get('type', REVOLUTE), f'{prefix}.type')
    return JointParameters(prefix, FIELDS_BY_TYPE[kind], given, not KINDS[kind].endless)


def _carrier_parameters(
    given: Mapping[str, object], prefix: str, joints: Sequence[str]
) -> JointParameters | None:
    """Return the parameters of turntable or lift; None if there are none."""
    rows = CARRIERS[prefix]
    fields = {}
    for parameter, value in given.items():
        if parameter == prefix:
            refuse(parameter, value, f'given as {prefix}.<field>, a field of {", ".join(rows)}')
        if parameter.startswith(f'{prefix}.'):
            field = parameter.removeprefix(f'{prefix}.')
            _refuse_unknown(parameter, field, rows)
            fields[field] = value
    if not fields:
        return None
    allowed = rows['joint'].allowed
    if 'joint' not in fields:
        one = printable(next(iter(fields)))
        raise ConfigError(
            f"parameter '{prefix}.joint' is missing, but '{prefix}.{one}' is given; it must be "
            f'{allowed}'
        )
    if fields['joint'] in joints:
        refuse(f'{prefix}.joint', fields['joint'], allowed)
    return JointParameters(prefix, rows, fields)


def _refuse_unknown(parameter: str, field: str, fields: Mapping[str, Any]) -> None:
    if field not in fields:
        raise ConfigError(
            f"parameter '{printable(parameter)}': there is no field '{printable(field)}'; "
            f'fields are {", ".join(fields)}{closest(field, fields)}'
        )


def _joint(name: str, fields: JointParameters) -> Joint:
    lower, upper = fields.limits()
    return Joint(
        name,
        link=_link(name, fields),
        lower=lower,
        upper=upper,
        offset=fields.checked('offset', 0.0),
        axis=fields.checked('axis', 1),
        type=fields.checked('type', REVOLUTE),
    )


def _carrier(fields: JointParameters) -> Turntable | Lift:
    name, (lower, upper) = fields.checked('joint'), fields.limits()
    if fields.prefix == 'lift':
        return Lift(fields.checked('axis', 1), lower, upper, name)
    default = Turntable()
    xyz, axis = fields.checked('xyz', default.xyz), fields.checked('axis', default.axis)
    return Turntable(xyz, axis, lower, upper, name)


def _link(name: str, fields: JointParameters) -> tuple[float, float]:
    given = fields.given
    if ('length' in given) == ('link' in given):
        what = 'both' if 'length' in given else 'neither'
        raise ConfigError(
            f"joint '{name}' has {what} of 'chain.{name}.length' and 'chain.{name}.link'; "
            'give one of them: length: L or link: [x, y], in m'
        )
    x, y = fields.checked('link') or (fields.checked('length'), 0.0)
    return x, y

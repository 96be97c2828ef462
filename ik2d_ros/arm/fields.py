"""The tables of the parameters that describe an arm; no ROS imports."""

from __future__ import annotations

from collections.abc import Mapping

from ik2d_ros.arm.kinds import KINDS
from ik2d_ros.kinematics.bounds import LARGEST_ANGLE, LARGEST_LENGTH, MOST_JOINTS
from ik2d_ros.parameters.checks import Choice, Names, Number, Numbers, Text, Truth, refuse
from ik2d_ros.parameters.table import Effect, Family, Row, Table, by_name

LARGEST_MOTION = {'max_velocity': 1e6, 'max_acceleration': 1e6, 'max_jerk': 1e9}
"""Largest motion limits, in rad or m and s: next to larger ones rounding hides what is gained in
between, so that an arm at rest would find no way to its goal."""

_PAIR = Numbers(2, largest=LARGEST_LENGTH)
_PLACE = Numbers(3, largest=LARGEST_LENGTH)
_TURNS = Numbers(3, largest=LARGEST_ANGLE)
_DIRECTION = Numbers(3)
_EITHER = 'rad or m'  # unit of a position where the type of its joint is not known
_LARGEST = {'rad': LARGEST_ANGLE, 'm': LARGEST_LENGTH, _EITHER: max(LARGEST_ANGLE, LARGEST_LENGTH)}


def _sense(name: str, value: object, allowed: str) -> int:
    axis = Number()(name, value, allowed)
    return int(axis) if axis in (1.0, -1.0) else refuse(name, value, allowed)


def _direction(name: str, value: object, allowed: str) -> tuple[float, ...]:
    direction = _DIRECTION(name, value, allowed)
    return direction if any(direction) else refuse(name, value, allowed)


def _motion_limit(name: str, what: str, position: str, per: str) -> Row:
    unit = ' or '.join(f'{one}{per}' for one in position.split(' or '))
    limit = Number(above=0.0, most=LARGEST_MOTION[name])
    return Row(
        name=name,
        unit=unit,
        allowed=f'{limit.words}, in {unit}, or omitted for no limit',
        affects=Effect.MOVING,
        check=limit,
        description=f'{what} limit',
    )


def _moves(unit: str, unlimited: str) -> tuple[Row, ...]:
    """Return the fields that every joint has.

    Args:
        unit: of its position.
        unlimited: what it is without limits; empty if it must have limits.
    """
    position = Number(least=-_LARGEST[unit], most=_LARGEST[unit])
    other = f', or neither for {unlimited}' if unlimited else ''
    return (
        Row(
            name='min_position',
            unit=unit,
            affects=Effect.SOLVING,
            check=position,
            description=f'Smallest position; with max_position{other}',
        ),
        Row(
            name='max_position',
            unit=unit,
            affects=Effect.SOLVING,
            check=position,
            description=f'Largest position; with min_position{other}',
        ),
        _motion_limit('max_velocity', 'Velocity', unit, '/s'),
        _motion_limit('max_acceleration', 'Acceleration', unit, '/s^2'),
        _motion_limit('max_jerk', 'Jerk', unit, '/s^3'),
        Row(
            name='home',
            unit=unit,
            affects=Effect.NOTHING,
            check=position,
            description='Position at start-up; default: 0, or the limit nearest to 0',
        ),
    )


_LENGTH = Row(
    name='length',
    unit='m',
    affects=Effect.SOLVING,
    check=Number(least=0.0, most=LARGEST_LENGTH),
    description='Length of a straight link; same as link: [length, 0]',
)
_LINK = Row(
    name='link',
    unit='m',
    allowed=f'two finite numbers{_PAIR.range}, [x, y] in m',
    affects=Effect.SOLVING,
    check=_PAIR,
    description='Vector to the next joint or the tip, in the frame that turns with the joint',
)
_OFFSET = Row(
    name='offset',
    unit='rad',
    affects=Effect.SOLVING,
    check=Number(least=-LARGEST_ANGLE, most=LARGEST_ANGLE),
    description='Angle of the link frame at position 0',
)
_AXIS = Row(
    name='axis',
    allowed='+1 or -1',
    affects=Effect.SOLVING,
    check=_sense,
    description="Sense of rotation about the plane's normal, or of sliding along the link",
)
TYPE = Row(
    name='type',
    affects=Effect.SOLVING,
    check=Choice(tuple(KINDS)),
    description='Whether the joint turns its link, or slides it along the link vector; '
    'default: revolute',
)
"""The field of ``chain.<joint>`` that decides what the others may be."""


_ABSOLUTE = Row(
    name='absolute',
    affects=Effect.SOLVING,
    check=Truth(),
    description="Whether the position is the link's direction in the plane, as of a linkage; "
    'default: false',
)
_BENDS = tuple(
    Row(
        name=name,
        unit='rad',
        affects=Effect.SOLVING,
        check=Number(least=-LARGEST_ANGLE, most=LARGEST_ANGLE),
        description=f'{what} angle of an absolute joint to the link before; with {other}',
    )
    for name, what, other in (
        ('min_bend', 'Smallest', 'max_bend'),
        ('max_bend', 'Largest', 'min_bend'),
    )
)


def _joint_fields(unit: str, unlimited: str) -> Mapping[str, Row]:
    moves = _moves(unit, unlimited)
    linkage = (_ABSOLUTE, *_BENDS) if unlimited else ()
    return by_name(_LENGTH, _LINK, TYPE, *moves, _OFFSET, _AXIS, *linkage)


FIELDS_BY_TYPE: Mapping[str, Mapping[str, Row]] = {
    name: _joint_fields(kind.unit, f'a {kind.endless} joint' if kind.endless else '')
    for name, kind in KINDS.items()
}
"""The fields of ``chain.<joint>.<field>``, by the joint's type."""

JOINT_FIELDS: Mapping[str, Row] = _joint_fields(_EITHER, 'a continuous joint')
"""The same for a joint whose type is not known."""


def _name(what: str) -> Row:
    return Row(
        name='joint',
        allowed="a joint's name that is not one of 'joints'",
        check=Text(),
        description=f'Name of the joint that {what}',
    )


TURNTABLE_FIELDS: Mapping[str, Row] = by_name(
    _name('turns the plane'),
    Row(
        name='xyz',
        unit='m',
        allowed=f'three finite numbers{_PLACE.range}, in m',
        affects=Effect.SOLVING,
        check=_PLACE,
        description='A point on the axis, in base_frame; default: its origin',
    ),
    Row(
        name='axis',
        allowed='three finite numbers, not all of them 0',
        affects=Effect.SOLVING,
        check=_direction,
        description='Direction of the axis in base_frame, of any length; default: [0, 0, 1]',
    ),
    *_moves('rad', 'a continuous joint'),
)
"""The fields of ``turntable.<field>``."""

LIFT_FIELDS: Mapping[str, Row] = by_name(
    _name('shifts the plane along its normal'),
    Row(
        name='axis',
        allowed='+1 or -1',
        affects=Effect.SOLVING,
        check=_sense,
        description="Along the plane's normal, +1, or against it, -1",
    ),
    *_moves('m', 'no limits'),
)
"""The fields of ``lift.<field>``."""

CARRIERS: Mapping[str, Mapping[str, Row]] = {'turntable': TURNTABLE_FIELDS, 'lift': LIFT_FIELDS}
"""The joints that may carry the plane, by the first part of their parameters' names."""

ARM_PARAMETERS = Table(
    rows=(
        Row(
            name='base_frame',
            default='base_link',
            check=Text(),
            description='Frame of targets and of the base pose',
        ),
        Row(
            name='base.xyz',
            default=[0.0, 0.0, 0.0],
            unit='m',
            allowed=f'three finite numbers{_PLACE.range}, in m',
            affects=Effect.SOLVING,
            check=_PLACE,
            description="Origin of the arm's plane in base_frame",
        ),
        Row(
            name='base.rpy',
            default=[0.0, 0.0, 0.0],
            unit='rad',
            allowed=f'three finite numbers{_TURNS.range}, in rad',
            affects=Effect.SOLVING,
            check=_TURNS,
            description="Roll, pitch, yaw of the arm's plane in base_frame (URDF convention)",
        ),
        Row(
            name='joints',
            allowed='a list of unique joint names, base first: [shoulder, elbow]',
            check=Names(most=MOST_JOINTS),
            description='Names of the joints, base first; each has chain.<joint>.<field>',
        ),
        Row(
            name='tool',
            default=[0.0, 0.0],
            unit='m',
            allowed=f'two finite numbers{_PAIR.range}, [x, y] in m',
            affects=Effect.SOLVING,
            check=_PAIR,
            description='Vector in the plane from the last link to the tip, whatever the joints do',
        ),
    ),
    families=(
        Family(prefix='chain', member='joint', rows=JOINT_FIELDS),
        *(Family(prefix=prefix, member='', rows=rows) for prefix, rows in CARRIERS.items()),
    ),
)
"""Every parameter that describes the arm."""

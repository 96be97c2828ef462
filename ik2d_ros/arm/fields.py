"""The tables of the parameters that describe an arm; no ROS imports."""

from __future__ import annotations

from collections.abc import Mapping

from ik2d_ros.arm.kinds import KINDS
from ik2d_ros.kinematics.bounds import LARGEST_ANGLE, LARGEST_LENGTH, MOST_JOINTS
from ik2d_ros.parameters.checks import Check, Choice, Names, Number, Numbers, Text, Truth, refuse
from ik2d_ros.parameters.table import Effect, Family, Row, Table, by_name

LARGEST_MOTION = {'max_velocity': 1e6, 'max_acceleration': 1e6, 'max_jerk': 1e9}
"""Largest motion limits, in rad or m and s: next to larger ones rounding hides what is gained in
between, so that an arm at rest would find no way to its goal."""

_PAIR = Numbers(2, largest=LARGEST_LENGTH)
_PLACE = Numbers(3, largest=LARGEST_LENGTH)
_ANGLE = Number(least=-LARGEST_ANGLE, most=LARGEST_ANGLE)
_DIRECTION = Numbers(3)
_EITHER = 'rad or m'  # unit of a position where the type of its joint is not known
_LARGEST = {'rad': LARGEST_ANGLE, 'm': LARGEST_LENGTH, _EITHER: max(LARGEST_ANGLE, LARGEST_LENGTH)}


def _sense(name: str, value: object, allowed: str) -> int:
    axis = Number()(name, value, allowed)
    return int(axis) if axis in (1.0, -1.0) else refuse(name, value, allowed)


def _direction(name: str, value: object, allowed: str) -> tuple[float, ...]:
    direction = _DIRECTION(name, value, allowed)
    return direction if any(direction) else refuse(name, value, allowed)


def _row(
    name: str,
    check: Check,
    description: str,
    unit: str = '',
    allowed: str = '',
    affects: Effect | None = Effect.SOLVING,
) -> Row:
    return Row(
        name=name, check=check, description=description, unit=unit, allowed=allowed, affects=affects
    )


def _moves(unit: str, unlimited: str) -> tuple[Row, ...]:
    """Return the fields that every joint has.

    Args:
        unit: of its position.
        unlimited: what it is without limits; empty if it must have limits.
    """
    position = Number(least=-_LARGEST[unit], most=_LARGEST[unit])
    other = f', or neither for {unlimited}' if unlimited else ''

    def limit(what: str, per: str) -> Row:
        name, units = f'max_{what.lower()}', ' or '.join(one + per for one in unit.split(' or '))
        number = Number(above=0.0, most=LARGEST_MOTION[name])
        allowed = f'{number.words}, in {units}, or omitted for no limit'
        return _row(name, number, f'{what} limit', units, allowed, Effect.MOVING)

    home = 'Position at start-up; default: 0, or the limit nearest to 0'
    return (
        _row('min_position', position, f'Smallest position; with max_position{other}', unit),
        _row('max_position', position, f'Largest position; with min_position{other}', unit),
        limit('Velocity', '/s'),
        limit('Acceleration', '/s^2'),
        limit('Jerk', '/s^3'),
        _row('home', position, home, unit, affects=Effect.NOTHING),
    )


TYPE = _row(
    'type',
    Choice(tuple(KINDS)),
    'Whether the joint turns its link, or slides it along the link vector; default: revolute',
)
"""The field of ``chain.<joint>`` that decides what the others may be."""

_LINKAGE = (
    _row(
        'absolute',
        Truth(),
        "Whether the position is the link's direction in the plane (a linkage); default: false",
    ),
    _row(
        'min_bend',
        _ANGLE,
        'Smallest angle of an absolute joint to the link before; with max_bend',
        'rad',
    ),
    _row(
        'max_bend',
        _ANGLE,
        'Largest angle of an absolute joint to the link before; with min_bend',
        'rad',
    ),
)


def _joint_fields(unit: str, unlimited: str) -> Mapping[str, Row]:
    return by_name(
        _row(
            'length',
            Number(least=0.0, most=LARGEST_LENGTH),
            'Length of a straight link; same as link: [length, 0]',
            'm',
        ),
        _row(
            'link',
            _PAIR,
            'Vector to the next joint or the tip, in the frame that turns with the joint',
            'm',
        ),
        TYPE,
        *_moves(unit, unlimited),
        _row('offset', _ANGLE, 'Angle of the link frame at position 0', 'rad'),
        _row(
            'axis',
            _sense,
            "Sense of rotation about the plane's normal, or of sliding along the link",
            allowed='+1 or -1',
        ),
        *(_LINKAGE if unlimited else ()),
    )


FIELDS_BY_TYPE: Mapping[str, Mapping[str, Row]] = {
    name: _joint_fields(kind.unit, f'a {kind.endless} joint' if kind.endless else '')
    for name, kind in KINDS.items()
}
"""The fields of ``chain.<joint>.<field>``, by the joint's type."""

JOINT_FIELDS: Mapping[str, Row] = _joint_fields(_EITHER, 'a continuous joint')
"""The same for a joint whose type is not known."""


def _name(what: str) -> Row:
    allowed = "a joint's name that is not one of 'joints'"
    return _row('joint', Text(), f'Name of the joint that {what}', allowed=allowed, affects=None)


CARRIERS: Mapping[str, Mapping[str, Row]] = {
    'turntable': by_name(
        _name('turns the plane'),
        _row('xyz', _PLACE, 'A point on the axis, in base_frame; default: its origin', 'm'),
        _row(
            'axis',
            _direction,
            'Direction of the axis in base_frame, of any length; default: [0, 0, 1]',
            allowed='three finite numbers, not all of them 0',
        ),
        *_moves('rad', 'a continuous joint'),
    ),
    'lift': by_name(
        _name('shifts the plane along its normal'),
        _row(
            'axis',
            _sense,
            "Along the plane's normal, +1, or against it, -1",
            allowed='+1 or -1',
        ),
        *_moves('m', 'no limits'),
    ),
}
"""The fields of the joints that may carry the plane, by the first part of their names."""

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
            affects=Effect.SOLVING,
            check=_PLACE,
            description="Origin of the arm's plane in base_frame",
        ),
        Row(
            name='base.rpy',
            default=[0.0, 0.0, 0.0],
            unit='rad',
            affects=Effect.SOLVING,
            check=Numbers(3, largest=LARGEST_ANGLE),
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

"""The tables of the parameters that describe an arm; no ROS imports.

The rows have names, units and types. The model (:class:`.Joint` and the like) checks the ranges.
"""

from __future__ import annotations

from functools import partial

from ik2d_ros.kinematics.arguments import LARGEST_LENGTH, MOST_JOINTS
from ik2d_ros.kinematics.joint import TYPES
from ik2d_ros.parameters.checks import ANGLE, Choice, Names, Number, Numbers, Text, Truth
from ik2d_ros.parameters.table import Effect, Family, Row, Table

LARGEST_MOTION = {'max_velocity': 1e6, 'max_acceleration': 1e6, 'max_jerk': 1e9}
"""Largest motion limits, in rad or m and s: with larger ones the motion within a step is lost to
rounding, and an arm at rest would not get to its goal."""

LENGTH = Number(least=0.0, most=LARGEST_LENGTH)
SENSE = '+1 or -1'
DIRECTION = 'three finite numbers, not all of them 0'

_row = partial(Row, affects=Effect.SOLVING)


def _motion(unit: str) -> tuple[Row, ...]:
    """Return the fields that every joint has, by the unit of its position."""

    def limit(what: str, per: str) -> Row:
        name, units = f'max_{what.lower()}', ' or '.join(one + per for one in unit.split(' or '))
        number = Number(above=0.0, most=LARGEST_MOTION[name])
        allowed = f'{number.words}, in {units}, or omitted for no limit'
        return _row(name, number, f'{what} limit', units, allowed, affects=Effect.MOVING)

    words = 'Position at start-up; default: 0, or the limit nearest to 0'
    return (
        _row('min_position', Number(), 'Smallest position; both limits or none', unit),
        _row('max_position', Number(), 'Largest position; both limits or none', unit),
        limit('Velocity', '/s'),
        limit('Acceleration', '/s^2'),
        limit('Jerk', '/s^3'),
        _row('home', ANGLE, words, unit, affects=Effect.NOTHING),
    )


JOINT_FIELDS = Family(
    'chain.<joint>',
    (
        _row('length', LENGTH, 'Length of a straight link; same as link: [length, 0]', 'm'),
        _row('link', Numbers(2), 'Vector to the next joint or the tip, in the link frame', 'm'),
        _row('type', Choice(TYPES), 'Whether it turns its link, or slides it along itself'),
        *_motion('rad or m'),  # a row does not know the joint's type
        _row('offset', Number(), 'Angle of the link frame at position 0', 'rad'),
        _row('axis', Number(), "Sense about the plane's normal, or along the link", '', SENSE),
        _row('absolute', Truth(), "Whether the position is the link's direction in the plane"),
        _row('min_bend', Number(), 'Smallest angle of an absolute joint to the link before', 'rad'),
        _row('max_bend', Number(), 'Largest angle of an absolute joint to the link before', 'rad'),
    ),
)
"""The fields of ``chain.<joint>.<field>``."""


def _single(prefix: str, what: str, unit: str, *rows: Row) -> Family:
    """Return the fields of a joint that is not one of the chain's."""
    words, allowed = f'Name of the joint that {what}', "a joint's name that is not one of 'joints'"
    joint = _row('joint', Text(), words, allowed=allowed, affects=None)
    return Family(prefix, (joint, *rows, *_motion(unit)))


SINGLES = {
    'turntable': _single(
        'turntable',
        'turns the plane',
        'rad',
        _row('xyz', Numbers(3), 'A point on the axis, in base_frame; default: its origin', 'm'),
        _row('axis', Numbers(3), 'Direction of the axis; default: [0, 0, 1]', '', DIRECTION),
    ),
    'lift': _single(
        'lift',
        'shifts the plane along its normal',
        'm',
        _row('axis', Number(), "Along the plane's normal, +1, or against it, -1", '', SENSE),
    ),
    'roll': _single(
        'roll',
        'turns the tip about an axis in the plane',
        'rad',
        _row(
            'axis',
            Numbers(2),
            'Direction of the axis in the frame of the last link; default: [1, 0]',
            allowed='two finite numbers, [x, y], not both of them 0',
        ),
        _row('origin', Numbers(2), 'A point on the axis in that frame; default: its origin', 'm'),
        _row('tip_z', Number(), "The tip along the plane's normal at roll 0; default: 0", 'm'),
    ),
}
"""The fields of the joints before and after the chain, by the first part of their names."""

WALLS = Family(
    'walls.<name>',
    (
        _row('point', Numbers(3), 'A point of a plane in base_frame that the arm keeps off', 'm'),
        _row('normal', Numbers(3), 'To which side of the plane the arm is', '', DIRECTION),
        _row('clearance', LENGTH, 'How far pivots and tip stay away from it; default: 0', 'm'),
    ),
)
"""The fields of ``walls.<name>.<field>``."""

_ZEROS = [0.0, 0.0, 0.0]

ARM_PARAMETERS = Table(
    rows=(
        Row('base_frame', Text(), 'Frame of targets and of the base pose', default='base_link'),
        _row(
            'base.xyz', Numbers(3), "Origin of the arm's plane in base_frame", 'm', default=_ZEROS
        ),
        _row(
            'base.rpy',
            Numbers(3),
            "Roll, pitch, yaw of the arm's plane in base_frame (URDF convention)",
            'rad',
            default=_ZEROS,
        ),
        Row(
            'joints',
            Names(most=MOST_JOINTS),
            'Names of the joints, base first; each has chain.<joint>.<field>',
            allowed='a list of unique joint names, base first: [shoulder, elbow]',
        ),
        _row(
            'tool',
            Numbers(2),
            'Vector in the plane from the last link to the tip, whatever the joints do',
            'm',
            default=[0.0, 0.0],
        ),
    ),
    families=(JOINT_FIELDS, *SINGLES.values(), WALLS),
)
"""Every parameter that describes the arm."""

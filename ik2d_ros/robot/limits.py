"""The limits of joints in robot descriptions, and which of them are credible."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ik2d_ros.kinematics.bounds import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.parameters.checks import MOST_ITEMS, listed
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.robot.model import RobotJoint
from ik2d_ros.robot.options import ImportOptions, Limits, Remark, to_hold

NARROWER = 1e-3  # rad or m; less is rounding
LARGEST = {'rad': LARGEST_ANGLE, 'm': LARGEST_LENGTH}
FAST = {'rad': 100.0, 'm': 10.0}  # per s; higher velocities mean "not known"


def limit_parameters(joint: RobotJoint, prefix: str, options: ImportOptions) -> dict[str, object]:
    """Return the limits of a joint as parameters, whose names begin with a prefix."""
    lower, upper = _pair(joint, options) or (None, None)
    velocity = joint.velocity
    if velocity is None or not 0.0 < velocity < FAST[joint.unit]:
        velocity = options.velocities.get('')
    fields = {
        'min_position': lower,
        'max_position': upper,
        'max_velocity': options.velocities.get(joint.name, velocity),
    }
    named = {f'{prefix}.{field}': value for field, value in fields.items()}
    given = {name: options.parameters.get(name, value) for name, value in named.items()}
    return {name: value for name, value in given.items() if value is not None}


def question_about(joint: RobotJoint, prefix: str, options: ImportOptions) -> str:
    """Return the request for position limits of a joint; empty if none is needed."""
    lower, upper, unit = joint.lower, joint.upper, joint.unit
    if joint.kind == 'continuous' or options.gives_limits(joint.name, prefix):
        return ''
    name, least, most = map(
        printable, (joint.name, f'{prefix}.min_position', f'{prefix}.max_position')
    )
    ask = f'give --limits {name}=LOWER,UPPER (parameters {least}: LOWER, {most}: UPPER) in {unit}'
    if joint.turns:
        ask += f'; --limits {name}=none: no limits'
    if lower is None or upper is None:
        return f'joint {joint.quoted} has no limits, though its type is {joint.kind}: {ask}'
    if max(abs(lower), abs(upper)) > LARGEST[unit]:
        why = 'which are too large to be meant'
    elif lower > upper:
        why = 'the lower above the upper'
    elif lower == upper:
        why = 'which leave it no way to move' if lower else 'which exporters write for "not set"'
        ask += f'; or hold it: {to_hold(joint.name, lower)}'
    else:
        return ''
    return f'joint {joint.quoted} has the limits {lower:g} to {upper:g} {unit}, {why}: {ask}'


def remarks_on_limits(joints: Mapping[str, RobotJoint], options: ImportOptions) -> Iterator[Remark]:
    """Yield remarks on doubtful limits of joints.

    Args:
        joints: by the prefix of their parameters.
        options: the user's.
    """
    narrow: list[str] = []
    endless: list[str] = []
    unknown: list[str] = []
    for prefix, joint in joints.items():
        pair = _pair(joint, options)
        lower, upper = pair or (-math.inf, math.inf)
        least, most = joint.commanded or (lower, upper)
        if options.gives_limits(joint.name, prefix):
            pass
        elif least > lower + NARROWER or most < upper - NARROWER:
            narrow.append(f'--limits {printable(joint.name)}={least:g},{most:g}')
        elif pair is None:
            endless.append(joint.name)
        if f'{prefix}.max_velocity' not in limit_parameters(joint, prefix, options):
            unknown.append(joint.name)
    limits = 'parameters min_position and max_position of each'
    if narrow:
        yield Remark(
            'ros2_control in the same file has narrower limits; to have them: '
            f'{" ".join(narrow[:MOST_ITEMS])} ({limits})'
        )
    if endless:
        yield Remark(
            f'no limits for {listed(endless)}: the file calls them continuous, as exports from CAD '
            f'do; give --limits JOINT=LOWER,UPPER ({limits})'
        )
    if unknown:
        yield Remark(
            'joints without a velocity limit, as theirs is missing, 0, or too large to be meant: '
            f'{listed(unknown)}; give --velocity JOINT=NUMBER (parameter max_velocity of each)'
        )


def _pair(joint: RobotJoint, options: ImportOptions) -> Limits:
    """Return the smallest and largest position of a joint; None for no limits."""
    if joint.name in options.limits:
        return options.limits[joint.name]
    if joint.kind == 'continuous' or joint.lower is None or joint.upper is None:
        return None
    return joint.lower, joint.upper

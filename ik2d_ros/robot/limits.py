"""The limits of joints in robot descriptions, and which of them are credible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ik2d_ros.kinematics.bounds import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.parameters.checks import MOST_ITEMS, listed
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.robot.model import RobotJoint
from ik2d_ros.robot.options import ImportOptions, Limits, Remark, to_hold, to_limit

NARROWER = 1e-3  # rad or m; less is rounding
LARGEST = {'rad': LARGEST_ANGLE, 'm': LARGEST_LENGTH}
FAST = {'rad': 100.0, 'm': 10.0}  # per s; higher velocities mean "not known"


def limit_parameters(joint: RobotJoint, prefix: str, options: ImportOptions) -> dict[str, object]:
    """Return the limits of a joint as parameters, whose names begin with a prefix."""
    lower, upper = _pair(joint, options) or (None, None)
    fields = {
        'min_position': lower,
        'max_position': upper,
        'max_velocity': _velocity(joint, options),
    }
    named = {f'{prefix}.{field}': value for field, value in fields.items()}
    given = {name: options.parameters.get(name, value) for name, value in named.items()}
    return {name: value for name, value in given.items() if value is not None}


def question_about(joint: RobotJoint, prefix: str, options: ImportOptions) -> str:
    """Return the request for position limits of a joint; empty if none is needed."""
    lower, upper, unit = joint.lower, joint.upper, joint.unit
    if joint.kind == 'continuous' or options.gives_limits(joint.name, prefix):
        return ''
    endless = f'; --limits {printable(joint.name)}=none: no limits' if joint.turns else ''
    ask = f'give {to_limit(joint.name, prefix)} in {unit}{endless}'
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
    endless: dict[str, str] = {}  # prefixes by name
    unknown: dict[str, str] = {}
    for prefix, joint in joints.items():
        pair, name = _pair(joint, options), joint.name
        if not options.gives_limits(name, prefix):
            if joint.commanded is not None and _is_narrower(joint.commanded, pair):
                lower, upper = joint.commanded
                narrow.append(f'--limits {printable(name)}={lower:g},{upper:g}')
            elif pair is None:
                endless[name] = prefix
        if _velocity(joint, options) is None and f'{prefix}.max_velocity' not in options.parameters:
            unknown[name] = prefix
    if narrow:
        yield Remark(
            'ros2_control in the same file has narrower limits; to have them: '
            f'{" ".join(narrow[:MOST_ITEMS])} (parameters min_position and max_position of each)'
        )
    if endless:
        name, prefix = next(iter(endless.items()))
        yield Remark(
            f'no limits for {listed(endless)}: the file calls them continuous, as exports from CAD '
            f'do; give {to_limit(name, prefix)}'
        )
    if unknown:
        name, prefix = next(iter(unknown.items()))
        yield Remark(
            'joints without a velocity limit, as theirs is missing, 0, or too large to be meant: '
            f'{listed(unknown)}; give --velocity {printable(name)}=NUMBER (parameter '
            f'{printable(prefix)}.max_velocity)'
        )


def _is_narrower(one: tuple[float, float], other: Limits) -> bool:
    """Return whether limits cut some of others off."""
    return other is None or one[0] > other[0] + NARROWER or one[1] < other[1] - NARROWER


def _pair(joint: RobotJoint, options: ImportOptions) -> Limits:
    """Return the smallest and largest position of a joint; None for no limits."""
    if joint.name in options.limits:
        return options.limits[joint.name]
    if joint.kind == 'continuous' or joint.lower is None or joint.upper is None:
        return None
    return joint.lower, joint.upper


def _velocity(joint: RobotJoint, options: ImportOptions) -> float | None:
    """Return the velocity limit of a joint; None for none."""
    given = joint.velocity
    usable = given is not None and 0.0 < given < FAST[joint.unit]
    other = given if usable else options.velocities.get('')
    return options.velocities.get(joint.name, other)

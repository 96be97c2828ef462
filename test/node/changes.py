"""Changes of every parameter of the node, and where they show in what is answered.

They come from the table itself: a new parameter is tried without a line here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.node.answer import Answer, Target, answer
from ik2d_ros.node.parameters import PARAMETERS, configuration_from_parameters
from ik2d_ros.parameters.checks import Choice, ConfigError
from ik2d_ros.parameters.table import Row

ARM: Mapping[str, object] = {
    **PARAMETERS.defaults,
    'joints': ['shoulder', 'elbow'],
    'chain.shoulder.length': 0.3,
    'chain.shoulder.min_position': -2.6,
    'chain.shoulder.max_position': 2.6,
    'chain.elbow.length': 0.25,
    'chain.elbow.min_position': -2.6,
    'chain.elbow.max_position': 2.6,
}
WAIST: Mapping[str, object] = {
    **ARM,
    'base.rpy': [1.5707963267948966, 0.0, 0.0],
    'turntable.joint': 'waist',
    'turntable.min_position': -2.0,
    'turntable.max_position': 2.0,
}
QUILL: Mapping[str, object] = {
    **ARM,
    'lift.joint': 'quill',
    'lift.min_position': -0.5,
    'lift.max_position': 0.5,
}
WRIST: Mapping[str, object] = {
    **ARM,
    'joints': ['shoulder', 'elbow', 'wrist'],
    'chain.wrist.length': 0.1,
    'chain.wrist.min_position': -2.0,
    'chain.wrist.max_position': 2.0,
    'tip_angle': 0.3,
}
BENT: Mapping[str, object] = {
    **ARM,
    'chain.elbow.absolute': True,
    'chain.elbow.min_bend': -2.0,
    'chain.elbow.max_bend': 2.5,
}
ARMS: Mapping[str, Mapping[str, object]] = {
    'chain': ARM,
    'turntable': WAIST,
    'lift': QUILL,
    'tip_angle': WRIST,
}
"""The arms on which changes are tried, by the first part of the parameters that only they have."""

BASES: tuple[Mapping[str, object], ...] = ({'solver': 'auto'}, {'solver': 'ccd'})
"""Settings of their own under which changes are tried: some show for one solver only."""
TARGETS: tuple[Vector, ...] = (
    *((0.3, 0.2, 0.0), (0.3, 0.2, 0.1), (0.2, -0.3, 0.0)),
    *((1.0, 0.0, 0.0), (0.01, 0.0, 0.0), (0.1, 0.0, 0.0)),
)
VALUES: tuple[object, ...] = (
    *(1, 7, -1, 0.0, 1e-3, 0.05, 0.7, 1.3, 2.0, True, False),
    *([0.1, 0.2], [0.7, 0.0, 0.0], [0.0, 0.0, 0.7], 'text'),
)


class Change(NamedTuple):
    """A change, and what it is tried on.

    Attributes:
        base: all other parameters.
        changes: what is changed then; None takes a parameter away.
        target: the last target by then.
    """

    base: Mapping[str, object]
    changes: Mapping[str, object]
    target: Vector


def arm_with(name: str) -> Mapping[str, object]:
    """The arm that has a parameter."""
    if name.endswith('_bend'):
        return BENT
    return WRIST if name == 'angle_tolerance' else ARMS.get(name.partition('.')[0], ARM)


def changeable() -> dict[str, Row]:
    """The row of every parameter that may change at run time; of the chain, the last joint's."""
    rows = dict(PARAMETERS)
    members = {'chain': f'.{ARM["joints"][-1]}', 'hold': '.gripper'}  # type: ignore[index]
    for family in PARAMETERS.families:
        first = f'{family.prefix}{members.get(family.prefix, "")}'
        rows |= {f'{first}.{name}'.rstrip('.'): row for name, row in family.rows.items()}
    return {name: row for name, row in rows.items() if not row.read_only}


def changes_of(name: str, row: Row) -> Iterator[Change]:
    """All changes of a parameter that are worth a try and allowed."""
    held = {'command_joints': ['elbow', 'gripper', 'shoulder'], 'hold.gripper': 0.5}
    values = row.check.valid if isinstance(row.check, Choice) else VALUES
    aside = {name.replace('.link', '.length'): None} if name.endswith('.link') else {}
    for base in [{**held, **base} for base in BASES] if name in held else BASES:
        for value in values:
            changes = {**aside, name: value}
            try:
                configuration_from_parameters({**arm_with(name), **base, **changes})
            except ConfigError:
                continue
            yield from (Change({**arm_with(name), **base}, changes, target) for target in TARGETS)


def answered(
    parameters: Mapping[str, object], target: Vector, commanded: tuple[float, ...]
) -> Answer:
    """What is answered for a target, from a pose, which is clamped into the limits.

    The pose may lack the joint before the plane; that is at 0.3 then.
    """
    configuration = configuration_from_parameters(parameters)
    arm = configuration.arm
    before = (0.3,) * (len(arm.names) - len(commanded))
    return answer(Target(target), configuration, arm.clamped((*before, *commanded)))


def shows(change: Change, start: tuple[float, ...]) -> bool:
    """Whether a change shows after its target was answered from a start in rad.

    To solve anew may tell by itself, for it starts where it ended; that is not the change's doing.
    """
    first = answered(change.base, change.target, start)
    anew = answered(change.base, change.target, first.positions)
    changed = answered({**change.base, **change.changes}, change.target, first.positions)
    return differ(first, changed) and differ(anew, changed)


def differ(one: Answer, other: Answer) -> bool:
    """Whether two answers differ in more than the time that they took."""
    return one.positions != other.positions or not one.report.says_the_same(other.report)

"""Changes of every parameter of the node, and whether they show in its answers.

They come from the table itself: a new parameter is tried without a line here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from refusals import TWO

from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.node.answer import Answer, Target, answer
from ik2d_ros.node.parameters import PARAMETERS, Configuration, configuration_from_parameters
from ik2d_ros.parameters.checks import Choice, ConfigError
from ik2d_ros.parameters.table import Row

Parameters = Mapping[str, object]

ARM: Parameters = {**PARAMETERS.defaults, **TWO}
WRIST = {
    'joints': ['shoulder', 'elbow', 'wrist'],
    'chain.wrist.length': 0.1,
    'tip_angle': 0.3,
    'chain.wrist.min_position': -2.0,
    'chain.wrist.max_position': 2.0,
}
ARMS: Mapping[str, Parameters] = {
    'chain': ARM,
    'turntable': {
        **ARM,
        'base.rpy': [1.5707963267948966, 0.0, 0.0],
        'turntable.joint': 'waist',
        'turntable.min_position': -2.0,
        'turntable.max_position': 2.0,
    },
    'lift': {**ARM, 'lift.joint': 'quill', 'lift.min_position': -0.5, 'lift.max_position': 0.5},
    'tip_angle': {**ARM, **WRIST},
    'angle_tolerance': {**ARM, **WRIST},
    'bend': {
        **ARM,
        'chain.elbow.absolute': True,
        'chain.elbow.min_bend': -2.0,
        'chain.elbow.max_bend': 2.5,
    },
}
"""The arms on which changes are tried, by the beginning or end of the parameters for which."""

BASES: tuple[Parameters, ...] = ({'solver': 'auto'}, {'solver': 'ccd'})
"""Settings of their own under which changes are tried: some show for one solver only."""
TARGETS: tuple[Vector, ...] = (
    *((0.3, 0.2, 0.0), (0.3, 0.2, 0.1), (0.2, -0.3, 0.0)),
    *((1.0, 0.0, 0.0), (0.01, 0.0, 0.0), (0.1, 0.0, 0.0)),
)
VALUES: tuple[object, ...] = (
    *(1, 7, -1, 0.0, 1e-3, 0.05, 0.7, 1.3, 2.0, True, False),
    *([0.1, 0.2], [0.7, 0.0, 0.0], [0.0, 0.0, 0.7], 'text'),
)
STARTS = [(0.3, 0.4, 0.8), (0.3, 0.4, -0.8)]


class Change(NamedTuple):
    """A change, and what it is tried on.

    Attributes:
        base: all other parameters.
        changes: what is changed then; None takes a parameter away.
    """

    base: Parameters
    changes: Parameters

    def shows(self) -> bool:
        """Whether it shows in the answer for any target that was answered before.

        To solve anew may tell by itself, for it starts where it ended; that is not the change's
        doing.
        """
        base = configuration_from_parameters(self.base)
        changed = configuration_from_parameters({**self.base, **self.changes})
        for target in TARGETS:
            for start in STARTS:
                first = answered(base, target, start)
                anew = answered(base, target, first.positions)
                last = answered(changed, target, first.positions)
                if differ(first, last) and differ(anew, last):
                    return True
        return False


def changeable() -> dict[str, Row]:
    """The row of every parameter that may change at run time; of the chain, the last joint's."""
    rows = dict(PARAMETERS)
    members = {'chain': '.elbow', 'hold': '.gripper'}
    for family in PARAMETERS.families:
        first = f'{family.prefix}{members.get(family.prefix, "")}'
        rows |= {f'{first}.{name}'.rstrip('.'): row for name, row in family.items()}
    return {name: row for name, row in rows.items() if not row.read_only}


def changes_of(name: str, row: Row) -> Iterator[Change]:
    """All changes of a parameter that are worth a try and allowed."""
    held = {'command_joints': ['elbow', 'gripper', 'shoulder'], 'hold.gripper': 0.5}
    more = held if name in held else {}
    values = row.check.valid if isinstance(row.check, Choice) else VALUES
    aside = {name.replace('.link', '.length'): None} if name.endswith('.link') else {}
    arm = ARMS.get(name.partition('.')[0], ARM)
    for base in BASES:
        whole = {**(ARMS['bend'] if name.endswith('_bend') else arm), **more, **base}
        for value in values:
            changes = {**aside, name: value}
            try:
                configuration_from_parameters({**whole, **changes})
            except ConfigError:
                continue
            yield Change(whole, changes)


def answered(configuration: Configuration, target: Vector, commanded: tuple[float, ...]) -> Answer:
    """What is answered for a target, from the last ones of some positions, within the limits."""
    arm = configuration.arm
    start = arm.clamped(commanded[-len(arm.names) :])
    return answer(Target(target), configuration, start)


def differ(one: Answer, other: Answer) -> bool:
    """Whether two answers differ in more than the time that they took."""
    return one.positions != other.positions or not one.report.says_the_same(other.report)

"""A node's parameters as a table: their checks, their descriptors, and the effects of changes."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from ik2d_ros.parameters.checks import (
    ANGLE,
    Check,
    ConfigError,
    Number,
    Numbers,
    closest,
    degrees_for,
    is_sequence,
    listed,
    read_numbers,
    refuse,
    shown,
)

Settings = TypeVar('Settings')

QOS_OVERRIDES = 'qos_overrides.'
ROS_PARAMETERS = ('use_sim_time', QOS_OVERRIDES, 'start_type_description_service')
"""How the parameters of ROS itself begin; rclpy declares some only on some distributions."""


class Effect(enum.Enum):
    """The immediate effect of a changed parameter, without waiting for the next target."""

    SOLVING = 'the answer for a given target'
    MOVING = 'how the arm moves'
    PUBLISHING = 'how often a timer publishes'
    NOTHING = 'nothing until it is next used'


@dataclass(frozen=True)
class Row:
    """One parameter.

    Attributes:
        name: full dotted name; in a :class:`Family`, the part after the member.
        check: returns the checked value, or raises ConfigError.
        description: one line.
        unit: of the value; empty for none.
        allowed: what is allowed, to follow "it must be"; by default the check's own description
            with the unit.
        default: default value, as ROS holds it; None for no default.
        affects: what a change affects; None for a parameter that is fixed at start-up.
    """

    name: str
    check: Check
    description: str
    unit: str = ''
    allowed: str = ''
    default: object = None
    affects: Effect | None = None

    def __post_init__(self) -> None:
        if not self.allowed:
            unit = f', in {self.unit}' if self.unit else ''
            object.__setattr__(self, 'allowed', f'{self.check.words}{unit}')  # type: ignore[attr-defined]

    def read(self, value: object) -> object:
        """Return a value, with strings read as numbers if it must be numeric."""
        is_numeric = isinstance(self.check, (Number, Numbers))
        return read_numbers(value, degrees_for(self.unit)) if is_numeric else value

    def checked(self, value: object, name: str = '') -> Any:
        """Return the checked value; messages name it, by default by the name of the row.

        Raises:
            ConfigError: the value is refused.
        """
        allowed = self.allowed
        if 'deg' in str(value) and (degrees := degrees_for(self.unit)):
            allowed += f" (degrees as '90 {degrees[0]}')"
        return self.check(name or self.name, self.read(value), allowed)


def setting(
    default: Any,
    check: Check,
    description: str,
    affects: Effect | None = Effect.NOTHING,
    name: str = '',
    **more: str,
) -> Any:
    """Return a field of a dataclass of settings that is a parameter, its arguments as in a Row."""
    as_ros = list(default) if isinstance(default, tuple) else default
    row = Row(name, check, description, default=as_ros, affects=affects, **more)
    return field(default=default, metadata={'row': row})


def rows_of(settings: type) -> tuple[Row, ...]:
    """Return the rows of the fields of a dataclass that :func:`setting` made."""
    rows = ((one.name, one.metadata.get('row')) for one in fields(settings))
    return tuple(replace(row, name=row.name or name) for name, row in rows if row)


class Family(dict[str, Row]):
    """Parameters of each of some joints by the last part of their names; '' of ``hold.<joint>``.

    Attributes:
        prefix: first part of their names, such as ``chain``.
        name: the pattern of their names, for messages.
    """

    def __init__(self, pattern: str, rows: Iterable[Row]) -> None:
        """Index rows; the pattern, ``chain.<joint>`` or ``lift``, is how their names begin."""
        super().__init__((row.name, row) for row in rows)
        self.prefix = pattern.partition('.')[0]
        self.name = pattern if '' in self else f'{pattern}.<field>'

    def covers(self, name: str) -> bool:
        """Return whether a name belongs to the family, even with a wrong form or field."""
        return name.partition('.')[0] == self.prefix

    def row(self, name: str) -> Row | None:
        """Return the row of a full dotted name, if any."""
        if not self.covers(name) or name == self.prefix:
            return None
        return self.get('') or self.get(name.rpartition('.')[2])

    def fields(
        self, given: Mapping[str, object], joints: Iterable[str] | None = None
    ) -> dict[str, dict[str, Any]]:
        """Return the checked values by joint and field; None counts as not given.

        Args:
            given: values by full dotted name; those outside the family are ignored.
            joints: their names, an empty one where the names have none; None for any.

        Raises:
            ConfigError: a value is refused, or there is no such joint or field.
        """
        found: dict[str, dict[str, Any]] = {joint: {} for joint in joints or ()}
        for name, value in given.items():
            if self.covers(name) and value is not None:
                rest = name[len(self.prefix) + 1 :]
                joint, _, field = (rest, '', '') if '' in self else rest.rpartition('.')
                if joints is None:
                    found.setdefault(joint, {})
                if joint not in found or field not in self:
                    parts = []
                    if '<joint>' in self.name:
                        parts.append(f'a joint of {listed(found) or "none: there are none"}')
                    if '' not in self:
                        parts.append(f'a field of {", ".join(self)}')
                    form = f'given as {self.name}, with {" and ".join(parts)}'
                    wrong, valid = (field, self) if joint in found else (joint, found)
                    refuse(name, value, f'{form}{closest(wrong, valid)}')
                found[joint][field] = self[field].checked(value, name)
        return found

    def of_joints(
        self, given: Mapping[str, object], joints: Iterable[str] | None = None
    ) -> dict[str, Any]:
        """Return the checked values of joints that have one parameter each; see :meth:`fields`."""
        found = self.fields(given, joints).items()
        return {joint: fields[''] for joint, fields in found if fields}


def of_each(pattern: str, description: str, check: Check = ANGLE, **more: Any) -> Family:
    """Return the only parameter that each of some joints may have, in rad or m."""
    return Family(pattern, [Row('', check, description, 'rad or m', **more)])


class Table(dict[str, Row]):
    """The parameters of a node by name, and families of parameters.

    Attributes:
        families: parameters whose members are known only at run time.
    """

    def __init__(self, rows: Iterable[Row], families: Iterable[Family] = ()) -> None:
        """Index rows by their names."""
        super().__init__((row.name, row) for row in rows)
        self.families = tuple(families)

    @property
    def defaults(self) -> dict[str, object]:
        """The values of the parameters that have a default."""
        return {name: row.default for name, row in self.items() if row.default is not None}

    @property
    def valid(self) -> str:
        """All valid names, for a message."""
        return ', '.join((*self, *(family.name for family in self.families)))

    def row(self, name: str) -> Row | None:
        """Return the row of a parameter, families included; None for an unknown one."""
        if name in self:
            return self[name]
        rows = (family.row(name) for family in self.families)
        return next((row for row in rows if row is not None), None)

    def is_known(self, name: str) -> bool:
        """Return whether a parameter is in the table, even as a wrong field of a family."""
        return name in self or any(family.covers(name) for family in self.families)

    def unknown(self, names: Iterable[str]) -> str:
        """Return a list of the names that are not in the table, with the closest valid ones."""
        unknown = (name for name in names if not self.is_known(name))
        return listed(f"'{name}'{closest(name, self)}" for name in unknown)

    def read(self, name: str, value: object) -> object:
        """Return a value, with strings read as numbers if the parameter is numeric."""
        row = self.row(name)
        return value if row is None else row.read(value)

    def checked(self, values: Mapping[str, object]) -> dict[str, Any]:
        """Return values, each checked on its own, by field: ``base_xyz`` for ``base.xyz``.

        None counts as not given, and names without a row are ignored.

        Raises:
            ConfigError: a value is refused.
        """
        return {
            name.replace('.', '_'): row.checked(values[name])
            for name, row in self.items()
            if values.get(name) is not None
        }

    def judge(self, kind: Callable[..., Settings]) -> Callable[[Mapping[str, object]], Settings]:
        """Return what makes settings of a kind of values, as :meth:`checked` takes them."""
        return lambda values: kind(**self.checked(values))

    def merged(
        self, current: Mapping[str, object], changes: Mapping[str, object]
    ) -> dict[str, object]:
        """Return the values after a change at run time; None resets a parameter to its default.

        Raises:
            ConfigError: a changed parameter is unknown or fixed at start-up.
        """
        for name, value in changes.items():
            row = self.row(name)
            if row is not None and row.affects is None:
                present = current.get(name)
                stay = 'unset' if present is None else shown(present)
                raise ConfigError(
                    f"parameter '{name}' cannot be set to {shown(value)} while the node "
                    f'runs; it must stay {stay}: restart the node to change it'
                )
            if not self.is_known(name):
                raise ConfigError(
                    f"parameter '{name}' cannot be set to {shown(value)}: there is no "
                    f'such parameter{closest(name, self)}; valid are {self.valid}'
                )
        result = {**current, **changes}
        return {**self.defaults, **{name: v for name, v in result.items() if v is not None}}

    def effects(
        self, before: Mapping[str, object], after: Mapping[str, object]
    ) -> frozenset[Effect]:
        """Return what the differences between two sets of values affect."""
        names = before.keys() | after.keys()
        rows = [self.row(name) for name in names if not same(before.get(name), after.get(name))]
        return frozenset(row.affects for row in rows if row is not None and row.affects is not None)


def same(one: object, other: object) -> bool:
    """Return whether two values of a parameter are the same; NaN equals NaN."""
    if is_sequence(one) and is_sequence(other):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) or (one != one and other != other)  # noqa: PLR0124

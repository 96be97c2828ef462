"""The node's parameters: one table, and the rules for a set of them as a whole; no ROS in here.

The table covers every parameter but ``chain.<joint>.<field>``, whose fields are in
:data:`ik2d_ros.arm.description.JOINT_FIELDS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from ik2d_ros.arm.description import JOINT_FIELDS, ArmDescription, arm_from_parameters
from ik2d_ros.kinematics import BENDS, SOLVERS
from ik2d_ros.parameters.checks import (
    MOST_ITEMS,
    ConfigError,
    choice,
    closest,
    integer,
    not_negative,
    positive,
    refuse,
    shown,
)
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.parameters.wording import printable


@dataclass(frozen=True)
class Settings:
    """How targets are answered, checked.

    Attributes:
        solver: auto, two_bone or ccd.
        bend: nearest, positive or negative.
        tolerance: distance in m within which a target counts as reached.
        max_iterations: the most passes over the chain.
        unreachable: closest or hold.
        publish_rate: of joint_states, in Hz.
        target_timeout: the most that a target's stamp may be off now, in s; 0 is off.
        plane_tolerance: the most that a target may be off the plane, in m.
    """

    solver: str = 'auto'
    bend: str = 'nearest'
    tolerance: float = 1e-6
    max_iterations: int = 100
    unreachable: str = 'closest'
    publish_rate: float = 50.0
    target_timeout: float = 0.0
    plane_tolerance: float = math.inf


@dataclass(frozen=True)
class Configuration:
    """All that the parameters say: the arm, and how targets are answered."""

    arm: ArmDescription
    settings: Settings

    @property
    def solving(self) -> tuple[object, ...]:
        """All that the answer for a given point in the base frame depends on."""
        arm, settings = self.arm, self.settings
        return (
            *(arm.chain, arm.base_xyz, arm.base_rpy, settings.solver, settings.bend),
            *(settings.tolerance, settings.max_iterations, settings.unreachable),
            settings.plane_tolerance,
        )


@dataclass(frozen=True)
class ParameterInfo:
    """One row of the table.

    Attributes:
        name: full name.
        type: in words.
        default: value where none is given; None where one is required.
        unit: of the value; empty for none.
        allowed: range or choices, in words.
        read_only: whether it is fixed at start-up.
        description: one line.
        check: gives the checked value of (name, value), or raises ConfigError; None where the
            value is checked together with the arm.
    """

    name: str
    type: str
    default: object
    unit: str
    allowed: str
    read_only: bool
    description: str
    check: Callable[[str, object], object] | None = None


Check = Callable[[str, object], object]


def _within_or_unlimited(name: str, value: object) -> float:
    return math.inf if value == math.inf else not_negative(name, value, 'a number >= 0, in m')


def _iterations(name: str, value: object) -> int:
    return integer(name, value, least=1)


def _setting(
    name: str, check: Check, kind: str, allowed: str, unit: str, description: str
) -> ParameterInfo:
    default = getattr(Settings, name)
    return ParameterInfo(name, kind, default, unit, allowed, False, description, check)


def _number(
    name: str, check: Callable[..., float], allowed: str, unit: str, description: str
) -> ParameterInfo:
    check = partial(check, allowed=f'a number {allowed}, in {unit}')
    return _setting(name, check, 'number', allowed, unit, description)


def _choice(name: str, valid: tuple[str, ...], description: str) -> ParameterInfo:
    check = partial(choice, valid=valid)
    return _setting(name, check, 'text', f'one of {", ".join(valid)}', '', description)


def _arm(
    name: str,
    kind: str,
    default: object,
    allowed: str,
    unit: str,
    description: str,
    read_only: bool = False,
) -> ParameterInfo:
    return ParameterInfo(name, kind, default, unit, allowed, read_only, description)


PARAMETERS: Mapping[str, ParameterInfo] = MappingProxyType(
    {
        row.name: row
        for row in (
            _choice('solver', SOLVERS, 'auto: two_bone for two joints, else hybrid'),
            _choice('bend', BENDS, 'Which elbow two_bone takes'),
            _number(
                *('tolerance', positive, '> 0', 'm'),
                'Closer to the target than this counts as reached',
            ),
            _setting(
                *('max_iterations', _iterations, 'whole number', '>= 1', ''),
                'The most passes over the chain',
            ),
            _choice('unreachable', ('closest', 'hold'), 'What to do for a target out of reach'),
            _number(
                *('publish_rate', positive, '> 0', 'Hz'),
                'How often joint_states is published',
            ),
            _number(
                *('target_timeout', not_negative, '>= 0', 's'),
                'A target whose stamp is further than this from now is stale; 0: off',
            ),
            _setting(
                *('plane_tolerance', _within_or_unlimited, 'number', '>= 0', 'm'),
                'A target further than this from the plane is refused; nearer, it is projected',
            ),
            _arm(
                *('base_frame', 'text', ArmDescription.base_frame, 'not empty', ''),
                'The frame in which targets and the base pose are given',
                read_only=True,
            ),
            _arm(
                *('base.xyz', '3 numbers', list(ArmDescription.base_xyz), 'finite', 'm'),
                "Origin of the arm's plane in base_frame",
            ),
            _arm(
                *('base.rpy', '3 numbers', list(ArmDescription.base_rpy), 'finite', 'rad'),
                "Roll, pitch, yaw of the arm's plane in base_frame (URDF convention)",
            ),
            _arm(
                *('joints', 'texts', None, 'unique names, at least one', ''),
                'Names of the joints from the base to the tip; each has chain.<joint>.<field>',
                read_only=True,
            ),
        )
    }
)
"""Every parameter of the node but ``chain.<joint>.<field>``, by name."""

DEFAULTS: Mapping[str, object] = MappingProxyType(
    {row.name: row.default for row in PARAMETERS.values() if row.default is not None}
)
"""The values of the parameters that have a default."""


def is_known(name: str) -> bool:
    """Whether a parameter is one of the node's own, be it a wrong field of the chain."""
    return name in PARAMETERS or is_chain(name)


def is_read_only(name: str) -> bool:
    """Whether a parameter is fixed at start-up."""
    return name in PARAMETERS and PARAMETERS[name].read_only


def is_chain(name: str) -> bool:
    """Whether a parameter describes a joint of the chain."""
    return name == 'chain' or name.startswith('chain.')


def configuration_from_parameters(parameters: Mapping[str, object]) -> Configuration:
    """Judge a set of parameters as a whole.

    Args:
        parameters: values by flat dotted name; what is missing or None takes its default, unknown
            names that are not ``chain.*`` are left alone.

    Raises:
        ConfigError: a value is refused, by itself or beside the others.
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    checked = {
        row.name: row.check(row.name, given[row.name])
        for row in PARAMETERS.values()
        if row.check is not None and row.name in given
    }
    settings = Settings(**checked)  # type: ignore[arg-type]  # each check gives its field's type
    arm = arm_from_parameters(given)
    if settings.solver == 'two_bone' and len(arm.chain) != 2:
        others = ' or '.join(solver for solver in SOLVERS if solver != 'two_bone')
        refuse(
            'solver',
            settings.solver,
            f"{others} for {len(arm.chain)} joints; 'two_bone' is for exactly two",
        )
    return Configuration(arm, settings)


def load_configuration(
    path: Path, overrides: Mapping[str, object] | None = None, node_name: str = 'ik2d'
) -> Configuration:
    """Read a parameter file as the node does.

    Args:
        path: The file.
        overrides: Parameters by name that are used instead of the file's.
        node_name: The node that they are for, as in :func:`load_parameters`.

    Raises:
        ConfigError: The file cannot be read or is refused; the message names file and reason.
    """
    parameters = load_parameters(path, node_name)
    try:
        return configuration_from_parameters({**parameters, **(overrides or {})})
    except ConfigError as error:
        raise ConfigError(f'{printable(str(path))}: {error}') from None


def merged(current: Mapping[str, object], changes: Mapping[str, object]) -> dict[str, object]:
    """The parameters after a change at run time; None puts a parameter back to its default.

    Raises:
        ConfigError: a changed parameter is unknown or fixed at start-up.
    """
    for name, value in changes.items():
        if is_read_only(name):
            raise ConfigError(
                f"parameter '{printable(name)}' cannot be set to {shown(value)} while the node "
                f'runs; it must stay {shown(current.get(name))}: restart the node to change it'
            )
        if not is_known(name):
            raise ConfigError(
                f"parameter '{printable(name)}' cannot be set to {shown(value)}: there is no such "
                f'parameter{suggestion(name)}; valid are '
                f'{", ".join((*PARAMETERS, "chain.<joint>.<field>"))}'
            )
    result = {**current, **changes}
    kept = {name: value for name, value in result.items() if value is not None}
    return {**DEFAULTS, **kept}


def unknown(names: Iterable[str]) -> list[str]:
    """Those names that are no parameters of the node, each with the closest valid one."""
    strangers = [name for name in names if not is_known(name)]
    told = [f"'{printable(name)}'{suggestion(name)}" for name in strangers[:MOST_ITEMS]]
    return told + ['...'] * (len(strangers) > MOST_ITEMS)


def suggestion(name: str) -> str:
    """The words ``; did you mean 'x'?`` for a mistyped parameter, or nothing."""
    return closest(name, PARAMETERS)


def description(name: str) -> tuple[str, str]:
    """One line about a parameter, and what is allowed, for its descriptor."""
    if name in PARAMETERS:
        row = PARAMETERS[name]
        unit = f' [{row.unit}]' if row.unit else ''
        return f'{row.description}{unit}', row.allowed
    return JOINT_FIELDS.get(name.rpartition('.')[2], ''), ''

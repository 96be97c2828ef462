"""The parameters of a process with several arms; no ROS imports."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ik2d_ros.parameters.checks import Names, Truth, listed, refuse
from ik2d_ros.parameters.table import Row, Table

MOST_ARMS = 256
"""Each arm has some thirty topics and services, which every other process learns of."""

FLEET_PARAMETERS = Table(
    (
        Row(
            name='arms',
            allowed='a list of namespaces, one for each arm',
            check=Names(most=MOST_ARMS),
            description='Namespaces of the arms of this process, each with a node of its own',
        ),
        Row(
            name='merge_commands',
            default=False,
            check=Truth(),
            description='The commands of all arms leave in one message, for one controller',
        ),
    )
)
"""What is read once, when the process starts, by the name and in the namespace it was given."""

_NAMESPACE = re.compile(r'/?[A-Za-z_]\w*(?:/[A-Za-z_]\w*)*', re.ASCII)


@dataclass(frozen=True)
class Fleet:
    """The arms of a process.

    Attributes:
        namespaces: the full namespace of each, such as ``/left``.
        merge_commands: whether their commands leave in one message.
    """

    namespaces: tuple[str, ...]
    merge_commands: bool


def fleet_from_parameters(parameters: Mapping[str, object], namespace: str) -> Fleet | None:
    """Return the arms of a process; None if it was given no list of them.

    Args:
        parameters: the parameters of the process by name; others are ignored.
        namespace: its full namespace.

    Raises:
        ConfigError: a parameter is refused.
    """
    checked = {**FLEET_PARAMETERS.defaults, **FLEET_PARAMETERS.checked(parameters)}
    names = checked.get('arms')
    if names is None:
        return None
    row = FLEET_PARAMETERS['arms']
    for name in names:
        if not _NAMESPACE.fullmatch(name):
            refuse(
                row.name,
                names,
                f"{row.allowed}, of letters, digits and underscores, with '/' between them, and "
                f"no part beginning with a digit; '{name}' is not",
            )
    full = [name if name.startswith('/') else f'{namespace.rstrip("/")}/{name}' for name in names]
    twice = sorted({name for name in full if full.count(name) > 1})
    if twice:
        refuse(row.name, names, f'{row.allowed}; given twice: {listed(twice)}')
    return Fleet(tuple(full), checked['merge_commands'])

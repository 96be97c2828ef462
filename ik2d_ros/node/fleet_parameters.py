"""The parameters of a process with several arms; no ROS imports."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ik2d_ros.parameters.checks import Names, Truth, listed, refuse
from ik2d_ros.parameters.file import read_sections
from ik2d_ros.parameters.table import Row, Table
from ik2d_ros.ros.startup_errors import parameter_files

MOST_ARMS = 256
"""Each arm has some thirty topics and services, which every other process learns of."""

FLEET_PARAMETERS = Table(
    (
        Row(
            name='arms',
            read_only=True,
            allowed='a list of namespaces, one for each arm',
            check=Names(most=MOST_ARMS),
            description='Namespaces of the arms of this process, each with a node of its own',
        ),
        Row(
            name='merge_commands',
            read_only=True,
            default=False,
            check=Truth(),
            description='The commands of all arms leave in one message, for one controller',
        ),
    )
)
"""What is read once, when the process starts, by the name and in the namespace it was given."""

_ASSIGNMENT = re.compile(r'(?:[^:=]+:)?arms:=')
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


def may_be_fleet(arguments: Sequence[str]) -> bool:
    """Return whether any parameter ``arms`` is on a command line, or in a file on it.

    Args:
        arguments: the command line, with ROS arguments.

    Raises:
        ConfigError: a parameter file is refused.
    """
    if any(map(_ASSIGNMENT.match, arguments)):
        return True
    return any(
        'arms' in values for file in parameter_files(arguments) for _, values in read_sections(file)
    )


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


def misspelt_sections(arguments: Sequence[str], nodes: Sequence[str]) -> str:
    """Return a warning if an arm and a section of a parameter file were meant for one another.

    Args:
        arguments: the command line, with ROS arguments.
        nodes: the full name of each arm's node.

    Returns:
        The warning; empty if each arm has a section of its own, or no section is left.
    """
    named = {
        section if section.startswith('/') else f'/{section}'
        for file in parameter_files(arguments)
        for section, _ in read_sections(file)
        if '*' not in section
    }
    name = nodes[0].rpartition('/')[2]
    strangers = sorted(
        section for section in named.difference(nodes) if section.endswith(f'/{name}')
    )
    alone = [node for node in nodes if node not in named]
    # A file may hold more arms than one process, and the process itself has a section.
    strangers = [section for section in strangers if section.count('/') > 1]
    if not alone or not strangers:
        return ''
    return (
        f'the parameter files have no section for {listed(alone)}, but for {listed(strangers)}, '
        "which the parameter 'arms' does not name"
    )

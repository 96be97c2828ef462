"""Messages for a node that cannot start, which say what to do; no ROS imports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ik2d_ros.parameters.checks import ConfigError, listed
from ik2d_ros.parameters.content import readable_again
from ik2d_ros.parameters.file import read_sections
from ik2d_ros.parameters.wording import printable
from ik2d_ros.ros.advice import command

_HOW = (
    'start it with: {command} --ros-args --params-file FILE\n'
    "in FILE, the parameters must be under '/**:' (any node) or '{node}:', and there under "
    "'ros__parameters:'"
)


def parameter_files(arguments: Sequence[str]) -> list[str]:
    """Return the parameter files on a command line.

    Args:
        arguments: the command line; ROS arguments are between ``--ros-args`` and ``--``.
    """
    return [arguments[place] for place in _places_of_files(arguments)]


def _places_of_files(arguments: Sequence[str]) -> Iterator[int]:
    """Yield the indices of the parameter files on a command line."""
    is_for_ros = False
    for place, argument in enumerate(arguments[:-1]):
        if argument in ('--ros-args', '--'):
            is_for_ros = argument == '--ros-args'
        elif is_for_ros and argument == '--params-file':
            yield place + 1


def check_parameter_files(arguments: Sequence[str]) -> list[str]:
    """Read the parameter files on a command line before ROS does.

    ROS reads any file without bounds, and its error messages refer to its own source code.

    Args:
        arguments: the command line, with ROS arguments.

    Returns:
        The command line for ROS: a pipe, which can be read only once, is replaced by a copy.

    Raises:
        ConfigError: a file is refused, whichever node it is for.
    """
    checked = list(arguments)
    for place in _places_of_files(arguments):
        read_sections(arguments[place])
        checked[place] = str(readable_again(arguments[place]))
    return checked


def explain_missing_joints(node: str, given: Iterable[str], files: Sequence[str]) -> str:
    """Return the message for a node that was started without the parameter ``joints``.

    Args:
        node: full name of the node.
        given: names of the parameters that it was given.
        files: the parameter files on its command line.
    """
    lines = []
    others = listed(sorted(given))
    if others:
        lines.append(f"parameter 'joints' is missing; node '{node}' was given only: {others}")
    elif files:
        lines.append(f"parameter 'joints' is missing: the parameter file is not for node '{node}'")
    else:
        lines.append(
            f"parameter 'joints' is missing: no parameter file reached node '{node}'; "
            f'{_HOW.format(command=command("ik2d_node"), node=node)}'
        )
    return '\n'.join([*lines, *(_addressees(file, node) for file in files)])


def _addressees(file: str, node: str) -> str:
    try:
        names = listed(f"'{name}'" for name, _ in read_sections(file)) or 'no node'
    except ConfigError as error:
        return str(error)
    return f"{printable(file)} names {names}; '{node}' or '/**' (any node) would match"

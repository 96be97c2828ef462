"""Messages for a node that cannot start, which say what to do; no ROS imports."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from ik2d_ros.parameters.checks import ConfigError, listed
from ik2d_ros.parameters.content import readable_again
from ik2d_ros.parameters.file import read_sections
from ik2d_ros.parameters.wording import printable
from ik2d_ros.ros.advice import command
from ik2d_ros.ros.environment import domain_fault

_REFUSED = 'ROS refuses the command line'

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


def without_parameters(arguments: Sequence[str]) -> list[str]:
    """Return a command line without its parameters and parameter files.

    Args:
        arguments: the command line, with ROS arguments.
    """
    kept, is_for_ros, is_value = [], False, False
    for argument in arguments:
        if argument in ('--ros-args', '--'):
            is_for_ros = argument == '--ros-args'
        is_parameter = is_for_ros and argument in ('--params-file', '-p', '--param')
        if not (is_parameter or is_value):
            kept.append(argument)
        is_value = is_parameter
    return kept


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


def explain_failed_start(error: Exception, files: Sequence[str]) -> str:
    """Return the message for ROS failing to start, by its command line or its environment.

    Args:
        error: the exception from ROS.
        files: the parameter files on the command line, for which this package has better messages.
    """
    for file in files:
        fault = _fault(file)
        if fault:
            return fault
    # Locations in ROS's source code do not help the user.
    reason = re.sub(r',? at \S+\.c(pp)?:\d+', '', printable(' '.join(str(error).split()), 1000))
    reason = reason.removeprefix('failed to initialize rcl: ')
    if reason.startswith('['):  # only the unknown arguments
        return f'{_REFUSED}: unknown arguments {reason}; a parameter is given as -p NAME:=VALUE'
    if 'ROS_DOMAIN_ID' in reason:
        return domain_fault(os.environ.get('ROS_DOMAIN_ID', ''))
    if 'initialize logging' in reason:
        reason = reason.removeprefix('failed to initialize logging: ')
        return (
            f'ROS cannot write its log files: {reason}; '
            'set ROS_LOG_DIR to a folder that is writable'
        )
    if 'security' in reason.lower():
        return (
            f'ROS cannot start a protected node: {reason}; ROS_SECURITY_ENABLE is '
            f"'{os.environ.get('ROS_SECURITY_ENABLE', '')}' and ROS_SECURITY_STRATEGY "
            f"'{os.environ.get('ROS_SECURITY_STRATEGY', '')}': docs/operations.md says what they "
            'need'
        )
    if 'Sequence should be of same type' in reason:
        hint = 'ROS allows one type per list: write [0.0, 0.3], not [0, 0.3]'
        return f'{_REFUSED}: {reason}; {hint}'
    if any(words in reason for words in ('incompatible type', 'invalid allocator')):
        # rcl says the latter over the former.
        reason = reason.removesuffix(': invalid allocator')
        hint = 'a remapping (-r) or command_out_topic gives topics of different types one name'
        return f'ROS cannot start: {reason}; {hint}'
    if any(word in reason for word in ('parse', 'Enclave', 'argument')):
        return f'{_REFUSED}: {reason}'
    return f'ROS cannot start: {reason}'


def _fault(file: str) -> str:
    """Return what is wrong with a parameter file; empty for nothing."""
    try:
        read_sections(file)
    except ConfigError as error:
        return str(error)
    return ''

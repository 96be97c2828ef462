"""Why the node cannot start, in words that say what to do; no ROS in here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import read_sections

_HOW = (
    'start it with: ik2d_node --ros-args --params-file FILE\n'
    "in FILE, the parameters stand below '/**:' (any node) or '{node}:', and there below "
    "'ros__parameters:'"
)


def parameter_files(arguments: Sequence[str]) -> list[str]:
    """The parameter files that a command line hands to ROS.

    Args:
        arguments: the command line; ROS's own arguments stand between ``--ros-args`` and ``--``.
    """
    files, ours = [], False
    for argument, following in zip(arguments, [*arguments[1:], ''], strict=True):
        if argument in ('--ros-args', '--'):
            ours = argument == '--ros-args'
        elif ours and argument == '--params-file':
            files.append(following)
    return files


def explain_missing_joints(node: str, given: Iterable[str], files: Sequence[str]) -> str:
    """The message for a node that was started without the parameter ``joints``.

    Args:
        node: full name of the node.
        given: names of the parameters that did reach it.
        files: the parameter files on its command line.
    """
    lines = []
    others = ', '.join(sorted(given))
    if others:
        lines.append(f"parameter 'joints' is missing; node '{node}' was given only: {others}")
    elif files:
        lines.append(f"parameter 'joints' is missing: the parameter file is not for node '{node}'")
    else:
        lines.append(
            f"parameter 'joints' is missing: no parameter file reached node '{node}'; "
            f'{_HOW.format(node=node)}'
        )
    return '\n'.join([*lines, *(_addressees(file, node) for file in files)])


def _addressees(file: str, node: str) -> str:
    try:
        names = ', '.join(f"'{name}'" for name, _ in read_sections(file)) or 'no node'
    except ConfigError as error:
        return str(error)
    return f"{file} names {names}; '{node}' or '/**' (any node) would match"


def explain_refused_arguments(error: Exception, files: Sequence[str]) -> str:
    """The message for a command line that ROS refuses.

    Args:
        error: what ROS raised.
        files: the parameter files on the command line, which we can often read better than ROS.
    """
    for file in files:
        fault = _fault(file)
        if fault:
            return fault
    # The places in ROS's own source code are of no use to a person.
    reason = re.sub(r',? at \S+\.c(pp)?:\d+', '', ' '.join(str(error).split()))
    if reason.startswith('['):  # nothing but the arguments that are unknown
        reason = f'unknown arguments {reason}'
    hint = ''
    if 'Sequence should be of same type' in reason:
        hint = '; ROS wants one kind of value in a list: write [0.0, 0.3], not [0, 0.3]'
    return f'ROS refuses the command line: {reason}{hint}'


def _fault(file: str) -> str:
    """What is wrong with a parameter file, whichever nodes it is for; empty for nothing."""
    try:
        read_sections(file)
    except ConfigError as error:
        return str(error)
    return ''

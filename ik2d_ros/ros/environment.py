"""Environment variables and parameter files with which ROS aborts or does not explain the failure.

No ROS imports: they are checked before ROS is imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.content import readable_again
from ik2d_ros.parameters.file import read_sections
from ik2d_ros.parameters.sanitize import printable

LAST_DOMAIN = 232  # the limit of the DDS port range

_RESOURCE = 'share/ament_index/resource_index/rmw_typesupport'
_LOG_PLACES = ('ROS_LOG_DIR', 'ROS_HOME', 'HOME')


def check_environment(environment: Mapping[str, str], arguments: Sequence[str] = ()) -> None:
    """Refuse values with which ROS would abort or not explain the failure.

    Args:
        environment: environment variables of the process.
        arguments: command line of the process.

    Raises:
        ConfigError: a variable is refused; the message names it, its value and what is allowed.
    """
    domain = environment.get('ROS_DOMAIN_ID', '')
    if _number(domain) not in range(LAST_DOMAIN + 1):
        _refuse('ROS_DOMAIN_ID', domain, f'a whole number from 0 to {LAST_DOMAIN}')
    middleware = environment.get('RMW_IMPLEMENTATION', '')
    installed = sorted(_middlewares(environment))
    if middleware and installed and middleware not in installed:
        _refuse('RMW_IMPLEMENTATION', middleware, f'one that is installed: {", ".join(installed)}')
    is_logged = '--disable-external-lib-logs' not in arguments
    if is_logged and not any(map(environment.get, _LOG_PLACES)):
        raise ConfigError(
            f'ROS has no place for its log files: none of {", ".join(_LOG_PLACES)} is set; '
            'set ROS_LOG_DIR to a folder that is writable'
        )


def check_parameter_files(arguments: Sequence[str]) -> list[str]:
    """Read the parameter files on a command line before ROS does.

    ROS reads any file without bounds, and its error messages refer to its own source code.

    Args:
        arguments: the command line; ROS arguments are between ``--ros-args`` and ``--``.

    Returns:
        The command line for ROS: a pipe, which can be read only once, is replaced by a copy.

    Raises:
        ConfigError: a file is refused, whichever node it is for.
    """
    checked = list(arguments)
    is_for_ros = False
    for place, argument in enumerate(arguments[:-1]):
        if argument in ('--ros-args', '--'):
            is_for_ros = argument == '--ros-args'
        elif is_for_ros and argument == '--params-file':
            file = arguments[place + 1]
            read_sections(file)
            checked[place + 1] = str(readable_again(file))
    return checked


def _refuse(variable: str, value: str, allowed: str) -> None:
    raise ConfigError(
        f"the environment variable {variable} is '{printable(value)}'; it must be {allowed}, or "
        'not set'
    )


def _number(text: str) -> int:
    """Return the number in a text as C reads it; 0 for any other text, which ROS refuses itself."""
    try:
        return int(text, 0)
    except ValueError:
        return 0


def _middlewares(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield the installed RMW implementations; none if unknown."""
    # ROS packages from PyPI are below the prefix of Python and need no variable.
    prefixes = [*environment.get('AMENT_PREFIX_PATH', '').split(os.pathsep), sys.prefix]
    for prefix in filter(None, prefixes):
        for entry in Path(prefix, _RESOURCE).glob('rmw_*'):
            if entry.name != 'rmw_implementation':  # only selects another one
                yield entry.name

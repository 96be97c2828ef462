"""What ROS aborts with or does not explain: environment variables and parameter files.

No ROS imports: they are checked before ROS is imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.content import readable_again
from ik2d_ros.parameters.file import read_sections
from ik2d_ros.parameters.wording import printable

LAST_DOMAIN = 232  # the limit of the DDS port range

_RESOURCE = 'share/ament_index/resource_index/rmw_typesupport'


def check_environment(environment: Mapping[str, str], arguments: Sequence[str] = ()) -> None:
    """Refuse values with which ROS would abort or not explain the failure.

    Args:
        environment: environment variables of the process.
        arguments: command line of the process.

    Raises:
        ConfigError: a variable is refused; the message names it, its value and what is allowed.
    """
    _check_domain(environment.get('ROS_DOMAIN_ID', ''))
    _check_middleware(environment.get('RMW_IMPLEMENTATION', ''), _middlewares(environment))
    places = ('ROS_LOG_DIR', 'ROS_HOME', 'HOME')
    if '--disable-external-lib-logs' not in arguments and not any(map(environment.get, places)):
        raise ConfigError(
            f'ROS has no place for its log files: none of {", ".join(places)} is set; '
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


def _check_domain(value: str) -> None:
    try:
        domain = int(value, 0)
    except ValueError:
        return  # Empty means unset; ROS checks what only it may read as a number.
    if not 0 <= domain <= LAST_DOMAIN:
        raise ConfigError(
            f"the environment variable ROS_DOMAIN_ID is '{printable(value)}'; it must be a whole "
            f'number from 0 to {LAST_DOMAIN}, or not set'
        )


def _check_middleware(value: str, installed: Sequence[str]) -> None:
    if value and installed and value not in installed:
        raise ConfigError(
            f"the environment variable RMW_IMPLEMENTATION is '{printable(value)}', which is not "
            f'installed; it must be one of {", ".join(installed)}, or not set'
        )


def _middlewares(environment: Mapping[str, str]) -> list[str]:
    """Return the installed RMW implementations; empty if unknown."""
    # ROS packages from PyPI are below the prefix of Python and need no variable.
    prefixes = [*environment.get('AMENT_PREFIX_PATH', '').split(os.pathsep), sys.prefix]
    found = {
        entry.name
        for prefix in prefixes
        if prefix
        for entry in Path(prefix, _RESOURCE).glob('rmw_*')
    }
    return sorted(found - {'rmw_implementation'})  # this one only selects another

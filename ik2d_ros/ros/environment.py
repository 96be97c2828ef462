"""Environment variables that ROS cannot live with: it ends the process, or says so in riddles.

No ROS in here: what is wrong has to be found before it is imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.wording import printable

LAST_DOMAIN = 232  # The ports of DDS end there.

_RESOURCE = 'share/ament_index/resource_index/rmw_typesupport'


def check_environment(environment: Mapping[str, str], arguments: Sequence[str] = ()) -> None:
    """Refuse what ROS would end the process for, or not explain.

    Args:
        environment: the variables of the process.
        arguments: its command line.

    Raises:
        ConfigError: a variable is refused; the message names it, its value and what is allowed.
    """
    _check_domain(environment.get('ROS_DOMAIN_ID', ''))
    _check_middleware(environment.get('RMW_IMPLEMENTATION', ''), _middlewares(environment))
    places = ('ROS_LOG_DIR', 'ROS_HOME', 'HOME')
    if '--disable-external-lib-logs' not in arguments and not any(map(environment.get, places)):
        raise ConfigError(
            f'ROS has no place for its log files, for none of {", ".join(places)} is set; '
            'set ROS_LOG_DIR to a folder that can be written to'
        )


def domain_fault(value: str) -> str:
    """The message for a ROS_DOMAIN_ID that is none."""
    return (
        f"the environment variable ROS_DOMAIN_ID is '{printable(value)}'; it must be a whole "
        f'number from 0 to {LAST_DOMAIN}, or not set'
    )


def _check_domain(value: str) -> None:
    try:
        domain = int(value, 0)
    except ValueError:
        return  # Empty is unset; what else is no number to Python may be one to ROS, which says so.
    if not 0 <= domain <= LAST_DOMAIN:
        raise ConfigError(domain_fault(value))


def _check_middleware(value: str, installed: Sequence[str]) -> None:
    if value and installed and value not in installed:
        raise ConfigError(
            f"the environment variable RMW_IMPLEMENTATION is '{printable(value)}', which is not "
            f'installed; it must be one of {", ".join(installed)}, or not set'
        )


def _middlewares(environment: Mapping[str, str]) -> list[str]:
    """The implementations of ROS's middleware that are installed; empty where nothing tells."""
    # Python packages of ROS lie below the prefix of Python, and need no variable.
    prefixes = [*environment.get('AMENT_PREFIX_PATH', '').split(os.pathsep), sys.prefix]
    found = {
        entry.name
        for prefix in prefixes
        if prefix
        for entry in Path(prefix, _RESOURCE).glob('rmw_*')
    }
    return sorted(found - {'rmw_implementation'})  # the one that only picks another

"""Finding a parameter file by its path or by the name of a shipped one."""

from __future__ import annotations

import os
import site
import sys
from pathlib import Path

from ik2d_ros.parameters.checks import ConfigError, closest
from ik2d_ros.parameters.sanitize import printable


def config_directories() -> list[Path]:
    """Return the directories that may hold shipped parameter files, nearest first.

    The source tree (also for an editable install), each ROS prefix, then where pip puts data files.
    """
    prefixes = [
        *filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)),
        sys.prefix,
        site.getuserbase(),
    ]
    source_tree = Path(__file__).resolve().parents[2] / 'config'
    installed = [Path(prefix, 'share', 'ik2d_ros', 'config') for prefix in prefixes]
    return [directory for directory in (source_tree, *installed) if directory.is_dir()]


def find_config(name: str) -> Path:
    """Find the parameter file that a user names.

    Args:
        name: a path, in which ``~`` is the home directory, or the name of a shipped file with or
            without ``.yaml``. An existing path takes precedence.

    Raises:
        ConfigError: there is no such file; the message lists the shipped names.
    """
    path = Path(os.path.expanduser(name))  # Path.expanduser() raises for an unknown ~user
    if path.exists() and not path.is_dir():
        return path
    examples, machines = find_examples(), find_machines()
    shipped = {**machines, **examples}
    stem = name.removesuffix('.yaml')
    if stem in shipped:
        return shipped[stem]
    what = 'is a directory' if name and path.is_dir() else 'no such file'
    names = ', '.join(sorted(examples)) or 'none found'
    also = ', or a machine that `ik2d machines` lists' if machines else ''
    raise ConfigError(
        f'{printable(name)}: {what}; it must be a ROS parameter file or a shipped one: '
        f'{names}{also}{closest(stem, shipped)}'
    )


def find_machines() -> dict[str, Path]:
    """Return the shipped parameter files of public robots by the robot's name, sorted."""
    return dict(sorted(_shipped('machines/*.yaml').items()))


def find_examples() -> dict[str, Path]:
    """Return the shipped parameter files of made-up arms by their names, sorted."""
    return dict(sorted(_shipped('*.yaml').items()))


def _shipped(pattern: str) -> dict[str, Path]:
    """Return the shipped files of a pattern by stem; the nearest directory takes precedence."""
    return {
        file.stem: file
        for directory in reversed(config_directories())
        for file in directory.glob(pattern)
    }

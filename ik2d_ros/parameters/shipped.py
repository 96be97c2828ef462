"""Finding a parameter file by its path or by the name of a shipped one."""

from __future__ import annotations

import os
import site
import sys
from functools import cache
from pathlib import Path

from ik2d_ros.parameters.checks import ConfigError, closest
from ik2d_ros.parameters.file import nodes_in


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
    examples, machines = _shipped('*.yaml'), find_machines()
    shipped = {**machines, **examples}
    stem = name.removesuffix('.yaml')
    if stem in shipped:
        return shipped[stem]
    what = 'is a directory' if name and path.is_dir() else 'no such file'
    names = ', '.join(sorted(examples)) or 'none found'
    also = ', or a machine that `ik2d machines` lists' if machines else ''
    raise ConfigError(
        f'{name}: {what}; it must be a ROS parameter file or a shipped one: '
        f'{names}{also}{closest(stem, shipped)}'
    )


def find_machines() -> dict[str, Path]:
    """Return the shipped parameter files of public robots by the robot's name, sorted."""
    return _shipped('machines/*.yaml')


@cache  # it reads each file
def single_arms() -> dict[str, Path]:
    """Return the shipped parameter files of one arm each, by name."""
    shipped = _shipped('*.yaml') | find_machines()
    return {name: path for name, path in shipped.items() if len(nodes_in(path)) <= 1}


def _shipped(pattern: str) -> dict[str, Path]:
    """Return the shipped files of a pattern by stem, sorted.

    The source tree (also of an editable install) precedes each ROS prefix, and these the places
    where pip puts data files.
    """
    prefixes = [*filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep))]
    directories = [
        Path(__file__).resolve().parents[2] / 'config',
        *(
            Path(prefix, 'share', 'ik2d_ros', 'config')
            for prefix in (*prefixes, sys.prefix, site.getuserbase())
        ),
    ]
    files = [file for directory in reversed(directories) for file in directory.glob(pattern)]
    return dict(sorted({file.stem: file for file in files}.items()))

"""Expands xacro files with xacro's own ``process_doc``.

A xacro file is a program: expanding it runs it with the user's rights.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.sanitize import printable

NOT_FOUND = '/package-not-found'
"""The folder of packages that are not found.

Most references to packages are to meshes and configurations of controllers, which are not read
here. An include of such a file fails with this in its path.
"""

HIGHEST = 5  # folders to search upwards for the file's own package

_COMMENT = re.compile(r'<!--.*?-->', re.DOTALL)
_XACRO = re.compile(r'<xacro:|\$\{|\$\((?:find|arg|eval|env|optenv|dirname|cwd)\b')
_ARGUMENT = re.compile(r'Undefined substitution argument (\S+)')
_LINK = re.compile(r'<link\b')


def is_xacro(text: str) -> bool:
    """Return whether a text is xacro, whatever the name of its file."""
    return _XACRO.search(_COMMENT.sub('', text)) is not None


def expand(path: Path, arguments: Mapping[str, str], packages: Mapping[str, str]) -> str:
    """Return the URDF that a xacro file generates.

    Args:
        path: the file.
        arguments: of the file, by name.
        packages: folders by name of the package; they precede those of ROS.

    Raises:
        ConfigError: it cannot be expanded, or has no links; or xacro is not installed.
    """
    try:
        import xacro  # noqa: PLC0415
    except ImportError:
        raise ConfigError(
            "is xacro, and the Python package xacro is not installed: pip install 'xacro', or in a "
            'ROS installation: sudo apt install ros-$ROS_DISTRO-xacro'
        ) from None
    try:
        with _packages_found(path.absolute(), packages):
            text = _expanded(path, arguments, xacro)
    except Exception as error:
        missing = str(getattr(getattr(error, 'exc', None), 'filename', None) or '')
        files = xacro.filestack or []
        where = f' (in {printable(str(files[-1]))})' if len(files) > 1 else ''
        raise ConfigError(f'xacro cannot expand it: {_reason(error, missing, where)}') from None
    if _LINK.search(_COMMENT.sub('', text)):
        return text
    raise ConfigError('has no links; if it only defines macros, give the file that uses them')


def _expanded(path: Path, arguments: Mapping[str, str], xacro: Any, control: bool = True) -> str:
    """Expand a file, without its tags for ros2_control if something that they name is missing."""
    xacro.init_stacks(str(path))
    document = xacro.parse(None, str(path))
    robot = document.documentElement
    for tag in () if control else list(robot.childNodes):
        file = tag.getAttribute('filename').rpartition('/')[2] if tag.attributes else ''
        if tag.nodeName.startswith('xacro:') and 'ros2_control' in f'{tag.nodeName} {file}':
            robot.removeChild(tag)
    try:
        xacro.process_doc(document, mappings=dict(arguments))
    except Exception as error:
        if not control or 'ros2_control' not in str(error):
            raise
        try:
            return _expanded(path, arguments, xacro, control=False)
        except Exception:
            raise error from None
    return str(robot.toxml())


def _reason(error: Exception, missing: str, where: str) -> str:
    words = printable(' '.join(str(error).split()) or type(error).__name__)
    if isinstance(error, RecursionError):
        return f'it includes or repeats itself without end{where}'
    if missing.startswith(f'{NOT_FOUND}/'):
        package = printable(missing.split('/')[2])
        return (
            f'it includes from the package {package}, which is not installed; say where it is: '
            f'--package {package}=FOLDER'
        )
    asked = _ARGUMENT.search(words)
    need = f'; it has no default: give it as {asked[1]}:=VALUE' if asked else ''
    return f'{words}{where}{need}'


@contextmanager
def _packages_found(path: Path, given: Mapping[str, str]) -> Iterator[None]:
    """Let ``$(find name)`` find the given packages, even without ROS.

    xacro asks ``ament_index_python.packages`` each time.
    """
    names = ('ament_index_python', 'ament_index_python.packages')
    installed: Any = None
    with suppress(ImportError):
        installed = import_module(names[1])

    def find(package: str) -> str:
        if package in given:
            return str(Path(given[package]).absolute())
        if installed is not None:
            with suppress(LookupError, ValueError, OSError):  # unknown, or no ROS is sourced
                return str(installed.get_package_share_directory(package))
        return _own(path, package)

    before = {name: sys.modules[name] for name in names if name in sys.modules}
    packages = types.ModuleType(names[1])
    packages.__dict__['get_package_share_directory'] = find
    sys.modules.update({names[0]: types.ModuleType(names[0]), **before, names[1]: packages})
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]
        sys.modules.update(before)


def _own(path: Path, package: str) -> str:
    """Return the folder of the package if the file is in it; else one in NOT_FOUND."""
    for folder in islice(path.parents, HIGHEST):
        manifest = folder / 'package.xml'
        text = manifest.read_text('utf-8', 'replace') if manifest.is_file() else ''
        if folder.name == package or f'<name>{package}</name>' in text:
            return str(folder)
    return f'{NOT_FOUND}/{package}'

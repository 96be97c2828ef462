"""Reads a robot from a file: a URDF, or xacro, expanded by xacro's own ``process_file``.

A URDF is data: no other file is opened. A xacro file is a program: expanding it runs it with the
user's rights.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import naming, read_text
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.robot.model import Robot
from ik2d_ros.robot.urdf import read_robot

LARGEST = 5_000_000
"""Largest description in bytes, twenty times that of a humanoid."""

NOTHING: Mapping[str, str] = MappingProxyType({})

NOT_FOUND = '/package-not-found'
"""The folder of packages that are not found.

Most references to packages are to meshes and configurations of controllers, which are not read
here. An include of such a file fails with this in its path.
"""

LACKING = re.compile(rf'{NOT_FOUND}/([^/]+)')
UNDEFINED = re.compile(r'Undefined substitution argument (\S+)')

_COMMENT = re.compile(r'<!--.*?-->', re.DOTALL)
_EMPTY = re.compile(  # an argument whose default is empty, in any order of the attributes
    r"""<xacro:arg\b(?=[^>]*\bdefault\s*=\s*["']\s*["'])[^>]*\bname\s*=\s*["']([^"']*)"""
)
# Calls of macros that are defined nowhere are what older xacro left in a URDF, where they mean
# nothing.
_XACRO = re.compile(
    r'<xacro:(?:include|macro|property|arg|if|unless|insert_block|call|element|attribute)\b'
    r'|\$\{|\$\((?:find|arg|eval|env|optenv|dirname|cwd)\b'
)


def is_xacro(text: str) -> bool:
    """Return whether a text is xacro, whatever the name of its file."""
    return _XACRO.search(_COMMENT.sub('', text)) is not None


def load_robot(
    path: str | Path,
    arguments: Mapping[str, str] = NOTHING,
    packages: Mapping[str, str] = NOTHING,
) -> Robot:
    """Read a robot from a file; see :func:`load_urdf` and :func:`.read_robot`."""
    return read_robot(load_urdf(path, arguments, packages), str(path))


def load_urdf(
    path: str | Path,
    arguments: Mapping[str, str] = NOTHING,
    packages: Mapping[str, str] = NOTHING,
) -> str:
    """Read the text of a URDF from a file; xacro is expanded, which runs it.

    Args:
        path: the file; its content decides whether it is xacro, not its name.
        arguments: of the xacro file, by name.
        packages: folders by name of the package; they precede those of ROS.

    Raises:
        ConfigError: it cannot be read, is no text, or cannot be expanded; or xacro is not
            installed.
    """
    text = read_text(path, LARGEST)
    with naming(path):
        if not is_xacro(text):
            return text
        try:
            import xacro  # noqa: PLC0415
        except ImportError:
            raise ConfigError(
                "is xacro, and the Python package xacro is not installed: pip install 'xacro', or "
                'in a ROS installation: sudo apt install ros-$ROS_DISTRO-xacro'
            ) from None
        try:
            with _packages_found(packages):
                document = xacro.process_file(str(path), mappings=dict(arguments))
        except Exception as error:
            files = xacro.filestack or []
            where = f' (in {files[-1]})' if len(files) > 1 else ''
            hint = _hint(str(error), text, arguments)
            reason = printable(' '.join(str(error).split()) or type(error).__name__)
            if isinstance(error, RecursionError):
                reason = 'it includes or repeats itself without end'
            raise ConfigError(f'xacro cannot expand it: {reason}{hint}{where}') from None
    return str(document.documentElement.toxml())


def _hint(error: str, text: str, given: Mapping[str, str]) -> str:
    """Return what to give: a folder, or arguments that have no default or an empty one."""
    if package := LACKING.search(error):
        return (
            f'; it includes from the package {package[1]}, which is not installed; say where it '
            f'is: --package {package[1]}=FOLDER'
        )
    if argument := UNDEFINED.search(error):
        return f'; it has no default: give it as {argument[1]}:=VALUE'
    empty = [name for name in _EMPTY.findall(_COMMENT.sub('', text)) if name not in given]
    # An empty path is that of a folder.
    if wanted := [name for name in empty if name in error] or ('Errno' in error) * empty:
        return f'; empty by default: give {" ".join(f"{name}:=VALUE" for name in wanted)}'
    return ''


@contextmanager
def _packages_found(given: Mapping[str, str]) -> Iterator[None]:
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
        return f'{NOT_FOUND}/{package}'

    before = {name: sys.modules[name] for name in names if name in sys.modules}
    packages = ModuleType(names[1])
    packages.__dict__['get_package_share_directory'] = find
    sys.modules.update({names[0]: ModuleType(names[0]), **before, names[1]: packages})
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]
        sys.modules.update(before)

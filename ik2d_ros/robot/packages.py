"""Where the package is that ``$(find name)`` means.

Imports nothing of this package: the process that expands xacro uses it, and starts quickly so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path

NOT_FOUND = '/package-not-found'
"""Where the packages are that nobody has.

Most references to other packages are to meshes and to configurations of controllers, which are not
read here. One that is, an include, fails with this in its path.
"""

HIGHEST = 5  # how many folders up to look for the file's own package
MOST_NEIGHBOURS = 200
LARGEST_MANIFEST = 100_000  # characters

_NAME = re.compile(r'<name>\s*([^<\s]+)\s*</name>')

Finder = Callable[[str], str]


def installed_packages() -> Finder | None:
    """Return how ROS finds the share folder of a package; None without ROS."""
    try:
        from ament_index_python.packages import get_package_share_directory  # noqa: PLC0415
    except ImportError:
        return None
    found: Finder = get_package_share_directory
    return found


def find_package(name: str, given: Mapping[str, str], file: str, installed: Finder | None) -> str:
    """Return the share folder of a package.

    Args:
        name: of the package.
        given: folders by package name; these come first.
        file: absolute path of the named file. Where ROS does not know the package, it may be the
            one that the file is in, or one beside that, as in the ``src`` of a workspace.
        installed: how ROS finds it.

    Returns:
        The folder; one in ``NOT_FOUND`` if there is none.
    """
    if name in given:
        return given[name]
    if installed is not None:
        try:
            return str(installed(name))
        except (LookupError, ValueError, OSError):  # unknown, or no ROS is sourced
            pass
    for folder in list(Path(file).parents)[:HIGHEST]:
        if _package_in(folder) is not None:
            for place in (folder, *islice(folder.parent.iterdir(), MOST_NEIGHBOURS)):
                if _package_in(place) == name:
                    return str(place)
            break
    return f'{NOT_FOUND}/{name}'


def installed_from(path: str) -> tuple[str, str] | None:
    """Return the package in whose source a missing file would be, and the folder that has it there.

    Packages may install a folder from below another, such as ``description/urdf`` as ``urdf``; then
    files name each other by the path that is right once the package is installed.
    """
    for folder in list(Path(path).parents)[:HIGHEST]:
        name = _package_in(folder)
        if name is not None:
            wanted = Path(path).relative_to(folder)
            for place in sorted(islice(folder.iterdir(), MOST_NEIGHBOURS)):
                if (place / wanted).is_file():
                    return name, str(place)
            break
    return None


def _package_in(folder: Path) -> str | None:
    """Return the name of the package whose source folder this is, or None."""
    try:
        with open(folder / 'package.xml', encoding='utf-8', errors='replace') as file:
            found = _NAME.search(file.read(LARGEST_MANIFEST))
    except OSError:
        return None
    return found[1] if found else None


def missing_package(path: str) -> str | None:
    """Return the package that a path would be in if it had been found."""
    start = f'{NOT_FOUND}/'
    return path.removeprefix(start).partition('/')[0] if path.startswith(start) else None

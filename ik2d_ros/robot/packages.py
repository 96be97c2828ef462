"""Where the package is that ``$(find name)`` means.

Imports nothing of this package: the process that expands xacro uses it, and starts quickly so.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path

NOT_FOUND = '/package-not-found'
"""Where the packages are that nobody has.

Most references to other packages are to meshes and to configurations of controllers, which are not
read here. One that is, an include, fails with this in its path.
"""

HIGHEST = 5  # how many folders up to look for the file's own package, and from there for its root
DEEPEST = 3  # how many folders below that to look for others
MOST_NEIGHBOURS = 200
MOST_FOLDERS = 1000
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
            one that the file is in, one beside that, or one in the same clone or workspace; or, as
            descriptions are often copied without manifests, a folder of its name.
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
    own = _own_package(file)
    if own is not None:
        its_name, its_folder = own
        found = str(its_folder) if its_name == name else _packages_about(its_folder).get(name)
        if found is not None:
            return found
    for folder in list(Path(file).parents)[:HIGHEST]:
        for place in (folder, folder / name):
            if place.name == name and place.is_dir():
                return str(place)
    return f'{NOT_FOUND}/{name}'


@cache
def _packages_about(own: Path) -> Mapping[str, str]:
    """Return the folders of packages that a file of a package may name, by their names."""
    found: dict[str, str] = {}
    for place in islice(_places(own), MOST_FOLDERS):
        name = _package_in(place)
        if name is not None:
            found.setdefault(name, str(place))
    return found


def _places(own: Path) -> Iterator[Path]:
    """Yield folders beside a package's, and below the root of its clone or workspace.

    As colcon does, not below other packages.
    """
    yield from _folders(own.parent)
    above = list(own.parents)[:HIGHEST]
    roots = [folder for folder in above if folder.name == 'src' or (folder / '.git').exists()]
    for root in roots:
        waiting = deque([(root, 0)])
        while waiting:
            folder, depth = waiting.popleft()
            yield folder
            if depth < DEEPEST and _package_in(folder) is None:
                waiting.extend((place, depth + 1) for place in _folders(folder))


def _folders(folder: Path) -> list[Path]:
    """Return the folders in a folder that are not hidden; none where it cannot be read."""
    try:
        places = islice(folder.iterdir(), MOST_NEIGHBOURS)
        return sorted(each for each in places if each.is_dir() and not each.name.startswith('.'))
    except OSError:
        return []


def installed_from(path: str) -> tuple[str, str] | None:
    """Return the package in whose source a missing file would be, and the folder that has it there.

    Packages may install a folder from below another, such as ``description/urdf`` as ``urdf``; then
    files name each other by the path that is right once the package is installed.
    """
    own = _own_package(path)
    if own is not None:
        name, folder = own
        wanted = Path(path).relative_to(folder)
        for place in sorted(islice(folder.iterdir(), MOST_NEIGHBOURS)):
            if (place / wanted).is_file():
                return name, str(place)
    return None


def _own_package(path: str) -> tuple[str, Path] | None:
    """Return the name and the source folder of the package that a file is in, or None."""
    for folder in list(Path(path).parents)[:HIGHEST]:
        name = _package_in(folder)
        if name is not None:
            return name, folder
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

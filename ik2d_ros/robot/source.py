"""From the file that a user names to a robot: URDF, or xacro that makes one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from ik2d_ros.parameters.content import read_bytes
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.model import Robot
from ik2d_ros.robot.urdf_text import read_robot
from ik2d_ros.robot.xacro_file import expand, is_xacro
from ik2d_ros.robot.xml_text import LARGEST, decoded, parse

NOTHING: Mapping[str, str] = MappingProxyType({})


def load_urdf(
    path: str | Path,
    arguments: Mapping[str, str] = NOTHING,
    packages: Mapping[str, str] = NOTHING,
) -> str:
    """Read the text of a URDF from a file, expanding it if it is xacro.

    Nothing is opened but this file and, if it is xacro, what it includes or loads.

    Args:
        path: the file; what it holds decides whether it is xacro, not what it is called.
        arguments: of the xacro file, by name.
        packages: folders by name of the package, before those that ROS knows.

    Raises:
        ConfigError: it cannot be read, is not XML, or cannot be expanded.
    """
    name = printable(str(path))
    content = read_bytes(path, 'a robot description', LARGEST)
    text = decoded(content, name).lstrip('\ufeff \t\r\n')
    if not is_xacro(text):
        return text
    parse(text, name)  # xacro's own reader does not stop at entities
    return expand(text, Path(path), arguments, packages)


def load_robot(
    path: str | Path,
    arguments: Mapping[str, str] = NOTHING,
    packages: Mapping[str, str] = NOTHING,
) -> Robot:
    """Read a robot from a file; see :func:`load_urdf` and :func:`read_robot`."""
    return read_robot(load_urdf(path, arguments, packages), printable(str(path)))

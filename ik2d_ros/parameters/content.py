"""Reading a file that a user names, bounded in size."""

from __future__ import annotations

from pathlib import Path

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.sanitize import printable

LARGEST = 1_000_000
"""Largest parameter file in bytes; hundreds of joints and a URDF take a tenth of it."""


def read_bytes(path: str | Path, what: str, largest: int) -> bytes:
    """Read all of a file or a pipe.

    Args:
        path: the file.
        what: its intended content, for messages.
        largest: number of bytes that it may have.

    Raises:
        ConfigError: it cannot be read, or is too large.
    """
    name = printable(str(path))
    try:
        with open(path, 'rb') as file:
            content = file.read(largest + 1)
    except OSError as error:
        raise ConfigError(f'{name}: cannot be read: {error.strerror or error}') from None
    except ValueError:  # a NUL in the name
        raise ConfigError(f'{name}: cannot be read: no file can have that name') from None
    if len(content) > largest:
        raise ConfigError(f'{name}: is too large for {what}; it must have at most {largest} bytes')
    return content


def read_text(path: str | Path, what: str = 'a parameter file', largest: int = LARGEST) -> str:
    """Read a file in UTF-8, or in UTF-16 with a byte order mark, as YAML, XML and ROS do.

    Args:
        path: the file.
        what: its intended content, for messages.
        largest: number of bytes that it may have.

    Raises:
        ConfigError: it cannot be read, is too large, or is not text.
    """
    content = read_bytes(path, what, largest)
    encoding = 'utf-16' if content[:2] in (b'\xff\xfe', b'\xfe\xff') else 'utf-8-sig'
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b'\n', 0, error.start) + 1
        raise ConfigError(
            f'{printable(str(path))}:{line}: is not a text file in UTF-8 or UTF-16'
        ) from None

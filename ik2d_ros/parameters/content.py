"""Reading the text of a user-supplied path safely: bounded in size and time, and read once.

Nothing here interprets the text.
"""

from __future__ import annotations

import codecs
import functools
import os
import select
import stat
import time
from pathlib import Path

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.wording import printable

LARGEST = 1_000_000
"""Largest parameter file in bytes; hundreds of joints and a URDF take a tenth of it."""

WHAT = 'a parameter file'

# A shell pipe, `<(...)`, has a writer, which may take a while to start. A named pipe may never get
# one.
PATIENCE = 10.0  # s
PATIENCE_WITH_A_NAME = 1.5  # s

_KINDS = (
    (stat.S_ISDIR, 'a directory'),
    (stat.S_ISCHR, 'a device'),
    (stat.S_ISBLK, 'a device'),
    (stat.S_ISSOCK, 'a socket'),
)

# Longer marks first: the UTF-32 mark starts with the UTF-16 one.
_ENCODINGS = (
    (codecs.BOM_UTF32_LE, 'utf-32'),
    (codecs.BOM_UTF32_BE, 'utf-32'),
    (codecs.BOM_UTF8, 'utf-8-sig'),
    (codecs.BOM_UTF16_LE, 'utf-16'),
    (codecs.BOM_UTF16_BE, 'utf-16'),
)


def read_bytes(path: str | Path, what: str = WHAT, largest: int = LARGEST) -> bytes:
    """Read all of a file or a pipe.

    Args:
        path: the file.
        what: what it should be, for messages.
        largest: number of bytes that it may have.

    Raises:
        ConfigError: it cannot be read, is not a file, or is too large.
    """
    return _read(str(path), printable(str(path)), what, largest)


def read_text(path: str | Path) -> str:
    """Read a text file in UTF-8, or in UTF-16 with a byte order mark, as YAML and ROS do.

    Raises:
        ConfigError: it cannot be read, is not a file, is too large, or is not text.
    """
    name = printable(str(path))
    content = _read(str(readable_again(path)), name)
    encoding = next((found for mark, found in _ENCODINGS if content.startswith(mark)), 'utf-8')
    try:
        if encoding == 'utf-32':
            raise ConfigError(f'{name}: is in UTF-32; it must be in UTF-8')
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b'\n', 0, error.start) + 1
        raise ConfigError(f'{name}:{line}: is not a text file in UTF-8 or UTF-16') from None


def readable_again(path: str | Path) -> Path:
    """Return a path from which a file can be read any number of times.

    A regular file keeps its path. A pipe can be read only once: its content is copied to memory,
    and the returned path leads there, for child processes too.

    Raises:
        ConfigError: nothing came through the pipe, or too much.
    """
    try:
        is_pipe = stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return Path(path)  # reading it reports why
    return _drained(str(path)) if is_pipe else Path(path)


@functools.cache
def _drained(path: str) -> Path:
    """Copy the content of a pipe to a file in memory that lives as long as this process."""
    name = printable(path)
    content = _read(path, name)
    if not hasattr(os, 'memfd_create'):
        raise ConfigError(f'{name}: is a pipe; it must be a file, except on Linux')
    return in_memory(name, content)


def in_memory(name: str, content: bytes) -> Path:
    """Return the path of a file in memory that lives as long as this process; only on Linux.

    Args:
        name: what the file is called where its path is looked at.
        content: what is in it.
    """
    copy = os.memfd_create(name[:200])
    with open(copy, 'wb', closefd=False) as file:
        file.write(content)
    return Path(f'/proc/{os.getpid()}/fd/{copy}')


def _read(path: str, name: str, what: str = WHAT, largest: int = LARGEST) -> bytes:
    """Read all bytes of a file or pipe; messages call it ``name``."""
    try:
        _check_kind(os.stat(path).st_mode, name)
        # Does not wait for a writer at the other end of a pipe.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, 'O_NONBLOCK', 0))
        try:
            return _all_of(descriptor, path, name, what, largest)
        finally:
            os.close(descriptor)
    except ConfigError:
        raise
    except OSError as error:
        raise ConfigError(f'{name}: cannot be read: {error.strerror or error}') from None
    except ValueError:  # a NUL in the name
        raise ConfigError(f'{name}: cannot be read: no file can have that name') from None


def _check_kind(mode: int, name: str) -> None:
    for is_kind, kind in _KINDS:
        if is_kind(mode):
            raise ConfigError(f'{name}: cannot be read: it is {kind}; it must be a file')


def _all_of(descriptor: int, path: str, name: str, what: str, largest: int) -> bytes:
    is_pipe = stat.S_ISFIFO(os.fstat(descriptor).st_mode)
    patience = PATIENCE if 'pipe:' in os.path.realpath(path) else PATIENCE_WITH_A_NAME
    deadline = time.monotonic() + patience
    content = bytearray()
    while len(content) <= largest:
        if is_pipe and not _has_something(descriptor, deadline):
            raise ConfigError(f'{name}: is a pipe that its writer did not close in {patience:g} s')
        part = os.read(descriptor, largest)
        if not part:
            return bytes(content)
        content += part
    raise ConfigError(f'{name}: is too large for {what}; it must have at most {largest} bytes')


def _has_something(pipe: int, deadline: float) -> bool:
    """Wait until there is data or the other end is closed; return False on timeout."""
    waiter = select.poll()
    waiter.register(pipe, select.POLLIN)
    while not waiter.poll(100):  # ms, so that signals are handled
        if time.monotonic() > deadline:
            return False
    return True

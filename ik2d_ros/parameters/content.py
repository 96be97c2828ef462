"""The text of a file that a person names, whatever that turns out to be: bounded, and read once.

Nothing in here knows what the text means.
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
"""Bytes of a parameter file. A robot of hundreds of joints with its URDF inside takes a tenth."""

# A pipe of the shell's, `<(...)`, has somebody at its other end, who may take a while to begin. A
# pipe in a folder may have nobody there, ever.
PATIENCE = 10.0  # s
PATIENCE_WITH_A_NAME = 1.5  # s

_KINDS = (
    (stat.S_ISDIR, 'a directory'),
    (stat.S_ISCHR, 'a device'),
    (stat.S_ISBLK, 'a device'),
    (stat.S_ISSOCK, 'a socket'),
)

# The longer ones first, for that of UTF-16 begins that of UTF-32.
_ENCODINGS = (
    (codecs.BOM_UTF32_LE, 'utf-32'),
    (codecs.BOM_UTF32_BE, 'utf-32'),
    (codecs.BOM_UTF8, 'utf-8-sig'),
    (codecs.BOM_UTF16_LE, 'utf-16'),
    (codecs.BOM_UTF16_BE, 'utf-16'),
)


def read_text(path: str | Path) -> str:
    """The text of a file in UTF-8, or in UTF-16 with a byte order mark, as YAML and ROS have it.

    Raises:
        ConfigError: it cannot be read, is no file, is too large, or is no text.
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
    """A path at which a file can be read as often as one likes.

    That is the path itself but for a pipe, which gives what it has only once: what came out of it
    is kept in memory under the path that this returns, which child processes can read as well.

    Raises:
        ConfigError: the pipe gives nothing, or too much.
    """
    try:
        is_pipe = stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return Path(path)  # whoever reads it will see why
    return _drained(str(path)) if is_pipe else Path(path)


@functools.cache
def _drained(path: str) -> Path:
    """What comes out of a pipe, as a file in memory that stays as long as this process."""
    name = printable(path)
    content = _read(path, name)
    if not hasattr(os, 'memfd_create'):
        raise ConfigError(f'{name}: is a pipe; it must be a file, but on Linux')
    copy = os.memfd_create(name)
    with open(copy, 'wb', closefd=False) as file:
        file.write(content)
    return Path(f'/proc/{os.getpid()}/fd/{copy}')


def _read(path: str, name: str) -> bytes:
    """All bytes of a file or pipe; ``name`` is what messages call it."""
    try:
        _check_kind(os.stat(path).st_mode, name)
        # Without waiting for somebody at the other end of a pipe.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, 'O_NONBLOCK', 0))
        try:
            return _all_of(descriptor, path, name)
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


def _all_of(descriptor: int, path: str, name: str) -> bytes:
    is_pipe = stat.S_ISFIFO(os.fstat(descriptor).st_mode)
    patience = PATIENCE if 'pipe:' in os.path.realpath(path) else PATIENCE_WITH_A_NAME
    deadline = time.monotonic() + patience
    content = bytearray()
    while len(content) <= LARGEST:
        if is_pipe and not _has_something(descriptor, deadline):
            raise ConfigError(f'{name}: this pipe was not written to its end in {patience:g} s')
        part = os.read(descriptor, LARGEST)
        if not part:
            return bytes(content)
        content += part
    raise ConfigError(
        f'{name}: is too large for a parameter file; it must have at most {LARGEST} bytes'
    )


def _has_something(pipe: int, deadline: float) -> bool:
    """Wait until there is something to read, or the other end was closed; False if never."""
    waiter = select.poll()
    waiter.register(pipe, select.POLLIN)
    while not waiter.poll(100):  # ms, so that signals are heard
        if time.monotonic() > deadline:
            return False
    return True

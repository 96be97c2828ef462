"""Output of the commands: to standard output, or atomically to a file."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from ik2d_ros.parameters.wording import printable

LONGEST = 2000  # characters of an error message


class OutputError(Exception):
    """Output cannot be written; the message says what and why."""


def complain(text: str) -> None:
    """Write an error message as one line to standard error, ignoring failures."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f'{printable(text, LONGEST)}\n')
        sys.stderr.flush()


def write_out(text: str) -> None:
    """Write text for a person to standard output, in its encoding.

    Raises:
        OutputError: it cannot be written.
        BrokenPipeError: the reader has exited.
    """
    with _reported_as('standard output'):
        sys.stdout.write(text)
        sys.stdout.flush()


def write_document(text: str, path: Path | None = None) -> None:
    """Write a document for programs, in UTF-8 whatever the encoding of the output.

    Args:
        text: the document.
        path: the file; None for standard output.

    Raises:
        OutputError: it cannot be written.
        BrokenPipeError: the reader has exited.
    """
    content = text.encode('utf-8')
    if path is not None:
        write_file(path, content)
        return
    with _reported_as('standard output'):
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def write_file(path: Path, content: bytes) -> None:
    """Write a file atomically: the old content stays until all of the new one is written.

    Raises:
        OutputError: it cannot be written.
        BrokenPipeError: it is a pipe whose reader has exited.
    """
    with _reported_as(printable(str(path))), _without_interruption():
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            mode = None
        if mode is not None and not stat.S_ISREG(mode):  # a device or a pipe
            path.write_bytes(content)
            return
        if mode is not None:
            # Replacing the file would not check its write permission.
            os.close(os.open(path, os.O_WRONLY))
        _replace(Path(os.path.realpath(path)), content, mode)  # keeps symbolic links


def _replace(place: Path, content: bytes, mode: int | None) -> None:
    temporary = place.with_name(f'.ik2d-{secrets.token_hex(8)}.tmp')
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, 'wb') as file:
            if mode is not None:
                os.fchmod(descriptor, stat.S_IMODE(mode))
            file.write(content)
            file.flush()
            os.fsync(descriptor)  # some file systems report only now that they are full
        temporary.replace(place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _reported_as(what: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f'{what}: cannot be written: {error.strerror or error}') from None


@contextlib.contextmanager
def _without_interruption() -> Iterator[None]:
    """Block the signals that could leave half a file, for the duration of the block."""
    ending = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ending)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

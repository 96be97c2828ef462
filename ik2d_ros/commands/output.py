"""What the commands write: to standard output, or a file that is there as a whole or not at all."""

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

LONGEST = 2000  # characters of a complaint


class OutputError(Exception):
    """Something cannot be written; the message says what, and why."""


def complain(text: str) -> None:
    """Say on standard error, in one line, why there is no result, if anybody can hear it."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f'{printable(text, LONGEST)}\n')
        sys.stderr.flush()


def write_out(text: str) -> None:
    """Write to standard output what a person reads, in whatever encoding it has.

    Raises:
        OutputError: it cannot be written.
        BrokenPipeError: the reader has left.
    """
    with _told_as('standard output'):
        sys.stdout.write(text)
        sys.stdout.flush()


def write_document(text: str, path: Path | None = None) -> None:
    """Write a document that programs read: in UTF-8, wherever it goes.

    Args:
        text: all of it.
        path: the file; None for standard output.

    Raises:
        OutputError: it cannot be written.
        BrokenPipeError: the reader has left.
    """
    content = text.encode('utf-8')
    if path is not None:
        write_file(path, content)
        return
    with _told_as('standard output'):
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def write_file(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all: what was there before stays until all is written.

    Raises:
        OutputError: it cannot be written.
        BrokenPipeError: it is a pipe whose reader has left.
    """
    with _told_as(printable(str(path))), _without_interruption():
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            mode = None
        if mode is not None and not stat.S_ISREG(mode):  # a device or a pipe
            path.write_bytes(content)
            return
        if mode is not None:
            # A new file in its place would not ask whether that one may be written.
            os.close(os.open(path, os.O_WRONLY))
        _replace(Path(os.path.realpath(path)), content, mode)  # so that a link stays one


def _replace(place: Path, content: bytes, mode: int | None) -> None:
    temporary = place.with_name(f'.ik2d-{secrets.token_hex(8)}.tmp')
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, 'wb') as file:
            if mode is not None:
                os.fchmod(descriptor, stat.S_IMODE(mode))
            file.write(content)
            file.flush()
            os.fsync(descriptor)  # some file systems tell only now that they are full
        temporary.replace(place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _told_as(what: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f'{what}: cannot be written: {error.strerror or error}') from None


@contextlib.contextmanager
def _without_interruption() -> Iterator[None]:
    """Keep the signals that would leave half a file waiting for the moment that this takes."""
    ending = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ending)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

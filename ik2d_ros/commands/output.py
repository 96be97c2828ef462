"""Output of the commands: to standard output, or to a file as a whole."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from ik2d_ros.parameters.checks import printable

LONGEST = 20_000  # characters of an error message: the ends of a humanoid with hands


def complain(text: str) -> None:
    """Write an error message as one line to standard error, ignoring failures."""
    with contextlib.suppress(OSError, AttributeError):  # it may be closed
        sys.stderr.write(f'{printable(text, LONGEST)}\n')
        sys.stderr.flush()


def aligned(lines: Iterable[tuple[str, str]]) -> str:
    """Format labels and texts in two columns; a line without a label goes on with the one above."""
    return ''.join(f'{label + ":" if label else "":13}{text}\n' for label, text in lines)


def write(content: str | bytes, path: Path | None = None) -> None:
    """Write text in UTF-8, or bytes.

    Args:
        content: what to write.
        path: the file, whose old content stays until all of the new one is written; None for
            standard output.

    Raises:
        OSError: it cannot be written.
    """
    data = content.encode('utf-8', 'backslashreplace') if isinstance(content, str) else content
    where = 'standard output' if path is None else str(path)
    try:
        if path is None:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        elif path.exists() and not path.is_file():  # a device or a pipe
            path.write_bytes(data)
        else:
            _replace(Path(os.path.realpath(path)), data)  # keeps symbolic links
    except OSError as error:
        raise OSError(error.errno, f'cannot be written: {error.strerror}', where) from None


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_name(f'.ik2d-{secrets.token_hex(8)}.tmp')
    try:
        with temporary.open('xb') as file:
            file.write(data)
        if path.exists():
            os.close(os.open(path, os.O_WRONLY))  # replacing it would not check its permission
            shutil.copymode(path, temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)

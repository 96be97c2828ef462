"""Output of the commands: to standard output, or to a file."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable
from pathlib import Path

from ik2d_ros.parameters.sanitize import printable

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
    """Write text in UTF-8, or bytes, to a file; without one to standard output.

    Raises:
        OSError: it cannot be written.
    """
    data = content.encode('utf-8', 'backslashreplace') if isinstance(content, str) else content
    try:
        if path is not None:
            path.write_bytes(data)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
    except OSError as error:
        where = 'standard output' if path is None else str(path)
        raise OSError(error.errno, f'cannot be written: {error.strerror}', where) from None

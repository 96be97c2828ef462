"""What callbacks raise: told of with its cause, counted, and the end of nothing; no ROS in here."""

from __future__ import annotations

import math
import time
import traceback
from collections.abc import Callable
from pathlib import Path

SECONDS_BETWEEN_LOGS = 1.0
LONGEST_MESSAGE = 300  # characters of an error's own words

_PACKAGE = Path(__file__).resolve().parents[1]


class Faults:
    """The errors that nobody expected, since the start of a node.

    Attributes:
        count: how many there were.
    """

    def __init__(self, complain: Callable[[str], object]) -> None:
        """``complain`` writes a line to the log."""
        self.count = 0
        self._complain = complain
        self._told_at = -math.inf

    def note(self, error: Exception) -> None:
        """Count an error, and tell of it unless another one was told of a moment ago."""
        self.count += 1
        now = time.monotonic()
        if now - self._told_at >= SECONDS_BETWEEN_LOGS:
            self._told_at = now
            self._complain(f'internal error {self.count} since start, going on: {cause(error)}')

    def remark(self) -> str:
        """A sentence to end a status with, after a space; empty as long as there is no error."""
        if not self.count:
            return ''
        errors = 'error' if self.count == 1 else 'errors'
        return f' ({self.count} internal {errors} since start, see the log)'


def cause(error: BaseException) -> str:
    """An error in one line: its type, its words, and where in this package it came from.

    Where none of its frames is in this package, the innermost of all is told.
    """
    words = ascii(str(error))[1:-1]  # whatever is in it, it must not break the line
    if len(words) > LONGEST_MESSAGE:
        words = f'{words[:LONGEST_MESSAGE]}...'
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if _PACKAGE in Path(frame.filename).parents]
    where = ''
    if frames:
        frame = (ours or frames)[-1]
        file = Path(frame.filename)
        file = file.relative_to(_PACKAGE.parent) if ours else Path(*file.parts[-2:])
        where = f', in {file}:{frame.lineno} ({frame.name})'
    return f'{type(error).__name__}: {words}{where}'

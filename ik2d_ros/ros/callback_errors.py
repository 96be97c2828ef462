"""Exceptions in callbacks: logged with their cause and counted; no ROS imports."""

from __future__ import annotations

import math
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from ik2d_ros.parameters.sanitize import printable

SECONDS_BETWEEN_LOGS = 1.0
LONGEST_MESSAGE = 300  # characters of an exception's message
PAUSE = 1e-3  # s; without it, a recurring exception would use a whole core

_PACKAGE = Path(__file__).resolve().parents[1]


class CallbackErrors:
    """Unexpected exceptions since the start of a node.

    Attributes:
        count: number of exceptions.
    """

    def __init__(self, complain: Callable[[str], object]) -> None:
        """Start counting; ``complain`` writes a line to the log."""
        self.count = 0
        self._complain = complain
        self._told_at = -math.inf

    def note(self, error: Exception) -> None:
        """Count an exception, log it unless another one was logged just before, and pause."""
        self.count += 1
        now = time.monotonic()
        if now - self._told_at >= SECONDS_BETWEEN_LOGS:
            self._told_at = now
            self._complain(f'internal error {self.count} since start, continuing: {cause(error)}')
        time.sleep(PAUSE)


def cause(error: BaseException) -> str:
    """Describe an exception in one line: its type, its message, and its place in this package.

    If none of its frames is in this package, the innermost frame is given.
    """
    where, frames = '', traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if _PACKAGE in Path(frame.filename).parents]
    if frames:
        frame = (ours or frames)[-1]
        file = Path(*Path(frame.filename).parts[-3:])
        where = f', in {file}:{frame.lineno} ({frame.name})'
    return f'{type(error).__name__}: {printable(str(error), LONGEST_MESSAGE)}{where}'

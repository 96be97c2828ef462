"""Exceptions in callbacks, described for the log; no ROS imports."""

from __future__ import annotations

import traceback
from pathlib import Path

from ik2d_ros.parameters.sanitize import printable

LONGEST_MESSAGE = 300  # characters of an exception's message

_PACKAGE = Path(__file__).resolve().parents[1]


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

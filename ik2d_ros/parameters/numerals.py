"""Numbers that arrive as strings; no ROS imports.

The ROS 2 command line reads values as YAML 1.1, in which ``1e-6`` and ``inf`` are strings; a list
of mixed types such as ``[0, 0, 0.5]`` becomes a string as a whole.
"""

from __future__ import annotations

import math
import re

from ik2d_ros.parameters.checks import is_sequence

_WHOLE = re.compile(r'[+-]?[0-9]{1,18}')  # fits into the 64 bits of a parameter
_DECIMAL = re.compile(r'[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?')
_SPECIAL = re.compile(r'([+-]?)\.?(inf|nan)', re.IGNORECASE)

LONGEST = 100  # characters of a number


def read(value: object) -> object:
    """Read strings in a value as numbers, where the value must be a number or a list of them.

    Accepts decimal numbers, with or without an exponent, and inf and nan, with or without YAML's
    dot; other notations, such as ``0x10`` or ``1_000``, are not accepted.

    Args:
        value: the value as given.

    Returns:
        The number or the list of numbers; the value itself if it is something else.
    """
    if isinstance(value, str):
        if value[:1] == '[' and value[-1:] == ']':
            return _listed([item.strip() for item in value[1:-1].split(',')], value)
        number = _number(value)
        return value if number is None else number
    if is_sequence(value) and any(isinstance(item, str) for item in value):
        return _listed([str(item) for item in value], value)
    return value


def _listed(items: list[str], otherwise: object) -> object:
    numbers = [number for item in items if (number := _number(item)) is not None]
    # ROS allows one type per list.
    return [*map(float, numbers)] if len(numbers) == len(items) else otherwise


def _number(text: str) -> int | float | None:
    if len(text) > LONGEST:
        return None
    if _WHOLE.fullmatch(text):
        return int(text)
    if special := _SPECIAL.fullmatch(text):
        return float(special[1] + special[2])
    number = float(text) if _DECIMAL.fullmatch(text) else math.inf
    return number if math.isfinite(number) else None

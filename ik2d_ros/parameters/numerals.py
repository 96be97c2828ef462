"""Numbers that arrive as text; no ROS in here.

The command line of ROS 2 reads values as YAML 1.1 does, to which ``1e-6`` and ``inf`` are text, and
so is a whole list in which the kinds are mixed: ``[0, 0, 0.5]``.
"""

from __future__ import annotations

import math
import re

from ik2d_ros.parameters.checks import is_sequence

_WHOLE = re.compile(r'[+-]?[0-9]{1,18}')  # what fits into the 64 bits of a parameter
_DECIMAL = re.compile(r'[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?')
_SPECIAL = re.compile(r'([+-]?)\.?(inf|nan)', re.IGNORECASE)

LONGEST = 100  # characters of a number


def read(value: object) -> object:
    """The numbers in a value that should be one, or a list of them.

    Decimal numbers are taken, with an exponent or without, and inf and nan with or without YAML's
    dot; nothing else that some language takes for a number, such as ``0x10`` or ``1_000``.

    Args:
        value: as it was given.

    Returns:
        The number, or the list of numbers; the very value where it is no text, or none like that.
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
    # ROS wants one kind of value in a list.
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

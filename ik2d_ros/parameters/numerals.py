"""Numbers as text: as they arrive, and as people read them; no ROS imports.

In a file, ROS reads ``1e-6`` as a number, while YAML 1.1 has it as a string. On its command line
ROS reads it as a string, and so it does a whole list of mixed types, such as ``[0, 0, 0.5]``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection

from ik2d_ros.parameters.checks import is_sequence

_WHOLE = re.compile(r'[+-]?(0|[1-9][0-9]{0,17})')  # fits into the 64 bits of a parameter
_DECIMAL = re.compile(r'[+-]?(?!0[0-9])([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?')
_SPECIAL = re.compile(r'([+-]?)\.?(inf|nan)', re.IGNORECASE)
_IN_DEGREES = re.compile(r'(\S*?) ?(deg\S*)')


def degrees_for(unit: str) -> tuple[str, ...]:
    """Return how angles may be given in degrees: ``deg/s`` for ``rad/s or m/s``."""
    units = unit.split(' or ')
    return tuple(one.replace('rad', 'deg', 1) for one in units if one.startswith('rad'))


def number(text: str, degrees: Collection[str] = ()) -> int | float | None:
    """Return the number that a text is, or None.

    Decimal numbers, with or without an exponent, and inf and nan, with or without YAML's dot; other
    notations, such as ``0x10``, ``010`` or ``1_000``, are none.

    Args:
        text: the number, or one with a unit of ``degrees``: ``90 deg``.
        degrees: as of :func:`degrees_for`.
    """
    if (found := _IN_DEGREES.fullmatch(text)) and found[2] in degrees:
        angle = number(found[1])
        return None if angle is None else math.radians(angle)
    if _WHOLE.fullmatch(text):
        return int(text)
    if special := _SPECIAL.fullmatch(text):
        return float(special[1] + special[2])
    value = float(text) if _DECIMAL.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def read(value: object, degrees: Collection[str] = ()) -> object:
    """Read strings in a value as numbers, where the value must be a number or a list of them.

    Args:
        value: the value as given.
        degrees: as of :func:`number`.

    Returns:
        The number or the list of numbers; the value itself if it is something else.
    """
    items: object = value
    if isinstance(value, str):
        if value[:1] != '[' or value[-1:] != ']':
            found = number(value, degrees)
            return value if found is None else found
        items = [item.strip() for item in value[1:-1].split(',')]
    if not is_sequence(items) or not any(isinstance(item, str) for item in items):
        return value
    numbers = [found for item in items if (found := number(str(item), degrees)) is not None]
    # ROS allows one type per list.
    return [*map(float, numbers)] if len(numbers) == len(items) else value


def with_unit(value: float, unit: str) -> str:
    """Return a value with its unit, an angle in degrees too."""
    degrees = f' ({math.degrees(value):.3g} deg)' if unit == 'rad' else ''
    return f'{value:.6g} {unit}{degrees}'

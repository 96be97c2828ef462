"""Values that look like degrees or millimetres."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ik2d_ros.kinematics.arguments import shown

OTHERS = {
    # Some files have 6.2832 for a turn.
    'rad': ('degrees', math.radians(1.0), 2.0 * math.pi + 0.01),
    'rad/s': ('degrees per second', math.radians(1.0), 50.0),
    'm': ('millimetres', 1e-3, 50.0),
    'm/s': ('millimetres per second', 1e-3, 50.0),
}
"""By unit: the one that may have been used by mistake, what it is, and the bound that shows it."""

BEYOND = 20.0  # reaches

# The caller's line; <string> is the constructor of a dataclass, and all of a name is no prefix.
_PLACE: dict[str, Any] = (
    {'skip_file_prefixes': (str(Path(__file__).parents[1]), '<string')}
    if sys.version_info >= (3, 12)
    else {'stacklevel': 4}
)


class UnitWarning(UserWarning):
    """A value looks like degrees or millimetres; it is taken as it is, in rad or m."""


def suggest_unit(value: float, unit: str, reach: float = math.inf) -> str:
    """Return a question about a value that may be in another unit, or nothing.

    Args:
        value: the value.
        unit: its unit.
        reach: of an arm in m, if the value is a distance that the arm should reach: then what is
            far beyond it, but not in millimetres, is in question.
    """
    other, size, most = OTHERS[unit]
    is_far = min(most, BEYOND * reach) < abs(value) < math.inf
    is_near = abs(value) * size <= BEYOND * reach
    return f'{other}? It would be {value * size:.4g} {unit}' if is_far and is_near else ''


def suggest_units(values: Iterable[tuple[str, float, str]]) -> Iterator[str]:
    """Yield a sentence for each parameter, of a name, a value and a unit, that is in question."""
    for name, value, unit in values:
        if question := suggest_unit(value, unit):
            yield f"parameter '{name}' is {value:g} {unit}: {question}"


def warn_of(what: str, value: float, unit: str, joint: str = '') -> None:
    """Warn, once for each place in a program, of a value that may be in another unit.

    Python tells a text once for each place; with the value in it, each new value would be told.
    """
    other, _, most = OTHERS[unit]
    if most < abs(value) < math.inf:
        whose = f'joint {shown(joint)}: ' if joint else ''
        warnings.warn(f'{whose}{what} is beyond {most:g} {unit}: {other}?', UnitWarning, **_PLACE)

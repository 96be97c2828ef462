"""Arguments of callers: read as numbers or refused, and doubted if they look like other units.

Angles, lengths and arms may be larger than those of machines, and are far from overflow.
"""

from __future__ import annotations

import sys
import warnings
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from math import inf, isfinite, pi, radians
from numbers import Real
from pathlib import Path
from reprlib import Repr
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Numbers = Sequence[float] | FloatArray

LARGEST_ANGLE = 1e3  # rad, to either side: some 160 turns.
LARGEST_LENGTH = 1e4  # m, to either side.
# rad, to either side, of a joint that has turned in one sense for years. A double tells 1.2e-7 rad
# apart there.
LARGEST_POSITION = 1e9
MOST_JOINTS = 64  # In a chain.
MOST_PASSES = 1_000_000_000  # That a solver makes, even if more are allowed.
MOST_POINTS = 100_000  # On a path.

_LONGEST = 200  # Characters that a message shows of a value,
_MOST_ITEMS = 10  # and items of a list.
_NO_LISTS = (str, bytes, bytearray, Mapping, Set)  # Texts, and what has no order.


class Ik2dError(ValueError):
    """Base of every error that this package raises for bad input.

    Attributes:
        fields: names of the fields or arguments that are refused; empty where it is none of them.
    """

    def __init__(self, message: str, *fields: str) -> None:
        super().__init__(message)
        self.fields = fields


class ChainError(Ik2dError):
    """A chain or a joint that cannot be built; the message names the joint and the value."""


class ArgumentError(Ik2dError):
    """An argument of a solver that is refused; the message names it and what is allowed."""


def finite(value: object) -> float | None:
    """Return the value as a finite float, or None if it is none.

    Any real number will do, of Python or NumPy; text, truth values, NaN and infinity will not.
    """
    number = value if type(value) is float else as_float(value)
    return number if number is not None and isfinite(number) else None


def as_float(value: object) -> float | None:
    """Return the value as a float, as :func:`finite` does, but allow NaN and infinity."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and not np.ma.is_masked(value):
        value = value[()]
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def text(value: object) -> str | None:
    """Return the value as a plain text, or None if it is no text."""
    return str(value) if isinstance(value, str) else None


def listed(values: object, most: int) -> list[Any] | tuple[Any, ...] | None:
    """Return the items in order, at most ``most + 1``, or None for a value without items."""
    if isinstance(values, (list, tuple)):
        return values
    if isinstance(values, np.ndarray):
        return values[: most + 1].tolist() if values.ndim == 1 else None
    if isinstance(values, _NO_LISTS) or not isinstance(values, Iterable):
        return None
    return list(islice(values, most + 1))


def finite_row(values: object, count: int, largest: float = inf) -> tuple[float, ...] | None:
    """Return ``count`` finite numbers, none beyond the largest to either side; None for others."""
    items = listed(values, count) or ()
    row = tuple([number for item in items if (number := finite(item)) is not None])
    if len(row) != count or len(items) != count:
        return None
    return row if largest == inf or max(map(abs, row)) <= largest else None


def refusal(what: str, value: object, allowed: str) -> str:
    """Return the message that refuses a value of what it is, and says what is allowed."""
    return f'{what} is {shown(value)}; it must be {allowed}'


def span(largest: float, unit: str) -> str:
    """Return the words for numbers up to a largest to either side."""
    return f'from {-largest:.12g} to {largest:.12g}, in {unit}'


def numbers(what: str, values: object) -> FloatArray:
    """Return an array of any shape, its numbers finite or not.

    Raises:
        ArgumentError: it is none; the message calls it ``what``.
    """
    if type(values) is np.ndarray and values.dtype.char == 'd':
        return values
    try:
        # NumPy would read truth values among numbers as numbers.
        array = np.asanyarray(values, None if isinstance(values, np.ndarray) else object)
        if array.dtype.kind == 'O':
            items = [as_float(item) for item in array.flat]
            if None not in items:
                return np.array(items, dtype=np.float64).reshape(array.shape)
        elif array.dtype.kind in 'fiu' and not np.ma.is_masked(array):
            with np.errstate(over='ignore'):  # Numbers that are too large become infinite.
                return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):  # it is no array
        pass
    raise ArgumentError(f'{what} must be an array of numbers, not {shown(values)}')


def name_of(kind: str, value: object) -> str:
    """Return the name of a joint or a wall, a text; a message calls it by its kind."""
    name = text(value)
    if not name:
        raise ChainError(f'a {kind} needs a name: a text that is not empty, not {shown(value)}')
    return name


def replace_fields(instance: object, **values: object) -> None:
    """Set fields of a frozen dataclass, in its ``__post_init__``, to the checked values."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def read_only(values: Sequence[float]) -> FloatArray:
    """Return an array of some numbers that cannot be written to."""
    found = np.array(values, dtype=np.float64)
    found.setflags(write=False)
    return found


def packed(values: FloatArray) -> array[float]:
    """Return numbers as the kernel takes them."""
    return array('d', np.ascontiguousarray(values).tobytes())


_SHORT = Repr()
_SHORT.maxlevel, _SHORT.maxlong = 3, 40
_SHORT.maxstring = _SHORT.maxother = _LONGEST
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxarray = _SHORT.maxdeque = _MOST_ITEMS


def shown(value: object) -> str:
    """Return a value as a message shows it: in a short line."""
    words = ' '.join(_SHORT.repr(value).split()) or f'<{type(value).__name__}>'
    words = words if len(words) <= _LONGEST else f'{words[: _LONGEST - 3]}...'
    return words if words.isprintable() else ascii(words)[1:-1]


def named(names: tuple[str, ...]) -> str:
    """Return the first names with commas between them, and how many more there are."""
    more = f' and {len(names) - _MOST_ITEMS} more' if len(names) > _MOST_ITEMS else ''
    return ', '.join(shown(name)[1:-1] for name in names[:_MOST_ITEMS]) + more


OTHERS = {
    # Some files have 6.2832 for a turn.
    'rad': ('degrees', radians(1.0), 2.0 * pi + 0.01),
    'rad/s': ('degrees per second', radians(1.0), 50.0),
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


def suggest_unit(value: float, unit: str, reach: float = inf) -> str:
    """Return a question about a value that may be in another unit, or nothing.

    Args:
        value: the value.
        unit: its unit.
        reach: of an arm in m, if the value is a distance that the arm should reach: then what is
            far beyond it, but not in millimetres, is in question.
    """
    other, size, most = OTHERS[unit]
    is_far = min(most, BEYOND * reach) < abs(value) < inf
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
    if most < abs(value) < inf:
        whose = f'joint {shown(joint)}: ' if joint else ''
        warnings.warn(f'{whose}{what} is beyond {most:g} {unit}: {other}?', UnitWarning, **_PLACE)

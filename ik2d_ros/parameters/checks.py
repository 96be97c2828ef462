"""Checks of single parameter values, with one wording for every refusal; no ROS in here.

Each check returns the value in the type that the rest of the package works with, or raises
:class:`ConfigError` naming the parameter, the value and what is allowed. Sequences may arrive as
lists, tuples or arrays, and a whole number is welcome wherever a number is.
"""

from __future__ import annotations

import array
import difflib
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import NoReturn, TypeGuard

from ik2d_ros.kinematics import Ik2dError
from ik2d_ros.parameters.wording import LONGEST, is_printable, printable

MOST_ITEMS = 20  # of a sequence in a message
LARGEST = 10**500  # whole number that is shown in digits; Python refuses to write a very large one


class ConfigError(Ik2dError):
    """A refused parameter or parameter file; the message says which, why, and what is allowed."""


def refuse(name: str, value: object, allowed: str) -> NoReturn:
    """Raise the ConfigError for a parameter's value.

    Args:
        name: full dotted name of the parameter.
        value: the value as it was given.
        allowed: what it must be, to follow the words "it must be".
    """
    raise ConfigError(f"parameter '{printable(name)}' is {shown(value)}; it must be {allowed}")


def shown(value: object) -> str:
    """A value as a message shows it: texts quoted, any sequence as a list, and never too long."""
    if isinstance(value, str):
        cut = '...' if len(value) > LONGEST else ''
        return repr(value[:LONGEST]) + cut
    if is_sequence(value):
        items = [shown(item) for item in value[:MOST_ITEMS]]
        return f'[{", ".join(items + ["..."] * (len(value) > MOST_ITEMS))}]'
    if isinstance(value, int):
        is_short = -LARGEST < value < LARGEST
        return repr(value) if is_short else f'a whole number of {value.bit_length()} bits'
    return printable(repr(value))


def listed(names: Iterable[str]) -> str:
    """Names with commas between, as a message shows them: no long ones and not too many."""
    shown_names = [printable(name) for name in itertools.islice(names, MOST_ITEMS + 1)]
    return ', '.join([*shown_names[:MOST_ITEMS], *['...'] * (len(shown_names) > MOST_ITEMS)])


def closest(name: str, valid: Iterable[str]) -> str:
    """The words ``; did you mean 'x'?`` for the valid name most like a mistyped one, or nothing."""
    if len(name) > LONGEST:
        return ''  # the comparison takes the square of the length
    matches = difflib.get_close_matches(name, list(valid), n=1)
    return f"; did you mean '{matches[0]}'?" if matches else ''


def number(name: str, value: object, allowed: str = 'a finite number') -> float:
    """A finite number."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        refuse(name, value, allowed)
    try:
        result = float(value)
    except OverflowError:
        refuse(name, value, allowed)
    if not math.isfinite(result):
        refuse(name, value, allowed)
    return result


def positive(name: str, value: object, allowed: str = 'a number > 0') -> float:
    """A finite number above zero."""
    result = number(name, value, allowed)
    return result if result > 0.0 else refuse(name, value, allowed)


def not_negative(name: str, value: object, allowed: str = 'a number >= 0') -> float:
    """A finite number of zero or more."""
    result = number(name, value, allowed)
    return result if result >= 0.0 else refuse(name, value, allowed)


def integer(name: str, value: object, least: int) -> int:
    """A whole number of ``least`` or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        refuse(name, value, f'a whole number >= {least}')
    return value


def numbers(name: str, value: object, count: int, allowed: str) -> tuple[float, ...]:
    """A sequence of ``count`` finite numbers."""
    if not is_sequence(value) or len(value) != count:
        refuse(name, value, allowed)
    try:
        return tuple(number(name, item) for item in value)
    except ConfigError:
        refuse(name, value, allowed)


def text(name: str, value: object, allowed: str = 'a text that is not empty') -> str:
    """A text that is not empty and has no control characters: all texts here are names."""
    if not isinstance(value, str) or not value.strip():
        refuse(name, value, allowed)
    if not is_printable(value):
        refuse(name, value, f'{allowed} and has no control characters')
    return value


def choice(name: str, value: object, valid: Sequence[str]) -> str:
    """One text out of a few."""
    if isinstance(value, str) and value in valid:
        return value
    hint = closest(value, valid) if isinstance(value, str) else ''
    refuse(name, value, f'one of {", ".join(valid)}{hint}')


def is_sequence(value: object) -> TypeGuard[Sequence[object]]:
    """Whether a value is a list, a tuple or an array."""
    return isinstance(value, (list, tuple, array.array))

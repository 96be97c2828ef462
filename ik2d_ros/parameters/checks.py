"""Checks of single parameter values, with one wording for every refusal; no ROS in here.

Each check is called with the parameter's name, its value and what it must be in words, and returns
the value in the type that the rest of the package works with, or raises :class:`ConfigError` naming
all three. Sequences may arrive as lists, tuples or arrays, and a whole number is welcome wherever a
number is. A check of one of the kinds below holds its bounds as data, and knows the words itself.
"""

from __future__ import annotations

import array
import difflib
import itertools
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard

from ik2d_ros.kinematics import Ik2dError
from ik2d_ros.parameters.wording import LONGEST, is_printable, printable

MOST_ITEMS = 20  # of a sequence in a message
LARGEST = 10**500  # whole number that is shown in digits; Python refuses to write a very large one

Check = Callable[[str, object, str], Any]
"""Gives the checked value of (name, value, what it must be), or raises ConfigError."""


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


@dataclass(frozen=True)
class Number:
    """A number, finite unless infinity is allowed.

    Attributes:
        above: what it must exceed.
        least: the smallest that it may be.
        most: the largest that it may be, where there is a smallest.
        infinite: whether infinity stands for no limit.
    """

    above: float | None = None
    least: float | None = None
    most: float | None = None
    infinite: bool = False

    @property
    def words(self) -> str:
        """What is allowed."""
        if self.above is not None:
            return f'a number > {self.above:g}'
        if self.least is not None and self.most is not None:
            return f'a finite number >= {self.least:.12g} and <= {self.most:.12g}'
        return 'a finite number' if self.least is None else f'a number >= {self.least:g}'

    def __call__(self, name: str, value: object, allowed: str) -> float:
        """The number as a float."""
        result = _finite(value)
        if result is None and self.infinite and value == math.inf:
            return math.inf
        if result is None or not self._is_inside(result):
            refuse(name, value, allowed)
        return result

    def _is_inside(self, number: float) -> bool:
        return (
            (self.above is None or number > self.above)
            and (self.least is None or number >= self.least)
            and (self.most is None or number <= self.most)
        )


@dataclass(frozen=True)
class Whole:
    """A whole number.

    Attributes:
        least: the smallest that it may be.
        most: the largest that it may be, or None.
    """

    least: int
    most: int | None = None

    @property
    def words(self) -> str:
        """What is allowed."""
        if self.most is None:
            return f'a whole number >= {self.least}'
        return f'a whole number from {self.least} to {self.most}'

    def __call__(self, name: str, value: object, allowed: str) -> int:
        """The number."""
        if not isinstance(value, int) or isinstance(value, bool) or value < self.least:
            refuse(name, value, allowed)
        return value if self.most is None or value <= self.most else refuse(name, value, allowed)


@dataclass(frozen=True)
class Numbers:
    """A sequence of so many finite numbers.

    Attributes:
        count: how many.
        largest: how large each may be, to either side of 0.
    """

    count: int
    largest: float = sys.float_info.max

    @property
    def words(self) -> str:
        """What is allowed."""
        return f'a list of {self.count} finite numbers{self.range}'

    @property
    def range(self) -> str:
        """How large each may be, in words to follow what they are; empty for any size."""
        if self.largest == sys.float_info.max:
            return ''
        return f' from {-self.largest:.12g} to {self.largest:.12g}'

    def __call__(self, name: str, value: object, allowed: str) -> tuple[float, ...]:
        """The numbers as floats."""
        items = value if is_sequence(value) else ()
        numbers = [n for n in map(_finite, items) if n is not None and abs(n) <= self.largest]
        if not len(numbers) == len(items) == self.count:
            refuse(name, value, allowed)
        return tuple(numbers)


@dataclass(frozen=True)
class Choice:
    """One text out of a few."""

    valid: tuple[str, ...]

    @property
    def words(self) -> str:
        """What is allowed."""
        return f'one of {", ".join(self.valid)}'

    def __call__(self, name: str, value: object, allowed: str) -> str:
        """The text."""
        if isinstance(value, str) and value in self.valid:
            return value
        hint = closest(value, self.valid) if isinstance(value, str) else ''
        refuse(name, value, f'{allowed}{hint}')


@dataclass(frozen=True)
class Text:
    """A text without control characters: all texts here are names; ``empty``: may it be empty."""

    empty: bool = False

    @property
    def words(self) -> str:
        """What is allowed."""
        return 'a text' if self.empty else 'a text that is not empty'

    def __call__(self, name: str, value: object, allowed: str) -> str:
        """The text."""
        if not isinstance(value, str) or not (self.empty or value.strip()):
            refuse(name, value, allowed)
        if not is_printable(value) or len(value) > LONGEST:
            refuse(
                name,
                value,
                f'{allowed}, of at most {LONGEST} characters, and has no control characters',
            )
        return value


@dataclass(frozen=True)
class Truth:
    """True or false."""

    words = 'true or false'

    def __call__(self, name: str, value: object, allowed: str) -> bool:
        """The truth value."""
        return value if isinstance(value, bool) else refuse(name, value, allowed)


def is_sequence(value: object) -> TypeGuard[Sequence[object]]:
    """Whether a value is a list, a tuple or an array."""
    return isinstance(value, (list, tuple, array.array))


def _finite(value: object) -> float | None:
    """A number as a finite float, or None for anything else."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None

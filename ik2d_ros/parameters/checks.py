"""Checks of single parameter values, with one wording for every refusal; no ROS imports.

A check takes the parameter's name, its value and a description of what is allowed. It returns the
value in the type that the rest of the package uses, or raises :class:`ConfigError` naming all
three. Sequences may be lists, tuples or arrays, and a whole number is accepted wherever a number
is. The classes below describe their bounds in ``words``.
"""

from __future__ import annotations

import array
import itertools
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeGuard, TypeVar

from ik2d_ros.kinematics import Ik2dError
from ik2d_ros.kinematics.arguments import LARGEST_ANGLE
from ik2d_ros.parameters.sanitize import LONGEST, is_printable, printable

LONGEST_MESSAGE = 4000
MOST_ITEMS = 20  # items of a sequence shown in a message

Value = TypeVar('Value')

Check = Callable[[str, object, str], Any]
"""Takes (name, value, what is allowed); returns the checked value or raises ConfigError."""


class ConfigError(Ik2dError):
    """A refused parameter or parameter file; the message says which, why, and what is allowed."""

    def __init__(self, message: str) -> None:
        """Make an error of one line, whatever names are in it."""
        super().__init__(printable(message, LONGEST_MESSAGE))


class ChoiceError(ConfigError):
    """A refusal of what is missing where there is a choice, which may be long.

    Attributes:
        lines: the message as a list, one choice a line.
    """

    def __init__(self, message: str, choices: Sequence[str]) -> None:
        """Make an error of all choices."""
        super().__init__(f'{message}: {"; ".join(choices)}')
        self.lines = [f'{message}:', *(f'  {choice}' for choice in choices)]


def refuse(name: str, value: object, allowed: str) -> NoReturn:
    """Raise the ConfigError for a refused value.

    Args:
        name: full dotted name of the parameter.
        value: the value as given; None for none.
        allowed: what is allowed, to follow "it must be".
    """
    given = 'missing' if value is None else shown(value)
    slip = typing_slip(value) if isinstance(value, str) else ''
    raise ConfigError(f"parameter '{printable(name)}' is {given}; it must be {allowed}{slip}")


def typing_slip(text: str) -> str:
    """Return what seems to be mistyped in a text of a file, to follow a message; or nothing."""
    if found := re.search(r'\b(\w+):([-+.\d]\S*)$', text):
        return f"; a space is missing after the colon: '{found[1]}: {found[2]}'"
    is_comma = re.fullmatch(r'[-+]?\d*,\d+', text)
    return f'; a number has a point, not a comma: {text.replace(",", ".")}' if is_comma else ''


def shown(value: object) -> str:
    """Format a value for a message: strings quoted, any sequence as a list, never too long."""
    if isinstance(value, str):
        cut = '...' if len(value) > LONGEST else ''
        return repr(value[:LONGEST]) + cut
    if is_sequence(value):
        items = [shown(item) for item in value[:MOST_ITEMS]]
        return f'[{", ".join(items + ["..."] * (len(value) > MOST_ITEMS))}]'
    return printable(repr(value))


def listed(names: Iterable[str]) -> str:
    """Join names with commas for a message, cutting long names and long lists."""
    shown_names = [printable(name) for name in itertools.islice(names, MOST_ITEMS + 1)]
    return ', '.join([*shown_names[:MOST_ITEMS], *['...'] * (len(shown_names) > MOST_ITEMS)])


def closest(name: str, valid: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` for the valid name closest to a mistyped one, or nothing."""
    if len(name) > LONGEST:
        return ''  # the comparison is quadratic in the length
    import difflib  # noqa: PLC0415  # slow, and only for mistyped names

    matches = difflib.get_close_matches(name, list(valid), n=1)
    return f"; did you mean '{matches[0]}'?" if matches else ''


class _Kind(Generic[Value]):
    """A check that refuses what ``_read`` returns None for; ``_hint`` may say why."""

    def __call__(self, name: str, value: object, allowed: str) -> Value:
        """Return the checked value."""
        result = self._read(value)
        return refuse(name, value, f'{allowed}{self._hint(value)}') if result is None else result

    def _read(self, value: Any) -> Value | None:
        raise NotImplementedError

    def _hint(self, value: Any) -> str:
        del value
        return ''


@dataclass(frozen=True)
class Number(_Kind[float]):
    """A number, finite unless infinity or NaN is allowed; checked, it is a float.

    Attributes:
        above: exclusive lower bound.
        least: smallest allowed value.
        most: largest allowed value; only together with ``above`` or ``least``.
        infinite: whether infinity is allowed, meaning no limit.
        nan: whether NaN is allowed, meaning no value.
    """

    above: float = -math.inf
    least: float = -math.inf
    most: float = math.inf
    infinite: bool = False
    nan: bool = False

    @property
    def words(self) -> str:
        """The allowed values, in words."""
        ends = {'>': self.above, '>=': self.least, '<=': self.most}
        bounds = [f' {sign} {end:.12g}' for sign, end in ends.items() if math.isfinite(end)]
        number = ('a number' if self.infinite else 'a finite number') + ' and'.join(bounds)
        return f'{number} or NaN' if self.nan else number

    def _read(self, value: Any) -> float | None:
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            return None
        if abs(value) > sys.float_info.max and not (self.infinite and value == math.inf):
            return None
        is_inside = self.above < value and self.least <= value <= self.most
        return float(value) if is_inside or (self.nan and math.isnan(value)) else None


# Slower, a node seems dead to subscribers; the period, added to the time of day in ns, must also
# fit into 64 bits. Faster, the timer leaves no time for anything else.
RATE = Number(least=0.01, most=10_000.0)
"""The rate of a timer in Hz."""

ANGLE = Number(least=-LARGEST_ANGLE, most=LARGEST_ANGLE)
"""An angle in rad; where a joint slides, its position in m."""

POSITIVE = Number(above=0.0)


class Whole(Number):
    """A whole number; its bounds are whole numbers, too."""

    @property
    def words(self) -> str:
        """The allowed values, in words."""
        return super().words.replace('finite', 'whole')

    def _read(self, value: Any) -> int | None:
        return value if isinstance(value, int) and super()._read(value) is not None else None


@dataclass(frozen=True)
class Numbers(_Kind[tuple[float, ...]]):
    """A fixed-length sequence of finite numbers; checked, it is a tuple of floats.

    Attributes:
        count: how many numbers.
        largest: largest allowed magnitude of each.
    """

    count: int
    largest: float = math.inf

    @property
    def words(self) -> str:
        """The allowed values, in words."""
        ends = f' from {-self.largest:.12g} to {self.largest:.12g}'
        return f'a list of {self.count} finite numbers{ends if self.largest < math.inf else ""}'

    def _read(self, value: Any) -> tuple[float, ...] | None:
        if not is_sequence(value) or len(value) != self.count:
            return None
        number = Number(least=-self.largest, most=self.largest)
        numbers = [n for n in map(number._read, value) if n is not None]
        return tuple(numbers) if len(numbers) == self.count else None


@dataclass(frozen=True)
class Choice(_Kind[str]):
    """One of a few strings."""

    valid: tuple[str, ...]

    @property
    def words(self) -> str:
        """The allowed values, in words."""
        return f'one of {", ".join(self.valid)}'

    def _read(self, value: Any) -> str | None:
        return value if isinstance(value, str) and value in self.valid else None

    def _hint(self, value: Any) -> str:
        return closest(value, self.valid) if isinstance(value, str) else ''


@dataclass(frozen=True)
class Text(_Kind[str]):
    """A string without control characters, since every string here is a name.

    Attributes:
        empty: whether it may be empty.
        pattern: regular expression for the whole of it, if any.
    """

    empty: bool = False
    pattern: str = '.*'

    @property
    def words(self) -> str:
        """The allowed values, in words."""
        return 'a string' if self.empty else 'a string that is not empty'

    def _read(self, value: Any) -> str | None:
        if not isinstance(value, str) or not (self.empty or value.strip()) or self._hint(value):
            return None
        return value if re.fullmatch(self.pattern, value) else None

    def _hint(self, value: Any) -> str:
        return '' if not isinstance(value, str) or _is_name(value) else f', {_NAME}'


@dataclass(frozen=True)
class Truth(_Kind[bool]):
    """True or false."""

    words = 'true or false'

    def _read(self, value: Any) -> bool | None:
        return value if isinstance(value, bool) else None


@dataclass(frozen=True)
class Names(_Kind[list[str]]):
    """Unique names.

    Attributes:
        most: how many at most.
        empty: whether there may be none.
    """

    most: int
    empty: bool = False

    words = 'a list of unique names'

    def _read(self, value: Any) -> list[str] | None:
        if not is_sequence(value) or len(value) > self.most or not (value or self.empty):
            return None
        names = [item for item in value if isinstance(item, str) and item.strip()]
        return names if len({*filter(_is_name, names)}) == len(value) else None

    def _hint(self, value: Any) -> str:
        names = [item for item in value if isinstance(item, str)] if is_sequence(value) else []
        twice = sorted(item for item, count in Counter(names).items() if count > 1)
        hint = f'; given twice: {listed(twice)}' if twice else ''
        return f', at most {self.most}, each {_NAME}{hint}'


_NAME = f'with at most {LONGEST} characters and no control characters'


def _is_name(text: str) -> bool:
    return is_printable(text) and len(text) <= LONGEST


def is_sequence(value: object) -> TypeGuard[Sequence[object]]:
    """Return whether a value is a list, a tuple or an array."""
    return isinstance(value, (list, tuple, array.array))

"""Checks of single parameter values, with one wording for every refusal, and texts in messages.

A check takes the parameter's name, its value and a description of what is allowed. It returns the
value in the type that the rest of the package uses, or raises :class:`ConfigError` naming all
three. Sequences may be lists, tuples or arrays, and a whole number is accepted wherever a number
is. The classes below describe their bounds in ``words``. A number may arrive as text: ROS reads
``1e-6`` in a file as a number, on its command line as a string, and so a list of mixed types there.

Names of joints, frames and files come from outside. Printed as they are, a newline forges the next
line of a log, an escape sequence takes over the terminal, a direction mark reorders the text, and a
megabyte buries everything else: :func:`printable`.
"""

from __future__ import annotations

import array
import itertools
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeGuard, TypeVar

from ik2d_ros.kinematics import Ik2dError
from ik2d_ros.kinematics.arguments import LARGEST_ANGLE

LONGEST = 200
"""Characters of an untrusted text that a message shows."""

LONGEST_MESSAGE = 4000
MOST_ITEMS = 20  # items of a sequence shown in a message

Value = TypeVar('Value')

Check = Callable[[str, object, str], Any]
"""Takes (name, value, what is allowed); returns the checked value or raises ConfigError."""

# C0, DEL and C1; direction marks, embeddings, overrides and isolates; line and paragraph
# separators; lone surrogates, which no encoding can write; and noncharacters.
_UNSAFE = re.compile(
    '[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]'
)

_WHOLE = re.compile(r'[+-]?(0|[1-9][0-9]{0,17})')  # fits into the 64 bits of a parameter
_DECIMAL = re.compile(r'[+-]?(?!0[0-9])([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?')
_SPECIAL = re.compile(r'([+-]?)\.?(inf|nan)', re.IGNORECASE)
_IN_DEGREES = re.compile(r'(\S*?) ?(deg\S*)')


def is_printable(text: str) -> bool:
    """Return whether a text can go into a message unchanged, apart from its length."""
    return _UNSAFE.search(text) is None


def printable(text: str, longest: int = LONGEST) -> str:
    r"""Return a text as one line, cut with ``...``, control characters escaped (``\n``)."""
    escaped = _UNSAFE.sub(lambda found: ascii(found.group())[1:-1], text[: longest + 1])
    return escaped if len(escaped) <= longest else f'{escaped[: longest - 3]}...'


class ConfigError(Ik2dError):
    """A refused parameter or parameter file; the message says which, why, and what is allowed.

    Attributes:
        lines: the message, with one of the choices that the user has a line.
    """

    def __init__(self, message: str, choices: Sequence[str] = ()) -> None:
        """Make an error of one line, whatever names are in it."""
        whole = f'{message}: {"; ".join(choices)}' if choices else message
        super().__init__(printable(whole, LONGEST_MESSAGE))
        self.lines = [f'{message}:', *(f'  {one}' for one in choices)] if choices else [str(self)]


def refuse(name: str, value: object, allowed: str) -> NoReturn:
    """Raise the ConfigError for a refused value of a parameter; None: it is missing."""
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


def degrees_for(unit: str) -> tuple[str, ...]:
    """Return how angles may be given in degrees: ``deg/s`` for ``rad/s or m/s``."""
    units = unit.split(' or ')
    return tuple(one.replace('rad', 'deg', 1) for one in units if one.startswith('rad'))


def number_in(text: str, degrees: Collection[str] = ()) -> int | float | None:
    """Return the number that a text is, or None; with one of the units ``degrees`` an angle.

    Decimal numbers, with or without an exponent, and inf and nan, with or without YAML's dot; other
    notations, such as ``0x10``, ``010`` or ``1_000``, are none.
    """
    if (found := _IN_DEGREES.fullmatch(text)) and found[2] in degrees:
        angle = number_in(found[1])
        return None if angle is None else math.radians(angle)
    if _WHOLE.fullmatch(text):
        return int(text)
    if special := _SPECIAL.fullmatch(text):
        return float(special[1] + special[2])
    value = float(text) if _DECIMAL.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def read_numbers(value: object, degrees: Collection[str] = ()) -> object:
    """Return the number or the list of numbers that a text or a list of texts is, or the value."""
    items: object = value
    if isinstance(value, str):
        if value[:1] != '[' or value[-1:] != ']':
            found = number_in(value, degrees)
            return value if found is None else found
        items = [item.strip() for item in value[1:-1].split(',')]
    if not is_sequence(items) or not any(isinstance(item, str) for item in items):
        return value
    numbers = [found for item in items if (found := number_in(str(item), degrees)) is not None]
    # ROS allows one type per list.
    return [*map(float, numbers)] if len(numbers) == len(items) else value


def with_unit(value: float, unit: str) -> str:
    """Return a value with its unit, an angle in degrees too."""
    value += 0.0  # not -0
    degrees = f' ({math.degrees(value):.3g} deg)' if unit == 'rad' else ''
    return f'{value:.6g} {unit}{degrees}'

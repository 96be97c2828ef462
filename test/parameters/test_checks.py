"""Checks of single values, numbers that arrive as text, and the parameter tables of all nodes."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ik2d_ros.parameters.checks import (
    Check,
    Choice,
    ConfigError,
    Number,
    Numbers,
    Text,
    Truth,
    Whole,
    is_printable,
    read_numbers,
)
from ik2d_ros.parameters.table import Row, same
from ik2d_ros.pilot.parameters import PARAMETERS as NODE_PARAMETERS

ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=2),
    st.lists(st.one_of(st.floats(), st.integers(), st.booleans(), st.text(max_size=1)), max_size=4),
)


def is_number(value: object) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return abs(value) <= 1.7976931348623157e308  # neither NaN nor infinite, nor too large an int


def accepts(check: Check, value: object) -> bool:
    """Whether a check accepts a value; a refusal names the parameter and the allowed values."""
    refused = ''
    try:
        check('p', value, 'as I say')
    except ConfigError as error:
        refused = str(error)
    assert not refused or re.match("parameter 'p' is .*; it must be as I say", refused)
    return not refused


@settings(max_examples=200)  # they take no time, and thirty had no truth value among them
@given(ANYTHING)
def test_checks_accept_exactly_the_values_they_describe(value: object) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    assert accepts(Number(), value) == is_number(value)
    assert accepts(Number(above=0.0), value) == (is_number(value) and value > 0)  # type: ignore[operator]
    assert accepts(Number(least=0.0), value) == (is_number(value) and value >= 0)  # type: ignore[operator]
    assert accepts(Number(least=0.0, infinite=True), value) == (
        value == math.inf or accepts(Number(least=0.0), value)
    )
    assert accepts(Whole(least=1), value) == (whole and value >= 1)  # type: ignore[operator]
    assert accepts(Whole(least=0, most=9), value) == (whole and 0 <= value <= 9)  # type: ignore[operator]
    assert accepts(Numbers(2), value) == (
        isinstance(value, list) and len(value) == 2 and all(map(is_number, value))
    )
    assert accepts(Choice(('a', 'b')), value) == (isinstance(value, str) and value in ('a', 'b'))
    printable = isinstance(value, str) and is_printable(value)
    assert accepts(Text(), value) == (printable and bool(value.strip()))  # type: ignore[union-attr]
    assert accepts(Text(empty=True), value) == printable
    assert accepts(Truth(), value) == isinstance(value, bool)


# ROS reads some in files, by surprise: 010 as 8.
NO_NUMBERS = ['0x10', '010', '1_000', ' 1', '1 ', '1e', '1e999', '0b1', '\u0661', '1,5', '[1']
INT64 = st.integers(-(10**18) + 1, 10**18 - 1)


@given(st.one_of(st.floats(), INT64))
@example(math.nan)
def test_numbers_are_read_as_python_writes_them(number: float) -> None:
    assert same(read_numbers(repr(number)), number)
    assert type(read_numbers(repr(number))) is type(number)
    pair = [float(number), 1.0]
    assert same(read_numbers(repr(pair)), pair)
    assert same(read_numbers([*map(repr, pair)]), pair)


@given(
    st.one_of(
        st.text(max_size=5).filter(lambda text: not any(c in '0123456789' for c in text)),
        st.sampled_from(NO_NUMBERS),
    ).filter(lambda text: text.lstrip('+-').lstrip('.').lower() not in ('inf', 'nan'))
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert read_numbers(text) is text


ROWS = [
    row
    for rows in (NODE_PARAMETERS, *NODE_PARAMETERS.families)
    for row in rows.values()
    if isinstance(row.check, (Number, Numbers)) and not isinstance(row.check, Whole)
]


@given(st.sampled_from(ROWS), st.floats(1.0, 90.0), st.sampled_from(['', ' ']), st.data())
def test_angles_and_nothing_else_may_be_given_in_degrees(
    row: Row, angle: float, space: str, data: st.DataObject
) -> None:
    unit = data.draw(st.sampled_from(['deg', 'deg/s', 'deg/s^2', 'deg/s^3']))
    count = row.check.count if isinstance(row.check, Numbers) else 0
    value: object = f'{angle!r}{space}{unit}'
    want: object = math.radians(angle)
    if count:
        value, want = [value] * count, (want,) * count
    if unit.replace('deg', 'rad') in row.unit.split(' or '):
        assert row.checked(value) == want
        assert not count or row.checked(f'[{", ".join(value)}]') == want  # type: ignore[arg-type]
    else:
        with pytest.raises(ConfigError, match='deg') as raised:
            row.checked(value)
        assert ('degrees as' in str(raised.value)) == ('rad' in row.unit)

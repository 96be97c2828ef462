"""Checks of single values."""

from __future__ import annotations

import math

from hypothesis import given
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
)
from ik2d_ros.parameters.sanitize import is_printable

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


def refusal(check: Check, value: object) -> str:
    """The message of the refusal; empty where the value is accepted."""
    try:
        check('p', value, 'as I say')
    except ConfigError as error:
        return str(error)
    return ''


def accepts(check: Check, value: object) -> bool:
    """Whether a check accepts a value; a refusal names the parameter and the allowed values."""
    message = refusal(check, value)
    assert not message or ("'p' is " in message and '; it must be as I say' in message)
    return not message


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

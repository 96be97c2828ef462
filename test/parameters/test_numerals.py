"""Numbers that arrive as text."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.parameters.numerals import read

NO_NUMBERS = ['0x10', '010', '1_000', ' 1', '1 ', '1e', '1e999', '0b1', '\u0661', '1,5', '[1']
INT64 = st.integers(-(10**18) + 1, 10**18 - 1)


@given(st.one_of(st.floats(allow_nan=False), INT64))
def test_a_number_is_read_as_python_writes_it(number: float) -> None:
    assert read(repr(number)) == number
    assert type(read(repr(number))) is type(number)


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_a_list_of_numbers_is_read_as_python_writes_it(numbers: list[float]) -> None:
    assert read(repr(numbers)) == numbers
    assert read([repr(number) for number in numbers]) == numbers


@pytest.mark.parametrize('text', ['nan', '.nan', 'NaN', '-nan'])
def test_nan_is_read_as_a_number(text: str) -> None:
    assert isinstance(value := read(text), float)
    assert math.isnan(value)


@given(
    st.one_of(
        st.text(max_size=5).filter(lambda text: not any(c in '0123456789' for c in text)),
        st.sampled_from(NO_NUMBERS),
    ).filter(lambda text: text.lstrip('+-').lstrip('.').lower() not in ('inf', 'nan'))
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert read(text) is text

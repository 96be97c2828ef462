"""Unexpected exceptions are counted, and logged with their cause."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.ros import callback_errors as module
from ik2d_ros.ros.callback_errors import SECONDS_BETWEEN_LOGS, CallbackErrors, cause


@given(steps=st.lists(st.floats(0.0, 2.0), max_size=30))
def test_every_error_is_counted_and_one_a_second_is_logged(
    steps: list[float],
) -> None:
    now, told, lines = 0.0, [], []

    def complain(line: str) -> None:
        told.append(now)
        lines.append(line)

    faults = CallbackErrors(complain)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module.time, 'monotonic', lambda: now)
        for step in steps:
            now += step
            faults.note(ValueError('so it was'))
            # If this one is not logged, another one was less than a second ago.
            assert now - told[-1] < SECONDS_BETWEEN_LOGS
    assert faults.count == len(steps)
    assert all(b - a >= SECONDS_BETWEEN_LOGS for a, b in itertools.pairwise(told))
    assert all('ValueError: so it was' in line for line in lines)


def test_the_cause_names_our_own_innermost_frame() -> None:
    with pytest.raises(TypeError) as caught:
        Plane.from_quaternion((0.0, 0.0, 0.0), (0.0, 0.0, 'up', 1.0))  # type: ignore[arg-type]
    assert 'TypeError: ' in cause(caught.value)
    assert 'ik2d_ros/kinematics/plane.py:' in cause(caught.value)
    assert '(from_quaternion)' in cause(caught.value)


@pytest.mark.parametrize('words', ['two\nlines', 'a\x1b[31mred\x00', 'x' * 10**6, '\ud800'])
def test_a_cause_is_one_short_line_of_plain_characters(words: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        raise RuntimeError(words)
    line = cause(caught.value)
    assert line.isascii()
    assert line.isprintable()
    assert len(line) < 500
    assert 'test_callback_errors.py' in line

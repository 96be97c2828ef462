"""Unexpected exceptions are logged with their cause."""

from __future__ import annotations

import pytest

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.ros.callback_errors import cause


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

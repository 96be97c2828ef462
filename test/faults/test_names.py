"""No name from elsewhere gets into a log, a terminal or a document as anything but a name."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from ik2d_ros.parameters.checks import is_printable, printable, shown

FORGED = 'x\n[INFO] [0] [ik2d]: \x1b[2Jall is well\x9b31m\u202egnihtyna\ud800\u2028'
HUGE = 'n' * 1_000_000
any_text = st.text(st.characters()) | st.text(st.characters(categories=['Cc', 'Cf', 'Cs', 'Zl']))
BIDIRECTIONAL = {'LRE', 'RLE', 'LRO', 'RLO', 'PDF', 'LRI', 'RLI', 'FSI', 'PDI'}


def is_harmless(text: str) -> bool:
    return all(
        unicodedata.category(character) not in ('Cc', 'Cs', 'Zl', 'Zp')
        and unicodedata.bidirectional(character) not in BIDIRECTIONAL
        and character not in '\u200e\u200f\u061c'
        for character in text
    )


@given(text=any_text, longest=st.integers(10, 300))
@example(text=FORGED, longest=200)
@example(text=HUGE, longest=200)
def test_printable_text_is_harmless_and_short(text: str, longest: int) -> None:
    told = printable(text, longest)
    assert is_harmless(told)
    assert len(told) <= longest
    assert told.endswith('...') or len(told) >= len(text)
    assert is_printable(text) == is_harmless(
        text.replace('\ufeff', '\n').translate({0xFFFE: 10, 0xFFFF: 10})
    )
    if is_printable(text) and len(text) <= longest:
        assert told == text


@given(value=any_text | st.lists(any_text, max_size=30))
@example(value=[FORGED] * 1000)
@example(value=[HUGE] * 20)
def test_a_value_in_a_message_is_harmless_and_short(value: object) -> None:
    assert is_harmless(shown(value))
    assert len(shown(value)) < 50_000

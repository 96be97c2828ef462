"""No message gets a node down, whatever is in it: each is answered, and the arm stays an arm."""

from __future__ import annotations

from typing import Any

import pytest
from peer import Peer, code

LAST = 2**31 - 1
MOST = 2**32 - 1

# Stamps as a message holds them (s, ns), and whether a target can have been sent at such a time.
STAMPS = {
    (0, 1): True,
    (1, 999_999_999): True,
    (5, 1_000_000_000): True,
    (5, MOST): True,
    (-1, 2_000_000_000): True,
    (LAST, 0): True,
    (LAST, 999_999_999): True,
    (LAST - 4, MOST): True,
    (-1, 0): False,
    (-1, 999_999_999): False,
    (-(2**31), 0): False,
    (-(2**31), MOST): False,
    (LAST, 1_000_000_000): False,
    (LAST, MOST): False,
}


@pytest.mark.parametrize('query', [False, True], ids=['target', 'query'])
def test_a_stamp_comes_back_as_it_was_sent_or_is_refused_in_words(
    arm_node: Any, peer: Peer, query: bool
) -> None:
    peer.connect()
    for stamp, is_time in STAMPS.items():
        status = peer.ask((0.3, 0.2, 0.0), stamp, query=query)
        assert code(status) == ('REACHED' if is_time else 'INVALID_TARGET'), stamp
        sentence = status.status[0].message
        if not is_time:
            assert 'stamp' in sentence, stamp
            assert ('before 0' if stamp[0] < 0 else '2147483647') in sentence, stamp
            assert ('The arm holds.' in sentence) != query, stamp
    assert not peer.wrong
    assert arm_node.is_running()

"""When a lasting problem is reported."""

from __future__ import annotations

import pytest

from ik2d_ros.ros.warn_after import WarnAfter


@pytest.mark.parametrize(
    ('troubles', 'reported'),
    [
        ('x' * 50, [2, 12, 22, 32, 42]),  # after a while, then periodically
        ('x.' * 50, []),  # each passes in time
        ('xxx.xxx', [2, 6]),  # the next one is another one
    ],
)
def test_a_problem_is_reported_while_it_lasts(troubles: str, reported: list[int]) -> None:
    warn = WarnAfter(2.0, 10.0)
    found = [now for now, state in enumerate(troubles) if warn.is_due(state == 'x', float(now))]
    assert found == reported

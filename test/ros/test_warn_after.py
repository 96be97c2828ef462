"""When a trouble that goes on is told of."""

from __future__ import annotations

from ik2d_ros.ros.warn_after import WarnAfter


def test_a_trouble_is_told_of_after_a_while_and_now_and_then_as_long_as_it_lasts() -> None:
    patience = WarnAfter(2.0, 10.0)
    told = [now for now in range(50) if patience.is_due(True, 100.0 + now)]
    assert told == [2, 12, 22, 32, 42]


def test_a_trouble_that_passes_in_time_is_never_told_of() -> None:
    patience = WarnAfter(2.0, 10.0)
    assert not any(patience.is_due(now % 2 == 0, float(now)) for now in range(100))


def test_the_next_trouble_is_another_one() -> None:
    patience = WarnAfter(2.0, 10.0)
    troubles = [True, True, True, False, True, True, True]
    told = [now for now, trouble in enumerate(troubles) if patience.is_due(trouble, float(now))]
    assert told == [2, 6]

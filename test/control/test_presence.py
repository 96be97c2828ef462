"""A motion waits until its commands are received."""

from __future__ import annotations

import pytest

from ik2d_ros.control.presence import DISCOVERY, ControllerPresence


@pytest.mark.parametrize(
    'looks',
    [
        [('a', 10.0, False), ('a', 10.9, False), ('a', 11.0, True)],
        [
            ('a', 0.0, False),
            ('a', 1.0, True),
            ('', 5.0, False),
            ('a', 6.0, False),
            ('a', 7.0, True),
        ],
        # Unloaded and loaded again between two looks:
        [('a', 0.0, False), ('a', 1.0, True), ('b', 5.0, False), ('b', 6.0, True)],
    ],
)
def test_a_subscription_receives_once_it_is_known_for_a_while(
    looks: list[tuple[str, float, bool]],
) -> None:
    presence = ControllerPresence()
    for listeners, seconds, is_there in looks:
        presence.update(listeners, seconds * DISCOVERY)
        assert presence.is_there == is_there

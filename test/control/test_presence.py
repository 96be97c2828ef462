"""A motion waits until its commands are heard."""

from __future__ import annotations

from ik2d_ros.control.presence import DISCOVERY, ControllerPresence


def test_who_was_known_for_a_while_hears() -> None:
    presence = ControllerPresence()
    for now, is_there in ((10.0, False), (10.0 + 0.9 * DISCOVERY, False), (10.0 + DISCOVERY, True)):
        presence.update(1, now)
        assert presence.is_there == is_there


def test_who_leaves_and_comes_back_is_new() -> None:
    presence = ControllerPresence()
    presence.update(1, 0.0)
    presence.update(1, DISCOVERY)
    assert presence.is_there
    for listeners, now in ((0, 100.0), (1, 101.0), (1, 100.9 + DISCOVERY)):
        presence.update(listeners, now)
        assert not presence.is_there
    presence.update(1, 101.0 + DISCOVERY)
    assert presence.is_there


def test_another_listener_makes_no_difference() -> None:
    """Someone may look on, in mid-motion."""
    presence = ControllerPresence()
    for listeners, now in ((1, 0.0), (1, DISCOVERY), (2, 5.0), (1, 6.0)):
        presence.update(listeners, now)
    assert presence.is_there

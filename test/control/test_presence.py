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


def test_another_in_its_place_is_new() -> None:
    """A controller that was unloaded and loaded again between two looks."""
    presence = ControllerPresence()
    for listener, now in (('old', 0.0), ('old', DISCOVERY)):
        presence.update(listener, now)
    assert presence.is_there
    presence.update('new', 5.0)
    assert not presence.is_there
    presence.update('new', 5.0 + DISCOVERY)
    assert presence.is_there

"""The first motion waits until its commands are heard, but not forever."""

from __future__ import annotations

from ik2d_ros.control.hearing import DISCOVERY, PATIENCE, Hearing


def test_who_was_known_for_a_while_hears() -> None:
    hearing = Hearing()
    hearing.look(1, False, 10.0)
    assert not hearing.is_sure
    hearing.look(1, True, 10.0 + 0.9 * DISCOVERY)
    assert not hearing.is_sure
    hearing.look(1, True, 10.0 + DISCOVERY)
    assert hearing.is_sure
    assert not hearing.is_alone


def test_who_leaves_and_comes_back_is_new() -> None:
    hearing = Hearing()
    for now, listeners in ((0.0, 1), (0.5, 0), (0.6, 1), (0.5 + DISCOVERY, 1)):
        hearing.look(listeners, False, now)
        assert not hearing.is_sure
    hearing.look(1, False, 0.6 + DISCOVERY)
    assert hearing.is_sure


def test_patience_begins_with_the_first_command_and_ends() -> None:
    hearing = Hearing()
    hearing.look(0, False, 0.0)
    hearing.look(0, False, 1000.0)
    hearing.look(0, True, 1001.0)
    hearing.look(0, True, 1000.9 + PATIENCE)
    assert not hearing.is_sure
    hearing.look(0, True, 1001.0 + PATIENCE)
    assert hearing.is_sure
    assert hearing.is_alone


def test_who_leaves_is_waited_for_again() -> None:
    hearing = Hearing()
    hearing.look(1, True, 0.0)
    hearing.look(1, True, DISCOVERY)
    hearing.look(0, True, 100.0)
    assert not hearing.is_sure
    hearing.look(1, True, 101.0)
    assert not hearing.is_sure
    hearing.look(1, True, 101.0 + DISCOVERY)
    assert hearing.is_sure
    assert not hearing.is_alone


def test_who_comes_after_the_patience_is_waited_for() -> None:
    hearing = Hearing()
    hearing.look(0, True, 0.0)
    hearing.look(0, True, PATIENCE)
    assert hearing.is_alone
    hearing.look(1, True, 100.0)
    assert not hearing.is_sure
    assert not hearing.is_alone
    hearing.look(1, True, 100.0 + DISCOVERY)
    assert hearing.is_sure


def test_another_listener_makes_no_difference() -> None:
    """Someone may look on, in mid-motion."""
    hearing = Hearing()
    for now, listeners in ((0.0, 1), (DISCOVERY, 1), (5.0, 2), (6.0, 1)):
        hearing.look(listeners, True, now)
    assert hearing.is_sure

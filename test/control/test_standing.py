"""An arm that someone moved, and one that is still behind its command."""

from __future__ import annotations

from ik2d_ros.control.standing import DEPARTURES, SETTLING, Standing, has_departed

HERE, THERE = (0.1, 0.2), (0.1, 0.2 + 2 * DEPARTURES['rad'])
PERIOD = 0.02
UNITS = ('rad', 'rad')


def test_an_arm_that_was_there_and_is_elsewhere_was_moved() -> None:
    standing = Standing(UNITS)
    standing.look(HERE, HERE, 1.0)
    assert not standing.was_moved(HERE)
    standing.look(HERE, THERE, 1.0 + PERIOD)
    assert standing.was_moved(THERE)


def test_a_servo_that_is_off_by_its_own_error_was_not_moved() -> None:
    standing = Standing(UNITS)
    off = tuple(q + 0.9 * DEPARTURES['rad'] for q in HERE)
    for tick in range(100):
        standing.look(HERE, off, tick * PERIOD)
        assert not standing.was_moved(off)


def test_a_servo_that_is_behind_its_command_was_not_moved() -> None:
    """Neither in motion, be it near for moments, nor for a while after it."""
    standing = Standing(UNITS)
    for tick in range(100):
        commanded = (tick * PERIOD, 0.0)
        standing.look(commanded, (commanded[0] - 0.01, 0.0), tick * PERIOD)
        standing.look((commanded[0] + 0.2, 0.0), commanded, tick * PERIOD)
        assert not standing.was_moved(commanded)
    goal, behind, now = (3.0, 0.0), (2.0, 0.0), 10.0
    standing.look(goal, behind, now)
    standing.look(goal, behind, now + 0.9 * SETTLING)
    assert not standing.was_moved(behind)


def test_an_arm_that_never_gets_there_is_taken_for_moved_after_a_while() -> None:
    standing = Standing(UNITS)
    standing.look(HERE, THERE, 1.0)
    standing.look(HERE, THERE, 1.0 + 1.1 * SETTLING)
    assert standing.was_moved(THERE)


def test_a_clock_that_jumps_back_begins_anew() -> None:
    standing = Standing(UNITS)
    standing.look(HERE, THERE, 1000.0)
    standing.look(HERE, THERE, 1.0)
    assert not standing.was_moved(THERE)
    standing.look(HERE, THERE, 1.0 + 1.1 * SETTLING)
    assert standing.was_moved(THERE)


def test_an_unknown_pose_says_nothing() -> None:
    standing = Standing(UNITS)
    standing.look(HERE, None, 1.0)
    standing.look(HERE, None, 1.0 + 0.5 * SETTLING)
    assert not standing.was_moved(THERE)


def test_any_joint_may_have_departed() -> None:
    assert has_departed(THERE, HERE, UNITS)
    assert has_departed(HERE, THERE, UNITS)
    assert not has_departed(HERE, HERE, UNITS)


def test_a_lift_is_judged_in_metres() -> None:
    for unit, departure in DEPARTURES.items():
        assert not has_departed((0.9 * departure,), (0.0,), (unit,))
        assert has_departed((1.1 * departure,), (0.0,), (unit,))
    assert DEPARTURES['m'] < DEPARTURES['rad']

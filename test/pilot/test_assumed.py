"""Joints that are not the arm's, but between base and tip."""

from __future__ import annotations

import math

from flight import Flight
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.control.supervisor import Supervisor
from ik2d_ros.pilot.clock import BILLION, Now
from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.pilot.request import Point
from ik2d_ros.pilot.state_watch import StateWatch

PERIOD = 0.02  # s
ARM = ['shoulder', 'elbow']
TWO: dict[str, object] = {
    'joints': ARM,
    'assumes.roll': 0.0,
    'use_measured_state': True,
    **{f'chain.{name}.{key}': 0.3 for name in ARM for key in ('length', 'max_velocity')},
}
positions = st.floats(-3.0, 3.0)


def fault(measured: list[float | None], **parameters: object) -> str:
    """What is wrong after the forearm's roll was measured so, message by message."""
    configuration = configuration_from_parameters({**TWO, **parameters})
    watch = StateWatch(configuration, Supervisor(configuration.commanded_joints, is_measured=True))
    for number, position in enumerate(measured):
        watch.pass_time(Now(round(PERIOD * number * BILLION), PERIOD * number))
        names = [*ARM, 'roll'] if position is not None else ARM
        watch.measure(names, [0.0, 0.0, position][: len(names)])
    return watch.state_fault


@given(positions, positions, st.sampled_from([0.02, 0.3]), st.integers(-2, 2), st.booleans())
def test_one_that_stands_elsewhere_is_named_with_both_angles(
    assumed: float, measured: float, tolerance: float, turns: int, exactly: bool
) -> None:
    measured = assumed if exactly else measured
    told = measured + turns * math.tau
    words = fault([told] * 50, **{'assumes.roll': assumed, 'goal_tolerance': tolerance})
    apart = min(abs(measured - assumed + turn * math.tau) for turn in (-1, 0, 1))
    if abs(apart - tolerance) > 1e-9:
        assert bool(words) == (apart > tolerance)
    if words:
        assert f"'roll' is at {told:.4g} rad" in words
        assert f'at {assumed:.4g} (assumes.roll)' in words


@given(positions, st.one_of(positions, st.just(math.nan)))
def test_the_node_may_take_it_there_but_nowhere_else(measured: float, held: float) -> None:
    commanded = {'command_joints': [*ARM, 'roll'], 'hold.roll': held}
    apart = abs(measured) > 0.02 and not abs(held) <= 0.02
    assert bool(fault([measured] * 50, **commanded)) == apart


def test_neither_silence_nor_one_wrong_sample_is_a_fault() -> None:
    assert not fault([None] * 50)
    assert not fault([0.0] * 50 + [1.2])
    assert fault([0.0] * 50 + [1.2] * 50)


def test_the_arm_stops_while_it_stands_elsewhere() -> None:
    """And says which joint; the target is forgotten, and a new one works once it is back."""
    flight = Flight(configuration_from_parameters(TWO), (0.0, 0.0))
    flight.others = {'roll': 0.0}

    def go() -> str:
        flight.ask(Point((0.2, 0.3, 0.0)))
        flight.pass_time(0.4)
        return flight.told[-1].report.code

    flight.pass_time(0.4)
    assert go() == 'REACHED'
    assert any(flight.true)
    flight.others = {'roll': 0.1}
    flight.pass_time(1.2)
    assert flight.told[-1].report.code == 'NO_STATE'
    assert "'roll' is at 0.1 rad" in flight.told[-1].report.message
    there = flight.true
    flight.others = {'roll': 0.0}
    flight.pass_time(1.2)
    assert (flight.told[-1].report.code, flight.true) == ('READY', there)
    assert go() == 'REACHED'
    assert flight.true != there

"""While joints are measured where they cannot be, or carry the tip off its line, nothing moves."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from flight import Flight
from node_client import TWO

from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.pilot.request import Home, Jog, Joints, Path, Point, Request

LIE = 0.3, 3.0  # rad
LINE = Path(lambda: np.array([[0.3, 0.2, 0.0], [0.3, 0.25, 0.0]]))


def new_flight(**parameters: object) -> Flight:
    speeds = {f'chain.{name}.max_velocity': 1.5 for name in ('shoulder', 'elbow')}
    configuration = configuration_from_parameters(
        {**TWO, **speeds, 'use_measured_state': True, **parameters}
    )
    return Flight(configuration, (0.5, 1.0))


def request_of(random: Random) -> Request:
    kinds = [Point((0.3, 0.2, 0.0)), Joints(('elbow',), (0.3,)), Jog((0.05, 0.0, 0.0)), Home()]
    return random.choice([*kinds, LINE])


@pytest.mark.parametrize('seed', range(60))
def test_a_request_during_a_jump_moves_the_arm_once_that_is_over(seed: int) -> None:
    random, flight = Random(seed), new_flight()
    flight.pass_time(1.0)
    jump = random.choice([-1.0, 1.0]) * random.uniform(*LIE)
    joint, was = random.randrange(2), list(flight.true)
    flight.measured = [q + jump * (i == joint) for i, q in enumerate(was)]
    ticks, lasts = random.randint(1, 3), random.random() < 0.5
    flight.pass_time(ticks * flight.dt)
    request = request_of(random)
    flight.ask(request)
    again = request if isinstance(request, Jog) else None
    flight.pass_time(0.3 if lasts else flight.dt, again)
    assert flight.true == was
    flight.measured = None
    flight.pass_time(0.5, again)
    assert (flight.true == was) == lasts or again


@pytest.mark.parametrize('request_', [Jog((0.05, 0.0, 0.0)), LINE])
@pytest.mark.parametrize('seed', range(5))
def test_no_line_begins_before_a_joint_has_turned_that_carries_the_tip(
    request_: Request, seed: int
) -> None:
    away = Random(seed).uniform(0.2, 1.5)
    roll = {'command_joints': ['shoulder', 'elbow', 'roll'], 'hold.roll': 0.0}
    flight = new_flight(**roll, **{'assumes.roll': 0.0})
    flight.true = [0.5, 1.0, away]
    flight.pass_time(0.4)
    flight.ask(request_)
    flight.pass_time(0.2)
    assert flight.true == [0.5, 1.0, away]
    assert flight.told[-1].report.code == 'NO_STATE'
    assert 'send it there first (~/joint_target)' in flight.told[-1].report.message
    flight.ask(Joints(('roll',), (0.0,)))
    flight.pass_time(away / 0.5 + 0.5)
    flight.ask(Jog((0.05, 0.0, 0.0)))
    flight.pass_time(0.2, Jog((0.05, 0.0, 0.0)))
    assert flight.true[:2] != [0.5, 1.0]

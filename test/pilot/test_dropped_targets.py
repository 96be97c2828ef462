"""A fault drops the target: the status says so, and which, until there is another one."""

from __future__ import annotations

import math
import re
from random import Random

import numpy as np
import pytest
from flight import Flight
from node_client import TWO

from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.pilot.request import Home, Joints, Path, Point, Target

SEQUENCES = 30
SLOW = {f'chain.{name}.max_velocity': 0.5 for name in ('shoulder', 'elbow')}
FAULTS = {'silent': 'NO_STATE', 'zeros': 'NO_STATE', 'stuck': 'NOT_FOLLOWING'}
FAULTS |= {'gone': 'NOT_FOLLOWING', 'suspended': 'NOT_FOLLOWING'}
NUMBER = r'-?[\d.]+(?:e-?\d+)?'


def new_flight() -> Flight:
    values = {**TWO, **SLOW, 'use_measured_state': True, 'path_speed': 0.1}
    return Flight(configuration_from_parameters(values), (2.4, 2.4))


def set_fault(flight: Flight, fault: str) -> None:
    flight.time += 2.0 * (fault == 'suspended')
    flight.is_measured, flight.is_heard = fault != 'silent', fault != 'gone'
    flight.is_stuck = fault == 'stuck'
    flight.measured = (0.0, 0.0) if fault == 'zeros' else None


def random_target(random: Random) -> Target:
    point = (random.uniform(0.25, 0.4), random.uniform(-0.3, -0.1), 0.0)
    kind = random.choice([Point, Joints, Home, Path])
    if kind is Joints:
        return Joints(('elbow',), (random.uniform(-2.5, -2.0),))
    if kind is Path:
        return Path(lambda: np.array([point, (0.3, 0.3, 0.0)]))
    return Home() if kind is Home else Point(point)


def names(words: str, target: Target) -> bool:
    """Whether words name a target, a point by its numbers."""
    if isinstance(target, Point):
        found = re.search(rf'\(({NUMBER}), ({NUMBER}), ({NUMBER})\) is forgotten', words)
        return found is not None and math.dist(map(float, found.groups()), target.point) < 1e-5
    kind = {Joints: 'joint', Home: 'home', Path: 'path'}[type(target)]
    return re.search(rf'{kind}[^.]* is forgotten', words, re.IGNORECASE) is not None


@pytest.mark.parametrize('fault', FAULTS)
def test_a_target_that_a_fault_drops_is_named(fault: str) -> None:
    for seed in range(SEQUENCES):
        random, flight = Random(seed), new_flight()
        flight.pass_time(random.uniform(0.5, 1.0))
        target = random_target(random)
        flight.ask(target)
        flight.pass_time(random.uniform(0.3, 1.0))
        said = flight.told[-1].report
        assert said.moving, f'seed {seed}: {said}'
        assert 'forgotten' not in said.message
        flight.told.clear()
        set_fault(flight, fault)
        flight.pass_time(1.5)
        reports = [told.report for told in flight.told]
        messages = [each.message for each in reports if each.code == FAULTS[fault]]
        assert messages, f'seed {seed}: {reports}'
        set_fault(flight, '')
        flight.pass_time(1.0)  # it is still said when all is well again
        for message in (*messages, flight.told[-1].report.message):
            assert names(message, target), f'seed {seed}: {message}'
        flight.ask(Point((0.3, 0.2, 0.0)))
        flight.pass_time(0.1)
        said = flight.told[-1].report
        assert 'forgotten' not in said.message, f'seed {seed}: {said}'

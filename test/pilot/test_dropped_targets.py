"""A fault drops the target: the status says so, and which, until there is another one."""

from __future__ import annotations

import math
import re
from random import Random

import numpy as np
import pytest
from node_client import TWO

from ik2d_ros.pilot.clock import BILLION, Now
from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.pilot.pilot import Pilot
from ik2d_ros.pilot.report import Report
from ik2d_ros.pilot.request import Home, Joints, Path, Point, Target

SEQUENCES = 30
PERIOD = 0.02  # s
SLOW = {f'chain.{name}.max_velocity': 0.5 for name in ('shoulder', 'elbow')}
FAULTS = {'silent': 'NO_STATE', 'zeros': 'NO_STATE', 'stuck': 'NOT_FOLLOWING'}
FAULTS |= {'gone': 'NOT_FOLLOWING', 'suspended': 'NOT_FOLLOWING'}
NUMBER = r'-?[\d.]+(?:e-?\d+)?'


class Robot:
    """An arm that follows its commands, until a fault."""

    def __init__(self) -> None:
        self.steady, self.fault = 100.0, ''
        values = {**TWO, **SLOW, 'use_measured_state': True, 'path_speed': 0.1}
        self.pilot = Pilot(configuration_from_parameters(values), self.now)
        self.true = (2.4, 2.4)
        self.said: list[Report] = []

    @property
    def now(self) -> Now:
        return Now(round(self.steady * BILLION), self.steady)

    def go_on(self, span: float) -> None:
        pilot, names = self.pilot, ('shoulder', 'elbow')
        if self.fault == 'suspended':
            self.steady, self.fault = self.steady + 2.0, ''
        for _ in range(round(span / PERIOD)):
            self.steady += PERIOD
            if self.fault != 'silent':
                measured = (0.0, 0.0) if self.fault == 'zeros' else self.true
                pilot.measure(names, measured, self.now)
            pilot.tick(self.now, self.now.clock, PERIOD, is_heard=self.fault != 'gone')
            if pilot.supervisor.is_commanding and self.fault != 'stuck':
                self.true = pilot.supervisor.commanded
            while pilot.answer_next(self.now):
                pass
            if (job := pilot.job(self.now)) is not None:
                pilot.finish(job(), self.now)
            while pilot.told:
                self.said.append(pilot.told.popleft().report)


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
        random, robot = Random(seed), Robot()
        robot.go_on(random.uniform(0.5, 1.0))
        target = random_target(random)
        robot.pilot.ask(target, robot.now)
        robot.go_on(random.uniform(0.3, 1.0))
        assert robot.said[-1].moving, f'seed {seed}: {robot.said[-1]}'
        assert 'forgotten' not in robot.said[-1].message
        robot.said.clear()
        robot.fault = fault
        robot.go_on(1.5)
        told = [each.message for each in robot.said if each.code == FAULTS[fault]]
        assert told, f'seed {seed}: {robot.said}'
        robot.fault = ''
        robot.go_on(1.0)  # it is still said when all is well again
        for message in (*told, robot.said[-1].message):
            assert names(message, target), f'seed {seed}: {message}'
        robot.pilot.ask(Point((0.3, 0.2, 0.0)), robot.now)
        robot.go_on(0.1)
        assert 'forgotten' not in robot.said[-1].message, f'seed {seed}: {robot.said[-1]}'

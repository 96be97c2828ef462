"""An ordinary start: whatever comes late, no fault is told that is none."""

from __future__ import annotations

import math
from random import Random

import pytest
from flight import Flight
from node_client import TWO

from ik2d_ros.control.measurements import GRACE
from ik2d_ros.pilot.clock import BILLION
from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.pilot.request import Point

SEQUENCES = 100
PERIOD, LOOK = 0.02, 0.1  # s, as the node
LATEST = 1.8  # s until an ordinary driver is heard
JOINTS = {'shoulder': 0.5, 'elbow': 1.0, 'gripper': 0.2}
DRIVEN = {
    **TWO,
    'use_measured_state': True,
    'command_joints': [*JOINTS],
    'chain.shoulder.max_velocity': 2.0,
    'chain.elbow.max_velocity': 2.0,
}


class Start(Flight):
    """A world whose drivers begin some time after the pilot, each with some joints."""

    def __init__(self, random: Random, drivers: dict[str, tuple[float, float]]) -> None:
        """Begin; the drivers are delays and periods in s, by joint."""
        self.random, self.drivers = random, drivers
        self.is_simulated = random.random() < 0.4
        time = random.uniform(0.0, 1e5)
        self.starts = time + random.uniform(0.0, 5.0) * self.is_simulated
        self.due = {name: self.starts + delay for name, (delay, _) in drivers.items()}
        super().__init__(configuration_from_parameters(DRIVEN), JOINTS.values(), PERIOD, time)

    @property
    def clock(self) -> int:
        start = 1 if self.is_simulated else 1000
        return 0 if self.time < self.starts else round((start + self.time - self.starts) * BILLION)

    def go_on(self, span: float) -> None:
        """Let time pass after the clock has started, or before."""
        end = max(self.time, self.starts) + span
        while self.time < end:
            self.samples = self.random.choice([2, 5, 10])
            self.tick()
            if self.random.random() < PERIOD / LOOK:
                self.pilot.look(self.now)

    def measure(self) -> None:
        for (name, (_, period)), place in zip(self.drivers.items(), self.true, strict=True):
            if self.time >= self.due[name]:
                self.due[name] += period * self.random.uniform(0.7, 1.3)
                q = place + self.random.gauss(0.0, 0.002)
                self.pilot.measure([name, 'other'], [q, 0.0], self.now)


def test_an_ordinary_start_is_no_fault() -> None:
    """Joints may come from several drivers, in simulation after a clock that is late itself."""
    for seed in range(SEQUENCES):
        random = Random(seed)
        shared = random.uniform(0.0, LATEST), 1.0 / random.choice([10.0, 20.0, 100.0, 500.0])
        own = random.uniform(0.0, LATEST), 1.0 / random.choice([10.0, 50.0])
        start = Start(random, {**dict.fromkeys(JOINTS, shared), random.choice([*JOINTS]): own})
        asks = random.random() < 0.5
        if asks:
            start.go_on(random.uniform(0.0, 0.5))
            start.pilot.ask(Point((0.3, 0.2, 0.0)), start.now)
        start.go_on(LATEST + 0.6)
        told = {*start.codes} - ({'NO_CLOCK'} if start.is_simulated else set())
        assert told == ({'REACHED'} if asks else {'READY'}), f'seed {seed}: {start.codes}'


@pytest.mark.parametrize('period', [math.inf, 1.1])
def test_an_arm_that_is_not_measured_or_too_rarely_is_a_fault_in_time(period: float) -> None:
    for seed in range(20):
        random = Random(seed)
        drivers = {**dict.fromkeys(JOINTS, (0.0, 0.01)), random.choice([*JOINTS]): (0.5, period)}
        start = Start(random, drivers)
        start.go_on(2.0 * GRACE + 2.0 * LOOK)
        assert start.codes[-1] == 'NO_STATE', f'seed {seed}: {start.codes}'

"""Streams of trajectories, as joint_trajectory_controller carries them out."""

from __future__ import annotations

import itertools
import math
from random import Random

import numpy as np
import pytest

from ik2d_ros.control.trajectory_messages import LOOKAHEAD, TrajectoryMessage, TrajectoryWriter
from ik2d_ros.sim.robot import Controller, accepts

PERIOD = 0.02  # s, of the node
NOW = 10**18  # ns
JOINTS = ('shoulder', 'gripper')
SPEED = 1.5  # rad/s


class Drive:
    """A node, a controller at its own rate, and a servo; time in ns.

    Attributes:
        setpoints: of all cycles.
    """

    def __init__(
        self, seed: int, cycle: float = 0.01, late: float = 0.004, sag: float = 0.0
    ) -> None:
        self.random = Random(seed)
        self.late, self.sag = late, sag
        self.stream = TrajectoryWriter(JOINTS)
        self.measured = 0.3
        self.cycle = round(cycle * 1e9)
        self.controller = Controller(JOINTS, np.array([self.measured, 0.0]), self.cycle)
        self.phase = self.random.randrange(self.cycle)
        self.under_way: list[tuple[int, TrajectoryMessage]] = []  # by arrival
        self.setpoints: list[float] = [self.measured]
        self.now = self.until = NOW
        self.stream.reset((self.measured, 0.0), NOW)

    def delay(self) -> int:
        """How late something is in ns."""
        share = min(self.random.expovariate(6.0), 1.0)
        return round(share * self.late * 1e9)

    def command(self, pose: float, tick: int) -> TrajectoryMessage:
        """Send a pose with a tick of the node."""
        now = NOW + round(tick * PERIOD * 1e9) + self.delay()
        trajectory = self.stream.append((pose, 0.0), PERIOD, now)
        self.under_way.append((now + self.delay(), trajectory))
        return trajectory

    def run(self, seconds: float) -> None:
        """Let the controller work."""
        self.until += round(seconds * 1e9)
        while self.now < self.until:
            time = self.now + self.phase
            while self.under_way and self.under_way[0][0] <= time:
                _, trajectory = self.under_way.pop(0)
                assert self.controller.take(trajectory, time)
            setpoint = self.controller.setpoint(time, np.array([self.measured, 0.0])).tolist()[0]
            self.measured += 0.4 * (setpoint - self.sag - self.measured)
            self.setpoints.append(setpoint)
            self.now += self.cycle


@pytest.mark.parametrize('sag', [0.0, 0.05])
@pytest.mark.parametrize('cycle', [0.01, 0.004, 0.001, 0.0077])
def test_its_cycles_move_evenly_however_messages_and_cycles_meet(cycle: float, sag: float) -> None:
    """Fewer than one in a thousand is more than 1.2 times the fair step; none stands or is late.

    At the end it rests where it was told to go.
    """
    fair, steps = SPEED * cycle, []
    for seed in range(12):
        drive = Drive(seed, cycle, late=0.008, sag=sag)
        drive.measured -= sag
        for tick in range(60):
            drive.command(0.3 + SPEED * PERIOD * (tick + 1), tick)
            drive.run(PERIOD)
        drive.run(0.1)
        count = len(drive.setpoints)
        drive.run(0.1)
        (rest,) = {*drive.setpoints[count:]}
        assert rest == pytest.approx(0.3 + SPEED * PERIOD * 60)
        moves = [b - a for a, b in itertools.pairwise(drive.setpoints)]
        moving = [i for i, move in enumerate(moves) if abs(move) > 1e-9]
        steps += moves[moving[0] + 1 : moving[-1]]
    assert len(steps) > 1000
    assert sum(abs(step - fair) > 0.2 * fair for step in steps) <= len(steps) / 1000


@pytest.mark.parametrize('rate', [0.01, 1.0, 50.0, 500.0])
def test_at_any_rate_a_stream_is_taken_and_is_no_faster_than_its_poses(rate: float) -> None:
    stream, period, now = TrajectoryWriter(JOINTS), 1.0 / rate, NOW
    stream.reset((0.3, 0.0), now)
    last = 0.3
    for tick in range(40):
        pose = 0.3 + math.copysign(0.001, tick - 20.5) * tick
        trajectory = stream.append((pose, 0.0), period, now)
        assert accepts(trajectory, JOINTS, now)
        assert trajectory.stamp <= now
        times = [point.time / 1e9 for point in trajectory.points]
        assert times[0] > 0.0
        # The first point replaces the last command; since the stamp, the stream has gone on.
        steps = np.diff([last, *(point.positions[0] for point in trajectory.points)])
        spans = [max(period, times[-2]), *np.diff(times)]
        assert (np.abs(steps) <= 1.01 * 0.05 * rate * np.array(spans) + 1e-9).all()
        last, now = pose, now + round(period * 1e9)


@pytest.mark.parametrize(('tick', 'jump'), [(PERIOD, -3600.0), (PERIOD, -0.5), (0.004, 0.0)])
def test_a_clock_set_back_or_too_many_poses_delay_nothing(tick: float, jump: float) -> None:
    stream, now = TrajectoryWriter(JOINTS), NOW
    stream.reset((0.3, 0.0), now)
    for count in range(200):
        now += round((jump if count == 100 else tick) * 1e9)
        trajectory = stream.append((0.3 + 1e-3 * count, 0.0), PERIOD, now)
        assert trajectory.stamp <= now
        assert trajectory.stamp + trajectory.points[-2].time <= now + LOOKAHEAD + 4e9 * PERIOD

"""Robots to which everything happens at random: the laws hold at every step."""

from __future__ import annotations

import math
import os
from collections import Counter
from random import Random

import numpy as np
import pytest

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.control.joints import CommandedJoints, Following
from ik2d_ros.control.measurements import MARGINS
from ik2d_ros.control.supervisor import Phase, Supervisor
from ik2d_ros.kinematics import Chain
from ik2d_ros.motion import smooth
from ik2d_ros.motion.way import Way

SEQUENCES, TICKS = 10_000 if os.environ.get('IK2D_FAULTS_FULL') else 1_000, 25
LIMIT = 2.0  # rad
NOISES = (0.0, 0.003, 0.01, 0.03)  # rad, at most
HAPPENS = 0.15  # in a tick
EVENTS = (
    *('target', 'target', 'target', 'way', 'near', 'crowd', 'stop', 'hold', 'clock', 'gone'),
    *('active', 'power', 'quiet', 'glitch', 'far glitch', 'push', 'restart'),
)


def swing(lower: float, upper: float, speed: float) -> Way:
    """Both joints from one position to another and back."""
    middle, width = 0.5 * (lower + upper), 0.5 * (upper - lower)
    turn = 1.01 * math.tau * width / speed + 0.1  # s
    phase = np.linspace(0.0, math.tau, 30)
    q, v = middle - width * np.cos(phase), math.tau / turn * width * np.sin(phase)
    return Way(turn * phase / math.tau, np.stack([q, q], 1), np.stack([v, v], 1))


class Robot:
    """Servos behind a controller, and what is measured of them.

    Attributes:
        true: where the joints stand.
        is_active: whether the servos go where they are commanded.
        quiet: for how many ticks nothing is measured.
        glitches: how many measurements to come are wrong, and what they say.
    """

    def __init__(self, random: Random, joints: int) -> None:
        self.random = random
        self.true = [random.uniform(-LIMIT, LIMIT) for _ in range(joints)]
        self.setpoint = list(self.true)
        self.sag = random.choice([0.0, 0.0, 0.05])
        self.quickness = random.choice([1.0, 0.7, 0.4])
        self.noise = random.choice(NOISES)
        self.is_active, self.is_powered = True, True
        self.quiet = 0
        self.glitches: list[list[float]] = []

    def pass_tick(self, speed: float, dt: float) -> None:
        """Let the servos move."""
        for i, setpoint in enumerate(self.setpoint):
            if not self.is_powered:
                self.true[i] = max(self.true[i] - 0.5 * dt, -LIMIT)
            elif self.is_active:
                way = self.quickness * (setpoint - self.sag - self.true[i])
                self.true[i] += min(max(way, -1.2 * speed * dt), 1.2 * speed * dt)

    def measured(self) -> list[float] | None:
        """What a message says; None if there is none."""
        if self.quiet > 0:
            self.quiet -= 1
            return None
        if self.glitches:
            return self.glitches.pop(0)
        return [q + self.random.uniform(-self.noise, self.noise) for q in self.true]


class Sequence:
    """One robot, its supervisor, and the laws."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.dt = random.choice([0.02, 0.05, 0.05])
        self.speed = random.choice([0.5, 1.5, 4.0])
        smoothly = random.random() < 0.05 and smooth.is_available()
        self.acceleration = 4.0 * self.speed if smoothly else None
        self.following = Following(random.choice([0.1, 0.2]), random.choice([0.0, 0.05]))
        motion = (MotionLimits(self.speed, self.acceleration),) * 2
        chain = Chain.from_lengths([0.3, 0.25], limits=[(-LIMIT, LIMIT)] * 2)
        self.arm = ArmDescription(chain, (0.0, 0.0), motion)
        self.supervisor = Supervisor(self.joints(), is_measured=True)
        self.robot = Robot(random, 3)
        self.names = (*self.arm.names, 'gripper')
        self.speeds = (self.speed, self.speed, self.following.hold_velocity)
        self.now = 0.0
        self.messages: list[list[float] | None] = []
        self.believed: dict[int, tuple[float, float]] = {}  # by joint: where, and since when
        self.end: tuple[float, ...] = ()
        self.seen: Counter[str] = Counter()

    def joints(self) -> CommandedJoints:
        hold = self.random.choice([math.nan, 0.0, 0.8])
        return CommandedJoints(self.arm, {'gripper': hold}, self.following)

    def happen(self) -> None:
        """Let something happen."""
        random, robot, supervisor = self.random, self.robot, self.supervisor
        event = random.choice(EVENTS)
        self.seen[event] += 1
        if event == 'target':
            supervisor.go(tuple(random.uniform(-LIMIT, LIMIT) for _ in range(2)))
        elif event == 'way':
            way = swing(random.uniform(-LIMIT, 0.0), random.uniform(0.0, LIMIT), self.speed)
            supervisor.go(way.start, way=way)
        elif event == 'near':
            supervisor.go(self.arm.clamped([q + random.gauss(0, 0.02) for q in robot.true[:2]]))
        elif event == 'crowd':
            for _ in range(3):
                supervisor.go(tuple(random.uniform(-LIMIT, LIMIT) for _ in range(2)), 0.0)
        elif event == 'stop':
            supervisor.stop()
        elif event == 'hold':
            supervisor.configure(self.joints())
        elif event == 'clock':
            supervisor.lose_clock()
        elif event == 'gone':
            supervisor.is_heard = not supervisor.is_heard
        else:
            self.happen_to_robot(event)

    def happen_to_robot(self, event: str) -> None:
        """Let something happen to the robot alone."""
        random, robot, supervisor = self.random, self.robot, self.supervisor
        if event == 'active':
            robot.is_active = not robot.is_active
            robot.setpoint = list(robot.true)  # a controller that is activated holds
        elif event == 'power':
            robot.is_powered = not robot.is_powered
        elif event == 'quiet':
            robot.quiet = random.choice([1, 3, 12, 30])
        elif event in ('glitch', 'far glitch'):
            far = 2.0 * LIMIT if event == 'glitch' else 1e8
            wrong = [random.uniform(-far, far) for _ in range(3)]
            # Fewer than are believed, in a row or between true ones.
            robot.glitches = [list(wrong) for _ in range(random.randint(1, 2))]
        elif event == 'push':
            i = random.randrange(3)
            robot.true[i] = min(max(robot.true[i] + random.uniform(-0.8, 0.8), -LIMIT), LIMIT)
        elif event == 'restart':
            robot.true = [random.uniform(-LIMIT, LIMIT) for _ in range(3)]
            robot.setpoint, robot.quiet = list(robot.true), random.choice([5, 30])
            supervisor.is_heard = False

    def check_belief(self, measured: tuple[float, ...]) -> None:
        """A pose that the arm cannot have gone to is believed only after others that agree."""
        recent = [message for message in self.messages if message is not None][-3:]
        for i, (there, speed) in enumerate(zip(measured, self.speeds, strict=True)):
            before, since = self.believed.get(i, (math.nan, 0.0))
            if there == before or math.isnan(there):
                continue
            if not abs(there - before) <= MARGINS['rad'] + speed * (self.now - since) + 1e-9:
                near = 2.0 * (MARGINS['rad'] + speed * 0.6)
                assert len(recent) == 3, 'a wrong measurement is believed'
                assert all(abs(there - m[i]) <= near for m in recent), 'they disagree'
                self.seen['convinced'] += 1
            self.believed[i] = there, self.now

    def check_advance(self) -> None:
        """Let the supervisor go on, and hold what it says to the laws."""
        supervisor, dt = self.supervisor, self.dt
        was, before, starts = supervisor.phase, supervisor.commanded, supervisor.starts
        supervisor.advance(dt)
        phase, now, measured = supervisor.phase, supervisor.commanded, supervisor.measured
        assert supervisor.measurements is not None
        self.check_belief(supervisor.measurements.positions)
        for there in (measured or ())[:2]:
            assert abs(there) <= LIMIT + MARGINS['rad'], 'it cannot be there'
        begins = supervisor.starts != starts
        origin = supervisor.origin if begins else before
        if begins and measured is not None:
            assert phase is not Phase.ENDING or now == origin, 'a controller could jump there'
            for q, p, there in zip(origin, before, measured, strict=True):
                assert q == p or abs(q - there) <= MARGINS['rad'], 'it begins elsewhere'
        assert all(
            abs(q - p) <= speed * dt * 1.001 + 1e-9
            for q, p, speed in zip(now, origin, self.speeds, strict=True)
        ), 'a step is too long'
        if now != before and phase is Phase.DRIVING:
            assert supervisor.is_heard, 'nobody listens'
            assert measured is not None, 'it is not known where the arm is'
            for q, there, speed in zip(now, measured, self.speeds, strict=True):
                ahead = self.following.tolerance + self.following.delay * speed
                assert abs(q - there) <= ahead + 1e-9, 'too far ahead of the measured pose'
        if was is Phase.ENDING and phase is Phase.SILENT and supervisor.starts == starts:
            assert now == before == self.end, 'it ends elsewhere'
        if phase in (Phase.SILENT, Phase.ENDING):
            assert not supervisor.has_target, 'it would go on by itself'
        if was is Phase.DRIVING and phase is Phase.ENDING:
            assert bool(supervisor.complaint) != bool(supervisor.fault)
            self.seen['complained'] += bool(supervisor.complaint)
            where = supervisor.measurements.positions
            lost = (*self.arm.clamped(where[:2]), where[2])
            self.end = lost if supervisor.fault else now
        if was not in (Phase.DRIVING, Phase.WAITING):
            assert phase not in (Phase.DRIVING, Phase.WAITING), 'it moves without a target'
        self.seen[phase.name] += 1
        self.seen['arrived'] += supervisor.is_at_goal
        self.seen['on a way'] += bool(supervisor.way_time)

    def tick(self) -> None:
        """Let a period pass, and hold the supervisor to its laws."""
        supervisor, robot, dt = self.supervisor, self.robot, self.dt
        measurements = supervisor.measurements
        assert measurements is not None
        if self.random.random() < HAPPENS:
            self.happen()
        elif not supervisor.is_heard and self.random.random() < 0.2:
            supervisor.is_heard = True
        self.now += dt
        measurements.pass_time(self.now, self.now)
        message = robot.measured()
        self.messages.append(message)
        if message is not None:
            measurements.hear(self.names, message)
        self.check_advance()
        if supervisor.is_commanding and robot.is_active:
            robot.setpoint = list(supervisor.commanded)
        robot.pass_tick(self.speed, dt)


def test_the_laws_hold_whatever_happens_in_whatever_order() -> None:
    seen: Counter[str] = Counter()
    for seed in range(SEQUENCES):
        sequence = Sequence(seed)
        try:
            for _ in range(TICKS):
                sequence.tick()
        except AssertionError as error:
            pytest.fail(f'sequence {seed}, {sequence.now:.2f} s: {error}')
        seen += sequence.seen
    names = [phase.name for phase in Phase]
    rare = [
        what
        for what in (*names, 'arrived', 'complained', 'convinced', 'on a way')
        if seen[what] < 20
    ]
    assert rare == [], seen


@pytest.mark.parametrize('seed', range(20))
def test_commands_begin_where_a_standing_arm_is_whatever_the_noise(seed: int) -> None:
    """Its measurements are off by 0.1 rad now and then; commands begin within a fair step of it."""
    random, speed, dt = Random(seed), 1.5, 0.02
    chain = Chain.from_lengths([0.3, 0.25])
    arm = ArmDescription(chain, (0.0, 0.0), (MotionLimits(speed),) * 2)
    supervisor = Supervisor(CommandedJoints(arm), is_measured=True)
    assert supervisor.measurements is not None
    for sample in range(100):
        supervisor.measurements.pass_time(0.01 * sample, 0.01 * sample)
        supervisor.measurements.hear(arm.names, [random.gauss(0.0, 0.03) for _ in range(2)])
        if sample % 2:
            supervisor.advance(dt)
    supervisor.go((1.0, -1.0))
    assert max(map(abs, supervisor.origin)) < speed * dt

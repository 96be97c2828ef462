"""Random arms to which everything happens at random: the laws hold at every step."""

from __future__ import annotations

import itertools
import math
import os
from collections import Counter, deque
from random import Random

import numpy as np
import pytest

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.control.joints import CommandedJoints, Following
from ik2d_ros.control.measurements import AGREEMENT, MARGINS
from ik2d_ros.control.supervisor import PATIENCE, Phase, Supervisor
from ik2d_ros.kinematics import Chain, Joint, solve_path, timed
from ik2d_ros.motion import smooth
from ik2d_ros.motion.way import Way

SEQUENCES, TICKS = 10_000 if os.environ.get('IK2D_FAULTS_FULL') else 700, 40
HAPPENS = 0.15  # in a tick
SLOWEST = 2.0  # rad/s^2
LIMITS = {'limited': (-2.0, 2.0), 'free': (-math.inf, math.inf), 'slide': (-0.1, 0.3)}
EVENTS = (
    *('target', 'target', 'target', 'way', 'near', 'crowd', 'stop', 'settings', 'settings'),
    *('clock', 'gone', 'active', 'power', 'quiet', 'glitch', 'glitch', 'far', 'nan', 'push'),
    *('restart', 'jump'),
)


class Sequence:
    """One arm with servos, its supervisor, and the laws."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        count = random.randint(1, 6)
        self.kinds = random.choices(list(LIMITS), [2, 1, 1], k=count)
        self.limits = [LIMITS[kind] for kind in self.kinds]
        self.limits += [LIMITS['free']] * (held := random.choice([0, 0, 1, 2]))
        self.scales = [0.1 if kind == 'slide' else 1.0 for kind in self.kinds] + [1.0] * held
        self.margins = [MARGINS['m' if scale < 1.0 else 'rad'] for scale in self.scales]
        joints = [
            Joint(
                f'j{i}',
                (0.3, 0.0),
                *(end if math.isfinite(end) else None for end in LIMITS[kind]),
                type='prismatic' if kind == 'slide' else 'revolute',
            )
            for i, kind in enumerate(self.kinds)
        ]
        self.chain, self.held = Chain(joints), [f'h{i}' for i in range(held)]
        self.names = [*self.chain.names, *self.held]
        self.is_smooth = random.random() < 0.05 and smooth.is_available()
        self.is_limited = random.choice([1.0, 1.0, 0.5, 0.0])  # the share of joints
        self.fastest = [0.0] * len(self.names)
        self.change(motion=True)
        self.supervisor = Supervisor(self.joints(), is_measured=True)
        self.dt = random.choice([0.01, 0.02, 0.05])
        self.true = [random.uniform(*self.inside(i, -2.0, 2.0)) for i in range(len(self.names))]
        self.setpoint = list(self.true)
        self.noise = random.choice([0.0, 0.0, 0.003, 0.01, 0.03])
        self.sag, self.quickness = random.choice([0.0, 0.0, 0.3]), random.choice([1.0, 0.7, 0.3])
        self.is_active = self.is_powered = True
        self.quiet, self.jump = 0, 0.0  # ticks, s
        self.spoilt: list[list[float]] = []
        self.now, self.clock = 0.0, 1e9
        self.said: list[deque[tuple[float, float]]] = [deque(maxlen=200) for _ in self.names]
        self.believed = [(math.nan, -math.inf)] * len(self.names)
        self.sent: tuple[float, ...] | None = None
        self.moves: tuple[float, ...] = ()  # the commanded velocities
        self.way: list[tuple[tuple[float, ...], tuple[float, ...]]] = []  # poses and speeds
        self.goal: tuple[float, ...] | None = None  # of a target that may move the arm
        self.was_there = self.now  # when the measured arm was last seen at its goal
        self.brakes: list[tuple[float, float]] = []  # where the target was forgotten, and the way
        self.may_wait, self.happened = False, ''
        self.seen: Counter[str] = Counter()

    # --- what happens -----------------------------------------------------------------------------

    def inside(self, i: int, lower: float, upper: float) -> tuple[float, float]:
        return max(self.limits[i][0], lower), min(self.limits[i][1], upper)

    def change(self, motion: bool) -> None:
        """Change the parameters."""
        random = self.random
        self.following = Following(
            random.choice([0.03, 0.1, 0.3]), random.choice([0.0, 0.05, 0.1]), 0.02, 0.5
        )
        self.holds = {name: random.choice([math.nan, 0.0, 0.8]) for name in self.held}
        if motion:
            self.motion = tuple(
                MotionLimits(
                    random.choice([0.5, 1.5, 20.0]) * scale
                    if random.random() < self.is_limited
                    else None,
                    random.choice([SLOWEST, 10.0]) if self.is_smooth else None,
                )
                for _, scale in zip(self.kinds, self.scales, strict=False)
            )
        # Without max_velocity: what can be followed.
        reach = self.chain.reach.outer
        self.reaches = [reach if scale < 1.0 else 1.0 for scale in self.scales]
        most = self.following.tolerance / max(self.following.delay, 1e-3)
        own = [m.velocity or most * r for m, r in zip(self.motion, self.reaches, strict=False)]
        self.speeds = [*own, *(0.5 for _ in self.held)]
        self.fastest = [max(*each) for each in zip(self.fastest, self.speeds, strict=True)]

    def joints(self) -> CommandedJoints:
        home = tuple(0.0 for _ in self.kinds)
        self.arm = ArmDescription(self.chain, home, self.motion)
        return CommandedJoints(self.arm, self.holds, self.following)

    def pose(self) -> tuple[float, ...]:
        ends = (self.inside(i, q - 3.0, q + 3.0) for i, q in enumerate(self.true))
        return tuple(self.random.uniform(*each) for each, _ in zip(ends, self.kinds, strict=False))

    def go(self, goal: tuple[float, ...], since: float | None = None) -> None:
        way = None
        if self.happened == 'way':
            points = self.chain.forward(goal)[-1], self.chain.forward(self.pose())[-1]
            path = solve_path(self.chain, points, start=goal)
            if len(path.q) > 1 and np.ptp(path.q, axis=0).any():
                limits = [
                    (speed, m.acceleration or math.inf)
                    for speed, m in zip(self.speeds, self.motion, strict=False)
                ]
                course = timed(path, limits, 1.0)
                way = Way(course.q[0], course)
        self.supervisor.go(way.start if way else goal, since, way)
        self.goal = way.end if way else goal
        self.may_wait = bool(self.supervisor.fault)
        self.was_there = self.now if self.is_there() else -math.inf

    def is_there(self) -> bool:
        """Whether the measured arm is at its goal."""
        measured = self.supervisor.measured
        return bool(self.goal and measured) and all(
            abs(q - p) <= 0.02 * reach + 1e-12
            for q, p, reach in zip(self.goal, measured, self.reaches, strict=False)
        )

    def forget(self) -> None:
        """Note that nothing moves any more, but for the way that it takes to brake."""
        self.goal = None
        if self.sent is not None:
            ways = [v * v / (2.0 * SLOWEST) if self.is_smooth else 0.0 for v in self.moves]
            ways[len(self.kinds) :] = [0.0] * len(self.held)
            self.brakes = list(zip(self.sent, ways, strict=True))

    def happen(self) -> None:
        random, supervisor = self.random, self.supervisor
        self.happened = event = random.choice(EVENTS)
        self.seen[event] += 1
        if event in ('target', 'way'):
            self.go(self.pose())
        elif event == 'near':
            self.go(
                self.arm.clamped([q + random.gauss(0, 0.02) for q in self.true[: len(self.kinds)]])
            )
        elif event == 'crowd':
            for _ in range(3):
                self.go(self.pose(), 0.0)
        elif event == 'stop':
            supervisor.stop()
            self.forget()
        elif event == 'settings':
            self.change(motion=random.random() < 0.5)
            supervisor.configure(self.joints())
            if not supervisor.has_target:  # a way was timed for other limits
                self.forget()
            self.was_there = self.now
        elif event == 'clock':
            supervisor.lose_clock()
            if supervisor.has_begun:
                self.forget()
        elif event == 'gone':
            supervisor.is_heard = not supervisor.is_heard
        else:
            self.happen_to_robot(event)

    def happen_to_robot(self, event: str) -> None:
        random = self.random
        if event == 'active':
            self.is_active = not self.is_active
        elif event == 'power':
            self.is_powered = not self.is_powered
        elif event == 'quiet':
            self.quiet = random.choice([1, 3, 12, 30, 80])
        elif event == 'nan':
            self.spoilt = [[random.choice([math.nan, math.inf, q]) for q in self.true]] * 3
        elif event in ('glitch', 'far'):
            far = 4.0 if event == 'glitch' else 1e8
            self.spoilt = [[random.uniform(-far, far) for _ in self.true]] * random.randint(1, 2)
        elif event == 'push':
            i = random.randrange(len(self.true))
            self.true[i] += random.uniform(-0.8, 0.8) * self.scales[i]
        elif event == 'restart':
            self.true = [*self.pose(), *self.true[len(self.kinds) :]]
            self.quiet, self.is_active = random.choice([5, 30, 60]), False
            self.supervisor.is_heard = False
        elif event == 'jump':
            self.jump = random.choice([-1e3, 1e3, -0.3, 0.3])

    def measure(self, span: float) -> None:
        """Let time pass, and a driver say something: parts, in any order, at times twice."""
        random, measurements = self.random, self.supervisor.measurements
        self.now += span
        self.clock, self.jump = self.clock + (self.jump or span), 0.0
        measurements.pass_time(self.clock, self.now)
        if self.quiet > 0:
            self.quiet -= 1
            return
        said = [
            q + random.uniform(-self.noise, self.noise) * scale
            for q, scale in zip(self.true, self.scales, strict=True)
        ]
        said = self.spoilt.pop(0) if self.spoilt else said
        order = random.sample(range(len(said)), random.choice([len(said), len(said), 1]))
        for _ in range(random.choice([1, 1, 1, 2])):
            names = [*(self.names[i] for i in order), 'foreign']
            measurements.hear(names, [*(said[i] for i in order), 7.0])
            for i in order:
                if math.isfinite(said[i]):
                    self.said[i].append((self.now, said[i]))

    def move(self) -> None:
        """Let the servos move."""
        for i, setpoint in enumerate(self.setpoint):
            scale = self.scales[i]
            if not self.is_powered:
                self.true[i] -= 0.5 * scale * self.dt
            elif self.is_active:
                sag = self.sag * self.following.tolerance * scale
                most = 1.2 * self.speeds[i] * self.dt
                way = self.quickness * (setpoint - sag - self.true[i])
                self.true[i] += min(max(way, -most), most)
            self.true[i] = min(max(self.true[i], self.limits[i][0]), self.limits[i][1])

    # --- the laws ---------------------------------------------------------------------------------

    def turned(self, i: int, said: float, q: float) -> float:
        """What was said of a joint that may have been said a turn away."""
        if self.limits[i][1] < math.inf or i >= len(self.kinds) or math.isnan(q):
            return said
        return said + math.tau * round((q - said) / math.tau)

    def check_belief(self) -> None:
        """What cannot be true is believed only after others that agree."""
        for i, q in enumerate(self.supervisor.measurements.positions):
            before, since = self.believed[i]
            recent = [(time, self.turned(i, p, q)) for time, p in self.said[i] if time > since]
            said_now = [p for time, p in recent if time == self.now and abs(p - q) <= 1e-6]
            margin, (lower, upper) = self.margins[i], self.limits[i]
            is_inside = lower - margin <= q <= upper + margin
            if said_now and (q != before or is_inside):
                self.believed[i] = q, self.now
            if q == before or math.isnan(q):
                continue
            assert said_now, 'nobody said so'
            speed = self.fastest[i]
            if is_inside and abs(q - before) <= margin + speed * (self.now - since) + 1e-9:
                continue
            self.seen['convinced'] += 1
            assert len(recent) >= 3, 'a wrong measurement is believed'
            assert recent[-1][0] - recent[0][0] >= AGREEMENT - 1e-9, 'they agree for too short'
            near = 2.0 * (margin + speed * 0.6)
            assert all(abs(q - p) <= near for _, p in recent[-3:]), 'they disagree'

    def check_step(self, before: tuple[float, ...] | None, begins: bool, dt: float) -> None:
        """A command is a step from the one before, and not too far ahead of the measured pose."""
        supervisor, measured, following = self.supervisor, self.supervisor.measured, self.following
        assert supervisor.is_heard, 'nobody listens'
        count = len(self.kinds)
        self.moves = (*supervisor.arm.state.velocities, *(0.5 for _ in self.held))
        start = supervisor.origin if begins or before is None else before
        # A step that arrives ends at rest, and one on a way may end more slowly than it begins.
        on_way = supervisor.arm.way_time is not None
        speeds = tuple(
            most * (q != p) if on_way or not v else abs(v)
            for v, most, q, p in zip(self.moves, self.speeds, self.sent, start, strict=True)
        )
        self.way = [*([] if begins else self.way[-200:]), (self.sent, speeds)]
        for i, q in enumerate(self.sent or ()):
            lower, upper = self.limits[i]
            start, tolerance = supervisor.origin[i], following.tolerance * self.reaches[i]
            assert min(lower, start) - 1e-9 <= q <= max(upper, start) + 1e-9, 'outside its limits'
            near = min(self.margins[i], tolerance) + 1e-9  # for a pose that is to be the measured
            speed = self.fastest[i] if self.is_smooth else self.speeds[i]
            step = speed * dt * 1.001 + 1e-9
            if before is None or abs(q - before[i]) > step:
                assert measured is not None, 'a step is too long'
                assert begins, 'a step is too long'
                assert abs(q - measured[i]) <= near + step, 'far away'
            if measured is not None and (before is None or q != before[i]):
                far = (abs(pose[i] - measured[i]) > tolerance for pose, _ in reversed(self.way))
                behind = 1 + sum(itertools.takewhile(bool, far))
                # Since it was commanded where the arm may be:
                speed = max(speeds[i] for _, speeds in self.way[-behind:])
                ahead = tolerance + following.delay * speed + 1e-9
                assert abs(q - measured[i]) <= ahead, 'too far ahead of the measured pose'
            if self.goal or (i >= count and supervisor.phase is not Phase.ENDING):
                continue
            assert before is not None, 'it begins by itself'
            there = supervisor.measurements.positions[i]
            if begins:
                assert abs(q - there) <= near, 'it does not end where it is measured'
            elif abs(q - there) > abs(before[i] - there) + 1e-9:
                at, way = self.brakes[i]
                assert abs(q - at) <= way + 1e-9, 'it moves without a target'

    def tick(self) -> None:
        """Let a period pass, and hold the supervisor to its laws."""
        supervisor, random = self.supervisor, self.random
        self.happened = ''
        if random.random() < HAPPENS:
            self.happen()
        elif random.random() < 0.2:
            supervisor.is_heard = self.is_active = True
        parts = random.choice([1, 2, 2, 5])
        for _ in range(parts):
            self.measure(self.dt / parts)
            self.check_belief()
        was, complaint, starts = supervisor.phase, supervisor.complaint, supervisor.starts
        dt = random.choice([self.dt] * 6 + [0.0, 2.0 * self.dt])
        supervisor.advance(dt, random.choice([0.0, 3.0 * dt]))
        phase = supervisor.phase
        self.seen[phase.name] += 1
        self.may_wait = self.goal is not None and self.may_wait and bool(supervisor.fault)
        has_complained = bool(supervisor.complaint) and not complaint
        self.seen['complained'] += has_complained
        if self.goal and (has_complained or (supervisor.fault and not self.may_wait)):
            self.forget()
        assert supervisor.has_target == (self.goal is not None), 'it has a target that it has not'
        if not self.goal:
            assert phase is not Phase.WAITING, 'it would go on by itself'
            assert phase is not Phase.DRIVING or was is Phase.DRIVING, 'it begins by itself'
            assert phase is not Phase.ENDING or was is not Phase.SILENT, 'it begins by itself'
        before, begins = self.sent, supervisor.starts != starts
        self.sent = supervisor.commanded if supervisor.is_commanding else None
        if self.sent is not None:
            assert all(map(math.isfinite, self.sent))
            assert begins or not has_complained, 'the last command is not the measured pose'
            self.check_step(before, begins, dt)
            if self.is_active:
                self.setpoint = list(self.sent)
        if self.is_there():
            self.was_there = self.now
        if supervisor.is_at_goal:
            self.seen['at goal'] += 1
            assert self.now - self.was_there <= PATIENCE + 4.0 * self.dt, 'it is not at its goal'
        self.seen['on a way'] += bool(supervisor.arm.way_time)
        self.move()


def test_the_laws_hold_whatever_happens_in_whatever_order() -> None:
    seen: Counter[str] = Counter()
    for seed in range(SEQUENCES):
        sequence = Sequence(seed)
        try:
            for _ in range(TICKS):
                sequence.tick()
        except AssertionError as error:
            pytest.fail(f'sequence {seed}, {sequence.now:.2f} s, {sequence.happened}: {error}')
        seen += sequence.seen
    names = [phase.name for phase in Phase]
    rare = [
        what
        for what in (*names, 'at goal', 'complained', 'convinced', 'on a way')
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
    seen = supervisor.measurements
    ends = zip(seen.positions, seen.averages, strict=True)
    seen.pass_time(1.0, 1.0)
    seen.hear(arm.names, [min(q + 0.114, average + 0.108) for q, average in ends])
    supervisor.go((1.0, -1.0))
    supervisor.advance(dt)
    assert max(map(abs, supervisor.origin)) < speed * dt


@pytest.mark.parametrize('seed', range(30))
def test_an_arm_that_is_late_or_sags_within_the_tolerance_is_not_slowed(seed: int) -> None:
    """It is commanded what one is that nobody measures, also where targets and limits change."""
    random = Random(seed)
    dt, delay, often = 0.01, random.choice([0.02, 0.05, 0.1]), random.choice([0.5, 0.1, 0.02])
    start = tuple(random.uniform(-1.0, 1.0) for _ in range(2))
    sags = [random.uniform(-0.0999, 0.0999) for _ in start]
    is_smooth = random.random() < 0.5 and smooth.is_available()

    def joints() -> CommandedJoints:
        motion = MotionLimits(random.choice([0.5, 1.5, 5.0]), 5.0 if is_smooth else None)
        arm = ArmDescription(Chain.from_lengths([0.3, 0.25]), start, (motion,) * 2)
        return CommandedJoints(arm, following=Following(0.1, delay))

    given = joints()
    both = [Supervisor(given, is_measured) for is_measured in (True, False)]
    supervisor, free = both
    held = tuple(q - sag for q, sag in zip(start, sags, strict=True))
    commands = deque([held], maxlen=round(delay / dt))
    for tick in range(500):
        measured = [q + sag for q, sag in zip(commands[0], sags, strict=True)]
        supervisor.measurements.pass_time(dt * tick, dt * tick)
        supervisor.measurements.hear(given.names, measured)
        goal, since = [random.uniform(-2.0, 2.0) for _ in start], random.choice([None, 0.0])
        given = joints() if random.random() < 0.02 else given
        is_sent = tick == 20 or (tick > 20 and random.random() < often)
        for each in both:
            if is_sent:
                each.go(tuple(goal), since)
            each.configure(given)
            each.advance(dt)
        if supervisor.is_commanding:
            assert supervisor.commanded == pytest.approx(free.commanded, abs=1e-9)
            commands.append(supervisor.commanded)
    assert supervisor.is_commanding


def short_way() -> tuple[Supervisor, Way]:
    """A way from home, and the supervisor of an arm with its limits."""
    chain = Chain.from_lengths([0.3, 0.25])
    begin, end = (0.3, 0.8), (0.4, 0.7)
    points = [chain.forward(each)[-1] for each in (begin, end)]
    course = timed(solve_path(chain, points, start=begin), [(10.0, math.inf)] * 2, 1.0)
    arm = ArmDescription(chain, begin, (MotionLimits(10.0),) * 2)
    joints = CommandedJoints(arm, following=Following(1.0))
    return Supervisor(joints, is_measured=True), Way(course.q[0], course)


def test_a_path_that_waits_is_forgotten_when_its_limits_change() -> None:
    supervisor, way = short_way()
    supervisor.is_heard = False
    supervisor.go(way.start, None, way)
    slower = ArmDescription(Chain.from_lengths([0.3, 0.25]), way.start, (MotionLimits(1.0),) * 2)
    supervisor.configure(CommandedJoints(slower, following=Following(1.0)))
    assert not supervisor.has_target


def test_at_the_end_of_a_short_path_it_is_at_its_goal_once_it_is_measured_there() -> None:
    (supervisor, way), dt = short_way(), 0.01
    assert way.duration < PATIENCE
    for tick in range(100):
        at = (0.29, 0.79) if tick < 60 else way.end  # at first close to the way's beginning
        supervisor.measurements.pass_time(dt * tick, dt * tick)
        supervisor.measurements.hear(supervisor.names, at)
        if tick == 20:
            supervisor.go(way.start, None, way)
        supervisor.advance(dt)
        assert supervisor.is_at_goal == (tick >= 60)
    assert supervisor.has_arrived

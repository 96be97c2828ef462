"""Random arms to which everything happens at random, for 5 ms to 30 s: the laws hold at every step.

The arm and its servos are simulated here. Their true positions judge the commands.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from functools import cache
from random import Random

import numpy as np
import pytest
from sizes import FULL, count

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.control.drive import Drive, Following
from ik2d_ros.control.following import PATIENCE
from ik2d_ros.control.joints import CommandedJoints
from ik2d_ros.control.measurements import AGREEMENT, HANDS
from ik2d_ros.control.supervisor import ENDING, SINKING, STILL, Goal, Phase, Supervisor
from ik2d_ros.kinematics import Chain, Joint, solve_path, timed
from ik2d_ros.motion import smooth
from ik2d_ros.motion.trajectory import Trajectory
from ik2d_ros.pilot.clock import LOST

SEQUENCES = count(100_000, 2_000)
LIMITS = {'limited': (-2.0, 2.0), 'free': (-math.inf, math.inf), 'slide': (-0.1, 0.3)}
SPEED, HOLD_SPEED, ACCELERATION = 2.0, 0.5, 8.0  # rad/s, rad/s^2
TOLERANCE, DELAY = 0.1, 0.05  # rad, s
MAY_BE = 0.4  # reaches by which a moving arm may be from where it was believed last
NOISE = 0.1  # rad: a measurement that is off by less may be true
WEAK = 0.1, 0.2, 0.3, 0.4, 0.5  # of its speed: a slow servo
ROUNDING = 1e-9
FALSE = ('zeros', 'offset', 'swapped', 'far')  # measurements
HELD = ('frozen', 'off', 'hung')  # the arm stands, and takes the last command afterwards
FAULTS = (*FALSE, *HELD, 'slow', 'silence', 'nan', 'sag', 'suspended', 'pushed', 'struck')
REQUESTS = (*['target'] * 3, 'path', 'stop', 'speed', 'hold', 'clock', 'gone')


@cache
def chain_of(kinds: tuple[str, ...]) -> Chain:
    """Many sequences have the same arm."""
    joints = []
    for i, kind in enumerate(kinds):
        ends = [end if math.isfinite(end) else None for end in LIMITS[kind]]
        slides = 'prismatic' if kind == 'slide' else 'revolute'
        joints.append(Joint(f'j{i}', (0.3, 0.0), *ends, type=slides))
    return Chain(joints)


class World:
    """One arm with servos, its supervisor, and the laws."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.kinds = random.choices(list(LIMITS), [3, 1, 1], k=random.randint(1, 4))
        held = random.choice([0, 0, 1])
        self.limits = [*(LIMITS[kind] for kind in self.kinds), *[LIMITS['free']] * held]
        self.chain = chain_of(tuple(self.kinds))
        count, reach = len(self.kinds), self.chain.reach.outer
        self.reaches = [reach if kind == 'slide' else 1.0 for kind in self.kinds] + [1.0] * held
        self.is_smooth = smooth.is_available() and random.random() < 0.1
        speeds = [random.choice([0.5, 1.0, SPEED]) * each for each in self.reaches[:count]]
        self.speeds = [*speeds, *[HOLD_SPEED] * held]
        push = ACCELERATION if self.is_smooth else None
        self.motion = tuple(MotionLimits(speed, push) for speed in speeds)
        self.holds = dict.fromkeys([f'h{i}' for i in range(held)], math.nan)
        self.speed, self.lately = 1.0, deque([1.0], maxlen=150)
        self.slowest = 1.0  # share of its speed, since the fault began
        self.supervisor = Supervisor(self.joints(), is_measured=True)
        self.names = self.supervisor.names
        self.sample = random.choice([0.01, 0.01, 0.02])  # s between measurements
        self.samples = random.choice([1, 2, 2, 5]) if self.sample == 0.01 else 1
        self.dt = self.sample * self.samples
        self.noise = random.choice([0.0, 0.0, 1e-3, 5e-3])
        self.lag = random.choice([0.0, 0.02, 0.04])  # s, of first order
        ends = [(max(low, -2.0), min(high, 2.0)) for low, high in self.limits]
        self.true = [random.uniform(*each) for each in ends]
        self.setpoint, self.waiting = list(self.true), list(self.true)
        self.now = 0.0
        self.fault, self.until = '', 0.0
        self.struck: set[int] = set()  # joints
        self.weak = WEAK[seed % len(WEAK)]
        self.wrong = [0.0] * len(self.true)
        self.sent: tuple[float, ...] | None = None
        self.velocities: tuple[float, ...] = ()
        self.may_begin = False  # since the last request
        self.was_at_goal = False
        self.leads: list[float] | None = None  # when the fault began
        self.quiet = 0.0  # s for which the command has stood
        self.disbelief = [0.0] * len(self.true)  # s for which a joint was measured falsely
        self.is_fooled, self.is_shown = False, True  # by a lie that somebody confirmed
        self.hands = 0.0  # rad/s at which somebody moves the joints that are struck
        self.left: list[float] | None = None  # where they were when the commands ended
        self.last: tuple[float, ...] = ()  # the last command
        self.pushed_at = self.sprung_at = -math.inf
        self.seen: Counter[str] = Counter()

    def joints(self) -> CommandedJoints:
        home = tuple(min(max(0.0, low), high) for low, high in self.limits[: len(self.kinds)])
        self.arm = ArmDescription(self.chain, home, self.motion)
        drive = Drive(holds=self.holds, following=Following(speed=self.speed))
        return CommandedJoints(self.arm, drive)

    def pose(self) -> tuple[float, ...]:
        ends = (
            (max(low, q - 3.0), min(high, q + 3.0))
            for q, (low, high) in zip(self.true, self.limits, strict=True)
        )
        return tuple(self.random.uniform(*each) for each, _ in zip(ends, self.kinds, strict=False))

    # --- what happens -----------------------------------------------------------------------------

    def request(self) -> None:
        supervisor, random = self.supervisor, self.random
        what = random.choice(REQUESTS)
        self.seen[what] += 1
        if what in ('target', 'path'):
            goal = self.pose()
            way = self.path(goal) if what == 'path' else None
            if not supervisor.fault or not supervisor.start_count:
                supervisor.go(Goal(way.start if way else goal, way))
                self.goal = way.end if way else goal
                self.may_begin = True
        elif what == 'stop':
            self.confirm()
            supervisor.stop()
        elif what == 'speed':
            self.speed = random.choice([1.0, 0.5, 0.1])
            supervisor.configure(self.joints())
        elif what == 'hold' and self.holds:
            where = {name: random.uniform(-1.0, 1.0) for name in self.holds}
            if random.random() < 0.3:
                self.holds, self.may_begin = where, self.may_begin or supervisor.has_target
                supervisor.configure(self.joints())
            elif not supervisor.fault:
                supervisor.move_held(where, is_jog=random.random() < 0.5)
                self.may_begin = True
        elif what == 'clock':
            supervisor.abort()
        elif what == 'gone':
            supervisor.is_heard = False

    def confirm(self) -> None:
        """Let a person say that the arm is where it is measured: at the worst, during a lie."""
        seen = self.supervisor.measurements
        was = seen.positions
        seen.confirm()
        if seen.positions != was:
            self.seen['confirmed'] += 1
            self.is_fooled = self.off() > self.noise + 0.05

    def off(self) -> float:
        """How far the arm is from where it is believed to be, in reaches."""
        ends = zip(self.supervisor.measurements.positions, self.true, self.reaches, strict=True)
        return max(abs(q - true) / reach for q, true, reach in ends)

    def path(self, start: tuple[float, ...]) -> Trajectory | None:
        end = [q + self.random.uniform(-0.3, 0.3) for q in start]
        path = solve_path(self.chain, self.chain.forward([start, end])[:, -1], start=start)
        if len(path.q) < 2 or not np.ptp(path.q, axis=0).any():
            return None
        limits = [(m.velocity, m.acceleration or math.inf) for m in self.motion]
        course = timed(path, limits, 1.0)
        return Trajectory.of(course)

    def begin_fault(self) -> None:
        random = self.random
        self.fault = random.choice(FAULTS)
        span = math.exp(random.uniform(math.log(0.005), math.log(30.0)))
        self.until = self.now + span
        self.seen[self.fault] += 1
        every = range(len(self.true))
        self.struck = {*(every if random.random() < 0.5 else [random.choice(every)])}
        self.seen['one alone'] += len(self.struck) < len(self.true)
        self.leads, self.slowest = None, min(self.lately)
        if self.sent is not None:
            self.leads = [abs(q - p) for q, p in zip(self.sent, self.true, strict=True)]
        sign = random.choice([-1.0, 1.0])
        self.wrong = [sign * random.uniform(0.3, 1.0) * reach for reach in self.reaches]
        self.hands = 0.0
        if self.fault == 'pushed' or (self.fault == 'silence' and random.random() < 0.5):
            self.hands = random.uniform(-HANDS, HANDS)  # times their own speed
            self.until = min(self.until, self.now + (0.3 if self.fault == 'pushed' else span))
        elif self.fault == 'struck':
            i = random.choice([*self.struck])
            self.shift(i, random.uniform(-0.8, 0.8) * self.reaches[i])
        elif self.fault == 'suspended':
            self.suspend(span)

    def suspend(self, span: float) -> None:
        """Let no tick come for a while; the servos go on."""
        for _ in range(min(round(span / self.dt), 100)):
            self.move(self.dt)
        self.now += span
        self.supervisor.measurements.pass_time(self.now, self.now)
        is_lost = span > max(LOST, 3.0 * self.dt)
        was = self.sent
        self.supervisor.advance(self.dt, span, span if is_lost else 0.0)
        self.fault = ''
        if is_lost and was is not None:
            assert self.supervisor.phase is Phase.SILENT, 'it goes on after lost time'
            assert not self.supervisor.has_target
            self.may_begin = False
            self.sent = None
        else:
            self.judge(was)

    def shift(self, i: int, way: float) -> None:
        if abs(way) > 0.5 * NOISE * self.reaches[i]:  # which measurements do not show at once
            self.pushed_at = self.now
        if abs(way) > 1.5 * self.speeds[i] * self.sample:  # faster than it goes by itself
            self.sprung_at = self.now
        low, high = self.limits[i]
        self.true[i] = min(max(self.true[i] + way, low), high)

    def said(self) -> dict[int, float]:
        """What is measured, by joint."""
        fault, random, least, span = self.fault, self.random, -self.noise, 2.0 * self.noise
        truth = [q + (least + span * random.random()) for q in self.true]
        said = dict(enumerate(truth))
        for i in self.struck if fault else ():
            if fault in ('silence', 'hung'):
                del said[i]
            elif fault == 'zeros':
                said[i] = 0.0
            elif fault == 'offset':
                said[i] += self.wrong[i]
            elif fault == 'swapped':
                said[i] = truth[(i + 1) % len(truth)]
            elif fault == 'far':
                said[i] = random.uniform(-4.0, 4.0)
            elif fault == 'nan':
                said[i] = random.choice([math.nan, math.inf, 1e300])
        return said

    def move(self, span: float) -> None:
        """Let the servos move."""
        if self.true == self.setpoint and not self.fault:
            return
        share = 1.0 - math.exp(-span / self.lag) if self.lag else 1.0
        for i, (q, setpoint) in enumerate(zip(self.true, self.setpoint, strict=True)):
            fault = self.fault if i in self.struck else ''
            if fault == 'sag':
                self.shift(i, -0.3 * self.reaches[i] * span)
            elif fault in ('pushed', 'silence') and self.hands:
                self.shift(i, self.hands * self.speeds[i] * span)
                # Its servo has no power until the next command.
                self.setpoint[i] = self.waiting[i] = self.true[i]
            elif q != setpoint and fault not in ('frozen', 'hung'):
                most = self.weak * self.speeds[i] * span if fault == 'slow' else math.inf
                self.shift(i, min(max(share * (setpoint - q), -most), most))

    # --- the laws ---------------------------------------------------------------------------------

    def tick(self) -> None:
        random, supervisor = self.random, self.supervisor
        if self.fault and self.now >= self.until:
            # What was moved unseen is found elsewhere.
            self.sprung_at = self.now if self.hands else self.sprung_at
            self.fault, self.leads, self.hands = '', None, 0.0
            self.disbelief = [0.0] * len(self.true)
            self.setpoint = list(self.waiting)  # a controller takes what came last
        if not self.fault and self.now > 0.5 and random.random() < 0.015:
            self.begin_fault()
        if random.random() < 0.03:
            self.request()
        elif random.random() < 0.3:
            supervisor.is_heard = True
        for _ in range(self.samples):
            self.move(self.sample)
            self.now += self.sample
            supervisor.measurements.pass_time(self.now, self.now)
            if said := self.said():
                supervisor.measurements.hear([self.names[i] for i in said], [*said.values()])
            for i, p in said.items() if self.fault else ():
                is_far = abs(p - self.true[i]) > (NOISE + 0.5 * SPEED) * self.reaches[i]
                self.disbelief[i] = self.disbelief[i] + self.sample if is_far else 0.0
            self.check_belief()
        was = self.sent
        supervisor.advance(self.dt)
        self.judge(was)

    def judge(self, was: tuple[float, ...] | None) -> None:
        supervisor, phase = self.supervisor, self.supervisor.phase
        self.seen[phase.name] += 1
        self.seen['waits'] += bool(supervisor.waits_for)
        self.seen['complains'] += bool(supervisor.complaint)
        if supervisor.is_at_goal:
            self.seen['at goal'] += 1
            assert supervisor.arm.goal == pytest.approx(self.goal, abs=1e-6), 'another goal'
            pairs = zip(self.goal, supervisor.measured or self.goal, self.reaches, strict=False)
            is_there = all(abs(q - p) <= 0.02 * reach + ROUNDING for q, p, reach in pairs)
            assert is_there or self.was_at_goal, 'it was not measured there'
        self.was_at_goal = supervisor.is_at_goal
        if phase is Phase.SILENT and supervisor.has_target and supervisor.measured:
            pairs = zip(supervisor.arm.goal, supervisor.measured, self.reaches, strict=False)
            assert all(abs(q - p) <= TOLERANCE * reach for q, p, reach in pairs), 'dragged away'
        self.lately.append(self.speed)
        self.slowest = min(self.slowest, self.speed)
        self.sent = supervisor.commanded if supervisor.is_commanding else None
        if phase is not Phase.WAITING:
            assert not (supervisor.has_target and (supervisor.complaint or supervisor.fault))
            self.may_begin = self.may_begin and supervisor.has_target
        if self.sent is None:
            self.quiet = 0.0
            self.rest(was)
            return
        assert all(map(math.isfinite, self.sent))
        assert supervisor.is_heard, 'nobody listens'
        if was is None:
            assert self.may_begin, 'it begins by itself'
            self.may_begin = False
            self.check_begin()
        else:
            self.check_step(was)
        self.velocities = supervisor.arm.state.velocities
        self.check_lead()
        for i, q in enumerate(self.sent):
            if self.fault not in HELD or i not in self.struck:
                self.setpoint[i] = q
        self.waiting = list(self.sent)
        # One that waits goes on or complains; one that stands falls silent.
        self.quiet = self.quiet + self.dt if self.sent == was else 0.0
        longest = max(PATIENCE + 2 * ENDING, LOST) + SINKING + STILL + 4 * self.dt
        assert self.quiet <= longest, 'it commands an arm at rest'

    def rest(self, was: tuple[float, ...] | None) -> None:
        """Note where the commands ended, and where the servos come to rest after that."""
        self.last = self.last if was is None else was
        left = self.true if was is not None or self.left is None else self.left
        joints = zip(self.true, left, self.last, strict=False)
        self.left = [q if abs(q - c) < abs(p - c) else p for q, p, c in joints]

    def check_belief(self) -> None:
        """What is measured falsely is never believed, but where that is confirmed."""
        off = self.off()
        if not self.fault:
            self.is_fooled = self.is_fooled and off > self.noise + 0.05
        self.is_shown = not self.is_fooled and self.now - self.pushed_at > 2.0 * AGREEMENT
        may_be = self.noise + MAY_BE
        # Random positions may look like a move, but then they jump again.
        is_unseen = self.hands or self.fault == 'far' or self.now - self.sprung_at < 2.0 * AGREEMENT
        assert off <= may_be or is_unseen or not self.is_shown or self.supervisor.fault, (
            f'it is fooled: {off}'
        )

    def check_begin(self) -> None:
        """The first command after silence is a step from where the arm is, or was commanded last.

        The latter if it still is as those commands left it.
        """
        if self.fault in FALSE or not self.is_shown or self.now - self.sprung_at < AGREEMENT:
            return
        joints = zip(self.sent or (), self.true, self.speeds, self.reaches, strict=True)
        for i, (q, true, speed, reach) in enumerate(joints):
            slack = self.noise + speed * (self.dt + 0.1)  # an arm that still moves
            slack += ROUNDING
            if abs(q - true) > slack and self.left is not None:
                assert abs(q - self.last[i]) <= speed * self.dt + ROUNDING, 'it begins elsewhere'
                assert abs(true - self.left[i]) <= 0.02 * reach + slack, 'it was moved'
                assert abs(true - self.last[i]) <= TOLERANCE * reach + slack, 'it hangs too far'
            else:
                assert abs(q - true) <= slack, 'it begins elsewhere'

    def check_step(self, was: tuple[float, ...]) -> None:
        """Each command is within the motion limits of the one before."""
        assert self.sent is not None
        fastest = max(self.lately) if self.is_smooth else self.speed
        for q, p, speed, (low, high) in zip(self.sent, was, self.speeds, self.limits, strict=True):
            assert abs(q - p) <= fastest * speed * self.dt * (1.0 + 1e-9) + ROUNDING, 'a step'
            assert min(low, p) - ROUNDING <= q <= max(high, p) + ROUNDING, 'outside its limits'
        if self.is_smooth and self.velocities:
            now = self.supervisor.arm.state.velocities
            for v, u in zip(now, self.velocities, strict=True):
                assert abs(v - u) <= ACCELERATION * self.dt * 1.001 + ROUNDING, 'a jerk'

    def check_lead(self) -> None:
        """The arm is not left behind, however long a fault lasts: a jump at its end is bounded."""
        assert self.sent is not None
        if not self.is_shown:
            return
        for i, (q, true, reach, speed) in enumerate(
            zip(self.sent, self.true, self.reaches, self.speeds, strict=True)
        ):
            braking = speed**2 / (2.0 * ACCELERATION) + speed * self.dt if self.is_smooth else 0.0
            most = TOLERANCE * reach + braking + 8.0 * self.noise + ROUNDING
            ahead, fault = abs(q - true), self.fault if i in self.struck else ''
            if self.hands:
                continue  # they drag it off
            if fault in (*HELD, 'silence', 'nan') and self.leads is not None:
                rest = self.lag * speed if fault == 'off' else 0.0  # to its last command
                assert ahead <= self.leads[i] + most + rest, f'{fault}: {ahead} ahead'
            if fault == 'slow' and self.leads is not None:
                made = self.weak * DELAY * speed
                assert ahead <= self.leads[i] + most + made, f'slow: {ahead} ahead'
            if fault == 'sag' and self.slowest < 1.0:
                continue  # it may sink faster than commands follow
            if fault in FALSE or fault == 'sag':
                most += NOISE * reach + 0.5 * speed * LOST
            before = self.leads[i] if self.leads else 0.0  # such as hands have left
            most += before + DELAY * speed + NOISE * reach + 0.1 * reach
            assert ahead <= most, f'{ahead} ahead'
        allowed = 0.1 + 2.5 * self.dt + 2.0 * self.sample + NOISE / 0.3
        assert max(self.disbelief) <= allowed or not self.supervisor.has_target, 'it moves unseen'


def test_the_laws_hold_whatever_happens_in_whatever_order_and_for_however_long() -> None:
    seen: Counter[str] = Counter()
    for seed in range(SEQUENCES):
        world = World(seed)
        try:
            span = 5.0 if FULL else 3.0  # s
            while world.now < (span if seed % 100 else 40.0):
                world.tick()
        except AssertionError as error:
            pytest.fail(f'sequence {seed}, {world.now:.2f} s, {world.fault}: {error}')
        seen += world.seen
    names = [*(phase.name for phase in Phase), *FAULTS]
    names += ['one alone', 'at goal', 'waits', 'complains']
    assert [what for what in names if seen[what] < 20] == [], seen


def measured_arm(speed: float) -> tuple[ArmDescription, Supervisor]:
    """Two joints with a limit of speed in rad/s, whose measurements the supervisor awaits."""
    chain = Chain.from_lengths([0.3, 0.25])
    arm = ArmDescription(chain, (0.0, 0.0), (MotionLimits(speed),) * 2)
    return arm, Supervisor(CommandedJoints(arm), is_measured=True)


@pytest.mark.parametrize('seed', range(20))
def test_an_arm_whose_servos_lag_by_50_ms_is_not_slowed_down(seed: int) -> None:
    """It is commanded what one is that nobody measures, whatever comes next."""
    random = Random(seed)
    dt, sample, lag = random.choice([0.01, 0.02, 0.05]), 0.01, random.uniform(0.0, 0.05)
    start = tuple(random.uniform(-1.0, 1.0) for _ in range(2))
    is_smooth = smooth.is_available() and random.random() < 0.5
    motion = MotionLimits(random.choice([0.5, 1.0, SPEED]), ACCELERATION if is_smooth else None)
    arm = ArmDescription(Chain.from_lengths([0.3, 0.25]), start, (motion,) * 2)
    supervisor, free = (Supervisor(CommandedJoints(arm), each) for each in (True, False))
    true, now = list(start), 0.0
    for tick in range(600):
        for _ in range(round(dt / sample)):
            now += sample
            share = 1.0 - math.exp(-sample / lag) if lag else 1.0
            for i, q in enumerate(supervisor.commanded):
                true[i] += share * (q - true[i])
            supervisor.measurements.pass_time(now, now)
            supervisor.measurements.hear(arm.names, true)
        if tick == 20 or (tick > 20 and random.random() < 0.1 and not free.has_arrived):
            goal = tuple(random.uniform(-2.0, 2.0) for _ in start)
            supervisor.go(Goal(goal))
            free.go(Goal(goal))
        supervisor.advance(dt)
        free.advance(dt)
        if tick > 20 and free.phase is Phase.DRIVING and supervisor.phase is Phase.DRIVING:
            assert supervisor.commanded == pytest.approx(free.commanded, abs=1e-6), 'it waits'
            assert not supervisor.waits_for


@pytest.mark.parametrize('seed', range(30))
def test_a_node_and_a_robot_that_are_short_of_time_are_not_blamed_on_the_arm(seed: int) -> None:
    """Ticks come late, measurements late, in bursts or not; the robot stands for 0.2 s at most."""
    random, dt, sample = Random(seed), 0.02, 0.01
    motion = MotionLimits(random.choice([0.5, SPEED]), random.choice([None, ACCELERATION]))
    arm = ArmDescription(Chain.from_lengths([0.3, 0.25]), (0.0, 0.0), (motion,) * 2)
    supervisor = Supervisor(CommandedJoints(arm), is_measured=True)
    true, said, now, sampled, goes_on_at = [0.0, 0.0], deque[list[float]](maxlen=10), 0.0, 0.0, 0.0
    longest, is_late = random.choice([0.02, 0.05, 0.4]), random.random() < 0.5
    lost_until = 0.0
    while now < 12.0:
        gap = random.uniform(dt, longest) if now > 0.5 and random.random() < 0.5 else dt
        now += gap
        while sampled < now:
            sampled += sample
            if random.random() < 0.05 and sampled > lost_until:
                goes_on_at = sampled + random.uniform(0.0, 0.2)
                lost_until = goes_on_at + random.uniform(0.0, 0.1)
            if sampled >= goes_on_at:
                true = [q + 0.4 * (p - q) for q, p in zip(true, supervisor.commanded, strict=True)]
            if not goes_on_at <= sampled < lost_until:
                said.append(true)
        measurements = supervisor.measurements
        measurements.pass_time(now, now)
        if not is_late:
            while said:
                measurements.hear(arm.names, said.popleft())
        if now > 0.5 and supervisor.has_arrived and random.random() < 0.2:
            supervisor.go(Goal(tuple(random.uniform(-2.0, 2.0) for _ in true)))
        supervisor.advance(dt, gap)
        while said:
            measurements.hear(arm.names, said.popleft())
        assert not supervisor.complaint
    assert supervisor.start_count


def test_a_path_that_waits_is_forgotten_when_its_limits_change() -> None:
    chain, begin = Chain.from_lengths([0.3, 0.25]), (0.3, 0.8)
    points = [chain.forward(each)[-1] for each in (begin, (0.4, 0.7))]
    way = Trajectory.of(timed(solve_path(chain, points, start=begin), [(10.0, math.inf)] * 2, 1.0))
    fast, slow = (ArmDescription(chain, begin, (MotionLimits(v),) * 2) for v in (10.0, 1.0))
    supervisor = Supervisor(CommandedJoints(fast), is_measured=True)
    supervisor.is_heard = False
    supervisor.go(Goal(way.start, way))
    supervisor.configure(CommandedJoints(slow))
    assert not supervisor.has_target

"""Random arms to which everything happens at random, for 5 ms to 30 s: the laws hold at every step.

Requests come during faults, too, which may be those of one joint alone, and are confirmed at the
worst moments. The true positions of the simulated arm judge the commands.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest
from flight import Flight
from sizes import count

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.control.measurements import AGREEMENT, HAND_SPEED, OUTLIER_TIME
from ik2d_ros.control.settings import ControlSettings, Following
from ik2d_ros.control.supervisor import REPEAT_TIME, SAG_SETTLED, SAG_TIMEOUT, STALL_TIME, Phase
from ik2d_ros.kinematics import Chain, Joint
from ik2d_ros.motion.motion import AtVelocity
from ik2d_ros.motion.profile import has_ruckig
from ik2d_ros.pilot.clock import LOST
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.request import Enable, Jog, JogJoints, Joints, Path, Request, Stop
from ik2d_ros.planning.settings import Settings

SEQUENCES = count(100_000, 2_000)
SPAN, LONG = 1.2, 40.0  # s: of a sequence, and of each two hundredth
LIMITS = {'limited': (-2.0, 2.0), 'free': (-math.inf, math.inf), 'slide': (-0.1, 0.3)}
SPEED, HOLD_SPEED, ACCELERATION = 2.0, 0.5, 8.0  # rad/s, rad/s^2
TOLERANCE, DELAY = 0.1, 0.05  # rad, s
MAY_BE = 0.4  # reaches by which a moving arm may be from where it was believed last
NOISE = 0.1  # rad: a measurement that is off by less may be true
WEAK = 0.1, 0.2, 0.3, 0.4, 0.5  # of its speed: a slow servo
ROUNDING = 1e-9
FALSE = ('zeros', 'offset', 'swapped', 'far')  # measurements
HELD = ('frozen', 'hung')  # the arm stands, and takes the last command afterwards
BLIND = (*FALSE, 'hung', 'silence', 'nan')  # the truth is not measured
FAULTS = (*FALSE, *HELD, 'slow', 'silence', 'nan', 'sag', 'suspended', 'pushed', 'struck')
REQUESTS = (*['target'] * 6, *['path', 'jog', 'stop', 'enable', 'hold'] * 2)
REQUESTS += ('disable', 'speed', 'clock', 'gone')


@cache
def chain_of(kinds: tuple[str, ...]) -> Chain:
    """Many sequences have the same arm."""
    joints = []
    for i, kind in enumerate(kinds):
        ends = [end if math.isfinite(end) else None for end in LIMITS[kind]]
        slides = 'prismatic' if kind == 'slide' else 'revolute'
        joints.append(Joint(f'j{i}', (0.3, 0.0), *ends, type=slides))
    return Chain(joints)


class Faulty(Flight):
    """An arm to which everything happens, and the laws."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.kinds = random.choices(list(LIMITS), [3, 1, 1], k=random.randint(1, 4))
        held = random.choice([0, 0, 1])
        self.limits = [*(LIMITS[kind] for kind in self.kinds), *[LIMITS['free']] * held]
        self.chain = chain_of(tuple(self.kinds))
        count, reach = len(self.kinds), self.chain.reach.outer
        self.reaches = [reach if kind == 'slide' else 1.0 for kind in self.kinds] + [1.0] * held
        self.is_smooth = has_ruckig() and random.random() < 0.1
        speeds = [random.choice([0.5, 1.0, SPEED]) * each for each in self.reaches[:count]]
        self.speeds = [*speeds, *[HOLD_SPEED] * held]
        push = ACCELERATION if self.is_smooth else None
        self.motion = tuple(MotionLimits(speed, push) for speed in speeds)
        self.holds = dict.fromkeys([f'h{i}' for i in range(held)], math.nan)
        self.speed, self.lately = 1.0, deque([1.0], maxlen=150)
        self.slowest = 1.0  # share of its speed, since the fault began
        sample = random.choice([0.01, 0.01, 0.02])  # s between measurements
        samples = random.choice([1, 2, 2, 5]) if sample == 0.01 else 1
        ends = [(max(low, -2.0), min(high, 2.0)) for low, high in self.limits]
        true = [random.uniform(*each) for each in ends]
        self.noise = random.choice([0.0, 0.0, 1e-3, 5e-3])
        super().__init__(self.configuration(), true, sample * samples)
        self.samples, self.begun = samples, self.time
        self.supervisor, self.names = self.pilot.supervisor, self.pilot.supervisor.names
        self.lag = random.choice([0.0, 0.02, 0.04])
        self.fault, self.until = '', 0.0
        self.struck: set[int] = set()  # joints
        self.weak = WEAK[seed % len(WEAK)]
        self.wrong = [0.0] * len(true)
        self.jog: Request | None = None  # which is sent with each tick
        self.was_jogged = False  # by it
        self.goal: tuple[float, ...] | None = None  # where the last request leads, if that is known
        self.sent: tuple[float, ...] | None = None
        self.velocities: tuple[float, ...] = ()
        self.may_begin = False  # since the last request
        self.was_at_goal = False
        self.leads: list[float] | None = None  # when the fault began
        self.unseen = [0.0] * len(true)  # s, then: since joints were measured truly
        self.shown_at, self.lies = [self.time] * len(true), [math.nan] * len(true)
        self.was_off = 0.0
        self.quiet = 0.0  # s for which the command has stood
        self.disbelief = [0.0] * len(true)  # s for which a joint was measured falsely
        # By a lie that somebody confirmed, or that looks like hands.
        self.is_fooled, self.is_shown = False, True
        self.left: list[float] | None = None  # where they were when the commands had ended
        self.last: tuple[float, ...] = ()  # the last command
        self.pushed_at = self.sprung_at = self.released_at = -math.inf
        self.seen: Counter[str] = Counter()

    def configuration(self) -> Configuration:
        home = tuple(min(max(0.0, low), high) for low, high in self.limits[: len(self.kinds)])
        arm = ArmDescription(self.chain, home, self.motion)
        control = ControlSettings(
            use_measured_state=True,
            command_joints=(*arm.names, *self.holds),
            holds=self.holds,
            following=Following(scaling=self.speed),
        )
        return Configuration(arm, Settings(path_speed=1.0), control)

    def pose(self) -> tuple[float, ...]:
        ends = (
            (max(low, q - 3.0), min(high, q + 3.0))
            for q, (low, high) in zip(self.true, self.limits, strict=True)
        )
        return tuple(self.random.uniform(*each) for each, _ in zip(ends, self.kinds, strict=False))

    # --- what happens -----------------------------------------------------------------------------

    def request(self) -> None:
        random, what = self.random, self.random.choice(REQUESTS)
        self.seen[what] += 1
        self.seen['during a fault'] += bool(self.fault)
        if what in ('target', 'path', 'jog', 'stop', 'enable', 'disable'):
            self.jog = None
        if what == 'target':
            self.goal = self.pose()
            self.move_by(Joints(self.names[: len(self.kinds)], self.goal))
        elif what == 'path':
            start = self.pose()
            end = [q + random.uniform(-0.3, 0.3) for q in start]
            points = np.pad(self.chain.forward([start, end])[:, -1], ((0, 0), (0, 1)))
            self.goal = None
            self.move_by(Path(lambda: points))
        elif what == 'jog':
            names = random.sample(self.names, random.randint(1, len(self.names)))
            speeds = tuple(random.uniform(-SPEED, SPEED) for _ in names)
            line = Jog((random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 0.0))
            self.jog, self.goal = random.choice([line, JogJoints((*names,), speeds)]), None
            self.was_jogged = False
        elif what == 'stop':
            self.confirm(Stop())
        elif what in ('enable', 'disable'):
            self.may_begin = self.may_begin and what == 'enable' and not self.pilot.is_disabled
            self.confirm(Enable(what == 'enable'))
        elif what == 'speed':
            self.speed = random.choice([1.0, 0.5, 0.1])
            self.configure()
        elif what == 'hold' and self.holds:
            where = {name: random.uniform(-1.0, 1.0) for name in self.holds}
            if random.random() < 0.3:
                self.holds = where
                self.may_begin = self.may_begin or self.supervisor.has_goal
                self.configure()
            else:
                self.goal = None if self.supervisor.fault else self.goal  # it waits, as a target
                self.move_by(Joints((*where,), (*where.values(),)))
        elif what == 'clock':
            self.clock_stands = True
        elif what == 'gone':
            self.is_heard = False

    def configure(self) -> None:
        self.pilot.configure(self.configuration(), frozenset(), self.now)

    def move_by(self, request: Request) -> None:
        """Ask for a motion, which may begin unless it is refused."""
        is_refused = self.supervisor.was_ever_known and (self.supervisor.fault or self.clock_stands)
        if not (self.pilot.is_disabled or is_refused):  # at the start, it waits
            self.may_begin = True
        self.ask(request)

    def confirm(self, request: Request) -> None:
        """Let a person say that the arm is where it is measured: at the worst, during a lie."""
        seen = self.supervisor.measurements
        was = seen.positions
        self.ask(request)
        if seen.positions != was:
            self.seen['confirmed'] += 1
            self.is_fooled = self.off() > self.noise + 0.05

    def off(self) -> float:
        """How far the arm is from where it is believed to be, in reaches."""
        ends = zip(self.supervisor.measurements.positions, self.true, self.reaches, strict=True)
        return max(abs(q - true) / reach for q, true, reach in ends)

    def begin_fault(self) -> None:
        random = self.random
        self.fault = random.choice(FAULTS)
        span = math.exp(random.uniform(math.log(0.005), math.log(30.0)))
        self.until = self.time + span
        self.seen[self.fault] += 1
        every = range(len(self.true))
        self.struck = {*(every if random.random() < 0.5 else [random.choice(every)])}
        self.seen['one alone'] += len(self.struck) < len(self.true)
        # It may stay so, and a lie right after hands have moved the arm looks like their move.
        self.is_fooled = self.is_fooled or self.off() > self.noise + MAY_BE
        self.is_fooled = self.is_fooled or self.time - self.released_at < 2.0 * AGREEMENT
        self.leads, self.slowest, self.was_off = None, min(self.lately), self.off()
        self.unseen = [min(self.time - at, OUTLIER_TIME) for at in self.shown_at]
        if self.sent is not None:
            self.leads = [abs(q - p) for q, p in zip(self.sent, self.true, strict=True)]
        sign = random.choice([-1.0, 1.0])
        self.wrong = [sign * random.uniform(0.3, 1.0) * reach for reach in self.reaches]
        self.held = {*self.struck} if self.fault in HELD else set()
        if self.fault == 'slow':
            self.fastest = {i: self.weak * self.speeds[i] for i in self.struck}
        elif self.fault == 'sag':
            self.drifts = {i: -0.3 * self.reaches[i] for i in self.struck}
        elif self.fault == 'pushed' or (self.fault == 'silence' and random.random() < 0.5):
            hands = random.uniform(-HAND_SPEED, HAND_SPEED)  # times their own speed
            self.drifts = {i: hands * self.speeds[i] for i in self.struck}
            self.until = min(self.until, self.time + (0.3 if self.fault == 'pushed' else span))
        elif self.fault == 'struck':
            i = random.choice([*self.struck])
            self.put(i, self.true[i] + random.uniform(-0.8, 0.8) * self.reaches[i])
        elif self.fault == 'suspended':
            self.suspend(span)

    def end_fault(self) -> None:
        if self.drags:  # what was moved unseen is found elsewhere, and goes to the last command
            self.sprung_at = self.released_at = self.time
            self.setpoints = dict(enumerate(self.sent or ()))
        self.fault, self.leads, self.drifts, self.held = '', None, {}, set()
        self.fastest = {}
        self.disbelief = [0.0] * len(self.true)
        self.was_off = 0.0

    @property
    def drags(self) -> bool:
        """Whether hands move the arm."""
        return bool(self.drifts) and self.fault != 'sag'

    def suspend(self, span: float) -> None:
        """Let no tick come for a while; the servos go on."""
        was, self.jog = self.sent, None
        for _ in range(min(round(span / self.dt), 100)):
            self.move(self.dt)
        self.time += span
        super().tick()
        self.fault = ''
        if was is not None and span > max(LOST, 3.0 * self.dt):
            assert self.supervisor.phase is Phase.SILENT, 'it goes on after lost time'
            assert not self.supervisor.has_goal
            self.may_begin = False
        self.judge(was)

    def put(self, i: int, position: float) -> None:
        way = position - self.true[i]
        if abs(way) > 0.5 * NOISE * self.reaches[i]:  # which measurements do not show at once
            self.pushed_at = self.time
        if abs(way) > 1.5 * self.speeds[i] * self.dt / self.samples:  # faster than it goes itself
            self.sprung_at = self.time
        low, high = self.limits[i]
        super().put(i, min(max(position, low), high))

    def said(self) -> dict[str, float]:
        fault, random = self.fault, self.random
        truth = [q + random.uniform(-self.noise, self.noise) for q in self.true]
        said = dict(zip(self.names, truth, strict=True))
        for i in self.struck if fault else ():
            name = self.names[i]
            if fault in ('silence', 'hung'):
                del said[name]
            elif fault == 'zeros':
                said[name] = 0.0
            elif fault == 'offset':
                said[name] += self.wrong[i]
            elif fault == 'swapped':
                said[name] = truth[(i + 1) % len(truth)]
            elif fault == 'far':
                said[name] = random.uniform(-4.0, 4.0)
            elif fault == 'nan':
                said[name] = random.choice([math.nan, math.inf, 1e300])
            is_far = name in said and (
                abs(said[name] - self.true[i]) > (NOISE + 0.5 * SPEED) * self.reaches[i]
            )
            self.disbelief[i] = is_far * (self.disbelief[i] + self.dt / self.samples)
            if fault in FALSE:
                self.is_fooled |= fault != 'far' and self.looks_moved(i, said[name])
                self.lies[i] = said[name]
        for i in range(len(truth)):
            if not (fault in BLIND and i in self.struck):
                self.shown_at[i], self.lies[i] = self.time, math.nan
        return said

    def looks_moved(self, i: int, said: float) -> bool:
        """Whether a lie goes on from the lie before it about as far as that was from the truth."""
        jump = self.lies[i] - self.true[i]
        return (
            0.4 * abs(jump) <= (said - self.lies[i]) * math.copysign(1.0, jump) <= 2.2 * abs(jump)
        )

    def measure(self) -> None:
        super().measure()
        self.check_belief()

    # --- the laws ---------------------------------------------------------------------------------

    def tick(self, again: Request | None = None) -> None:
        random, is_known = self.random, self.supervisor.was_ever_known
        if self.fault and self.time >= self.until:
            self.end_fault()
        if not self.fault and is_known and random.random() < 0.04:
            self.begin_fault()
        if random.random() < 0.08:
            self.request()
        elif random.random() < 0.3:
            self.is_heard, self.clock_stands = True, False
            if self.pilot.is_disabled:
                self.confirm(Enable(True))
        was = self.sent
        if self.jog is not None:  # one that something has ended does not begin anew
            (self.ask if self.was_jogged else self.move_by)(self.jog)
        super().tick()
        if self.jog is not None:
            self.was_jogged |= any(isinstance(each, AtVelocity) for each in self.supervisor.motions)
        if self.drags:  # servos that hands drag have no power until the next command
            self.setpoints = {i: q for i, q in self.setpoints.items() if i not in self.struck}
        self.judge(was)
        if random.random() < 0.05:
            self.jog = None

    def judge(self, was: tuple[float, ...] | None) -> None:
        supervisor, phase = self.supervisor, self.supervisor.phase
        self.seen[phase.name] += 1
        self.seen['waits'] += bool(supervisor.waits_for)
        self.seen['complains'] += bool(supervisor.stop_reason)
        if supervisor.is_at_goal:
            self.seen['at goal'] += 1
            goal = supervisor.arm_motion.goal
            assert self.goal is None or goal == pytest.approx(self.goal, abs=1e-6), 'another goal'
            pairs = zip(goal, supervisor.measured or goal, self.reaches, strict=False)
            is_there = all(abs(q - p) <= 0.02 * reach + ROUNDING for q, p, reach in pairs)
            assert is_there or self.was_at_goal, 'it was not measured there'
        self.was_at_goal = supervisor.is_at_goal
        if phase is Phase.SILENT and supervisor.has_goal and supervisor.measured:
            pairs = zip(supervisor.arm_motion.goal, supervisor.measured, self.reaches, strict=False)
            assert all(abs(q - p) <= TOLERANCE * reach for q, p, reach in pairs), 'dragged away'
        self.lately.append(self.speed)
        self.slowest = min(self.slowest, self.speed)
        self.sent = supervisor.commanded if supervisor.is_commanding else None
        if phase is not Phase.PENDING:
            assert not (supervisor.has_goal and (supervisor.stop_reason or supervisor.fault))
            is_asked = supervisor.has_goal or self.pilot.waiting.current is not None
            self.may_begin = self.may_begin and is_asked
        if self.sent is None:
            self.quiet = 0.0
            self.rest(was)
            return
        assert all(map(math.isfinite, self.sent))
        assert not supervisor.controller_fault, 'nobody listens'
        if was is None:
            assert self.may_begin, 'it begins by itself'
            self.may_begin = False
            self.check_begin()
        else:
            self.check_step(was)
        self.velocities = supervisor.arm_motion.state.velocities
        self.check_lead()
        # One that waits goes on or complains; one that stands falls silent.
        self.quiet = self.quiet + self.dt if self.sent == was else 0.0
        longest = max(STALL_TIME + 2 * REPEAT_TIME, LOST) + SAG_TIMEOUT + SAG_SETTLED + 4 * self.dt
        assert self.quiet <= longest, 'it commands an arm at rest'

    def rest(self, was: tuple[float, ...] | None) -> None:
        """Note where the commands ended, and how near to that the servos come afterwards."""
        if was is not None:
            self.last, self.left = was, self.true
        joints = zip(self.true, self.left or self.true, self.last, strict=False)
        self.left = [q if abs(q - c) < abs(p - c) else p for q, p, c in joints]

    def check_belief(self) -> None:
        """What is measured falsely is never believed, but where that is confirmed."""
        off = self.off()
        if not self.fault:
            self.is_fooled = self.is_fooled and off > self.noise + 0.05
        self.is_shown = not self.is_fooled and self.time - self.pushed_at > 2.0 * AGREEMENT
        # Random positions may look like a move, but then they jump again.
        is_unseen = self.drags or self.fault == 'far'
        is_unseen = is_unseen or self.time - self.sprung_at < 2.0 * AGREEMENT
        # Nothing begins while a joint is measured elsewhere.
        is_harmless = self.supervisor.fault or (
            self.supervisor.measurements.are_late and not self.supervisor.is_commanding
        )
        is_excused = is_unseen or not self.is_shown or is_harmless
        assert off <= self.noise + MAY_BE + self.was_off or is_excused, f'it is fooled: {off}'

    def check_begin(self) -> None:
        """The first command after silence is a step from where the arm is, or was commanded last.

        The latter if it still is as those commands left it.
        """
        if not self.is_shown or self.time - self.sprung_at < AGREEMENT:
            return
        joints = zip(self.sent or (), self.true, self.speeds, self.reaches, strict=True)
        for i, (q, true, speed, reach) in enumerate(joints):
            slack = self.noise + ROUNDING + speed * (self.dt + 0.1)  # an arm that still moves
            if not math.isnan(self.lies[i]):  # which may pass for noise
                slack += (NOISE + self.was_off) * reach
                if self.fault == 'far':  # or, twice, for hands; but then it jumps again
                    slack += 2.0 * HAND_SPEED * speed * self.dt
            if self.fault == 'silence':  # hands have moved it since it was measured
                slack += abs(self.drifts.get(i, 0.0)) * (OUTLIER_TIME + self.dt)
            if abs(q - true) > slack and self.left:
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
            now = self.supervisor.arm_motion.state.velocities
            for v, u in zip(now, self.velocities, strict=True):
                assert abs(v - u) <= ACCELERATION * self.dt * 1.001 + ROUNDING, 'a jerk'

    def check_lead(self) -> None:
        """The arm is not left behind, however long a fault lasts: a jump at its end is bounded."""
        assert self.sent is not None
        if not self.is_shown:
            return
        joints = zip(self.sent, self.true, self.reaches, self.speeds, strict=True)
        for i, (q, true, reach, speed) in enumerate(joints):
            braking = speed**2 / (2.0 * ACCELERATION) + speed * self.dt if self.is_smooth else 0.0
            most = TOLERANCE * reach + braking + 8.0 * self.noise + ROUNDING
            ahead, fault = abs(q - true), self.fault if i in self.struck else ''
            if self.drags or (i in self.struck and self.time - self.released_at < 5.0 * self.lag):
                continue  # they drag it off, or it comes back from there
            if fault in (*HELD, 'silence', 'nan') and self.leads is not None:
                # By which it moved, unmeasured, as the fault began.
                last = speed * (self.dt + self.unseen[i])
                assert ahead <= self.leads[i] + last + most, f'{fault}: {ahead} ahead'
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
        allowed = 0.1 + 2.5 * self.dt + 2.0 * self.dt / self.samples + NOISE / 0.3
        assert max(self.disbelief) <= allowed or not self.supervisor.has_goal, 'it moves unseen'


def test_the_laws_hold_whatever_happens_in_whatever_order_and_for_however_long() -> None:
    seen: Counter[str] = Counter()
    for seed in range(SEQUENCES):
        world = Faulty(seed)
        try:
            while world.time < world.begun + (SPAN if seed % 200 else LONG):
                world.tick()
        except AssertionError as error:
            at = world.time - world.begun
            pytest.fail(f'sequence {seed}, {at:.2f} s, {world.fault}: {error}')
        seen += world.seen
    names = [*(phase.name for phase in Phase), *FAULTS]
    names += ['one alone', 'at goal', 'waits', 'complains', 'confirmed', 'during a fault']
    assert [what for what in names if seen[what] < 20] == [], seen


def flights(speed: MotionLimits, dt: float, *start: float) -> tuple[Flight, Flight]:
    """An arm with two joints in a pose in rad twice: one is measured, the other is not."""
    arm = ArmDescription(Chain.from_lengths([0.3, 0.25]), start, (speed,) * 2)
    measured = Configuration(arm, Settings(), ControlSettings(use_measured_state=True))
    free = Configuration(arm, Settings())
    return Flight(measured, start, dt), Flight(free, dt=dt)


@pytest.mark.parametrize('seed', range(10))
def test_an_arm_whose_servos_lag_by_50_ms_is_not_slowed_down(seed: int) -> None:
    """It is commanded what one is that nobody measures, whatever comes next."""
    random = Random(seed)
    start = tuple(random.uniform(-1.0, 1.0) for _ in range(2))
    is_smooth = has_ruckig() and random.random() < 0.5
    motion = MotionLimits(random.choice([0.5, 1.0, SPEED]), ACCELERATION if is_smooth else None)
    measured, free = both = flights(motion, random.choice([0.01, 0.02, 0.05]), *start)
    measured.samples, measured.lag = round(measured.dt / 0.01), random.uniform(0.0, 0.05)
    supervisor, other = measured.pilot.supervisor, free.pilot.supervisor
    for tick in range(600):
        if tick == 20 or (tick > 20 and random.random() < 0.1 and not other.has_arrived):
            goal = tuple(random.uniform(-2.0, 2.0) for _ in start)
            for flight in both:
                flight.ask(Joints(other.names, goal))
        for flight in both:
            flight.tick()
        if tick > 20 and {supervisor.phase, other.phase} == {Phase.DRIVING}:
            assert supervisor.commanded == pytest.approx(other.commanded, abs=1e-6), 'it waits'
            assert not supervisor.waits_for


@pytest.mark.parametrize('seed', range(30))
def test_a_node_and_a_robot_that_are_short_of_time_are_not_blamed_on_the_arm(seed: int) -> None:
    """Ticks come late, measurements late, in bursts or not; the robot stands for 0.2 s at most."""
    random, sample = Random(seed), 0.01
    motion = MotionLimits(random.choice([0.5, SPEED]), random.choice([None, ACCELERATION]))
    flight, _ = flights(motion, 0.02, 0.0, 0.0)
    flight.lag = sample / -math.log(0.6)
    pilot, said, begun = flight.pilot, deque[list[float]](maxlen=10), flight.time
    longest, is_late = random.choice([0.02, 0.05, 0.4]), random.random() < 0.5
    sampled = goes_on_at = lost_until = begun
    while flight.time < begun + 12.0:
        is_begun = flight.time > begun + 0.5
        is_slow = is_begun and random.random() < 0.5
        flight.time += random.uniform(flight.dt, longest) if is_slow else flight.dt
        while sampled < flight.time:
            sampled += sample
            if random.random() < 0.05 and sampled > lost_until:
                goes_on_at = sampled + random.uniform(0.0, 0.2)
                lost_until = goes_on_at + random.uniform(0.0, 0.1)
            if sampled >= goes_on_at:
                flight.move(sample)
            if not goes_on_at <= sampled < lost_until:
                said.append(flight.true)
        if is_begun and pilot.supervisor.has_arrived and random.random() < 0.2:
            goal = random.uniform(-2, 2), random.uniform(-2, 2)
            flight.ask(Joints(pilot.supervisor.names, goal))
        flight.serve()
        if is_late:
            pilot.look(flight.now)
        while said and not is_late:
            pilot.measure(pilot.supervisor.names, said.popleft(), flight.now)
        pilot.tick(flight.now, flight.clock, flight.dt)
        flight.command()
        while said:
            pilot.measure(pilot.supervisor.names, said.popleft(), flight.now)
        assert not pilot.supervisor.stop_reason
    assert pilot.supervisor.start_pose


def test_a_path_that_waits_is_forgotten_when_its_limits_change() -> None:
    flight, _ = flights(MotionLimits(10.0), 0.02, 0.3, 0.8)
    flight.is_heard = False
    flight.pass_time(0.2)
    flight.ask(Path(lambda: np.array([(0.4, 0.3, 0.0), (0.35, 0.3, 0.0)])))
    flight.pass_time(0.1)
    assert flight.pilot.supervisor.has_goal
    assert 'waiting for its controller: it is gone' in flight.told[-1].report.message
    now = flight.pilot.configuration
    slower = replace(now, arm=replace(now.arm, motion=(MotionLimits(1.0),) * 2))
    flight.pilot.configure(slower, frozenset(), flight.now)
    assert not flight.pilot.supervisor.has_goal

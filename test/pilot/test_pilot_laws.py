"""A pilot to which everything happens at random, in virtual time: its promises hold throughout."""

from __future__ import annotations

import math
from collections import Counter, deque
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from flight import Flight
from node_client import THREE, TWO
from sizes import count

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.motion.profile import has_ruckig
from ik2d_ros.pilot.clock import BILLION, Stamp
from ik2d_ros.pilot.outcome import KEYS, Code
from ik2d_ros.pilot.parameters import PARAMETERS, Configuration, configuration_from_parameters
from ik2d_ros.pilot.request import (
    Enable,
    Home,
    Jog,
    Joints,
    Missing,
    Path,
    Point,
    Pose,
    Query,
    Request,
    Stop,
    Target,
)
from ik2d_ros.pilot.status import StatusUpdate
from ik2d_ros.pilot.waiting import MOST_QUERIES

SEQUENCES = count(100_000, 2_000)
FELL = (374004,)  # rare: a target that waits as the first jog of all ends with its controller
EVENTS = 12
LOOK, REPEAT = 0.1, 0.6  # s, as the node
TF_TIMEOUT = 0.15  # s
SPEED = 2.0  # rad/s
ROUNDING = 1e-9  # rad

HAPPENS = {
    'target': 8,
    'home': 1,
    'jog': 2,
    'query': 3,
    'stop': 1,
    'disable': 0.4,
    'enable': 0.8,
    'setting': 2,
    'silence': 0.7,
    'stuck': 0.5,
    'gone': 0.5,
    'clock stops': 0.5,
    'clock jumps': 0.5,
    'suspended': 0.3,
    'time': 6,
}
LASTS = {  # s
    'silence': [0.1, 0.7, 3.0],
    'stuck': [0.1, 0.6, 3.0],
    'gone': [0.1, 1.0],
    'clock stops': [0.1, 1.0],
}
OWN = {  # codes that are not a solver's
    *('READY', 'INVALID_TARGET', 'UNKNOWN_FRAME', 'STALE_TARGET', 'DISABLED'),
    *('NO_CLOCK', 'NO_STATE', 'NOT_FOLLOWING', 'NOT_CONVERGED'),
}
SETTINGS: dict[str, list[object]] = {
    'bend': ['nearest', 'positive', 'negative'],
    'tolerance': [1e-6, 1e-4],
    'unreachable': ['closest', 'hold'],
    'base.xyz': [[0.0, 0.0, 0.0], [0.02, -0.03, 0.0]],
    'target_timeout': [0.0, 2.0],
    'speed': [1.0, 0.3],
    'publish_rate': [50.0, 20.0],
    'chain.elbow.max_velocity': [SPEED, 1.0],
    'path_speed': [0.5, 0.1],
}


CONFIGURED: dict[str, Configuration] = {}  # by the values: many sequences have the same arm


def configured(values: dict[str, object]) -> Configuration:
    key = str(values)
    if key not in CONFIGURED:
        CONFIGURED[key] = configuration_from_parameters(values)
    return replace(CONFIGURED[key])  # a new one each time, as in the node


class SentRequest:
    """A target or a query of which the world knows the stamp."""

    def __init__(self, target: Target, number: int, now: float, is_query: bool) -> None:
        self.target, self.number, self.at, self.is_query = target, number, now, is_query
        self.told: list[StatusUpdate] = []

    @property
    def is_ignored(self) -> bool:
        """Whether it is a jog that was refused: targets go on, and are answered after it."""
        return isinstance(self.target, Jog) and not any(each.report.reachable for each in self.told)


class Anything(Flight):
    """A world in which anything happens, and the laws."""

    clock = 0

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.are_many = seed % 50 == 0  # queries
        is_measured = random.random() < 0.6
        self.values: dict[str, object] = {
            **PARAMETERS.defaults,
            **random.choice([TWO, TWO, THREE]),
            'tf_timeout': TF_TIMEOUT,
            'use_measured_state': is_measured,
            'path_speed': 0.5,
            'target_timeout': random.choice([0.0, 0.0, 2.0]),
        }
        if is_measured or random.random() < 0.7:
            limits = {'max_velocity': SPEED}
            if has_ruckig() and random.random() < 0.1:
                limits['max_acceleration'] = 20.0
            joints = self.values['joints']
            for name, value in limits.items():
                self.values |= {f'chain.{joint}.{name}': value for joint in joints}
        time, self.is_simulated = random.uniform(0.0, 1e5), random.random() < 0.3
        self.clock = 0 if self.is_simulated and random.random() < 0.5 else 1000 * BILLION
        self.left = dict.fromkeys(LASTS, 0.0)  # s for which each goes on
        self.left['clock stops'] = float(self.clock == 0)
        configuration = configured(self.values)
        true = [q + random.uniform(-0.5, 0.5) for q in configuration.arm.home]
        super().__init__(configuration, true, 0.05, time)
        self.is_measured = is_measured
        self.known: dict[str, tuple[Plane, float, float]] = {}  # frames; and when, and missed
        self.lately = deque([self.true], maxlen=8)  # poses of the last 0.4 s
        self.left['silence'] = random.choice([0.0, 0.0, 0.6, 2.0]) if is_measured else 0.0
        self.asked: dict[Stamp, SentRequest] = {}
        self.newest: SentRequest | None = None
        self.valid: set[Stamp] = set()  # of targets to which the arm may still move
        self.number = self.shown = 0
        self.looked, self.repeated, self.ticked = 0.0, 0.0, 0
        self.is_early = True  # the pose or the time was never known
        self.faults = False, False, 0  # of the clock, of the pose, and motions that ended
        self.seen: Counter[str] = Counter()
        self.goal_count = 0
        self.heed()

    def frame(self, frame_id: str, base_frame: str, time: int) -> Plane | Missing:
        plane, known_at, until = self.known[frame_id]
        return plane if self.time >= known_at else Missing('it is late', until)

    # --- what happens -----------------------------------------------------------------------------

    def happen(self) -> None:
        random = self.random
        what = random.choices([*HAPPENS], [*HAPPENS.values()])[0]
        self.seen[what] += 1
        if what in ('target', 'home', 'query'):
            is_query = what == 'query'
            for _ in range(15 if is_query and self.are_many else 1):
                self.ask(self.target(Home if what == 'home' else None), is_query)
        elif what == 'jog':
            self.jog()
        elif what == 'stop':
            self.valid.clear()
            assert self.pilot.ask(Stop(), self.now).success
        elif what in ('disable', 'enable'):
            if what == 'disable' or self.pilot.is_disabled:
                self.valid.clear()
            assert self.pilot.ask(Enable(what == 'enable'), self.now).success
            assert self.pilot.is_disabled == (what == 'disable')
        elif what == 'setting':
            self.change()
        else:
            self.trouble(what)
        self.heed()
        for _ in range(random.choice([0, 1, 1, 2, 8])):
            self.tick()

    def trouble(self, what: str) -> None:
        random = self.random
        if what in LASTS:
            self.left[what] = random.choice(LASTS[what])
        elif what == 'clock jumps':
            jump = random.choice([-1e3, -0.3, 0.3, 1e3])
            self.clock = max(self.clock + round(jump * BILLION), BILLION)
            if self.is_simulated and random.random() < 0.3:
                self.clock, self.left['clock stops'] = random.choice([0, -BILLION]), 0.3
        elif what == 'suspended':
            self.pass_by(random.choice([0.3, 2.0]))

    def target(self, kind: type[Target] | None) -> Target:
        random = self.random
        self.number += 1
        frame_id = ''
        if random.random() < 0.25:
            frame_id = f'frame {self.number}'
            plane = Plane.from_pose((random.uniform(-0.1, 0.1), 0.0, 0.0), (0.0, 0.0, 0.3))
            known_at = self.time + random.choice([0.0, 0.1, 0.4, math.inf])
            until = random.choice([-math.inf, 0.0, self.time + 0.3])
            self.known[frame_id] = plane, known_at, until
        nanosec = self.number if random.random() < 0.9 else 2 * BILLION + self.number
        sec = random.choice([max(self.clock, BILLION) // BILLION] * 8 + [-5])
        how: dict[str, Any] = {'frame_id': frame_id, 'stamp': Stamp(sec, nanosec)}
        unplaced = {'stamp': how['stamp']}
        if kind is Home:
            return Home(**unplaced)
        point = (random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6), 0.0)
        if random.random() < 0.05:
            point = (math.nan, 0.0, 0.0)
        dice = random.random()
        if dice < 0.1:
            turn = random.uniform(-3.0, 3.0)
            return Pose(point, (0.0, 0.0, math.sin(turn), math.cos(turn)), **how)
        if dice < 0.15:
            names = self.random.choice([['elbow'], ['elbow', 'shoulder'], ['nobody']])
            return Joints((*names,), tuple(random.uniform(-3.0, 3.0) for _ in names), **unplaced)
        if dice < 0.25:
            others = random.choice([[], [(0.3, 0.2, 0.0), (0.35, 0.1, 0.0)], [(0.3, 0.2, 0.0)]])
            return Path(lambda: np.array(others).reshape(-1, 3), **how)
        return Point(point, **how)

    def jog(self) -> None:
        random = self.random
        self.number += 1
        x, y = random.choice([(0.1, 0.0), (-0.2, 0.1), (math.nan, 0.0), (0.0, 0.0)])
        jog = Jog((x, y, 0.0), stamp=Stamp(max(self.clock, BILLION) // BILLION, self.number))
        if not (self.pilot.is_disabled or any(self.faults[:2]) or jog.fault):
            self.valid.add(jog.stamp)
        self.asked[jog.stamp] = SentRequest(jog, self.number, self.time, False)
        before = self.pilot.goal_count
        self.pilot.ask(jog, self.now)
        if self.pilot.goal_count != before:
            assert jog.stamp in self.valid, 'it is jogged by what is refused'
            self.goal_count += 1
            self.newest = self.asked[jog.stamp]
        else:
            self.valid.discard(jog.stamp)

    def ask(self, target: Target, is_query: bool) -> None:
        asked = SentRequest(target, self.number, self.time, is_query)
        if is_query:
            waiting = [each for each in self.asked.values() if each.is_query and not each.told]
            reply = self.pilot.ask(Query(target), self.now)
            assert reply.success or len(waiting) >= MOST_QUERIES, 'a query is refused'
            if reply.success:  # one more may be at work
                assert len(waiting) <= MOST_QUERIES, 'too many queries wait'
                self.asked[target.stamp] = asked
            else:
                self.seen['too many'] += 1
                assert 'the query gets no answer' in reply.message
            return
        self.asked[target.stamp] = self.newest = asked
        if not self.pilot.is_disabled and (self.is_early or not any(self.faults[:2])):
            self.valid.add(target.stamp)
        reply = self.pilot.ask(target, self.now)
        if isinstance(target, Home) and not reply.success:
            self.valid.discard(target.stamp)

    def change(self) -> None:
        name = self.random.choice([*SETTINGS])
        if self.values.get(name) is None and name.startswith('chain'):
            return  # it moves at once
        values = {**self.values, name: self.random.choice(SETTINGS[name])}
        configuration = configured(values)
        effects = PARAMETERS.effects(self.values, values)
        self.values = values
        before = self.pilot.supervisor.commanded
        self.pilot.configure(configuration, effects, self.now)
        if not self.valid:
            moved = math.dist(self.pilot.supervisor.commanded, before)
            assert moved <= ROUNDING, 'a setting moves the arm'

    # --- time -------------------------------------------------------------------------------------

    def pass_by(self, span: float) -> None:
        self.time += span
        self.left = {what: seconds - span for what, seconds in self.left.items()}
        if self.left['clock stops'] <= 0.0:
            start = self.clock if self.clock > 0 else 500 * BILLION
            self.clock = start + round(span * BILLION)
        self.is_stuck = self.left['stuck'] > 0.0

    def measure(self) -> None:
        if self.left['silence'] <= 0.0:
            super().measure()
            self.heed()

    def tick(self, again: Request | None = None) -> None:
        pilot = self.pilot
        for _ in range(2):
            self.pass_by(self.dt / 2.0)
            self.measure()
        pilot.tick(self.now, self.clock, self.dt, 'it is gone' if self.left['gone'] > 0.0 else '')
        self.heed()
        assert self.valid or not pilot.supervisor.has_goal, 'it has a target that is forgotten'
        self.command()
        self.lately.append(self.true)
        if self.time >= self.looked + LOOK:
            self.looked = self.time
            pilot.look(self.now)
            self.heed()
        if self.time >= self.repeated + REPEAT:
            self.repeated = self.time
            pilot.repeat(self.now)
            self.heed()
        if self.job is not None and self.time >= self.job_end:
            job, self.job = self.job, None
            pilot.finish(job(), self.now)
            self.heed()
        while pilot.answer_next(self.now):
            self.heed()
        self.heed()
        self.check_waiting()

    # --- the laws ---------------------------------------------------------------------------------

    def heed(self) -> None:
        """Take what the pilot says, and hold it to its laws."""
        pilot, supervisor, now = self.pilot, self.pilot.supervisor, self.now
        job = pilot.job(now)
        if job is not None:
            assert self.job is None, 'two jobs at a time'
            self.job, self.job_end = job, self.time + self.random.choice([0.0, 0.1, 0.5])
        faults = bool(now.fault), bool(supervisor.fault), supervisor.fault_count
        # What the pilot has looked at: it is told the time with everything.
        if faults != self.faults and not self.is_early:
            pilot.look(now)
            self.valid.clear()
        self.is_early = self.is_early and (any(faults[:2]) or not supervisor.was_ever_known)
        self.faults = faults
        while pilot.updates:
            self.check_told(pilot.updates.popleft())
        asked = pilot.last and self.asked.get(pilot.last.request.stamp)
        if asked is not None:
            assert asked.number >= self.shown, 'an older target after a newer one'
            self.shown = asked.number
        if pilot.goal_count != self.goal_count:
            assert not pilot.is_disabled, 'it moves though it is disabled'
            assert pilot.last is not None
            assert pilot.last.request.stamp in self.valid, 'it moves to a target that is forgotten'
            self.goal_count = pilot.goal_count
            self.seen['goal_count'] += 1

    def check_told(self, told: StatusUpdate) -> None:
        report, code = told.report, Code[told.report.code]
        self.seen[code.name] += 1
        assert len(report.values()) == len(KEYS)
        assert bool(report.wall) == (report.code == 'BLOCKED'), 'a wall that is in no way'
        assert (report.level, report.reachable) == (code.level, code.reachable)
        assert not (report.moving and report.at_goal), 'it moves at its goal'
        says = 'Moving: ' in report.message or 'braking.' in report.message
        is_of_jog = 'is jogged' in report.message or 'The jog is ignored' in report.message
        assert says == report.moving or is_of_jog
        asked = self.asked.get(told.request.stamp)
        if told.request.is_query:
            assert asked is not None
            assert asked.is_query, 'an answer to no query'
            assert not asked.told, 'a query is answered twice'
            assert 'The arm' not in report.message
            asked.told.append(told)
            return
        self.told.append(told)
        if asked is None:  # before the first target
            return
        assert not asked.is_query, 'a query is told as a target'
        asked.told.append(told)
        if self.pilot.is_disabled and report.code not in ('NO_CLOCK', 'NO_STATE'):
            assert report.code == 'DISABLED' or asked.number < self.number, 'it is disabled'
        if report.at_goal:
            self.check_goal(told)

    def check_goal(self, told: StatusUpdate) -> None:
        """The arm is where the status says."""
        self.seen['at goal'] += 1
        report, arm = told.report, self.pilot.configuration.arm
        poses = self.lately if self.is_measured else [self.pilot.supervisor.commanded]
        slack = 0.02 * len(arm.names) * arm.chain.reach.outer if self.is_measured else 0.0
        tip = arm.kinematics.tip
        offs = (math.dist(tip(pose), report.target) for pose in reversed(poses))
        is_there = any(abs(off - report.error) <= slack + 1e-6 for off in offs)
        assert is_there or not math.isnan(report.path_progress), 'it is not at its goal'

    def check_waiting(self) -> None:
        """Nobody waits for longer than for a frame, the pose or the time, or a judgement."""
        told = [
            each.number
            for each in self.asked.values()
            if each.told and not (each.is_query or each.is_ignored)
        ]
        for asked in self.asked.values():
            target, is_known = asked.target, True
            if isinstance(target, Jog):
                continue  # of many, some are told
            if not (asked.told or asked.is_query):
                assert asked.number > max(told, default=0), 'one that was overtaken is not told'
            if target.frame_id and not target.fault and target.stamp.time > 0:
                _, known_at, until = self.known[target.frame_id]
                end = max(asked.at + TF_TIMEOUT, until) if until > -math.inf else asked.at
                is_known = self.time >= min(known_at, end)
            if asked.told or not is_known or isinstance(target, Path):
                continue
            if asked.is_query:
                raise AssertionError('a query waits')
            assert self.is_early, 'a target waits'

    def settle(self) -> None:
        """Let all faults end: then each has got its status, and the last is the newest one's."""
        self.left = dict.fromkeys(LASTS, 0.0)
        asked = [each for each in self.asked.values() if not isinstance(each.target, Jog)]
        for tick in range(100):
            self.tick()
            if tick > 12 and not (self.job or any(not each.told for each in asked)):
                break
        for each in asked:
            assert each.told, f'number {each.number} got no status'
        if self.newest is not None:
            assert self.shown >= self.newest.number, 'the last is an older one'
            assert not self.told[-1].report.moving or self.pilot.supervisor.has_goal, 'it brakes'


def test_the_promises_hold_whatever_happens_in_whatever_order() -> None:
    seen: Counter[str] = Counter()
    for seed in (*range(SEQUENCES), *FELL):
        world = Anything(seed)
        try:
            for _ in range(EVENTS):
                world.happen()
            world.settle()
        except AssertionError as error:
            pytest.fail(f'sequence {seed}, {world.time:.2f} s: {error}')
        seen += world.seen
    wanted = {*HAPPENS, 'at goal', 'goal_count', 'too many', *OWN}
    rare = {what for what in wanted if seen[what] < 20}
    assert not rare, seen


@pytest.mark.skipif(not has_ruckig(), reason='ruckig is not installed')
@pytest.mark.parametrize('seed', range(20))
def test_an_arm_that_brakes_for_a_target_is_not_at_it_where_it_stands(seed: int) -> None:
    """The closest pose may be the one at which it brakes."""
    random = Random(seed)
    joints: Any = TWO['joints']
    limits = {f'chain.{name}.max_acceleration': random.uniform(2.0, 20.0) for name in joints}
    limits |= {f'chain.{name}.max_velocity': SPEED for name in joints}
    limits |= {'chain.elbow.min_position': 0.5, 'chain.elbow.max_position': 2.0}
    flight = Flight(configuration_from_parameters({**TWO, **limits, 'unreachable': 'hold'}))
    shoulder, elbow = joints
    flight.ask(Joints((shoulder, elbow), (-1.0, 2.0)))
    flight.land()
    flight.ask(Joints((shoulder,), (1.0,)))
    flight.pass_time(random.uniform(0.05, 0.8))
    flight.ask(Stop())
    flight.ask(Joints((elbow,), (random.uniform(2.1, 3.0),)))
    flight.land()
    report, tip = flight.told[-1].report, flight.pilot.configuration.arm.kinematics.tip
    off = math.dist(tip(flight.pilot.supervisor.commanded), report.target)
    assert report.code == 'JOINT_LIMIT'
    assert report.at_goal == (abs(off - report.error) <= 1e-6)

"""What an arm with walls answers before it moves, and how it slides along them."""

from __future__ import annotations

import math
import sys
from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from flight import Flight
from space import described, random_pose
from walled import random_walled

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.control.drive import Drive
from ik2d_ros.kinematics import Chain, Wall, solve
from ik2d_ros.motion import smooth
from ik2d_ros.parameters.table import Effect
from ik2d_ros.pilot.answer import Going, Situation
from ik2d_ros.pilot.clock import Stamp
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.pilot import OVERTAKEN, Job
from ik2d_ros.pilot.plan import plan_at_once, plan_target
from ik2d_ros.pilot.request import Home, Jog, JogJoints, Joints, Point
from ik2d_ros.planning import way_there
from ik2d_ros.planning.settings import Settings

FAST = MotionLimits(4.0)
MOTIONS = [MotionLimits(), FAST, *[MotionLimits(4.0, 20.0)] * smooth.is_available()]
DEPTH = 0.1  # m


def flight_of(arm: ArmDescription, is_measured: bool = False) -> Flight:
    flight = Flight(
        Configuration(arm, Settings(), Drive(is_measured)), arm.home if is_measured else ()
    )
    flight.pass_time(0.3)
    flight.told.clear()
    return flight


def tip(flight: Flight) -> np.ndarray:
    arm = flight.pilot.configuration.arm
    return arm.kinematics.forward(flight.pilot.supervisor.commanded[: len(arm.names)])


@pytest.mark.parametrize('seed', range(12))
def test_whether_a_wall_is_in_the_way_is_said_before_anything_moves(seed: int) -> None:
    """From rest, what is not blocked at once arrives, and what is blocked moves nothing."""
    random, rng = Random(seed), np.random.default_rng(seed)
    arm, home = random_walled(rng, ['limits', 'turntable', 'lift', 'slides', 'linkage'])
    motion = random.choice(MOTIONS[1:])
    flight = flight_of(described(arm, home, [motion] * len(arm)), random.random() < 0.5)
    for _ in range(6):
        pose = tuple(random_pose(arm, rng).tolist())
        request = random.choice([Joints(arm.names, pose), Point(tuple(arm.forward(pose))), Home()])
        before = flight.pilot.supervisor.planning_start
        flight.ask(request)
        flight.pass_time(0.1)
        first = flight.pilot.answer
        assert first is not None
        flight.land()
        codes = {told.report.code for told in flight.told}
        flight.told.clear()
        if not isinstance(first, Going):
            assert first.report.code == 'BLOCKED'
            assert flight.pilot.supervisor.planning_start == pytest.approx(before, abs=1e-9)
            continue
        assert codes == {first.report.code}
        assert flight.pilot.supervisor.planning_start == pytest.approx(first.positions, abs=1e-6)
        if not isinstance(request, Point):
            assert first.report.code == 'REACHED'
            asked = arm.forward(pose if isinstance(request, Joints) else home)
            assert tip(flight) == pytest.approx(asked, abs=1e-6)


@pytest.mark.parametrize('seed', range(6))
def test_what_is_planned_at_once_is_planned_as_with_time(seed: int) -> None:
    rng, planned = np.random.default_rng(seed), Counter[bool]()
    for _ in range(20):
        arm, home = random_walled(rng, ['limits', 'turntable', 'lift', 'slides', 'linkage'])
        configuration = Configuration(described(arm, home), Settings(plane_tolerance=math.inf))
        pose = tuple((random_pose(arm, rng) + 0.2 * rng.normal(size=len(arm))).tolist())
        place = arm.forward(pose) * rng.uniform(0.5, 1.2)
        situation = Situation(tuple(home.tolist()))
        for target in (Point(tuple(place)), Joints(arm.names, pose), Home()):
            moves = bool(rng.random() < 0.7)
            at_once = plan_at_once(target, situation, configuration, moves)
            planned[at_once is not None] += 1
            if at_once is not None:
                later = plan_target(target, situation, configuration, moves)
                assert type(at_once) is type(later)
                reports = [each.report._replace(solve_time=0.0) for each in (at_once, later)]
                assert repr(reports[0]) == repr(reports[1])
                assert not isinstance(later, Going) or at_once.command == later.command
    assert min(planned[True], planned[False]) > 5


class SlowJobs(Flight):
    """A world in which each job takes ten ticks.

    Attributes:
        jobs: how many have ended.
        in_job: whether one is being done.
    """

    def __init__(self, configuration: Configuration) -> None:
        self.jobs, self.in_job = 0, False
        self.job: Job | None = None
        self.left = 0
        super().__init__(configuration)

    def serve(self) -> None:
        while self.pilot.answer_next(self.now):
            self.note()
        if self.job is not None:
            self.left -= 1
            if not self.left:
                self.in_job = True
                result = self.job()
                self.job, self.in_job, self.jobs = None, False, self.jobs + 1
                self.pilot.finish(result, self.now)
        elif (job := self.pilot.job(self.now)) is not None:
            self.job, self.left = job, 10


@pytest.mark.parametrize('seed', range(6))
def test_a_stream_is_followed_though_ways_past_walls_take_long(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Home and changes of parameters too: each has its status, and no tick searches."""
    rng = np.random.default_rng(seed)
    arm, home = random_walled(rng, ['limits', 'turntable', 'lift'], gap=0.05)
    world = SlowJobs(Configuration(described(arm, home, [FAST] * len(arm)), Settings()))
    world.pass_time(0.3)
    searches = Counter[bool]()

    def searched(*_: object) -> None:
        searches[world.in_job] += 1

    monkeypatch.setattr(sys.modules[solve.__module__], 'other_shapes', lambda *_: searched() or [])
    monkeypatch.setattr(way_there, 'way_over_poses', searched)
    stamps = [Stamp(100 + k) for k in range(60)]
    for stamp in stamps:
        place = Point(tuple(arm.forward(random_pose(arm, rng))), stamp=stamp)
        world.ask(Home(stamp=stamp) if rng.random() < 0.2 else place)
        world.pass_time(0.04)
        if rng.random() < 0.1:
            settings = Settings(tolerance=rng.choice([1e-6, 1e-5]))
            changed = replace(world.pilot.configuration, settings=settings)
            world.pilot.configure(changed, frozenset([Effect.SOLVING]), world.now)
    world.land()
    assert {each.request.stamp for each in world.told} >= {*stamps}
    assert world.told[-1].request.stamp == stamps[-1]
    assert world.told[-1].report.message != OVERTAKEN
    assert searches[False] == 0
    assert world.jobs > 3


@pytest.mark.parametrize('seed', [*range(10), 38])  # at the last, it is tried again in vain
def test_a_motion_that_ends_at_a_wall_is_never_called_reached(seed: int) -> None:
    """Targets that come in mid-motion: the arm is where its last status says, or goes there."""
    random, rng = Random(seed), np.random.default_rng(seed)
    arm, home = random_walled(rng, ['limits', 'turntable', 'lift'], gap=0.05)
    flight = flight_of(described(arm, home, [MOTIONS[-1]] * len(arm)), random.random() < 0.5)
    poses = [home, *(random_pose(arm, rng) for _ in range(40))]
    for pose in [pose for pose in poses if arm.is_clear(pose.tolist())]:
        flight.ask(Joints(arm.names, tuple(pose.tolist())))
        flight.pass_time(random.uniform(0.1, 0.6))
    flight.land()
    flight.pilot.repeat(flight.now)
    report, goal = flight.pilot.updates[-1].report, flight.pilot.answer
    assert not report.moving
    if report.code == 'REACHED':
        assert isinstance(goal, Going)
        assert flight.pilot.supervisor.planning_start == pytest.approx(goal.positions, abs=1e-6)
    else:
        assert report.code == 'BLOCKED'
        off = math.dist(arm.forward(flight.pilot.supervisor.planning_start), report.target)
        assert report.error == pytest.approx(off, abs=1e-9)


def over_a_table(motion: MotionLimits, random: Random) -> ArmDescription:
    """Two links over a table at the height of their base, or a little below it."""
    chain = Chain.from_lengths([0.3, 0.25], limits=[(-2.6, 2.6)] * 2)
    table = Wall((0.0, -random.uniform(0.0, 0.1), 0.0), (0.0, 1.0, 0.0), 0.02, 'table')
    return ArmDescription(chain, (1.2, random.choice([-1.5, 1.0])), (motion,) * 2, walls=(table,))


def beside_a_table(random: Random, motion: MotionLimits, height: float) -> tuple[Flight, float]:
    """An arm that was sent so far above the lowest height that it may have, and that height."""
    arm = over_a_table(motion, random)
    flight, table = flight_of(arm, random.random() < 0.5), arm.walls[0]
    low = table.point[1] + table.clearance
    flight.ask(Point((0.45, low + height, 0.0)))
    flight.pass_time(4.0)
    return flight, low


@pytest.mark.parametrize('motion', MOTIONS)
@pytest.mark.parametrize('seed', range(5))
def test_a_drag_below_a_table_slides_along_it(seed: int, motion: MotionLimits) -> None:
    random = Random(seed)
    flight, low = beside_a_table(random, motion, -DEPTH)
    end = random.uniform(0.15, 0.3)
    for x in np.linspace(0.45, end, 100):
        flight.ask(Point((x, low - DEPTH, 0.0)))
        flight.pass_time(0.02)
        at = tip(flight)
        assert abs(at[0] - x) < 0.02
        assert -1e-9 <= at[1] - low < 0.01
    flight.pass_time(2.0)
    assert tip(flight) == pytest.approx((end, low, 0.0), abs=3e-3)
    report = flight.told[-1].report
    assert report.code == 'BLOCKED'
    assert "The target would be 100 mm across wall 'table'." in report.message


@pytest.mark.parametrize('motion', MOTIONS[1:])
@pytest.mark.parametrize('seed', range(5))
def test_where_all_joints_in_step_would_cross_the_tip_goes_straight(
    seed: int, motion: MotionLimits
) -> None:
    """However often its target comes again on the way."""
    random = Random(seed)
    flight, low = beside_a_table(random, motion, 0.002)
    target = Point((random.uniform(0.15, 0.3), low + 0.002, 0.0))
    flight.poses.clear()
    flight.land(target)
    tips = flight.pilot.configuration.arm.kinematics.forward(flight.poses)
    assert np.ptp(tips[:, 1]) < 1e-4
    assert tips[-1] == pytest.approx(target.point, abs=1e-6)


@pytest.mark.skipif(not smooth.is_available(), reason='ruckig is not installed')
@pytest.mark.parametrize('seed', [17, 27, 37, 58])  # of a hundred, in which that happens
def test_a_motion_that_brakes_at_a_wall_is_tried_once_more_from_there(seed: int) -> None:
    """All joints in step would cross the wall from there: the tip goes straight."""
    random = Random(seed)
    chain = Chain.from_lengths([0.3, 0.25], limits=[(-2.6, 2.6)] * 2)
    table = Wall((0.0, 0.011, 0.0), (0.0, 1.0, 0.0), name='table')
    motion = (MotionLimits(4.0, 8.0),) * 2
    flight = flight_of(ArmDescription(chain, (1.24, -1.75), motion, walls=(table,)))
    names = flight.pilot.configuration.arm.names

    def near(*pose: float) -> tuple[float, ...]:
        return tuple(q + random.uniform(-0.03, 0.03) for q in pose)

    for pose, ticks in ((2.34, 1.76), 3), (near(0.62, -1.32), random.randint(10, 24)):
        flight.ask(Joints(names, pose))
        flight.pass_time(ticks * flight.dt)
    goal = near(1.0677, -2.5045)
    flight.ask(Joints(names, goal))
    flight.land()
    assert any(told.request.is_replan for told in flight.told)
    assert flight.told[-1].report.code == 'REACHED'
    assert flight.pilot.supervisor.commanded == pytest.approx(goal, abs=1e-9)


@pytest.mark.parametrize('motion', MOTIONS)
@pytest.mark.parametrize('seed', range(5))
def test_a_jog_into_a_table_slides_along_it(seed: int, motion: MotionLimits) -> None:
    random = Random(seed)
    flight, low = beside_a_table(random, motion, 0.01)
    speed = random.uniform(0.1, 0.5)
    flight.pass_time(0.2, Jog((-speed, -speed, 0.0)))
    before = tip(flight)
    flight.pass_time(0.2, Jog((-speed, -speed, 0.0)))
    after = tip(flight)
    assert before[0] - after[0] == pytest.approx(0.2 * speed, rel=0.15)
    assert -1e-9 <= after[1] - low < 2e-3
    assert flight.told[-1].report.code == 'BLOCKED'
    flight.pass_time(1.0, JogJoints(('joint1',), (-1.0,)))
    assert 0.0 <= tip(flight)[1] - low < 0.03
    assert flight.told[-1].report.code == 'BLOCKED'


@pytest.mark.parametrize('is_across', [True, False])
def test_an_arm_that_is_first_measured_across_a_wall_is_told_once(is_across: bool) -> None:
    arm = over_a_table(FAST, Random(0))
    pilot = flight_of(arm, is_measured=True).pilot
    true = (-0.5, 0.0) if is_across else arm.home
    flight = Flight(pilot.configuration, true)
    said = []
    for _ in range(40):
        flight.time += 0.02
        said += flight.pilot.measure(arm.names, true, flight.now)
    assert len(said) == is_across
    if is_across:
        assert said[0].startswith('the arm: the tip is 199 ')
        assert "mm across wall 'table'" in said[0]

"""Walls: what is answered before an arm moves, ways past them, and slides along them."""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from random import Random

import numpy as np
import pytest
from flight import Flight, arm_of
from scipy.ndimage import label
from sizes import count
from space import described, random_pose
from walled import heights, random_walled, random_walls

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.control.settings import ControlSettings
from ik2d_ros.kinematics import Arm, Chain, Plane, Roll, Status, Turntable, Wall, solve, solve_path
from ik2d_ros.motion.profile import has_ruckig
from ik2d_ros.parameters.table import Effect
from ik2d_ros.pilot.answer import Answer, Going, Situation
from ik2d_ros.pilot.clock import Stamp
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.pilot import OVERTAKEN
from ik2d_ros.pilot.plan import plan_at_once, plan_target
from ik2d_ros.pilot.request import Home, Jog, JogJoints, Joints, Point
from ik2d_ros.planning import collision_free
from ik2d_ros.planning.settings import Settings

FAST = MotionLimits(4.0)
MOTIONS = [MotionLimits(), FAST, *[MotionLimits(4.0, 20.0)] * has_ruckig()]
DEPTH = 0.1  # m


def flight_of(arm: ArmDescription, is_measured: bool = False) -> Flight:
    configuration = Configuration(arm, Settings(), ControlSettings(is_measured))
    flight = Flight(configuration, arm.home if is_measured else ())
    flight.pass_time(0.3)
    flight.told.clear()
    return flight


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
            assert flight.tip == pytest.approx(asked, abs=1e-6)


@pytest.mark.parametrize('seed', range(6))
def test_what_is_planned_at_once_is_planned_as_with_time(seed: int) -> None:
    rng, planned = np.random.default_rng(seed), Counter[bool]()
    for _ in range(20):
        arm, home = random_walled(rng, ['limits', 'turntable', 'lift', 'slides', 'linkage'])
        configuration = Configuration(described(arm, home), Settings(plane_tolerance=math.inf))
        pose = tuple((random_pose(arm, rng) + 0.2 * rng.normal(size=len(arm))).tolist())
        place = arm.forward(pose) * rng.uniform(0.5, 1.2)
        for target in (Point(tuple(place)), Joints(arm.names, pose), Home()):
            situation = Situation(tuple(home.tolist()), moves=bool(rng.random() < 0.7))
            at_once = plan_at_once(target, situation, configuration)
            planned[at_once is not None] += 1
            if at_once is not None:
                later = plan_target(target, situation, configuration)
                assert type(at_once) is type(later)
                reports = [each.report._replace(solve_time=0.0) for each in (at_once, later)]
                assert repr(reports[0]) == repr(reports[1])
                assert not isinstance(later, Going) or at_once.goal == later.goal
    assert min(planned[True], planned[False]) > 5


@pytest.mark.parametrize('joints', [7, 12])
def test_no_tick_solves_for_long(joints: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs make large tables and search with many limits, while commands go on; steps do not."""
    rng, solved, real = np.random.default_rng(joints), Counter[tuple[bool, bool]](), Settings.solve

    def solve_seen(settings: Settings, solving: ArmDescription, *given: object) -> object:
        is_short = solving.chain is not arm.chain or arm.kinematics.is_ready(bool(settings.angle))
        solved[flight.works, is_short] += 1
        return real(settings, solving, *given)

    monkeypatch.setattr(Settings, 'solve', solve_seen)
    for angle in [math.nan, 0.4] * 6:
        arm = arm_of([0.1] * joints, FAST, [0.2] * joints, 1.0)
        flight = Flight(Configuration(arm, Settings(tip_angle=angle)))
        flight.job_time = 0.2
        flight.pass_time(0.1, Jog((*rng.normal(size=2), 0.0)))
        flight.ask(Joints(arm.names, (*rng.uniform(-0.9, 0.9, joints),)))
        flight.pass_time(0.06)
        flight.ask(Point((*arm.kinematics.forward(rng.uniform(-1.0, 1.0, joints)),)))
        flight.pass_time(0.1)
        assert flight.job is None or len({*flight.poses[-5:]}) == 5
        flight.land()
    assert solved[False, False] == 0 < min(solved[True, False], solved[False, True])


@pytest.mark.parametrize('seed', range(6))
def test_a_stream_is_followed_though_ways_past_walls_take_long(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Home and changes of parameters too: each has its status, and no tick searches."""
    rng = np.random.default_rng(seed)
    arm, home = random_walled(rng, ['limits', 'turntable', 'lift'], gap=0.05)
    world = flight_of(described(arm, home, [FAST] * len(arm)))
    world.job_time = 0.2
    searches = Counter[bool]()

    def searched(*_: object) -> None:
        searches[world.works] += 1

    monkeypatch.setattr(sys.modules[solve.__module__], 'other_shapes', lambda *_: searched() or [])
    monkeypatch.setattr(collision_free, 'find_via_poses', searched)
    stamps = [Stamp(100 + k) for k in range(60)]
    for stamp in stamps:
        place = Point(tuple(arm.forward(random_pose(arm, rng))), stamp=stamp)
        world.ask(replace(place, stamp=Stamp(stamp.sec, 1)))  # overtaken at once
        world.ask(Home(stamp=stamp) if rng.random() < 0.2 else place)
        world.pass_time(0.04)
        if rng.random() < 0.1:
            settings = Settings(tolerance=rng.choice([1e-6, 1e-5]))
            changed = replace(world.pilot.configuration, settings=settings)
            world.pilot.configure(changed, frozenset([Effect.SOLVING]), world.now)
    world.land()
    assert {each.request.stamp for each in world.told} >= {*stamps}
    overtaken = [each.report.message for each in world.told if each.request.stamp.nanosec]
    assert overtaken == [OVERTAKEN] * len(stamps)
    assert world.told[-1].request.stamp == stamps[-1]
    assert world.told[-1].report.message != OVERTAKEN
    assert searches[False] == 0
    assert searches[True]


@pytest.mark.parametrize('seed', [*range(10), 38])  # the last goes on from a wall
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
    is_replanned = any(told.request.is_replan for told in flight.told)
    assert is_replanned or seed != 38 or not has_ruckig()
    if report.code == 'REACHED':
        assert isinstance(goal, Going)
        assert flight.pilot.supervisor.planning_start == pytest.approx(goal.positions, abs=1e-6)
    else:
        assert report.code == 'BLOCKED'
        off = math.dist(arm.forward(flight.pilot.supervisor.planning_start), report.target)
        assert report.error == pytest.approx(off, abs=1e-9)


def over_a_table(motion: MotionLimits, random: Random) -> ArmDescription:
    """Two links and a roll over a table at the height of their base, or a little below it."""
    table = Wall((0.0, -random.uniform(0.0, 0.1), 0.0), (0.0, 1.0, 0.0), 0.02, 'table')
    return arm_of((1.2, random.choice([-1.5, 1.0]), 0.0), motion, walls=(table,), roll=Roll())


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
        at = flight.tip
        assert abs(at[0] - x) < 0.02
        assert -1e-9 <= at[1] - low < 0.01
    flight.pass_time(2.0)
    assert flight.tip == pytest.approx((end, low, 0.0), abs=3e-3)
    report = flight.told[-1].report
    assert report.code == 'BLOCKED'
    assert "The target would be 100 mm across wall 'table'." in report.message


@pytest.mark.parametrize('motion', MOTIONS[1:])
@pytest.mark.parametrize('seed', range(5))
def test_where_all_joints_in_step_would_cross_the_tip_goes_straight(
    seed: int, motion: MotionLimits
) -> None:
    """However often its target comes again, in another frame, and with another roll after all."""
    random = Random(seed)
    flight, low = beside_a_table(random, motion, 0.002)
    flight.frames['hand'] = hand = Plane.from_pose((0.25, 0.0, 0.0), (0.0, 0.0, 0.0))
    in_hand = Point((random.uniform(-0.1, 0.05), low + 0.002, 0.0), frame_id='hand')
    target = Point(hand.point(*in_hand.point))
    flight.poses.clear()
    flight.pass_time(0.04, in_hand)
    flight.pass_time(0.1, target)
    flight.pilot.configure(flight.pilot.configuration, frozenset([Effect.SOLVING]), flight.now)
    flight.pass_time(0.04)
    names, pose = flight.pilot.configuration.arm.names, flight.pilot.answer.positions
    flight.pass_time(0.04, Joints(names, pose))
    flight.ask(Joints(names, (*pose[:2], 0.5)))
    flight.land()
    assert flight.poses[-1][2] == pytest.approx(0.5)
    tips = flight.pilot.configuration.arm.kinematics.forward(flight.poses)
    assert np.ptp(tips[:, 1]) < 1e-4
    assert tips[-1] == pytest.approx(target.point, abs=1e-6)


@pytest.mark.parametrize('motion', MOTIONS)
@pytest.mark.parametrize('seed', range(5))
def test_a_jog_into_a_table_slides_along_it(seed: int, motion: MotionLimits) -> None:
    random = Random(seed)
    flight, low = beside_a_table(random, motion, 0.01)
    speed = random.uniform(0.1, 0.5)
    flight.pass_time(0.2, Jog((-speed, -speed, 0.0)))
    before = flight.tip
    flight.pass_time(0.2, Jog((-speed, -speed, 0.0)))
    after = flight.tip
    assert before[0] - after[0] == pytest.approx(0.2 * speed, rel=0.15)
    assert -1e-9 <= after[1] - low < 2e-3
    assert flight.told[-1].report.code == 'BLOCKED'
    flight.pass_time(1.0, JogJoints(('joint1',), (-1.0,)))
    assert 0.0 <= flight.tip[1] - low < 0.03
    assert flight.told[-1].report.code == 'BLOCKED'


@pytest.mark.parametrize('is_across', [True, False])
def test_an_arm_that_is_first_measured_across_a_wall_is_told_once(is_across: bool) -> None:
    arm = over_a_table(FAST, Random(0))
    true = (-0.5, 0.0, 0.0) if is_across else arm.home
    flight = Flight(Configuration(arm, Settings(), ControlSettings(use_measured_state=True)), true)
    flight.pass_time(0.8)
    assert len(flight.problems) == is_across
    for problem in flight.problems:
        assert re.match("the arm: the tip is 199 .*mm across wall 'table'", problem)


CELLS = {2: 240, 3: 80}  # of a joint's range, for arms of so many joints
UPRIGHT = Plane.from_pose((0.0, 0.0, 0.1), (math.pi / 2, 0.0, 0.0))


def on_the_tip(arm: Arm, pose: np.ndarray, rng: np.random.Generator, gap: float) -> Arm | None:
    """The arm beside one wall of any tilt and clearance, so far in m below the tip, the lowest."""
    normal = rng.normal(size=3)
    if len(arm) == len(arm.chain):
        normal -= (normal @ arm.plane.axes[2]) * np.array(arm.plane.axes[2])
    normal /= np.linalg.norm(normal)
    clearance = rng.choice([0.0, 0.05 * arm.size])
    aside = rng.normal(size=3) * arm.size
    aside -= (aside @ normal) * normal
    point = arm.forward(pose) - (clearance + gap) * normal + aside
    wall = Wall(tuple(point), tuple(normal), clearance)
    walled = Arm(arm.chain, arm.plane, arm.turntable, arm.lift, [wall])
    lowest = heights(walled, pose)[0]
    return walled if lowest.min() >= lowest[-1] - 1e-12 else None


def answered(arm: Arm, start: np.ndarray, target: np.ndarray) -> Answer:
    description = described(arm, start.tolist(), [MotionLimits(2.0)] * len(arm))
    situation = Situation(tuple(start.tolist()))
    configuration = Configuration(description, Settings())
    return plan_target(Point(tuple(target.tolist())), situation, configuration)


def test_an_arm_on_a_wall_goes_wherever_it_could_from_just_above_it() -> None:
    tried = stuck = 0
    for seed in range(count(3000, 15)):
        rng = np.random.default_rng(seed)
        arm, pose = random_walled(rng, ['limits', 'turntable', 'no limits'])
        on_wall, above = (
            on_the_tip(arm, pose, np.random.default_rng(seed), gap) for gap in (0.0, 1e-4)
        )
        if on_wall is None or above is None:
            continue
        targets = np.array([arm.forward(random_pose(arm, rng)) for _ in range(4)])
        wall, normal = on_wall.walls[0], np.array(on_wall.walls[0].normal)
        flat = targets - ((targets - wall.point) @ normal - wall.clearance)[:, None] * normal
        for target in [*targets, *flat]:
            found, other = (answered(each, pose, target) for each in (on_wall, above))
            if other.report.code == 'REACHED':
                tried += 1
                stuck += found.report.code != 'REACHED'
    assert tried > 20
    assert stuck <= 0.02 * tried, (stuck, tried)


def test_a_path_on_a_wall_can_be_followed_where_one_just_above_it_can() -> None:
    tried = ended = 0
    for seed in range(count(3000, 40)):
        rng = np.random.default_rng(seed)
        joints, tilt = int(rng.integers(2, 6)), rng.uniform(-3.0, 3.0)
        chain = Chain.from_lengths(rng.uniform(0.1, 0.3, joints), limits=[(-2.8, 2.8)] * joints)
        normal, along = (np.array([np.sin(a), np.cos(a), 0.0]) for a in (tilt, tilt + 0.5 * np.pi))
        clearance, size = rng.choice([0.0, 0.02]), chain.size
        foot = -rng.uniform(0.05, 0.6) * size * normal
        walled = Arm(
            chain, walls=[Wall(tuple(foot - clearance * normal), tuple(normal), clearance)]
        )
        points = foot + rng.uniform(-0.8, 0.8, (2, 1)) * size * along
        begin = solve(walled, points[0])
        if begin.status is not Status.REACHED:
            continue
        above = solve_path(walled, points + 0.9e-4 * normal, start=begin.q)
        if above.status is Status.REACHED:
            path = solve_path(walled, points, start=begin.q)
            tried += 1
            ended += path.status is not Status.REACHED
            if len(path.q):
                assert heights(walled, path.q).min() >= -1e-9 * size
    assert tried > 15
    assert ended <= 0.02 * tried, (ended, tried)


@lru_cache(1)
def regions(arm: Arm) -> np.ndarray:
    """The regions of a grid over all joints on this side of the walls, by number; 0 elsewhere."""
    axes = [np.linspace(*ends, CELLS[len(arm)]) for ends in arm.limits]
    grid = np.stack(np.meshgrid(*axes, indexing='ij'), axis=-1)
    lowest = [heights(arm, each).min(axis=(0, 1)) for each in np.array_split(grid, 40)]
    return label(np.concatenate(lowest) > 0.006 * arm.size)[0]


def are_connected(arm: Arm, start: np.ndarray, goal: np.ndarray) -> bool:
    """Whether a grid over all joints leads from one pose to another on this side of the walls."""
    shares = (np.array([start, goal]) - arm.lower) / (arm.upper - arm.lower)
    begin, end = regions(arm)[tuple(np.rint(shares * (CELLS[len(arm)] - 1)).astype(int).T)]
    return bool(begin and begin == end)


@pytest.mark.parametrize('turntable', [None, Turntable(lower=-2.5, upper=2.5)])
def test_few_ways_are_missed(turntable: Turntable | None) -> None:
    """Of targets with a clear pose to which a way leads, one in a hundred is BLOCKED at most."""
    tried = missed = 0
    for seed in range(count(2000, 30)):
        rng = np.random.default_rng(seed)
        limits = np.array([-1.0, 1.0]) * rng.uniform(0.5, 3.0, (2, 2))
        chain = Chain.from_lengths(rng.uniform(0.1, 0.3, 2), limits=limits.tolist())
        bare = Arm(chain, UPRIGHT, turntable)
        arm = replace(bare, walls=random_walls(bare, rng, random_pose(bare, rng)))
        poses = np.array([random_pose(arm, rng) for _ in range(40)])
        poses = poses[heights(arm, poses).min(axis=(0, 1)) > 0.01 * arm.size]
        for start, goal in zip(poses[::2], poses[1::2], strict=False):
            found = answered(arm, start, arm.forward(goal))
            tried += 1
            missed += found.report.code == 'BLOCKED' and are_connected(arm, start, goal)
    assert tried > 50
    assert missed <= 0.01 * tried, (missed, tried)

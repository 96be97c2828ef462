"""Paths are followed at a speed, and no pose of any motion leaves a joint limit, to the bit."""

from __future__ import annotations

import math
import re
from random import Random

import numpy as np
import pytest
from flight import Flight
from node_client import CHAIN, TWO
from sizes import count

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Chain, TimedPath, solve_path, timed
from ik2d_ros.motion.profile import has_ruckig
from ik2d_ros.pilot.answer import Going, Solved
from ik2d_ros.pilot.parameters import Configuration, configuration_from_parameters
from ik2d_ros.pilot.request import Jog, JogJoints, Joints, Path, Point, Stop
from ik2d_ros.planning.settings import Settings

LINE = [(0.3, 0.2, 0.0), (0.35, 0.0, 0.0), (0.3, -0.2, 0.0)]
SPEED = 0.2
LIMITS = {'max_velocity': 3.0, 'max_acceleration': 20.0}


def test_a_path_is_followed_at_its_speed_and_its_progress_is_told() -> None:
    limits = {f'chain.{j}.{name}': LIMITS[name] for j in TWO['joints'] for name in LIMITS}
    given = {**TWO, **limits, 'path_speed': SPEED}
    flight = Flight(configuration_from_parameters(given), dt=0.01)
    flight.ask(Path(lambda: np.array(LINE)))
    flight.pass_time(5.0)
    reports = [told.report for told in flight.told[1:]]
    assert 'All 412 mm of the path can be followed.' in reports[0].message
    assert (reports[0].at_goal, reports[0].path_progress) == (False, 0.0)
    assert (reports[-1].at_goal, reports[-1].path_progress) == (True, 1.0)
    assert reports[-1].target == LINE[-1]
    tips = np.array([CHAIN.forward(pose)[-1] for pose in flight.poses])
    begin = np.linalg.norm(tips - LINE[0][:2], axis=1).argmin()
    speeds = np.linalg.norm(np.diff(tips[begin:], axis=0), axis=1) / flight.dt
    assert speeds.max() == pytest.approx(SPEED, rel=0.01)


@pytest.mark.parametrize('motion', [{}, LIMITS])
def test_an_arm_arrives_where_all_points_of_a_path_are_one(motion: dict[str, float]) -> None:
    limits = {f'chain.{j}.{name}': motion[name] for j in TWO['joints'] for name in motion}
    flight = Flight(configuration_from_parameters({**TWO, **limits}))
    flight.ask(Path(lambda: np.array(LINE[:1] * 2)))
    flight.pass_time(5.0)
    report, supervisor = flight.told[-1].report, flight.pilot.supervisor
    assert (report.at_goal, report.moving, report.path_progress) == (True, False, 1.0)
    assert supervisor.is_at_goal
    assert not supervisor.is_under_way
    assert CHAIN.forward(supervisor.commanded)[-1] == pytest.approx(LINE[0][:2], abs=1e-4)


@pytest.mark.skipif(not has_ruckig(), reason='ruckig is not installed')
@pytest.mark.parametrize('seed', range(20))
def test_an_arm_that_is_stopped_on_a_path_stands_where_it_says(seed: int) -> None:
    """With jerk limits it does not say so: it brakes along the path."""
    random = Random(seed)
    kept = dict([*LIMITS.items(), ('max_jerk', 200.0)][: random.randint(1, 3)])
    limits = {f'chain.{j}.{name}': kept[name] for j in TWO['joints'] for name in kept}
    flight = Flight(configuration_from_parameters({**TWO, **limits, 'path_speed': 1.0}))
    flight.ask(Path(lambda: np.array(LINE)))
    flight.pass_time(random.uniform(0.3, 2.0))
    reply = flight.ask(Stop()).message
    flight.pass_time(2.0)
    told = re.search(r'tip at \((\S+), (\S+), 0\) m', reply)
    assert told or ('max_jerk' in kept and reply == 'The arm is braking along its path.')
    if told:
        there = CHAIN.forward(flight.pilot.supervisor.commanded)[-1]
        assert there == pytest.approx([*map(float, told.groups())], abs=1e-4)


MOTIONS = [MotionLimits(), MotionLimits(2.0)]
MOTIONS += [MotionLimits(2.0, 8.0), MotionLimits(2.0, 8.0, 80.0)] * has_ruckig()


def drawn(random: Random) -> tuple[Chain, list[float], list[float]]:
    """A chain, a pose, and one that differs by a joint that is at a limit."""
    limits = [(-random.uniform(0.3, 2.5), random.uniform(0.3, 2.5)) for _ in range(2)]
    chain = Chain.from_lengths([random.uniform(0.1, 0.3) for _ in limits], limits=limits)
    begin = [random.uniform(*each) for each in limits]
    end, k = [*begin], random.randrange(2)
    end[k] = random.choice(limits[k])
    return chain, begin, end


def poses_of(path: TimedPath) -> list[list[float]]:
    times = np.append(np.linspace(0.0, path.duration, 20), path.times[-20:])
    return [*path.at(times)[0].tolist(), *(path.motion_at(time)[0] for time in times.tolist())]


def check_inside(chain: Chain, poses: object, seed: int) -> None:
    assert ((chain.lower <= poses) & (poses <= chain.upper)).all(), seed


def test_no_timed_path_leaves_a_limit_by_a_bit() -> None:
    for seed in [*range(count(20_000, 60)), 353, 395, 462]:  # the last left one
        random = Random(seed)
        chain, begin, end = drawn(random)
        path = solve_path(chain, [chain.forward(q)[-1] for q in (begin, end)], start=begin)
        limits = [(2.0, random.choice([8.0, math.inf]))] * 2
        check_inside(chain, poses_of(timed(path, limits, random.choice([0.05, 0.5, 1e3]))), seed)


def test_no_command_and_no_answer_leaves_a_limit_by_a_bit() -> None:
    for seed in range(count(3000, 25)):
        random = Random(seed)
        chain, begin, end = drawn(random)
        arm = ArmDescription(chain, tuple(begin), (random.choice(MOTIONS),) * 2)
        settings = Settings(path_speed=random.choice([0.5, 1e3]))
        flight = Flight(Configuration(arm, settings))
        tips = arm.kinematics.forward([begin, end])
        linear, speeds = random.uniform(0.1, 2.0) * (tips[1] - tips[0]), (random.gauss(0, 2), 1.0)
        request = random.choice(
            [
                Path(lambda tips=tips: tips),
                Path(lambda tips=tips: tips[0] + [[0.0], [1.3]] * (tips[1] - tips[0])),
                Joints(arm.names, tuple(end)),
                Point(tuple(tips[1].tolist())),
                Jog(tuple(linear.tolist())),
                JogJoints(arm.names, speeds),
            ]
        )
        flight.pass_time(0.3, request)
        flight.pass_time(1.5)
        found, answer = [*flight.poses], flight.pilot.answer
        if isinstance(answer, Solved) and answer.solution is not None:
            found.append(tuple(answer.solution.q.tolist()))
        if isinstance(answer, Going):
            found.append(answer.positions)
            way = answer.goal.trajectory
            found += poses_of(way.timed) if way and way.timed else []
        check_inside(chain, found, seed)

"""Whatever is handed out is inside the joint limits, to the bit."""

from __future__ import annotations

import math
from random import Random

import numpy as np
from flight import Flight
from sizes import count

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.control.drive import Drive
from ik2d_ros.kinematics import Chain, TimedPath, solve_path, timed
from ik2d_ros.motion import smooth
from ik2d_ros.pilot.answer import Going, Solved
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.request import Jog, JogJoints, Joints, Path, Point
from ik2d_ros.planning.settings import Settings

MOTIONS = [MotionLimits(), MotionLimits(2.0)]
MOTIONS += [MotionLimits(2.0, 8.0), MotionLimits(2.0, 8.0, 80.0)] * smooth.is_available()


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
        flight = Flight(Configuration(arm, settings, Drive(False)))
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
            way = answer.command.trajectory
            found += poses_of(way.timed) if way and way.timed else []
        check_inside(chain, found, seed)

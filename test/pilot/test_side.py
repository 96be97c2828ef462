"""An arm that was stretched comes back on the side that it left: random arms in virtual time."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from flight import Flight

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.control.drive import Drive
from ik2d_ros.kinematics import Chain, Joint
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.request import Jog, Joints, Point
from ik2d_ros.planning.settings import Settings

DT = 0.05  # s


def bends(flight: Flight) -> np.ndarray:
    """(n - 1,) sines of the bends, the widest first."""
    chain = flight.pilot.configuration.arm.chain
    links = np.diff(chain.forward(flight.pilot.supervisor.commanded), axis=0)
    (x, y), (u, v) = links[:-1].T, links[1:].T
    found = (x * v - y * u) / np.hypot(x, y) / np.hypot(u, v)
    return found[np.argsort(-np.abs(found))]


def go(flight: Flight, angle: float, share: float) -> None:
    """Go to a place in a direction, at a share of the reach, and stand."""
    reach = share * flight.pilot.configuration.arm.reach.outer
    flight.ask(Point((reach * math.cos(angle), reach * math.sin(angle), 0.0)))
    stand(flight)


def stand(flight: Flight) -> None:
    """Let the arm arrive."""
    if flight.pilot.supervisor.arm_motion.limits.takes_time:
        flight.land()
    else:
        flight.pass_time(2.0 * DT)


def bent_and_stretched(
    random: Random, count: int, motion: MotionLimits
) -> tuple[Flight, float, float]:
    """An arm that was bent to a side, is stretched now in a direction, and these."""
    lengths = [random.uniform(0.1, 0.4) for _ in range(count)]
    limit = random.choice([None, 2.8])
    joints = [
        Joint(f'j{i}', (length, 0.0), limit and -limit, limit, axis=random.choice([1, -1]))
        for i, length in enumerate(lengths)
    ]
    side = random.choice([-1.0, 1.0])
    arm = ArmDescription(Chain(joints), (0.0,) * count, (motion,) * count)
    flight = Flight(Configuration(arm, Settings(), Drive()), dt=DT)
    turns = [random.uniform(-1.0, 1.0), *(side * random.uniform(0.05, 0.8) for _ in joints[1:])]
    pose = tuple(each.axis * turn for each, turn in zip(joints, turns, strict=True))
    flight.ask(Joints(arm.names, pose))
    stand(flight)
    assert np.sign(bends(flight)[0]) == side
    x, y = arm.chain.forward(pose)[-1]
    angle = math.atan2(y, x) + random.uniform(-0.3, 0.3)
    go(flight, angle, random.uniform(1.001, 1.5))
    assert np.abs(bends(flight)).max() < 1e-3
    return flight, angle, side


@pytest.mark.parametrize('count', [2, 3, 4])
@pytest.mark.parametrize('motion', [MotionLimits(), MotionLimits(2.0)])
def test_an_arm_that_was_stretched_comes_back_on_the_side_that_it_left(
    count: int, motion: MotionLimits
) -> None:
    random, kept, tries = Random(count), 0, 200 if motion == MotionLimits() else 20
    for _ in range(tries):
        flight, angle, side = bent_and_stretched(random, count, motion)
        go(flight, angle + random.uniform(-0.3, 0.3), random.uniform(0.6, 0.98))
        kept += np.sign(bends(flight)[0]) == side
    assert kept >= (tries if count == 2 else 0.98 * tries)  # the shoulder's move counts as well


@pytest.mark.parametrize('seed', range(10))
def test_so_does_one_that_is_jogged(seed: int) -> None:
    flight, angle, side = bent_and_stretched(Random(seed), 2, MotionLimits(2.0))
    speed = -0.3 * flight.pilot.configuration.arm.reach.outer
    for _ in range(20):
        flight.pass_time(DT, Jog((speed * math.cos(angle), speed * math.sin(angle), 0.0)))
    assert np.sign(bends(flight)[0]) == side
    assert abs(bends(flight)[0]) > 0.1

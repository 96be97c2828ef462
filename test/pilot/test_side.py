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


class RandomArm(Flight):
    """A random arm, and its pilot."""

    def __init__(self, random: Random, count: int, motion: MotionLimits) -> None:
        lengths = [random.uniform(0.1, 0.4) for _ in range(count)]
        limit = random.choice([None, 2.8])
        least = None if limit is None else -limit
        joints = [
            Joint(f'j{i}', (length, 0.0), least, limit, axis=random.choice([1, -1]))
            for i, length in enumerate(lengths)
        ]
        self.arm = ArmDescription(Chain(joints), (0.0,) * count, (motion,) * count)
        self.reach, self.angle = sum(lengths), 0.0
        super().__init__(Configuration(self.arm, Settings(), Drive()), dt=DT)

    def go(self, request: Point | Joints) -> None:
        """Go there, and stand."""
        self.ask(request)
        if self.pilot.supervisor.arm_motion.limits.takes_time:
            self.land()
        else:
            self.pass_time(2.0 * DT)

    def place(self, angle: float, share: float) -> Point:
        """A place in a direction, at a share of the reach."""
        x, y = (share * self.reach * each for each in (math.cos(angle), math.sin(angle)))
        return Point((x, y, 0.0))

    @property
    def bends(self) -> np.ndarray:
        """(n - 1,) sines of the bends."""
        links = np.diff(self.arm.chain.forward(self.pilot.supervisor.commanded), axis=0)
        (x, y), (u, v) = links[:-1].T, links[1:].T
        return (x * v - y * u) / np.hypot(x, y) / np.hypot(u, v)

    @property
    def side(self) -> float:
        """Sign of the widest bend."""
        return float(np.sign(self.bends[np.argmax(np.abs(self.bends))]))


def bent_and_stretched(random: Random, count: int, motion: MotionLimits) -> tuple[RandomArm, float]:
    """An arm that was bent to a side, is stretched now, and that side."""
    flight, side = RandomArm(random, count, motion), random.choice([-1.0, 1.0])
    joints = flight.arm.chain.joints
    bends = [random.uniform(-1.0, 1.0), *(side * random.uniform(0.05, 0.8) for _ in joints[1:])]
    pose = tuple(each.axis * q for each, q in zip(joints, bends, strict=True))
    flight.go(Joints(flight.arm.names, pose))
    assert flight.side == side
    x, y = flight.arm.chain.forward(pose)[-1]
    flight.angle = math.atan2(y, x) + random.uniform(-0.3, 0.3)
    flight.go(flight.place(flight.angle, random.uniform(1.001, 1.5)))
    assert np.abs(flight.bends).max() < 1e-3
    return flight, side


@pytest.mark.parametrize('count', [2, 3, 4])
@pytest.mark.parametrize('motion', [MotionLimits(), MotionLimits(2.0)])
def test_an_arm_that_was_stretched_comes_back_on_the_side_that_it_left(
    count: int, motion: MotionLimits
) -> None:
    random, kept, tries = Random(count), 0, 200 if motion == MotionLimits() else 20
    for _ in range(tries):
        flight, side = bent_and_stretched(random, count, motion)
        turn = flight.angle + random.uniform(-0.3, 0.3)
        flight.go(flight.place(turn, random.uniform(0.6, 0.98)))
        kept += flight.side == side
    assert kept >= (tries if count == 2 else 0.98 * tries)  # the shoulder's move counts as well


@pytest.mark.parametrize('seed', range(10))
def test_so_does_one_that_is_jogged(seed: int) -> None:
    flight, side = bent_and_stretched(Random(seed), 2, MotionLimits(2.0))
    speed = -0.3 * flight.reach
    back = (speed * math.cos(flight.angle), speed * math.sin(flight.angle), 0.0)
    for _ in range(20):
        flight.pass_time(DT, Jog(back))
    assert flight.side == side
    assert np.abs(flight.bends).max() > 0.1

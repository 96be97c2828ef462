"""Noise in a target that cannot be reached does not swing the arm."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from carried import described
from flight import Flight
from harness import examples
from space import ARMS, random_pose, tip

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.control.drive import Drive
from ik2d_ros.kinematics import Chain, Status, solve
from ik2d_ros.motion import smooth
from ik2d_ros.pilot.answer import Going, Situation
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.plan import plan_target
from ik2d_ros.pilot.request import Joints, Point
from ik2d_ros.planning.settings import Settings

SHARE, FOLLOWING = 0.05, 4.0  # as documented


def told(configuration: Configuration, targets: Any, start: Any) -> list[Going]:
    """The answers to targets, one after the other; the arm is at each pose before the next."""
    answers: list[Going] = []
    for target in targets:
        last = answers[-1] if answers else None
        situation = Situation(last.positions if last else tuple(start), last=last)
        answer = plan_target(Point(tuple(target)), situation, configuration)
        assert isinstance(answer, Going)
        answers.append(answer)
    return answers


def largest_move(arm: Any, before: Any, after: Any) -> float:
    """In rad, a slide in reaches."""
    slides = np.array([unit == 'm' for unit in arm.units])
    moves = np.abs(np.subtract(after, before))
    return float(np.where(slides, moves / arm.chain.reach.outer, moves).max())


@pytest.mark.parametrize('kind', ARMS)
def test_noise_of_a_hundredth_of_the_error_is_followed_at_most(kind: str) -> None:
    """And the error is that of the library's closest pose, or hardly more; what is reached, is."""
    rng, tried = np.random.default_rng(5), 0
    for _ in range(examples(60)):
        arm = ARMS[kind](rng)
        configuration = Configuration(described(arm), Settings(plane_tolerance=math.inf))
        start = random_pose(arm, rng)
        size = arm.chain.reach.outer
        target = tip(arm, start) + rng.normal(0.0, 1.0, 3) * size * rng.choice([0.3, 1.0])
        if rng.random() < 0.3:
            target = np.array(arm.plane.point(*(1e-3 * size * rng.normal(0.0, 1.0, 2))))
        if arm.turntable is None and arm.lift is None:
            target = np.array(arm.plane.point(*arm.plane.locate(target)[:2]))
        error = told(configuration, [target], start)[0].report.error
        if error < 1e-3 * size:
            continue
        ways = rng.normal(0.0, 1.0, (12, 3))
        noise = 0.01 * error * ways / np.linalg.norm(ways, axis=1)[:, None]
        answers, targets = told(configuration, target + noise, start), target + noise
        for (before, one), (after, other) in pairwise(zip(answers, targets, strict=True)):
            assert after.solution is not None
            best = configuration.settings.solve(configuration.arm, tuple(other), before.positions)
            assert after.report.error <= (1.0 + SHARE) * best.error + 1e-9
            if best.status is not Status.REACHED:
                move = largest_move(arm, before.positions, after.positions)
                # A search that is not proven may find a closer pose later.
                assert not best.proven or move <= FOLLOWING * math.dist(one, other) / size + 1e-9
                tried += 1
    assert tried


@pytest.mark.skipif(not smooth.is_available(), reason='ruckig is not installed')
@pytest.mark.parametrize('seed', range(10))
def test_a_repeated_target_leads_to_the_same_pose(seed: int) -> None:
    """A redundant arm too, which has other poses for it from everywhere on its way."""
    random = Random(seed)
    chain = Chain.from_lengths([0.3, 0.25, 0.1], limits=[(-2.6, 2.6), (-2.6, 2.6), None])
    arm = ArmDescription(chain, (0.3, 0.5, 0.2), (MotionLimits(1.0, 4.0),) * 3)
    flight = Flight(Configuration(arm, Settings(), Drive()))
    flight.ask(Joints(arm.names, tuple(random.uniform(-1.5, 1.5) for _ in arm.names)))
    flight.land()
    start, angle = flight.poses[-1], random.uniform(-2.0, 2.0)
    point = Point((0.4 * math.cos(angle), 0.4 * math.sin(angle), 0.0))
    for _ in range(500):
        flight.pass_time(flight.dt, point)
    assert not flight.told[-1].report.moving
    goal = solve(chain, point.point[:2], start=start).q.tolist()
    assert flight.poses[-1] == pytest.approx(goal, abs=1e-6)

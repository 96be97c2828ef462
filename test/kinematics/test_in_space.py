"""Targets in space: reached where the arm can, else as close as it comes; without any flip."""

import math

import numpy as np
import pytest
from space import closest_of_an_optimiser, random_pose, some_arms, tip

from ik2d_ros.kinematics import Chain, Plane, Status, solve

TWO = Chain.from_lengths([0.3, 0.25])
UPRIGHT = Plane.from_pose((0.0, 0.0, 0.1), (math.pi / 2, 0.0, 0.0))
AXIS = (0.0, 0.0, 1.0)


@pytest.mark.parametrize('lean', [0.0, 4.9e-3])
def test_what_an_arm_can_reach_it_reaches(lean):
    rng = np.random.default_rng(1)
    for arm in some_arms(21, rng, lean=lean):
        tolerance = 1e-9 * arm.chain.reach.outer
        for _ in range(5):
            target = tip(arm, random_pose(arm, rng))
            start = random_pose(arm, rng)
            solution = solve(arm, target, start=start, tolerance=tolerance)
            assert solution.status is Status.REACHED
            assert math.dist(tip(arm, solution.q), target) <= tolerance * (1.0 + 1e-5)
            assert solution.tip == pytest.approx(tip(arm, solution.q), abs=1e-5 * tolerance)
            assert solution.error == math.dist(solution.tip, target)
            assert (solution.q >= arm.lower).all()
            assert (solution.q <= arm.upper).all()


def test_what_it_cannot_reach_it_comes_as_close_to_as_an_optimiser():
    pytest.importorskip('scipy.optimize', reason='SciPy is not installed')
    rng = np.random.default_rng(2)
    missed = set()
    for arm in some_arms(7, rng, joints=(2, 4), lean=4.9e-3):
        size = arm.chain.reach.outer
        for far in (0.1, 0.5, 1.5):
            target = np.array(arm.turntable.xyz) + far * size * rng.normal(size=3)
            solution = solve(arm, target)
            if solution.status is Status.REACHED:
                continue
            missed.add(solution.status)
            best = closest_of_an_optimiser(arm, target, rng, runs=4)
            assert solution.error <= best + 1e-6 * size
            assert best > 1e-8 * size
            assert math.dist(tip(arm, solution.q), target) == pytest.approx(solution.error)
    assert missed >= {Status.TOO_FAR, Status.TOO_NEAR, Status.JOINT_LIMIT}

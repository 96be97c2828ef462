"""Two joints behind a turntable: what is found at once is what all the rest would lead to."""

import math

import numpy as np
import pytest
from space import random_pose, some_arms, tip

from ik2d_ros.kinematics import Status, solve
from ik2d_ros.kinematics.closed_form.pair import FORBIDDEN, pair_solver
from ik2d_ros.kinematics.space import in_space

ARMS, TARGETS = 60, 10


def problems(seed):
    """Yield arms of two joints, targets that are reached or not, starts and options."""
    rng = np.random.default_rng(seed)
    for arm in some_arms(ARMS, rng, joints=(2, 2), lean=4.9e-3):
        size = arm.chain.reach.outer
        for _ in range(TARGETS):
            away = rng.choice([0.0, 1e-6, 1e-2, 1.0], p=[0.6, 0.1, 0.1, 0.2])
            target = tip(arm, random_pose(arm, rng)) + away * size * rng.normal(size=3)
            options = {
                'start': random_pose(arm, rng),
                'tolerance': size * float(10.0 ** rng.uniform(-12.0, -1.5)),
                'bend': str(rng.choice(['nearest', 'positive', 'negative'])),
            }
            yield arm, target, options


def test_both_ways_lead_to_the_same_pose(monkeypatch):
    at_once, missed = in_space.reached_by_pair, 0
    for arm, target, options in problems(1):
        found = solve(arm, target, **options)
        monkeypatch.setattr(in_space, 'reached_by_pair', lambda *_: None)
        expected = solve(arm, target, **options)
        monkeypatch.setattr(in_space, 'reached_by_pair', at_once)
        said = (found.status, found.proven, found.iterations)
        assert said == (expected.status, expected.proven, expected.iterations)
        assert found.q == pytest.approx(expected.q, abs=1e-9)
        assert found.error == pytest.approx(expected.error, abs=1e-12 * arm.chain.reach.outer)
        missed += found.status is not Status.REACHED
    assert 0.1 * ARMS * TARGETS < missed < 0.5 * ARMS * TARGETS


def test_nearly_always_a_target_that_is_reached_is_found_at_once(monkeypatch):
    at_once, found, reached = in_space.reached_by_pair, [], 0

    def counted(*arguments):
        found.append(at_once(*arguments))
        return found[-1]

    monkeypatch.setattr(in_space, 'reached_by_pair', counted)
    for arm, target, options in problems(2):
        reached += solve(arm, target, **options).status is Status.REACHED
    assert sum(map(bool, found)) > 0.9 * reached


def test_what_is_forbidden_for_sure_is_not_reached():
    rng = np.random.default_rng(3)
    sure = missed = 0
    for arm in some_arms(3 * ARMS, rng, joints=(2, 2)):
        chain = arm.chain
        inner, outer = chain.reach
        for _ in range(TARGETS):
            tolerance = outer * float(10.0 ** rng.uniform(-12.0, -1.0))
            radius, angle = rng.uniform(inner, outer), rng.uniform(-math.pi, math.pi)
            if rng.random() < 0.5:  # at a limit, where it matters most
                q = random_pose(arm, rng)[1:]
                q[rng.integers(2)] += rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-9.0, 0.0)
                x, y = chain.forward(np.clip(q, -9.0, 9.0))[-1].tolist()
            else:
                x, y = radius * math.cos(angle), radius * math.sin(angle)
            start = tuple(random_pose(arm, rng)[1:].tolist())
            closest = solve(chain, (x, y), start=start, tolerance=tolerance)
            missed += closest.error > tolerance
            if pair_solver(chain, 'nearest', tolerance)(x, y, start) is FORBIDDEN:
                sure += 1
                assert closest.error > tolerance
    assert sure > 0.5 * missed

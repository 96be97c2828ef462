"""The reachable body of an arm in space, and the ball around the arm, contain what it reaches."""

from __future__ import annotations

import math

import numpy as np
import pytest
from carried import described
from space import ARMS, random_pose, tip

from ik2d_ros.drawing.body import swept_body
from ik2d_ros.drawing.extent import ball_around
from ik2d_ros.kinematics import Arm, Chain, Lift, solve_batch

DIRECTIONS = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)])


def turns_around(body, point):
    """How often a surface goes around a point: 1 inside, 0 outside."""
    a, b, c = np.moveaxis(body.vertices[body.triangles] - point, 1, 0)
    la, lb, lc = (np.linalg.norm(corner, axis=1) for corner in (a, b, c))
    volume = np.einsum('ij,ij->i', a, np.cross(b, c))
    rest = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
    return np.arctan2(volume, rest).sum() / (2.0 * math.pi)


def is_near(body, point, distance):
    """Whether a point is in a body, or near one."""
    steps = [point, *(point + step * DIRECTIONS for step in (0.3 * distance, distance))]
    return any(turns_around(body, place) > 0.5 for place in np.vstack(steps))


@pytest.mark.parametrize('kind', ['turntable', 'lift'])
@pytest.mark.parametrize('seed', range(3))
def test_the_body_contains_the_reachable_points(kind, seed):
    rng = np.random.default_rng(seed)
    arm = ARMS[kind](rng)
    body = swept_body(arm)
    tips = np.array([arm.tips(random_pose(arm, rng)) for _ in range(12)])
    assert all(is_near(body, tip, 0.02 * arm.size) for tip in tips)

    around = rng.uniform(tips.min(axis=0), tips.max(axis=0), (24, 3))
    errors = solve_batch(arm, around).error / arm.size
    enclosed = np.array([turns_around(body, place) > 0.5 for place in around])
    assert not (enclosed & (errors > 0.04)).any()

    corners = body.vertices[rng.integers(0, len(body.vertices), 200)]
    assert solve_batch(arm, corners).error.max() < 0.01 * arm.size


def test_an_endless_or_flat_body_is_empty():
    chain = Chain.from_lengths([0.3, 0.2])
    for arm in (Arm(chain), Arm(chain, lift=Lift())):
        assert not len(swept_body(arm).triangles)


@pytest.mark.parametrize('kind', ARMS)
def test_the_tip_is_in_the_ball_in_every_pose(kind):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        arm = ARMS[kind](rng)
        center, radius = ball_around(described(arm))
        tips = tip(arm, np.array([random_pose(arm, rng) for _ in range(20)]))
        assert np.linalg.norm(tips - center, axis=1).max() <= radius * (1.0 + 1e-9)

"""The reachable body of an arm in space, and the ball around the arm, contain what it reaches."""

from __future__ import annotations

import math

import numpy as np
import pytest
from arms import chains, random_chain
from carried import carried, described
from hypothesis import given, settings
from hypothesis import strategies as st
from space import random_arm, random_pose, tip

from ik2d_ros.arm.area import reach_area
from ik2d_ros.arm.body import swept_body
from ik2d_ros.arm.bounding_ball import ball_around
from ik2d_ros.kinematics import Arm, Chain, Joint, Lift, Plane, Turntable, solve_batch

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


def lifted(rng):
    chain = random_chain(3, rng, 'one-sided')
    plane = Plane.from_pose(rng.uniform(-1.0, 1.0, 3), rng.uniform(-3.0, 3.0, 3))
    return Arm(chain, plane, lift=Lift(int(rng.choice([-1, 1])), -0.2, 0.5))


def arm_of(kind, turntable, rng):
    if turntable == 'lift':
        return lifted(rng)
    beside = rng.choice([0.0, 0.3])
    return random_arm(2, kind, turntable, rng, beside=beside, lean=rng.choice([0.0, 0.005]))


@pytest.mark.parametrize(
    ('kind', 'turntable'),
    [
        ('asymmetric', 'turn'),
        ('one-sided', 'half'),
        (None, 'half'),
        ('one-sided', 'lift'),
    ],
)
def test_the_body_contains_the_reachable_points(kind, turntable):
    rng = np.random.default_rng([len(turntable), len(kind or '')])
    arm = arm_of(kind, turntable, rng)
    body = swept_body(arm)
    tips = np.array([arm.tips(random_pose(arm, rng)) for _ in range(12)])
    assert all(is_near(body, tip, 0.02 * arm.size) for tip in tips)

    around = rng.uniform(tips.min(axis=0), tips.max(axis=0), (24, 3))
    errors = solve_batch(arm, around).error / arm.size
    enclosed = np.array([turns_around(body, place) > 0.5 for place in around])
    assert not (enclosed & (errors > 0.04)).any()

    corners = body.vertices[rng.integers(0, len(body.vertices), 200)]
    assert solve_batch(arm, corners).error.max() < 0.01 * arm.size


def test_the_surface_of_a_full_turn_is_closed_and_has_the_volume_of_pappus():
    chain = Chain.from_lengths([0.3, 0.2], limits=[(-0.4, 0.4), (0.8, 2.0)])
    arm = Arm(chain, Plane.from_pose((0.2, 0.0, 0.1), (math.pi / 2, 0.0, 0.0)), Turntable())
    points, triangles, _ = reach_area(chain, 60)
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    areas = 0.5 * (ux * vy - uy * vx)
    moment = (areas * (0.2 + (a + b + c)[:, 0] / 3.0)).sum()
    body = swept_body(arm)
    corners = body.vertices[body.triangles]
    volume = np.linalg.det(corners).sum() / 6.0
    assert volume == pytest.approx(2.0 * math.pi * moment, rel=1e-2)
    sides = np.concatenate([body.triangles[:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
    there, back = ({tuple(side) for side in way.tolist()} for way in (sides, sides[:, ::-1]))
    assert there == back  # every side belongs to two triangles


def test_an_endless_or_flat_body_is_empty():
    chain = Chain.from_lengths([0.3, 0.2])
    for arm in (Arm(chain), Arm(chain, lift=Lift())):
        assert not len(swept_body(arm).triangles)


def planar(chain):
    return described(Arm(chain, Plane.from_pose((0.1, -0.2, 0.3), (0.0, 0.0, 0.0))))


@given(st.data(), st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_the_tip_is_in_the_ball_in_every_pose(data, seed):
    chain = data.draw(chains(st.integers(1, 3)))
    arm = data.draw(carried(planar(chain)))
    center, radius = ball_around(arm)
    rng = np.random.default_rng(seed)
    lower = arm.limits[0][0]
    for _ in range(20):
        pose = random_pose(arm.kinematics, rng)
        if arm.lift is not None and not math.isfinite(lower):
            pose[0] = arm.home[0]  # without limits, the lift is unbounded
        assert math.dist(tip(arm.kinematics, pose), center) <= radius * (1.0 + 1e-9) + 1e-9


def test_an_arm_that_is_a_point_has_a_ball():
    center, radius = ball_around(planar(Chain([Joint('still', link=(0.0, 0.0))])))
    assert center == pytest.approx((0.1, -0.2, 0.3))
    assert radius > 0.0

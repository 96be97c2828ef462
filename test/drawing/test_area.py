"""The reachable area contains exactly the points that the arm reaches."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from arms import chains, random_poses
from harness import wait_until
from hypothesis import given, settings
from hypothesis import strategies as st
from space import ARMS, random_pose, tip
from walled import random_walled

from ik2d_ros.drawing.area import BackgroundArea, reach_area
from ik2d_ros.kinematics import Arm, Chain, Wall, solve_batch

ROUGHNESS = 0.03  # of the edge, in reaches: about a cell may be cut off at corners


def doubled_areas(points, triangles):
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    return (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]


def distances(places, area):
    """How far places (m, 2) are from the triangles of an area: (m,) in m, 0 inside."""
    points, triangles = area
    result = np.full(len(places), np.inf)
    inside = np.ones((len(places), len(triangles)), dtype=bool)
    for corner in range(3):
        a, b = points[triangles[:, corner]], points[triangles[:, (corner + 1) % 3]]
        side, to_place = b - a, places[:, None] - a
        inside &= side[:, 0] * to_place[..., 1] - side[:, 1] * to_place[..., 0] >= 0.0
        along = np.einsum('mtx,tx->mt', to_place, side) / np.einsum('tx,tx->t', side, side)
        foot = a + np.clip(along, 0.0, 1.0)[..., None] * side
        result = np.minimum(result, np.linalg.norm(places[:, None] - foot, axis=-1).min(axis=1))
    return np.where(inside.any(axis=1), 0.0, result)


def is_sound(chain, points, triangles):
    assert np.isfinite(points).all()
    assert len(triangles)
    assert triangles.max() < len(points)
    assert (doubled_areas(points, triangles) > 0.0).all()  # counter-clockwise
    assert (np.hypot(*points.T) <= chain.reach.outer * 1.01 + 0.01).all()


@settings(max_examples=20)
@given(chains(slides=0.3), st.integers(0, 2**32 - 1))
def test_every_reached_point_is_inside_and_every_point_inside_is_reached(chain, seed):
    points, triangles, _ = reach_area(Arm(chain))
    is_sound(chain, points, triangles)
    rng, roughness = np.random.default_rng(seed), ROUGHNESS * (chain.reach.outer or 1.0)
    tips = chain.forward(random_poses(chain, 20, rng))[:, -1]
    assert distances(tips, (points, triangles)).max() <= roughness
    places = points[rng.choice(triangles, 40)].mean(axis=1)
    assert solve_batch(chain, places).error.max() <= roughness


@pytest.mark.parametrize('lengths', [(0.3, 0.25), (0.3, 0.3), (1.0, 0.2, 0.1), (0.1,) * 10])
def test_without_limits_it_is_the_annulus(lengths):
    inner, outer = Chain.from_lengths(lengths).reach
    points, triangles, _ = reach_area(Arm(Chain.from_lengths(lengths)))
    radii = np.hypot(*points.T)
    assert radii.min() >= inner * (1.0 - 1e-9)
    assert inner == 0.0 or radii.min() == pytest.approx(inner, rel=1e-3)
    assert radii.max() == pytest.approx(outer, rel=1e-3)
    assert radii.max() <= outer * (1.0 + 1e-9)
    true = math.pi * (outer**2 - inner**2)
    assert 0.5 * doubled_areas(points, triangles).sum() == pytest.approx(true, rel=2e-3)


@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1), st.sampled_from([*ARMS]), st.booleans())
def test_it_is_cut_at_walls_that_always_cut_the_plane_there(seed, kind, is_along):
    rng = np.random.default_rng(seed)
    arm, pose = random_walled(rng, [kind])
    arm = arm.at_roll(float(pose[-1]))
    carrier = arm.turntable or arm.lift
    if carrier is not None and is_along:  # a table below a turntable, a wall beside a lift
        normal = arm.turntable.axis if arm.turntable else arm.plane.axes[0]
        low = min(np.dot(tip(arm, random_pose(arm, rng)), normal) for _ in range(9))
        arm = replace(arm, walls=(Wall(tuple(low * np.array(normal)), normal),))
    points, triangles, _ = reach_area(arm)
    size = arm.chain.reach.outer
    places = [np.array(arm.placed(*points.T, turn)) for turn in rng.uniform(-3.0, 3.0, 4)]
    heights = np.array([[wall.height(*place) for place in places] for wall in arm.walls])
    stays = np.ptp(heights, axis=1).max(axis=-1) < 1e-9 * arm.size
    assert (heights[stays] >= -0.6 * ROUGHNESS * size).all()
    for q in np.array([random_pose(arm, rng) for _ in range(10)]):
        there = tip(arm, q)
        steady = [wall for wall, is_steady in zip(arm.walls, stays, strict=True) if is_steady]
        if all(wall.height(*there) > ROUGHNESS * size for wall in steady):
            place = arm.chain.forward(arm.in_plane(q))[-1]
            assert distances(np.array([place]), (points, triangles)).max() <= ROUGHNESS * size


def test_a_failed_computation_is_reported_once_and_gives_an_empty_area():
    complaints, chain = [], Chain.from_lengths([0.3])

    def compute(chain):
        raise OverflowError('too long')

    background = BackgroundArea(compute, (), complaints.append)
    wait_until(lambda: background.newest(chain) is not None)
    assert background.newest(chain) == (chain, ())
    assert len(complaints) == 1
    assert 'too long' in complaints[0]

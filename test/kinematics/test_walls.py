"""Walls: no answer brings a pivot or the tip across one."""

import math
import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from arms import random_poses
from harness import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from space import ARMS, both, check_answer, is_carried, random_pose, tip
from walled import heights, pivots, random_walled, with_fixed_joints

from ik2d_ros.kinematics import (
    Arm,
    Chain,
    Plane,
    Status,
    Turntable,
    Wall,
    solve,
    solve_batch,
    solve_path,
)
from ik2d_ros.kinematics.clearance import collisions

UPRIGHT = Plane.from_pose((0.0, 0.0, 0.1), (math.pi / 2, 0.0, 0.0))
TWO = Chain.from_lengths([0.3, 0.25])
TABLE = Wall((0.0, 0.0, 0.0), (0.0, 0.0, 2.0), 0.01, 'table')
HAIR = 1e-9

seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds, kind=st.sampled_from([*ARMS]))
@settings(max_examples=examples(30))
def test_the_clearances_are_those_of_all_that_moves(seed, kind):
    rng = np.random.default_rng(seed)
    arm, pose = random_walled(rng, [kind])
    arm = with_fixed_joints(arm, pose, rng)
    poses = np.array([pose, *(random_pose(arm, rng) for _ in range(3))])
    found = np.array([arm.clearances(q.tolist()) for q in poses])
    there = heights(arm, poses)
    stays = not is_carried(arm) and not arm.tip_radius > 0.0
    for k, wall in enumerate(arm.walls):  # no motion leads closer to one along a fixed plane
        if stays and abs(np.dot(wall.normal, arm.plane.axes[2])) > 1 - 1e-15:
            there[k] = arm.size
    there = np.moveaxis(there, -1, 0).reshape(len(poses), -1)
    scale = arm.size + np.abs(pivots(arm, poses)).max()
    assert np.sort(found) == pytest.approx(np.sort(there), abs=1e-12 * scale)
    assert pytest.approx(found, abs=1e-12 * scale) == np.array(arm.clearances([*poses.T])).T


@given(seed=seeds, is_there=st.booleans())
@settings(max_examples=examples(30))
def test_a_wall_along_the_plane_changes_nothing(seed, is_there):
    rng = np.random.default_rng(seed)
    plane = Plane.from_pose(rng.normal(size=3).tolist(), rng.uniform(-3, 3, 3).tolist())
    other = Wall(plane.point(-0.1, 0.05, 0.0), plane.axes[0], 0.0, 'other')
    along = Wall(plane.point(*rng.normal(size=2), 0.0), plane.axes[2])
    arm = Arm(TWO, plane, walls=[other])
    both_walls = replace(arm, walls=(along, other))
    target = plane.point(*(0.2 if is_there else 0.7) * rng.normal(size=2), 0.0)
    free, beside = solve(arm, target), solve(both_walls, target)
    assert beside.status is free.status
    assert beside.q == pytest.approx(free.q, abs=1e-7)
    start = (0.3, 0.4)
    begins, moves = np.array([start]), np.array([free.q - start])
    free, beside = (collisions(each, begins, moves) for each in (arm, both_walls))
    assert (*free, *beside) == (*beside, *free)


@given(seed=seeds, kind=st.sampled_from([*ARMS]), is_there=st.booleans(), asks=st.booleans())
@example(seed=1180, kind='no limits', is_there=True, asks=False)  # a wall nearly in the plane
@settings(max_examples=examples(30))
def test_no_answer_is_across_a_wall_and_says_what_is_true(seed, kind, is_there, asks):
    rng = np.random.default_rng(seed)
    arm, pose = random_walled(rng, [kind], gap=rng.choice([0.0, 0.3]))
    target = tip(arm, pose)
    if not is_there:
        target = target + rng.normal(size=3) * arm.size * rng.choice([1e-7, 0.3, 2.0])
    angle = float(rng.uniform(-3, 3)) if asks and len(arm.chain) > 2 else None
    start = random_pose(arm, rng) if rng.random() < 0.3 else pose
    for found in both(arm, target, start, angle=angle):
        scale = arm.size + np.linalg.norm(target)
        if heights(arm, start).min() >= -HAIR * scale:
            assert heights(arm, found.q).min() >= -HAIR * scale
        depth = max(wall.clearance - (target - wall.point) @ wall.normal for wall in arm.walls)
        if found.status == Status.BLOCKED:
            assert not found.proven
            assert found.error == pytest.approx(math.dist(tip(arm, found.q), target), abs=1e-9)
            heading = arm.tip_angles(found.q)
            off = 0.0 if angle is None else abs(math.remainder(angle - heading, math.tau))
            assert found.angle_error == pytest.approx(off, abs=1e-9)
            if hasattr(found, 'contact'):
                assert found.contact.wall in {wall.name for wall in arm.walls}
                assert found.contact.depth > 0.0
                if found.contact.part == 'the target':
                    assert found.contact.depth == pytest.approx(depth, abs=1e-9 * scale)
        else:
            assert depth <= HAIR * scale
            check_answer(arm, target, found, angle)


@pytest.mark.parametrize('side', [0.0, 0.2, 5.0])
def test_a_target_across_gives_way_to_the_nearest_point_on_this_side(side):
    arm = Arm(Chain.from_lengths([0.3, 0.25, 0.1]), UPRIGHT, walls=[TABLE])
    found = solve(arm, (0.3, side, -0.2))
    assert found.status is Status.BLOCKED
    assert (found.contact.wall, found.contact.part) == ('table', 'the target')
    assert found.contact.depth == pytest.approx(0.21)
    assert found.tip == pytest.approx((0.3, 0.0, 0.01), abs=1e-6)
    assert found.error == pytest.approx(math.hypot(0.21, side), abs=1e-6)


@pytest.mark.parametrize(('kinds', 'joints', 'most'), [(4, 9, 0.01), (2, 2, 0.0)])
def test_a_shape_that_keeps_off_is_found_where_there_is_one(kinds, joints, most):
    """Both bends of two joints are tried; for more, a search misses one in a hundred at most."""
    rng, missed, count = np.random.default_rng(7), 0, examples(200)
    for _ in range(count):
        arm, _ = random_walled(rng, ['no limits', 'limits', 'turntable', 'lift'][:kinds])
        arm = Arm(Chain(arm.chain.joints[:joints]), arm.plane, arm.turntable, arm.lift, arm.walls)
        poses = random_poses(arm, 200, rng)
        clear = poses[heights(arm, poses).min(axis=(0, 1)) > 0.0]
        if len(clear):
            missed += solve(arm, tip(arm, clear[0]), start=arm.middle).status is not Status.REACHED
    assert missed <= most * count


@given(seed=seeds, kind=st.sampled_from([*ARMS]))
@settings(max_examples=examples(20))
def test_a_path_ends_before_a_wall(seed, kind):
    rng = np.random.default_rng(seed)
    arm, pose = random_walled(rng, [kind])
    points = [tip(arm, pose), *(tip(arm, random_pose(arm, rng)) for _ in range(2))]
    path = solve_path(arm, points, start=pose if rng.random() < 0.5 else None)
    scale = arm.size + np.abs(points).max()
    moves = [a + (b - a) * s for a, b in pairwise(path.q) for s in (0.0, 0.25, 0.5, 0.75)]
    if moves:
        assert heights(arm, np.array(moves)).min() >= -1e-6 * scale
        assert heights(arm, path.q).min() >= -HAIR * scale
    if path.status is Status.BLOCKED:
        assert not path.proven


def test_an_arm_with_walls_is_sent_to_another_process():
    arm = Arm(TWO, UPRIGHT, walls=[TABLE])
    assert pickle.loads(pickle.dumps(arm)) == arm
    assert solve_batch(arm, [(0.3, 0.0, -1.0)]).status.tolist() == [Status.BLOCKED]
    assert arm != Arm(TWO, UPRIGHT)


def test_in_a_corner_it_is_the_nearest_point_to_both():
    walls = [TABLE, Wall((0.4, 0.0, 0.0), (-1.0, 0.0, 0.0), name='wall')]
    found = solve(Arm(TWO, UPRIGHT, Turntable(), walls=walls), (0.5, 0.02, -0.1))
    assert found.tip == pytest.approx((0.4, 0.02, 0.01), abs=1e-6)


def test_a_path_that_meets_a_wall_ends_there():
    arm = Arm(Chain.from_lengths([0.3, 0.25, 0.1]), UPRIGHT, walls=[TABLE])
    path = solve_path(arm, [(0.3, 0.0, 0.21), (0.3, 0.0, -0.09)])
    assert (path.status, path.end) == (Status.BLOCKED, pytest.approx(0.2, abs=1e-4))

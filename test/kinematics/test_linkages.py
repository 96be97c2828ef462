"""Laws of chains with absolute joints and of tools that stay level."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from arms import bend_excess, headings, random_linkage, random_poses
from harness import IS_UNCOMPILED, examples
from judge import closest
from space import check_answer, random_arm

from ik2d_ros.kinematics import (
    Chain,
    Joint,
    Status,
    solve,
    solve_batch,
    solve_path,
)

SEEDS = range(8)


@pytest.mark.parametrize('seed', SEEDS)
def test_verdict_and_distance_are_those_of_the_judge(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_linkage(rng)
    for x, y in chain.reach.outer * rng.uniform(-1.1, 1.1, (8, 2)) + chain.tool:
        solution = solve(chain, (x, y))
        assert solution.proven
        if solution.status is not Status.REACHED:
            assert solution.error == pytest.approx(closest(chain, x, y), abs=1e-9)


@pytest.mark.parametrize('seed', SEEDS)
def test_no_pose_at_the_point_is_closer_to_a_forbidden_angle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_linkage(rng, fewest=3)
    for q in random_poses(chain, 5, rng):
        point, angle = chain.forward(q)[-1], rng.uniform(-math.pi, math.pi)
        solution = solve(chain, point, angle=angle)
        assert solution.error <= 1e-6
        others = solve_batch(chain, [point] * 30, start=random_poses(chain, 30, rng)).q
        for pose in (q, *others):
            off = abs(math.remainder(headings(chain, pose)[-1] - angle, math.tau))
            assert solution.angle_error <= max(1e-3, off + 1e-4)


def test_a_pose_at_its_angle_is_found_where_joints_are_fixed_or_links_have_no_length() -> None:
    for seed in range(examples(200)):
        rng = np.random.default_rng(seed)
        chain = random_linkage(rng, fewest=3)
        q, last = random_poses(chain, 1, rng)[0], len(chain) - 1
        fixed, short = rng.random((2, len(chain))) < [[0.8], [0.4]]
        joints = list(chain.joints)
        for j, joint in enumerate(chain.joints):
            if short[j] and all(other.min_bend is None for other in chain.joints[j : j + 2]):
                joints[j] = replace(joint, link=(0.0, 0.0))
            if fixed[j] and j < last and not joint.continuous:
                joints[j] = replace(joints[j], lower=q[j], upper=q[j])
        chain = Chain(joints, chain.tool)
        point, angle = chain.forward(q)[-1], chain.tip_angle(q)
        for start in random_poses(chain, 3, rng, corners=1.0):
            found = solve(chain, point, angle=angle, start=start)
            assert found.status is Status.REACHED, seed


@pytest.mark.parametrize('width', [0.01, 0.5, 3.0, 1e3])
def test_the_widest_limits_of_the_longest_linkage_take_little_memory(width: float) -> None:
    rng = np.random.default_rng(0)
    for share in (0.0, 0.2, 0.6):  # of joints that are continuous
        ends = [(None, None) if rng.random() < share else (-1e3, 1e3) for _ in range(64)]
        bends = [rng.uniform(-3.0, 3.0) + np.array([-width, width]) / 2 for _ in ends]
        joints = [
            Joint(f'{j}', (1.0, 0.0), *limits, absolute=j > 0)
            if j == 0 or rng.random() < 0.3
            else Joint(f'{j}', (1.0, 0.0), *limits, 0.0, 1, 'revolute', True, *bends[j])
            for j, limits in enumerate(ends)
        ]
        tracemalloc.start()
        chain = Chain(joints)
        settled = chain.settled(rng.uniform(-1e3, 1e3, 64).tolist())
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 20e6
        assert bend_excess(chain, settled) <= 1e-9


def _long_linkage(rng):
    """A linkage that has very many faces, of up to 64 joints."""
    held, absolute = rng.choice([0.0, 0.4, 1.0]), rng.choice([0.5, 1.0])
    ends = {True: (-1.0, 1.0), False: (None, None)}
    return Chain(
        [
            Joint(
                f'joint{i}',
                (rng.uniform(0.2, 1.0), 0.0),
                *ends[bool(rng.random() < held)],
                absolute=bool(i and rng.random() < absolute),
            )
            for i in range(rng.choice([10, 24, 64]))
        ]
    )


@pytest.mark.skipif(IS_UNCOMPILED, reason='the same work takes a minute in plain Python')
@pytest.mark.parametrize('seed', range(6))
def test_the_work_of_a_solve_is_bounded_and_nothing_is_proven_beyond(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = _long_linkage(rng)
    arm = random_arm(0, None, 'half', rng, chain=chain) if seed % 2 else chain
    origin = arm.plane.origin if seed % 2 else np.zeros(2)
    for angle in (None, 1.0):
        target = origin + chain.reach.outer * rng.uniform(-0.7, 0.7, len(origin))
        solution = solve(arm, target, angle=angle)
        left = chain.solver.solver.trial.budget
        assert left > -6_000_000  # A tenth of what it may spend.
        if left <= 0 and solution.status in (Status.JOINT_LIMIT, Status.TIP_ANGLE):
            assert not solution.proven
        check_answer(arm, target, solution, angle)


def test_small_moves_go_along_the_limit_of_a_bend() -> None:
    """Along poses on a straight line between two, as far as limits of bends allow them."""
    followed = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        chain = random_linkage(rng)
        first, last = random_poses(chain, 2, rng)
        between = [first + share * (last - first) for share in np.linspace(0, 1, 30)]
        if chain.bent and all(bend_excess(chain, q) <= 0 for q in between):
            followed += 1
            points = chain.forward(between)[:, -1]
            path = solve_path(chain, points, start=first, path_tolerance=1e-3)
            assert path.status is Status.REACHED
            assert len(path.q) < 300
            assert all(bend_excess(chain, q) <= 1e-9 for q in path.q)
    assert followed > 5


def test_a_slide_beside_absolute_joints_is_searched_and_says_so() -> None:
    chain = Chain(
        [
            Joint('a', (0.3, 0.0), -1.0, 1.0),
            Joint('b', (0.2, 0.0), 0.0, 0.2, type='prismatic'),
            Joint('c', (0.2, 0.0), -1.0, 1.0, absolute=True),
        ]
    )
    q = np.random.default_rng(0).uniform(chain.lower, chain.upper, (200, 3))
    assert set(solve_batch(chain, chain.forward(q)[:, -1]).status) == {Status.REACHED}
    assert not solve(chain, (-0.5, 0.0)).proven


def test_no_start_leads_closer_where_the_closest_pose_is_searched_for() -> None:
    """About a chain with several poses that are closer than all next to them."""
    rng = np.random.default_rng(1)
    joints = [
        Joint('a', (0.55, 0.0), -0.03, 0.26, 2.74, type='prismatic'),
        Joint('b', (0.0, 0.0), -0.19, 0.64, -0.78),
        Joint('c', (0.97, 0.0), -0.45, 1.87, -0.03),
        Joint('d', (0.52, 0.0), -0.36, 1.52, 0.46, absolute=True),
    ]
    for _ in range(examples(60)):
        chain = Chain(
            [replace(each, offset=each.offset + rng.normal(0.0, 0.03)) for each in joints]
        )
        target = rng.normal((0.29, 0.21), 0.03)
        starts = rng.uniform(chain.lower, chain.upper, (40, 4))
        others = solve_batch(chain, np.tile(target, (40, 1)), start=starts)
        assert solve(chain, target).error < others.error.min() + 1e-3

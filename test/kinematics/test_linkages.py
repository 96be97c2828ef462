"""Laws of chains with absolute joints and of tools that stay level."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from arms import bend_excess, headings, placed, random_linkage, random_poses
from harness import IS_UNCOMPILED, examples
from judge import closest
from scipy.optimize import minimize
from space import check_answer, random_arm, with_slopes

from ik2d_ros.kinematics import Chain, ChainError, Joint, Status, solve, solve_batch

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
        settled = chain.project_to_bend_limits(rng.uniform(-1e3, 1e3, 64).tolist())
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 20e6
        assert bend_excess(chain, settled) <= 1e-9


@pytest.mark.skipif(IS_UNCOMPILED, reason='the same work takes a minute in plain Python')
@pytest.mark.parametrize('seed', range(6))
def test_the_work_of_a_solve_is_bounded_and_nothing_is_proven_beyond(seed: int) -> None:
    rng = np.random.default_rng(seed)
    limited, absolute = rng.choice([0.0, 0.4, 1.0]), rng.choice([0.5, 1.0])
    joints = []
    for i in range(rng.choice([10, 24, 64])):
        limits = (-1.0, 1.0) if rng.random() < limited else (None, None)
        is_absolute = bool(i and rng.random() < absolute)
        joints.append(Joint(f'{i}', (rng.uniform(0.2, 1.0), 0.0), *limits, absolute=is_absolute))
    chain = Chain(joints)  # It has very many faces.
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


def _with_slide(rng):
    """A linkage one of whose relative joints slides; limits of bends may leave it no pose."""
    chain = random_linkage(rng, fewest=3)
    joints = list(chain.joints)
    k = int(rng.choice([k for k, joint in enumerate(joints) if not joint.absolute]))
    low = rng.uniform(-0.3, 0.1)
    joints[k] = replace(joints[k], lower=low, upper=low + rng.uniform(0.05, 0.5), type='prismatic')
    try:
        return Chain(joints, chain.tool)
    except ChainError:
        return _with_slide(rng)


def closest_angle_of_a_search(chain, point, angle, rng, runs=8):
    """How near to an angle an optimiser comes from some poses, the tip at a point."""

    def gaps(q):
        gap = (placed(chain, q)[-1] - complex(*point)) / chain.size
        off = headings(chain, q)[-1] - angle
        return np.stack([gap.real, gap.imag, off - math.tau * np.rint(off / math.tau)], axis=-1)

    @lru_cache(1)
    def known(*q):
        return with_slopes(gaps, np.array(q))

    def square(q):
        (_, _, off), (_, _, slope) = known(*q)
        return off**2, 2.0 * off * slope

    at_point = {'fun': lambda q: known(*q)[0][:2], 'jac': lambda q: known(*q)[1][:2]}
    limits = [*zip(chain.lower, chain.upper, strict=True)]
    options = {'jac': True, 'bounds': limits, 'constraints': {'type': 'eq', **at_point}}
    found = [math.inf]
    for q in random_poses(chain, runs, rng):
        best = minimize(square, q, method='SLSQP', options={'ftol': 1e-10}, **options).x
        x, y, off = gaps(best)
        if math.hypot(x, y) < 1e-3 and bend_excess(chain, best) <= 1e-9:
            found.append(abs(off))
    return min(found)


@pytest.mark.filterwarnings('ignore:Values in x were outside bounds')  # They are clipped.
def test_where_a_search_looks_for_the_closest_angle_another_one_seldom_comes_closer() -> None:
    """A linkage with a slide is not proven: a closer angle is missed in one of 25 at most."""
    tried = missed = 0
    for seed in range(examples(50)):
        rng = np.random.default_rng(seed)
        chain = _with_slide(rng)
        point, angle = chain.forward(random_poses(chain, 1, rng)[0])[-1], rng.uniform(-3.0, 3.0)
        found = solve(chain, point, angle=angle)
        if found.status is Status.TIP_ANGLE:
            check_answer(chain, point, found, angle)
            best = closest_angle_of_a_search(chain, point, angle, rng)
            tried += 1
            missed += found.angle_error > best + 0.02
    assert tried > 0
    assert missed <= 0.04 * tried

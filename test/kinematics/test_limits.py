"""Joint limits: never left, never a reason to miss what they allow, and the closest pose else."""

import math

import numpy as np
import pytest
from arms import LIMITS, chains, in_annulus, poses, random_chain, random_limits, random_poses
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.kinematics import Chain, Status, solve, solve_batch
from ik2d_ros.kinematics.descent.search import search
from ik2d_ros.kinematics.descent.stock import clear, stock
from ik2d_ros.kinematics.links import Links, tips


@pytest.mark.parametrize('joints', [2, 3, 4, 6, 10])
@pytest.mark.parametrize('kind', sorted(LIMITS))
@pytest.mark.parametrize('solver', ['ccd', 'hybrid'])
def test_what_limits_allow_is_reached(solver, kind, joints):
    rng = np.random.default_rng(joints)
    for _ in range(4):
        chain = random_chain(joints, rng, random_limits(kind, joints, rng))
        tolerance = 1e-9 * chain.reach.outer
        for q, start in zip(
            random_poses(chain, 30, rng), random_poses(chain, 30, rng), strict=True
        ):
            target = chain.forward(q)[-1]
            for begin in (start, None):
                solution = solve(chain, target, solver, begin, tolerance=tolerance)
                assert solution.status is Status.REACHED
                assert math.dist(chain.forward(solution.q)[-1], target) <= tolerance
                assert (solution.q >= chain.lower).all()
                assert (solution.q <= chain.upper).all()


@settings(max_examples=200)
@given(chains(limited=st.just(True)), st.data())
def test_nothing_leads_out_of_the_limits(chain, data):
    target = data.draw(st.tuples(st.floats(-15, 15), st.floats(-15, 15)))
    size = len(chain)
    start = data.draw(st.lists(st.floats(-50, 50), min_size=size, max_size=size))
    for solver in ('auto', 'ccd', 'hybrid'):
        solution = solve(chain, target, solver=solver, start=start)
        assert np.isfinite(solution.q).all()
        assert (solution.q >= chain.lower).all()
        assert (solution.q <= chain.upper).all()
        assert solution.error == pytest.approx(math.dist(chain.forward(solution.q)[-1], target))


def closest_of_an_optimiser(chain, target, rng, runs=16):
    """The smallest distance that bounded quasi-Newton runs from many starts come to."""
    optimize = pytest.importorskip('scipy.optimize', reason='SciPy is not installed')

    def half_square(q):
        points = chain.forward(q)
        spans = points[-1] - points[:-1]
        away = np.asarray(target) - points[-1]
        columns = np.stack([-spans[:, 1], spans[:, 0]]) * chain.signs
        return 0.5 * away @ away, -away @ columns

    bounds = [(lo, hi) if math.isfinite(lo) else (None, None) for lo, hi in chain.limits]
    begins = random_poses(chain, runs, rng, corners=0.5)
    fits = [
        optimize.minimize(half_square, q, jac=True, method='L-BFGS-B', bounds=bounds,
                 options={'ftol': 1e-15, 'gtol': 1e-11, 'maxiter': 500})
        for q in begins
    ]  # fmt: skip
    return math.sqrt(2.0 * min(fit.fun for fit in fits))


@pytest.mark.parametrize('joints', [2, 3, 4, 6, 10])
@pytest.mark.parametrize('kind', sorted(set(LIMITS) - {'wide'}))
@pytest.mark.parametrize('solver', ['ccd', 'hybrid'])
def test_the_closest_pose_is_no_farther_than_an_optimisers(solver, kind, joints):
    rng = np.random.default_rng(10 + joints)
    for _ in range(3):
        chain = random_chain(joints, rng, random_limits(kind, joints, rng))
        targets = in_annulus(chain, 60, rng, 0.0, 1.2)
        batch = solve_batch(chain, targets, solver)
        for k in np.flatnonzero(batch.status != Status.REACHED)[:3]:
            best = closest_of_an_optimiser(chain, targets[k], rng)
            solution = solve(chain, targets[k], solver)
            assert solution.error <= best + 1e-6 * chain.reach.outer
            assert batch.error[k] <= best + 1e-6 * chain.reach.outer
            inside = math.hypot(*targets[k]) <= chain.reach.outer
            assert solution.status is (Status.JOINT_LIMIT if inside else Status.TOO_FAR)
            assert batch.status[k] == solution.status


@given(chains(limited=st.just(True)), st.data())
def test_a_start_outside_is_taken_as_the_nearest_inside(chain, data):
    size = len(chain)
    start = np.array(data.draw(st.lists(st.floats(-20, 20), min_size=size, max_size=size)))
    target = chain.forward(data.draw(poses(chain)))[-1]
    outside = solve(chain, target, start=start)
    inside = solve(chain, target, start=np.clip(start, chain.lower, chain.upper))
    assert outside.q.tobytes() == inside.q.tobytes()


def test_two_joints_by_descent_are_exact_too():
    rng = np.random.default_rng(11)
    for kind in sorted(LIMITS):
        chain = random_chain(2, rng, random_limits(kind, 2, rng))
        for target in in_annulus(chain, 30, rng, 0.0, 1.2):
            closed = solve(chain, target, solver='two_bone')
            for solver in ('ccd', 'hybrid'):
                descended = solve(chain, target, solver=solver)
                assert descended.error <= closed.error + 1e-6
                assert descended.status is closed.status


def test_a_locked_joint_stays_and_the_others_work():
    chain = Chain.from_lengths([0.3, 0.3, 0.3], limits=[(-3, 3), (0.5, 0.5), (-3, 3)])
    solution = solve(chain, (0.4, 0.3), tolerance=1e-9)
    assert solution.status is Status.REACHED
    assert solution.q[1] == 0.5


def test_limits_wider_than_a_turn_do_not_unwind():
    chain = Chain.from_lengths([0.3, 0.25], limits=[(-10.0, 10.0), (-3.0, 3.0)])
    q = np.array([9.0, 0.5])
    solution = solve(chain, chain.forward([9.1, 0.6])[-1], start=q)
    assert solution.q == pytest.approx([9.1, 0.6])


def test_almost_straight_one_sided_chains_are_closed_to_the_last_digit():
    chain = Chain.from_lengths([0.1] * 10, limits=[(0.0, 2.0)] * 10)
    rng = np.random.default_rng(12)
    q = np.abs(rng.normal(0.0, 1e-4, (200, 10)))
    q[:, 0] = 1.0
    targets = chain.forward(q)[:, -1]
    assert (solve_batch(chain, targets, tolerance=1e-9).status == Status.REACHED).all()
    assert all(solve(chain, target, tolerance=1e-9).status is Status.REACHED for target in targets)


def test_a_vertex_of_the_limits_is_reached():
    limits = [
        (-0.13299725124358958, 0.4214493967365041),
        (-0.5872967816005381, -0.2716832669569644),
        (-0.36681370262791474, -0.025852288161251125),
        (-0.47280793209728317, -0.0022331361877613864),
        (0.06984205191515253, 0.37662249537426745),
        (-0.17950504977564746, 0.11604475924847418),
    ]
    chain = Chain.from_lengths([1 / 17] * 5 + [12 / 17], limits)
    upper, lower = chain.upper, chain.lower
    q = [upper[0], upper[1], upper[2], -0.38348244108889445, lower[4], lower[5]]
    solution = solve(chain, chain.forward(q)[-1], tolerance=1e-9)
    assert solution.status is Status.REACHED


def test_the_better_of_two_far_apart_closest_poses_is_found():
    upper = [2.151699, 2.829128, 2.138845, 2.830175, 2.773908, 2.790379]
    chain = Chain.from_lengths([1 / 6] * 6, limits=[(0.0, end) for end in upper])
    target = (0.699521, -0.216863)
    best = closest_of_an_optimiser(chain, target, np.random.default_rng(13), runs=200)
    solution = solve(chain, target)
    assert solution.status is Status.JOINT_LIMIT
    assert solution.error <= best + 1e-6


def test_the_joint_at_the_wrong_one_of_its_limits_is_found():
    """Ranges far from straight, whose ends lie to either side of it: which end is no small move."""
    lengths = [0.174, 0.043, 0.105, 0.03, 0.127, 0.081, 0.053, 0.172, 0.066, 0.149]
    limits = [
        (-0.38, 1.51),
        (-1.95, 1.22),
        (-2.37, 1.2),
        (5.42, 6.39),
        (-5.02, -1.92),
        (0.15, 3.62),
        (-4.04, -0.49),
        (1.8, 4.8),
        (-2.1, 1.17),
        (-1.3, 0.01),
    ]
    chain, target = Chain.from_lengths(lengths, limits), (-0.9471, -0.3208)
    best = closest_of_an_optimiser(chain, target, np.random.default_rng(15), runs=200)
    solution = solve(chain, target)
    assert solution.status is Status.JOINT_LIMIT
    assert solution.error <= best + 1e-6


@pytest.mark.parametrize(('joints', 'has_angle'), [(2, False), (3, False), (3, True), (5, True)])
def test_at_its_limits_an_arm_stays_where_it_is_asked_for(joints, has_angle):
    """Rounding that puts a joint outside of a limit turns it no whole turn."""
    rng = np.random.default_rng(0)
    for _ in range(150):
        lengths = rng.uniform(0.2, 1.0, joints)
        chain = Chain.from_lengths(lengths, [(-6.0, 6.0)] * joints)
        starts = random_poses(chain, 40, rng, corners=0.4)
        angles = chain.tip_angles(starts) if has_angle else [None] * len(starts)
        options = {'tolerance': 1e-9, 'angle_tolerance': 1e-9}
        targets = chain.forward(starts)[:, -1]
        batch = solve_batch(
            chain, targets, start=starts, angle=angles if has_angle else None, **options
        )
        assert np.abs(batch.q - starts).max() < 0.1
        for target, start, angle in zip(targets[::4], starts[::4], angles[::4], strict=True):
            q = solve(chain, target, start=start, angle=angle, **options).q
            assert np.abs(q - start).max() < 0.1


@pytest.mark.parametrize('turns', [-1, 1])
def test_limits_that_differ_by_whole_turns_are_as_good(turns):
    rng = np.random.default_rng(16)
    for _ in range(3):
        ranges = [(low, low + rng.uniform(0.3, 2.0)) for low in rng.uniform(-3.0, 1.0, 6)]
        shifts = 2.0 * math.pi * turns * rng.integers(0, 2, 6)
        moved = [(a + shift, b + shift) for (a, b), shift in zip(ranges, shifts, strict=True)]
        lengths = rng.uniform(0.1, 1.0, 6)
        chains = [Chain.from_lengths(lengths, limits) for limits in (ranges, moved)]
        for target in in_annulus(chains[0], 10, rng, 0.7, 1.0):
            one, other = (solve(chain, target) for chain in chains)
            assert one.status is other.status
            if one.status is not Status.REACHED:
                assert one.error == pytest.approx(other.error, abs=1e-6)


def test_of_several_turns_within_limits_the_nearest_is_taken():
    chain = Chain.from_lengths([1 / 3] * 3, limits=[(-9.0, 9.0)] * 3)
    rng = np.random.default_rng(14)
    for start in rng.uniform(-9.0, 9.0, (100, 3)):
        q = solve(chain, (0.3, 0.2), start=start).q
        for other in (q - 2 * math.pi, q + 2 * math.pi):
            inside = (other >= chain.lower) & (other <= chain.upper)
            assert (np.abs(q - start) <= np.abs(other - start) + 1e-9)[inside].all()


@pytest.mark.parametrize('budget', [1, 3, 12, 30, 100])
def test_the_search_never_leaves_a_pose_for_a_worse_one(budget):
    rng = np.random.default_rng(18)
    for kind in sorted(LIMITS):
        chain = random_chain(4, rng, random_limits(kind, 4, rng))
        links = Links.of(chain)
        targets = in_annulus(chain, 30, rng) @ (1.0, 1j) / chain.reach.outer
        starts = (random_poses(chain, 30, rng) * chain.signs + chain.shifts).T
        starts = np.clip(starts, links.lower, links.upper)
        before = np.abs(targets - tips(links, starts))
        for begin in (starts, search(chain, targets, starts, starts, 1e-9, 100).bends):
            found = search(chain, targets, starts, begin, 1e-9, budget)
            after = np.abs(targets - tips(links, found.bends))
            # Of poses that differ by 1e-8 the one nearest to the start is taken.
            assert (after <= np.abs(targets - tips(links, begin)) + 2e-8).all()
            assert (after <= before + 2e-8).all()


def test_the_stock_is_the_same_for_the_same_chain():
    chain = Chain.from_lengths([0.3, 0.2, 0.2], limits=[(-1.0, 2.0), None, (0.0, 1.5)])
    first = stock(chain)
    clear()
    again = stock(chain)
    assert first is not again
    assert first.bends.tobytes() == again.bends.tobytes()
    assert first.tips.tobytes() == again.tips.tobytes()


@pytest.mark.parametrize('make', [solve, solve_batch])
def test_no_limit_is_blamed_for_rounding(make):
    chain = Chain.from_lengths([0.3, 0.25], limits=[(-2.6, 2.6)] * 2)
    target = (0.2, 0.2) if make is solve else [(0.2, 0.2)]
    answer = make(chain, target, tolerance=1e-300)
    status = answer.status if make is solve else answer.status[0]
    assert status in (Status.REACHED, Status.NOT_CONVERGED)

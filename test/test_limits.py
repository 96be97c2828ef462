"""Joint limits: never left, never a reason to miss what they allow, and the closest pose else."""

import math

import numpy as np
import pytest
from arms import LIMITS, chains, in_annulus, poses, random_chain, random_limits, random_poses
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from ik2d_ros.kinematics import Chain, Status, solve, solve_batch


@pytest.mark.parametrize('joints', [2, 3, 4, 6, 10])
@pytest.mark.parametrize('kind', sorted(LIMITS))
def test_what_limits_allow_is_reached(kind, joints):
    rng = np.random.default_rng(joints)
    for _ in range(4):
        chain = random_chain(joints, rng, random_limits(kind, joints, rng))
        tolerance = 1e-9 * chain.reach.outer
        for q, start in zip(
            random_poses(chain, 30, rng), random_poses(chain, 30, rng), strict=True
        ):
            target = chain.forward(q)[-1]
            for begin in (start, None):
                solution = solve(chain, target, solver='ccd', start=begin, tolerance=tolerance)
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
    for solver in ('auto', 'ccd'):
        solution = solve(chain, target, solver=solver, start=start)
        assert np.isfinite(solution.q).all()
        assert (solution.q >= chain.lower).all()
        assert (solution.q <= chain.upper).all()
        assert solution.error == pytest.approx(math.dist(chain.forward(solution.q)[-1], target))


def closest_of_an_optimiser(chain, target, rng, runs=16):
    """The smallest distance that bounded quasi-Newton runs from many starts come to."""

    def half_square(q):
        points = chain.forward(q)
        spans = points[-1] - points[:-1]
        away = np.asarray(target) - points[-1]
        columns = np.stack([-spans[:, 1], spans[:, 0]]) * chain.signs
        return 0.5 * away @ away, -away @ columns

    bounds = [(lo, hi) if math.isfinite(lo) else (None, None) for lo, hi in chain.limits]
    begins = random_poses(chain, runs, rng, corners=0.5)
    fits = [
        minimize(half_square, q, jac=True, method='L-BFGS-B', bounds=bounds,
                 options={'ftol': 1e-15, 'gtol': 1e-11, 'maxiter': 500})
        for q in begins
    ]  # fmt: skip
    return math.sqrt(2.0 * min(fit.fun for fit in fits))


@pytest.mark.parametrize('joints', [2, 3, 4, 6, 10])
@pytest.mark.parametrize('kind', sorted(set(LIMITS) - {'wide'}))
def test_the_closest_pose_is_no_farther_than_an_optimisers(kind, joints):
    rng = np.random.default_rng(10 + joints)
    for _ in range(3):
        chain = random_chain(joints, rng, random_limits(kind, joints, rng))
        targets = in_annulus(chain, 60, rng, 0.0, 1.2)
        batch = solve_batch(chain, targets, solver='ccd')
        for k in np.flatnonzero(batch.status != Status.REACHED)[:3]:
            best = closest_of_an_optimiser(chain, targets[k], rng)
            solution = solve(chain, targets[k], solver='ccd')
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
            descended = solve(chain, target, solver='ccd')
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

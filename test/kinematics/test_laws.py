"""Laws of every answer in the plane, whatever the chain; judge.py says what limits allow."""

import math
from dataclasses import replace

import judge
import numpy as np
import pytest
from arms import chains, in_annulus, poses, random_chain, random_poses
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from space import answers_of, check_answer

from ik2d_ros.kinematics import BENDS, Chain, Joint, Status, solve, solve_batch

DESCENTS = ('ccd', 'hybrid')


any_chains = chains(slides=0.3)
few_joints = st.integers(1, 4)
small_chains = chains(few_joints, slides=0.3)
shares = st.floats(-1.2, 1.2)


def solved(chain, target, *args, **options):
    tolerance = options.setdefault('tolerance', 1e-9 * chain.size)
    answer = solve(chain, target, *args, **options)
    check_answer(chain, target, answer, tolerance=tolerance)
    return answer


def solved_batch(chain, targets, *args, **options):
    tolerance = options.setdefault('tolerance', 1e-9 * chain.size)
    batch = solve_batch(chain, targets, *args, **options)
    for target, answer in zip(targets, answers_of(batch), strict=True):
        check_answer(chain, target, answer, tolerance=tolerance)
    return batch


@settings(max_examples=examples(80))
@given(any_chains, st.sampled_from(DESCENTS), st.data())
def test_the_tip_of_a_pose_within_the_limits_is_reached(chain, solver, data):
    target = chain.forward(data.draw(poses(chain)))[-1]
    start = data.draw(st.none() | poses(chain))
    answer = solved(chain, target, solver, start)
    assert (answer.status, answer.solver) == (Status.REACHED, solver)
    assert not answer.proven  # The tolerance is too small for a proof.


@settings(max_examples=examples(50))
@given(small_chains, shares, shares, st.data())
def test_verdict_and_distance_are_those_of_the_judge(chain, x, y, data):
    target, slack = (x * chain.size, y * chain.size), 1e-7 * chain.size
    answer = solved(chain, target, start=data.draw(st.none() | poses(chain)), tolerance=slack)
    assert answer.proven
    closest = judge.closest(chain, *target)
    if answer.status is not Status.REACHED:
        assert answer.error == pytest.approx(closest, abs=slack)
        inner, outer = chain.reach
        rounding = 1e-12 * chain.size
        too_far = math.hypot(*target) > outer + rounding
        too_near = math.hypot(*target) < inner - rounding
        assert (answer.status is Status.TOO_FAR) == too_far
        assert (answer.status is Status.TOO_NEAR) == too_near


@given(chains(slides=0.5, limited=False), st.floats(-math.pi, math.pi), st.data())
def test_the_reach_behind_a_free_joint_is_an_annulus(behind, angle, data):
    """Every distance in it is reached in every direction, none beside it."""
    chain = Chain([Joint('base', (data.draw(st.sampled_from([0.0, 0.4])), 0.0)), *behind.joints])
    inner, outer = chain.reach
    share = data.draw(st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.0, 1.0)))
    direction = np.array([math.cos(angle), math.sin(angle)])
    assert solved(chain, (inner + share * (outer - inner)) * direction).status is Status.REACHED
    assert solved(chain, (1.01 * outer + 0.01) * direction).status is Status.TOO_FAR
    if inner > 0.01:
        assert solved(chain, 0.99 * inner * direction).status is Status.TOO_NEAR


@settings(max_examples=examples(60))
@given(chains(st.just(2), slides=0.5), shares, shares, st.data())
def test_two_joints_have_a_closed_form(chain, x, y, data):
    target, start = np.array([x, y]) * chain.size, data.draw(poses(chain))
    other = solved(chain, target, 'hybrid', start)
    units, moves = np.array([chain.size if joint.slides else 1.0 for joint in chain.joints]), []
    for bend in BENDS:
        found = solved(chain, target, 'two_bone', start, bend)
        assert (found.iterations, found.status) == (0, other.status)
        assert found.error == pytest.approx(other.error, abs=2e-9 * chain.size)
        moves.append(np.abs((found.q - start) / units).max())
    assert solve(chain, target).solver == 'two_bone'
    assert other.status is not Status.REACHED or moves[0] <= min(moves) + 1e-9


@pytest.mark.parametrize('joints', [1, 2, 3, 50])
@pytest.mark.parametrize('solver', DESCENTS)
def test_without_limits_all_of_the_annulus_is_reached_and_nothing_else(solver, joints):
    rng = np.random.default_rng(joints)
    chain = random_chain(joints, rng)
    edges = [in_annulus(chain, 20, rng, at, at) for at in (0.0, 1.0)]
    targets = np.vstack([in_annulus(chain, 60, rng), *edges])
    straight = np.zeros(joints)
    for start in (None, straight, rng.uniform(-3, 3, (len(targets), joints))):
        batch = solved_batch(chain, targets, solver, start)
        assert (batch.status == Status.REACHED).all()
    outside = rng.uniform(-3.0, 3.0, (60, 2)) * chain.reach.outer
    distance = np.hypot(*outside.T)
    exact = np.maximum(distance - chain.reach.outer, chain.reach.inner - distance)
    batch = solved_batch(chain, outside, solver)
    assert batch.error == pytest.approx(np.maximum(exact, 0.0), abs=1e-9 * chain.reach.outer)


@settings(max_examples=examples(50))
@given(chains(), st.data())
def test_joints_that_can_turn_on_come_back_in_the_turn_nearest_to_the_start(chain, data):
    start = np.array([data.draw(st.floats(-30.0, 30.0)) for _ in chain.joints])
    target = chain.forward(data.draw(poses(chain)))[-1]
    for solver in ('auto', *DESCENTS):
        q = solved(chain, target, solver, start).q
        begin = np.clip(start, chain.lower, chain.upper)
        for other in (q - 2.0 * math.pi, q + 2.0 * math.pi):
            inside = (chain.lower <= other) & (other <= chain.upper)
            assert (np.abs(q - begin) <= np.abs(other - begin) + 1e-9)[inside].all()


@settings(max_examples=examples(50))
@given(any_chains, st.data())
def test_a_start_outside_is_taken_as_the_nearest_inside_and_none_as_the_middle(chain, data):
    start = np.array([data.draw(st.floats(-20.0, 20.0)) for _ in chain.joints])
    target = chain.forward(data.draw(poses(chain)))[-1]
    outside = solve(chain, target, start=start)
    inside = solve(chain, target, start=np.clip(start, chain.lower, chain.upper))
    assert outside.q.tobytes() == inside.q.tobytes()
    middle = np.nan_to_num(chain.limits, posinf=0.0, neginf=0.0).mean(axis=1)
    from_middle = solve(chain, target, start=middle)
    assert solve(chain, target).q == pytest.approx(from_middle.q, abs=1e-9)


@pytest.mark.parametrize('kind', [None, 'symmetric', 'one-sided'])
@pytest.mark.parametrize('solver', DESCENTS)
def test_long_chains_are_searched_where_limits_are_too_many_for_a_proof(solver, kind):
    rng = np.random.default_rng(12)
    chain = random_chain(12, rng, kind)
    targets = chain.forward(random_poses(chain, 30, rng))[:, -1]
    assert (solved_batch(chain, targets, solver).status == Status.REACHED).all()
    assert solve(chain, targets[0]).solver == 'hybrid'
    if kind:
        away = solved(Chain.from_lengths([0.1] * 12, [(-0.5, 0.5)] * 12), (0.1, 0.1), solver)
        assert away.status in (Status.JOINT_LIMIT, Status.NOT_CONVERGED)
        assert not away.proven


@pytest.mark.parametrize('cap', [1, 3, 40])
@pytest.mark.parametrize('solver', DESCENTS)
def test_no_more_passes_than_allowed(solver, cap):
    rng = np.random.default_rng(6)
    for chain in (
        Chain.from_lengths([0.1] * 10, [(-1.0, 1.2)] * 10),
        Chain.from_lengths([0.5, 0.5]),
    ):
        targets = in_annulus(chain, 40, rng)
        batch = solved_batch(chain, targets, solver, max_iterations=cap)
        answers = [solved(chain, target, solver, max_iterations=cap) for target in targets]
        assert max(answer.iterations for answer in answers) <= cap
        assert batch.status.tolist() == [answer.status for answer in answers]


@pytest.mark.parametrize('size', [1e-6, 1e-3, 1.0, 5e3])
@pytest.mark.parametrize('limited', [False, True])
def test_nothing_is_proven_below_1e_8_of_the_reach_and_no_limit_blamed_that_is_none(size, limited):
    rng = np.random.default_rng(7)
    for _ in range(examples(150)):
        count = int(rng.integers(2, 5))
        limits = [(-1.0, 2.0)] * count if limited else None
        chain = Chain.from_lengths(size * rng.uniform(0.1, 1.0, count), limits=limits)
        # At, next to or anywhere about the edges, from straight: below 1e-12 rounding decides.
        share, beside = 10.0 ** rng.uniform(-14.0, rng.choice([-12.0, -4.0]), 2)
        reach, aside = chain.reach.outer, rng.choice([0.0, beside, rng.random()])
        edge = rng.choice([*chain.reach, 0.5 * reach])
        target = (edge + rng.choice([-1.0, 1.0]) * aside * reach, 0.0)
        found = solve(chain, target, start=[0.0] * count, tolerance=share * reach)
        assert not (found.proven and share < 1e-8)
        beyond = max(target[0] - reach, chain.reach.inner - abs(target[0]), 0.0)
        if not limited:
            assert found.status is not Status.JOINT_LIMIT
        elif found.status is not Status.REACHED:
            beyond = judge.closest(chain, *target)
        assert found.error <= beyond + max(share, 1e-8) * reach
        if found.proven:
            assert (found.error <= share * reach) == (found.status is Status.REACHED)
            if found.status in (Status.TOO_FAR, Status.TOO_NEAR):
                assert beyond > share * reach * (1.0 - 1e-6)


@pytest.mark.parametrize('seed', [31, 40, 58])
def test_wherever_the_first_of_eleven_joints_stands_the_others_come_no_closer(seed):
    """All ways to hold ten joints within limits are tried, those to hold eleven are not."""
    rng = np.random.default_rng(seed)
    kind = ['symmetric', 'asymmetric', 'narrow'][seed % 3]
    chain = random_chain(11, rng, kind)
    target = chain.size * rng.uniform(-1, 1, 2)
    found = solve(chain, target)
    first, *others = chain.joints
    for q in np.linspace(*first.limits, 15):
        held = solve(Chain([replace(first, lower=q, upper=q), *others]), target)
        assert held.proven
        assert found.error <= held.error + 1e-6 * chain.size

"""Many targets at once give what one at a time gives."""

import math
from dataclasses import replace

import numpy as np
import pytest
from arms import LIMITS, chains, in_annulus, random_chain, random_limits, random_poses
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.kinematics import ArgumentError, Chain, Status, solve, solve_batch
from ik2d_ros.kinematics.descent.ccd import sweep
from ik2d_ros.kinematics.descent.ccd_many import sweep_many
from ik2d_ros.kinematics.descent.closing import close_two
from ik2d_ros.kinematics.descent.closing_many import close_many
from ik2d_ros.kinematics.links import Links
from ik2d_ros.kinematics.pose import Problem, at

TWO = Chain.from_lengths([0.3, 0.25])


def fk_error(chain, batch, targets):
    return np.hypot(*(chain.forward(batch.q)[:, -1] - targets).T)


@settings(max_examples=150)
@given(
    chains(joints=st.just(2)),
    st.sampled_from(['nearest', 'positive', 'negative']),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_two_joints_are_as_close_as_one_by_one(chain, bend, from_rest, seed):
    rng = np.random.default_rng(seed)
    targets = rng.uniform(-1.3, 1.3, (25, 2)) * (chain.reach.outer or 1.0)
    targets[0] = 0.0
    start = None if from_rest else rng.uniform(-3.0, 3.0, 2)
    batch = solve_batch(chain, targets, bend=bend, start=start)
    for target, error, status in zip(targets, batch.error, batch.status, strict=True):
        one = solve(chain, target, bend=bend, start=start)
        assert error == pytest.approx(one.error, abs=1e-12)
        assert status == one.status
    assert fk_error(chain, batch, targets) == pytest.approx(batch.error, abs=1e-12)
    assert (batch.q >= chain.lower).all()
    assert (batch.q <= chain.upper).all()


@pytest.mark.parametrize('lengths', [(0.3, 0.25), (0.25, 0.3), (0.3, 0.3), (0.3, 1e-4)])
@pytest.mark.parametrize('axes', [(1, 1), (-1, 1)])
def test_the_nearest_of_two_bends_is_the_one_taken(lengths, axes):
    chain = Chain.from_lengths(lengths)
    chain = Chain(
        [type(j)(j.name, j.link, axis=axis) for j, axis in zip(chain.joints, axes, strict=True)]
    )
    targets = in_annulus(chain, 2000, np.random.default_rng(1))
    batch = solve_batch(chain, targets)
    nearest = np.array([solve(chain, target).q for target in targets])
    assert batch.q == pytest.approx(nearest, abs=1e-7)


@given(st.floats(-18.0, 0.0), st.booleans(), st.booleans(), st.integers(0, 2**32 - 1))
def test_links_of_any_two_lengths_are_right(exponent, first, from_rest, seed):
    lengths = (10.0**exponent, 1.0) if first else (1.0, 10.0**exponent)
    chain = Chain.from_lengths(lengths)
    rng = np.random.default_rng(seed)
    targets = np.vstack([in_annulus(chain, 50, rng), in_annulus(chain, 50, rng, -1.0, 2.0)])
    batch = solve_batch(chain, targets, start=None if from_rest else rng.uniform(-3, 3, 2))
    assert fk_error(chain, batch, targets) == pytest.approx(batch.error, abs=1e-12)
    distance = np.hypot(*targets.T)
    exact = np.maximum(0.0, np.maximum(distance - chain.reach.outer, chain.reach.inner - distance))
    assert batch.error == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize('joints', [1, 2, 3, 6, 10, 20])
@pytest.mark.parametrize('solver', ['ccd', 'hybrid'])
def test_free_joints_reach_all(solver, joints):
    rng = np.random.default_rng(joints)
    chain = random_chain(joints, rng)
    edges = [in_annulus(chain, 20, rng, at, at) for at in (0.0, 1.0)]
    targets = np.vstack([in_annulus(chain, 500, rng), *edges])
    tolerance = 1e-9 * chain.reach.outer
    for start in (None, rng.uniform(-3, 3, joints), rng.uniform(-3, 3, (len(targets), joints))):
        batch = solve_batch(chain, targets, solver=solver, start=start, tolerance=tolerance)
        assert (batch.status == Status.REACHED).all()
        assert fk_error(chain, batch, targets).max() <= tolerance


@pytest.mark.parametrize('joints', [2, 3, 6, 10])
@pytest.mark.parametrize('kind', sorted(LIMITS))
@pytest.mark.parametrize('solver', ['ccd', 'hybrid'])
def test_limited_joints_reach_what_limits_allow(solver, kind, joints):
    rng = np.random.default_rng(joints)
    chain = random_chain(joints, rng, random_limits(kind, joints, rng))
    targets = chain.forward(random_poses(chain, 400, rng))[:, -1]
    tolerance = 1e-9 * chain.reach.outer
    batch = solve_batch(chain, targets, solver=solver, tolerance=tolerance)
    assert (batch.status == Status.REACHED).all()
    assert (batch.q >= chain.lower).all()
    assert (batch.q <= chain.upper).all()
    assert fk_error(chain, batch, targets) == pytest.approx(batch.error, abs=1e-14)


@settings(max_examples=200)
@given(chains(joints=st.integers(2, 6)), st.integers(0, 2**32 - 1))
def test_two_joints_close_all_that_they_can_one_by_one(chain, seed):
    rng = np.random.default_rng(seed)
    limits = chain.bend_limits if chain.limited else None
    bends = np.array(random_poses(chain, 20, rng) * chain.signs + chain.shifts).T
    bends = np.clip(bends, *np.array(chain.bend_limits).T[:, :, None])
    targets = np.sqrt(rng.random(20)) * np.exp(2j * math.pi * rng.random(20))
    closed, met = close_many(Links.of(chain), targets, bends)
    for target, before, after, can in zip(targets, bends.T, closed.T, met, strict=True):
        problem = Problem(chain.unit_lengths, limits, complex(target))
        begun = at(problem, before)
        assert can == (close_two(problem, begun) is not begun)
        assert (after != before).sum() <= 2
        assert not can or at(problem, after).error <= 1e-13
        for bend, (lower, upper) in zip(after, chain.bend_limits, strict=True):
            assert lower <= bend <= upper


@settings(max_examples=200)
@given(chains(), st.integers(0, 2**32 - 1))
def test_a_sweep_for_many_is_a_sweep_for_each(chain, seed):
    rng = np.random.default_rng(seed)
    limits = chain.bend_limits if chain.limited else None
    bends = np.array(random_poses(chain, 20, rng) * chain.signs + chain.shifts).T
    bends = np.clip(bends, *np.array(chain.bend_limits).T[:, :, None])
    targets = np.sqrt(rng.random(20)) * np.exp(2j * math.pi * rng.random(20))
    swept, tips = sweep_many(Links.of(chain), targets, bends)
    for target, before, after, tip in zip(targets, bends.T, swept.T, tips, strict=True):
        problem = Problem(chain.unit_lengths, limits, complex(target))
        pose, alone = at(problem, after), sweep(problem, at(problem, before))
        assert pose.error == pytest.approx(alone.error, abs=1e-9)
        assert tip == pytest.approx(pose.points[-1], abs=1e-12)


def answers_of_both(chain, solver, rng, **options):
    """A batch, and the answers one by one, for the tips of poses and for targets anywhere."""
    tips = chain.forward(random_poses(chain, 40, rng))[:, -1]
    targets = np.vstack([tips, in_annulus(chain, 40, rng, 0.0, 1.1)])
    starts = random_poses(chain, len(targets), rng)
    options = {'tolerance': 1e-9 * chain.reach.outer, **options}
    batch = solve_batch(chain, targets, solver, starts, **options)
    answers = [
        solve(chain, target, solver, start, **options)
        for target, start in zip(targets, starts, strict=True)
    ]
    return batch, answers


def assert_all_alike(chain, batch, answers):
    """Statuses are the same, and so are poses, but for rounding, which a straight arm magnifies."""
    assert batch.status.tolist() == [answer.status for answer in answers]
    assert batch.proven.tolist() == [answer.proven for answer in answers]
    errors = np.array([answer.error for answer in answers])
    assert batch.error == pytest.approx(errors, abs=1e-7 * chain.reach.outer)
    assert batch.q == pytest.approx(np.array([answer.q for answer in answers]), abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 8),
    st.sampled_from([None, *sorted(LIMITS)]),
    st.sampled_from(['ccd', 'hybrid']),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_poses_are_those_of_one_by_one(joints, kind, solver, equal, seed):
    """Far and near, allowed and forbidden, whatever the limits."""
    rng = np.random.default_rng(seed)
    limits = random_limits(kind, joints, rng) if kind else None
    chain = random_chain(joints, rng, limits)
    if equal:
        chain = Chain.from_lengths([1.0 / joints] * joints, limits)
    starts = random_poses(chain, 24, rng, corners=0.2 if kind else 0.0)
    tips = chain.forward(random_poses(chain, 8, rng))[:, -1]
    shares = rng.choice([1e-3, 0.01, 0.05], (8, 1)) * chain.reach.outer
    near = chain.forward(starts[16:])[:, -1] + shares * rng.normal(size=(8, 2))
    targets = np.vstack([tips, in_annulus(chain, 8, rng, 0.0, 1.1), near])
    options = {'tolerance': 1e-9 * chain.reach.outer}
    batch = solve_batch(chain, targets, solver, starts, **options)
    answers = [
        solve(chain, target, solver, start, **options)
        for target, start in zip(targets, starts, strict=True)
    ]
    assert_all_alike(chain, batch, answers)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(3, 7),
    st.sampled_from([None, *sorted(LIMITS)]),
    st.sampled_from(['ccd', 'hybrid']),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_poses_at_tip_angles_are_those_of_one_by_one(joints, kind, solver, slides, seed):
    """Angles of poses, near ones, others, and points anywhere."""
    rng = np.random.default_rng(seed)
    chain = random_chain(joints, rng, random_limits(kind, joints, rng) if kind else None)
    if slides and kind:  # Without limits, a closure out of reach magnifies what is rounded.
        sliding = list(chain.joints)
        for joint in rng.choice(joints, rng.integers(1, 3), replace=False):
            lower = rng.uniform(-0.5, 0.5)
            sliding[joint] = replace(
                sliding[joint], lower=lower, upper=lower + rng.uniform(0.01, 1.0), type='prismatic'
            )
        chain = Chain(sliding)
    starts = random_poses(chain, 16, rng, corners=0.2 if kind else 0.0)
    poses = random_poses(chain, 16, rng)
    near = starts[8:] + rng.choice([1e-3, 0.05, 0.2], (8, 1)) * rng.normal(size=(8, joints))
    poses[8:] = np.clip(near, chain.lower, chain.upper)
    targets, angles = chain.forward(poses)[:, -1], chain.tip_angles(poses)
    angles[4:6] += rng.uniform(-3.0, 3.0, 2)
    targets[6:8] *= rng.uniform(0.3, 1.5, (2, 1))
    options = {'tolerance': 1e-9 * chain.reach.outer, 'angle_tolerance': 1e-9}
    batch = solve_batch(chain, targets, solver, starts, angle=angles, **options)
    answers = [
        solve(chain, target, solver, start, angle=angle, **options)
        for target, start, angle in zip(targets, starts, angles, strict=True)
    ]
    assert_all_alike(chain, batch, answers)


@pytest.mark.parametrize('kind', [None, 'symmetric', 'one-sided'])
@pytest.mark.parametrize('solver', ['ccd', 'hybrid'])
def test_poses_of_chains_too_long_for_a_proof_are_those_of_one_by_one(kind, solver):
    rng = np.random.default_rng(12)
    chain = random_chain(12, rng, random_limits(kind, 12, rng) if kind else None)
    batch, answers = answers_of_both(chain, solver, rng)
    assert_all_alike(chain, batch, answers)


@pytest.mark.parametrize('passes', [1, 2, 3, 5])
@pytest.mark.parametrize('kind', [None, 'narrow', 'one-sided'])
@pytest.mark.parametrize('solver', ['ccd', 'hybrid'])
def test_few_passes_end_where_they_end_one_by_one(solver, kind, passes):
    rng = np.random.default_rng(4)
    chain = random_chain(4, rng, random_limits(kind, 4, rng) if kind else None)
    batch, answers = answers_of_both(chain, solver, rng, max_iterations=passes)
    assert_all_alike(chain, batch, answers)


@pytest.mark.parametrize('kind', [None, 'symmetric'])
def test_a_pose_does_not_depend_on_how_many_targets_there_are(kind):
    """Those that are near are put off, where there are many besides."""
    rng = np.random.default_rng(6)
    chain = Chain.from_lengths([0.25] * 4, random_limits(kind, 4, rng) if kind else None)
    targets = in_annulus(chain, 10_000, rng)
    batch = solve_batch(chain, targets)
    some = rng.choice(len(targets), 300, replace=False)
    few = solve_batch(chain, targets[some])
    assert few.status.tolist() == batch.status[some].tolist()
    assert few.q == pytest.approx(batch.q[some], abs=1e-6)


@pytest.mark.parametrize('bend', ['nearest', 'positive', 'negative'])
@pytest.mark.parametrize('kind', [None, *sorted(LIMITS)])
def test_the_poses_of_two_bone_are_those_of_one_by_one(kind, bend):
    rng = np.random.default_rng(17)
    chain = random_chain(2, rng, random_limits(kind, 2, rng) if kind else None)
    batch, answers = answers_of_both(chain, 'two_bone', rng, bend=bend)
    assert batch.q == pytest.approx(np.array([answer.q for answer in answers]), abs=1e-6)
    assert batch.status.tolist() == [answer.status for answer in answers]


@given(
    chains(limited=st.just(False)), st.sampled_from(['ccd', 'hybrid']), st.integers(0, 2**32 - 1)
)
def test_outside_the_annulus_distances_are_exact(chain, solver, seed):
    rng = np.random.default_rng(seed)
    targets = rng.uniform(-3.0, 3.0, (20, 2)) * (chain.reach.outer or 1.0)
    batch = solve_batch(chain, targets, solver=solver)
    distance = np.hypot(*targets.T)
    exact = np.maximum(distance - chain.reach.outer, chain.reach.inner - distance)
    outside = exact > 1e-6
    assert batch.error[outside] == pytest.approx(exact[outside], abs=1e-9)
    far = distance[outside] > chain.reach.outer
    assert batch.status[outside].tolist() == [
        Status.TOO_FAR if is_far else Status.TOO_NEAR for is_far in far
    ]


@pytest.mark.parametrize('passes', [1, 2, 3, 5, 8, 10, 14, 20, 21, 22, 50])
@pytest.mark.parametrize('solver', ['ccd', 'hybrid'])
def test_two_joints_take_no_more_passes_than_they_may(solver, passes):
    """The closed form is exact whatever the passes; sweeps are as many as for one target."""
    chain = Chain.from_lengths([0.5, 0.5], limits=[(-1.0, 1.0)] * 2)
    targets = in_annulus(chain, 100, np.random.default_rng(2))
    batch = solve_batch(chain, targets, solver=solver, max_iterations=passes)
    answers = [solve(chain, target, solver, max_iterations=passes) for target in targets]
    assert batch.status.tolist() == [answer.status for answer in answers]
    assert max(answer.iterations for answer in answers) <= passes
    if solver == 'hybrid' or passes >= 5:
        assert (batch.status == solve_batch(chain, targets).status).all()
        assert set(batch.status.tolist()) == {Status.REACHED, Status.JOINT_LIMIT}


@pytest.mark.parametrize('joints', [3, 6])
@pytest.mark.parametrize('solver', ['ccd', 'hybrid'])
def test_more_passes_do_not_reach_less(solver, joints):
    chain = Chain.from_lengths([1.0] * joints, limits=[(-1.0, 1.0)] * joints)
    rng = np.random.default_rng(3)
    targets = chain.forward(random_poses(chain, 1000, rng))[:, -1]
    starts = random_poses(chain, 1000, rng)
    missed = [
        (
            solve_batch(chain, targets, solver, starts, max_iterations=n).status != Status.REACHED
        ).sum()
        for n in (1, 3, 8, 10, 14, 15, 20, 22, 100)
    ]
    assert missed == sorted(missed, reverse=True)
    assert missed[-1] == 0


@pytest.mark.parametrize(
    ('lengths', 'limits', 'target'),
    [
        ([1e-310, 0.5, 0.5], None, (0.3, 0.4)),
        ([0.5, 0.5, 1e-100], [(0.0, 0.01), (0.0, 0.01), (-1.0, 1.0)], (0.95, -0.1)),
        ([0.5, 0.5, 1e-155], [(0.0, 0.01), (0.0, 0.01), (-1.0, 1.0)], (0.9, -0.9)),
    ],
)
def test_links_of_next_to_no_length_do_no_harm(lengths, limits, target):
    chain = Chain.from_lengths(lengths, limits)
    rng = np.random.default_rng(0)
    for start in rng.uniform(-2.0, 2.0, (20, 3)):
        for point in (target, chain.forward(start)[-1]):
            answer, batch = (
                solve(chain, point, start=start),
                solve_batch(chain, [point], start=start),
            )
            assert np.isfinite(answer.q).all()
            assert np.isfinite(batch.q).all()
            assert batch.error[0] == pytest.approx(answer.error, abs=1e-6)


def test_targets_do_not_depend_on_one_another():
    chain = Chain.from_lengths([0.3, 0.25], limits=[(-2, 1), (-1, 2)])
    targets = in_annulus(chain, 40_000, np.random.default_rng(2), 0.0, 1.2)
    batch = solve_batch(chain, targets)
    some = solve_batch(chain, targets[30_000:30_050])
    assert batch.q[30_000:30_050].tobytes() == some.q.tobytes()


@pytest.mark.parametrize('kind', [None, 'symmetric', 'one-sided'])
def test_few_near_targets_are_reached_as_many_are(kind):
    rng = np.random.default_rng(7)
    chain = random_chain(4, rng, random_limits(kind, 4, rng) if kind else None)
    starts = random_poses(chain, 120, rng)
    moved = np.clip(starts + rng.normal(0.0, 0.08, starts.shape), chain.lower, chain.upper)
    targets = chain.forward(moved)[:, -1]
    tolerance = 1e-9 * chain.reach.outer
    many = solve_batch(chain, targets, 'hybrid', starts, tolerance=tolerance)
    for begin in range(0, len(targets), 5):
        part = slice(begin, begin + 5)
        few = solve_batch(chain, targets[part], 'hybrid', starts[part], tolerance=tolerance)
        assert (few.status == many.status[part]).all()
        assert few.q == pytest.approx(many.q[part], abs=1e-6)


def test_free_targets_do_not_depend_on_one_another():
    # Two threads, and more than one chunk for each.
    chain = Chain.from_lengths([0.3, 0.25])
    targets = in_annulus(chain, 250_000, np.random.default_rng(2), 0.0, 1.2)
    targets[::7, 1] = 0.0  # where rounding picks the side
    batch = solve_batch(chain, targets)
    for begin in range(0, len(targets), 10_007):
        part = slice(begin, begin + 10_007)
        some = solve_batch(chain, targets[part])
        assert np.abs(batch.q[part] - some.q).max() < 1e-12
        assert (batch.status[part] == some.status).all()
        assert batch.error[part] == pytest.approx(some.error, abs=1e-15)


def test_the_same_input_gives_the_same_bits():
    chain = Chain.from_lengths([0.1] * 6, limits=[(-1, 1.5)] * 6)
    targets = in_annulus(chain, 300, np.random.default_rng(3))
    first, second = (solve_batch(chain, targets) for _ in range(2))
    assert first.q.tobytes() == second.q.tobytes()


def test_no_targets_give_no_answers():
    for empty in ([], np.empty((0, 2))):
        batch = solve_batch(TWO, empty)
        assert batch.q.shape == (0, 2)
        assert batch.error.shape == batch.status.shape == (0,)


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        ({'targets': [1.0, 2.0]}, r'shape \(2,\).*\(m, 2\)'),
        ({'targets': [[1.0, 2.0, 3.0]]}, r'shape \(1, 3\)'),
        ({'targets': [[0.0, 1.0], [math.nan, 0.0]]}, r'targets\[1, 0\] is nan'),
        ({'targets': 'all'}, "targets must be an array of numbers, not 'all'"),
        ({'targets': [['1', '2']]}, 'must be an array of numbers'),
        ({'targets': [[True, False]]}, 'must be an array of numbers'),
        ({'targets': None}, 'must be an array of numbers, not None'),
        ({'targets': [[1j, 0.0]]}, 'must be an array of numbers'),
        ({'targets': [[0.1, 0.2], [0.3]]}, 'must be an array of numbers'),
        ({'targets': [[10**400, 0]]}, 'must be an array of numbers'),
        ({'start': 'abc'}, "start must be an array of numbers, not 'abc'"),
        ({'start': ['x', 'y']}, 'start must be an array of numbers'),
        ({'start': [0.0]}, r'start has shape \(1,\).*\(2,\) or \(1, 2\)'),
        ({'start': [0.0, math.inf]}, r'start\[1\] is inf'),
        ({'solver': 'newton'}, "'newton'"),
        ({'bend': 3}, 'bend is 3'),
    ],
)
def test_what_is_refused_is_named(arguments, words):
    arguments = {'targets': [[0.1, 0.2]], **arguments}
    with pytest.raises(ArgumentError, match=words):
        solve_batch(TWO, **arguments)

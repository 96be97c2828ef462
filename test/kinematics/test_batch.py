"""Many targets at once give what one at a time gives."""

import math
from dataclasses import replace

import numpy as np
import pytest
from arms import LIMITS, in_annulus, random_chain, random_limits, random_poses
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.kinematics import ArgumentError, Chain, solve, solve_batch

TWO = Chain.from_lengths([0.3, 0.25])


def fk_error(chain, batch, targets):
    return np.hypot(*(chain.forward(batch.q)[:, -1] - targets).T)


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


@settings(max_examples=examples(40))
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


@pytest.mark.parametrize('bend', ['nearest', 'positive', 'negative'])
@pytest.mark.parametrize('kind', [None, *sorted(LIMITS)])
def test_the_poses_of_two_bone_are_those_of_one_by_one(kind, bend):
    rng = np.random.default_rng(17)
    chain = random_chain(2, rng, random_limits(kind, 2, rng) if kind else None)
    batch, answers = answers_of_both(chain, 'two_bone', rng, bend=bend)
    assert batch.q == pytest.approx(np.array([answer.q for answer in answers]), abs=1e-6)
    assert batch.status.tolist() == [answer.status for answer in answers]


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

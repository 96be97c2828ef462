"""What solve takes and refuses, and what it promises for every chain."""

import math

import numpy as np
import pytest
from arms import chains, poses
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.kinematics import ArgumentError, Chain, Ik2dError, Status, solve, solve_batch

TWO = Chain.from_lengths([0.3, 0.25])
THREE = Chain.from_lengths([0.3, 0.25, 0.2])


@given(chains(), st.data())
def test_the_answer_is_about_its_own_pose(chain, data):
    target = data.draw(st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)))
    solution = solve(chain, target)
    assert solution.q.shape == (len(chain),)
    assert solution.tip == pytest.approx(chain.forward(solution.q)[-1], abs=1e-12)
    assert solution.error == pytest.approx(math.dist(solution.tip, target))
    assert (solution.status is Status.REACHED) == (solution.error <= 1e-6)


@given(chains(), st.data())
def test_tuples_lists_and_arrays_are_the_same(chain, data):
    target, start = chain.forward(data.draw(poses(chain)))[-1], data.draw(poses(chain))
    kinds = (tuple, list, np.array)
    answers = {solve(chain, kind(target), start=kind(start)).q.tobytes() for kind in kinds}
    assert len(answers) == 1


def test_auto_is_the_closed_form_for_two_joints_only():
    assert solve(TWO, (0.3, 0.2)).solver == 'two_bone'
    assert solve(THREE, (0.3, 0.2)).solver == 'hybrid'
    assert solve(Chain.from_lengths([0.3]), (0.0, 0.3)).solver == 'hybrid'
    for solver in ('two_bone', 'ccd', 'hybrid'):
        assert solve(TWO, (0.3, 0.2), solver).solver == solver


def test_the_default_start_is_the_middle_of_the_ranges():
    chain = Chain.from_lengths([0.3, 0.2, 0.2], limits=[(0.0, 2.0), None, (-1.0, 0.0)])
    default = solve(chain, (0.2, 0.4))
    given_start = solve(chain, (0.2, 0.4), start=[1.0, 0.0, -0.5])
    assert default.q.tobytes() == given_start.q.tobytes()


def test_integers_are_numbers():
    assert solve(Chain.from_lengths([1, 1]), (1, 1), start=[0, 1]).status is Status.REACHED


@pytest.mark.parametrize('target', [(1e300, 1e300), (-1e308, 1e308), (1e20, -1.0)])
@pytest.mark.parametrize('limits', [None, [(-1.0, 1.0)] * 3])
def test_targets_beyond_all_measure_are_too_far(target, limits):
    chain = Chain.from_lengths([0.3, 0.25, 0.2], limits)
    solution = solve(chain, target)
    assert solution.status is Status.TOO_FAR
    assert np.isfinite(solution.q).all()
    assert solve_batch(chain, [target]).status[0] == Status.TOO_FAR


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        ({'target': (0.1,)}, 'target is .*two numbers'),
        ({'target': 'here'}, "target is .*'h'|'here'"),
        ({'target': None}, 'target is None'),
        ({'target': {0.1, 0.2}}, 'target is .*two numbers'),
        ({'start': b'abc'}, "start is b'abc'"),
        ({'target': (math.nan, 0.0)}, 'nan.*finite'),
        ({'target': (0.0, math.inf)}, 'inf.*finite'),
        ({'target': ('a', 0.0)}, "'a'.*finite"),
        ({'solver': 'magic'}, "'magic'.*auto, two_bone, ccd, hybrid"),
        ({'solver': 'two_bone'}, 'exactly 2 joints.*has 3'),
        ({'bend': 'up'}, "'up'.*nearest, positive, negative"),
        ({'tolerance': 0.0}, 'tolerance is 0.0.*above 0'),
        ({'tolerance': math.nan}, 'tolerance is nan'),
        ({'tolerance': '1'}, "tolerance is '1'"),
        ({'max_iterations': 0}, 'max_iterations is 0.*1 or more'),
        ({'max_iterations': 1.5}, 'max_iterations is 1.5.*whole'),
        ({'start': [0.0, 0.0]}, 'start is .*3 positions.*joint1, joint2, joint3'),
        ({'start': 0.0}, 'start is 0.0.*3 positions'),
        ({'start': [0.0, math.nan, 0.0]}, "'joint2' is nan; it must be finite"),
        ({'start': [1e308] * 3}, r"'joint1' is 1e\+308.*from -1000000000 to 1000000000 rad"),
        ({'start': np.ma.array([0.1] * 3, mask=[0, 1, 0])}, "'joint2' is .*; it must be finite"),
        ({'start': [0.0, 'x', 0.0]}, "'joint2' is 'x'; it must be finite"),
    ],
)
def test_what_is_refused_is_named(arguments, words):
    arguments = {'target': (0.3, 0.2), **arguments}
    with pytest.raises(ArgumentError, match=words) as caught:
        solve(THREE, **arguments)
    assert isinstance(caught.value, Ik2dError)

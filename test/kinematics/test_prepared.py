"""Targets one after the other, for a chain that is looked at once: the answers of `solve`."""

import math

import numpy as np
import pytest
from arms import chains, poses, sliding_chains
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ik2d_ros.kinematics import ArgumentError, Chain, Joint, Status, solve
from ik2d_ros.kinematics.prepared import prepared

pairs = chains(joints=st.just(2))
anywhere = st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
bends = st.sampled_from(['nearest', 'positive', 'negative'])
starts = st.tuples(st.floats(-9.0, 9.0), st.floats(-9.0, 9.0))


def said(solution):
    """All that an answer says but for the numbers."""
    return solution.status, solution.solver, solution.iterations, solution.proven


def check(chain, target, start, **options):
    """Check that both give the same; that is returned."""
    x, y = target
    expected = solve(chain, target, start=start, **options)
    positions, status, whole = prepared(chain, **options)(x, y, start)
    found = whole()
    assert (positions, status) == (tuple(found.q.tolist()), found.status)
    assert {float} == {type(position) for position in positions}
    assert said(found) == said(expected)
    assert found.q == pytest.approx(expected.q, abs=1e-13)
    assert found.tip == pytest.approx(expected.tip, abs=1e-13)
    assert found.error == pytest.approx(expected.error, abs=1e-13)
    turned = math.remainder(found.angle - expected.angle, 2.0 * math.pi)
    assert turned == pytest.approx(0.0, abs=1e-13)
    assert type(found) is type(expected)
    return found


@settings(max_examples=300)
@given(pairs, anywhere, starts, bends)
@example(Chain.from_lengths([1.0, 1.0]), (0.0, 0.0), (0.3, 0.2), 'nearest')
@example(Chain.from_lengths([1.0, 1.0]), (1e-300, 1e-300), (0.3, 0.2), 'nearest')
@example(Chain.from_lengths([1.0, 0.5]), (1.5, 0.0), (0.3, 0.2), 'nearest')
@example(Chain.from_lengths([1.0, 0.5]), (0.5, 0.0), (0.3, 0.2), 'positive')
@example(Chain.from_lengths([1.0, 0.0]), (0.0, 1.0), (0.3, 0.2), 'nearest')
@example(Chain.from_lengths([0.0, 0.0]), (0.0, 0.0), (0.3, 0.2), 'nearest')
def test_two_joints_get_the_answer_of_solve_from_anywhere(chain, target, start, bend):
    check(chain, target, start, bend=bend)


@settings(max_examples=300)
@given(pairs, bends, st.data())
def test_what_two_joints_reach_is_reached_as_solve_does(chain, bend, data):
    q, start = (tuple(data.draw(poses(chain)).tolist()) for _ in range(2))
    target = chain.forward(q)[-1].tolist()
    found = check(chain, target, start, bend=bend, tolerance=1e-9)
    assert found.status is Status.REACHED
    assert all(low <= p <= high for p, (low, high) in zip(found.q, chain.limits, strict=True))


@settings(max_examples=50)
@given(st.one_of(chains(), sliding_chains()), st.data())
def test_any_chain_gets_the_answer_of_solve(chain, data):
    start = tuple(data.draw(poses(chain)).tolist())
    check(chain, data.draw(anywhere), start)


def test_an_angle_is_asked_for_as_of_solve():
    chain, start = Chain.from_lengths([0.4, 0.3, 0.2]), (0.1, 0.2, 0.3)
    found = check(chain, (0.5, 0.2), start, angle=0.7, angle_tolerance=1e-6)
    assert found.angle == pytest.approx(0.7)


def test_nearly_always_two_joints_are_solved_at_once(monkeypatch):
    chain = Chain([Joint(name, (0.5, 0.1), -2.5, 2.5, 0.2, -1) for name in 'ab'])
    rng = np.random.default_rng(1)
    solves = prepared(chain)

    def refuse(*arguments):
        raise AssertionError(arguments)

    monkeypatch.setattr('ik2d_ros.kinematics.prepared.solve', refuse)
    for q, start in rng.uniform(-2.5, 2.5, (200, 2, 2)):
        x, y = chain.forward(q)[-1].tolist()
        assert solves(x, y, tuple(start.tolist()))[1] is Status.REACHED
    with pytest.raises(AssertionError):
        solves(2.0, 0.0, (0.0, 0.0))


def test_one_goes_on_before_any_array_is_made(monkeypatch):
    solves = prepared(Chain.from_lengths([1.0, 0.5]))

    def refuse(*arguments):
        raise AssertionError(arguments)

    monkeypatch.setattr('ik2d_ros.kinematics.prepared.np.array', refuse)
    _, status, whole = solves(0.9, 0.4, (0.3, 0.2))
    assert status is Status.REACHED
    with pytest.raises(AssertionError):
        whole()


@pytest.mark.parametrize('start', [(math.nan, 0.0), (math.inf, 0.0), (0.0, 2e9)])
def test_a_start_that_solve_refuses_is_refused(start):
    solves = prepared(Chain.from_lengths([1.0, 0.5]))
    with pytest.raises(ArgumentError, match='start'):
        solves(0.9, 0.4, start)


@pytest.mark.parametrize(
    'option', [{'solver': 'magic'}, {'bend': 'up'}, {'tolerance': 0.0}, {'max_iterations': 0}]
)
def test_what_does_not_depend_on_the_target_is_refused_before_there_is_one(option):
    with pytest.raises(ArgumentError, match=next(iter(option))):
        prepared(Chain.from_lengths([1.0, 0.5]), **option)

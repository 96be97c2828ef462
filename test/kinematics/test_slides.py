"""Chains with prismatic joints: described, reached, refused and followed like any other."""

import math

import numpy as np
import pytest
from arms import chains, poses, size_of, sliding_chains
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.kinematics import Chain, Joint, Status, solve, solve_batch

ANY = st.floats(-1.2, 1.2)


@settings(max_examples=examples(50))
@given(st.one_of(chains(), sliding_chains()), st.data())
def test_no_tip_is_outside_the_reach(chain, data):
    """Limits of joints that turn do not change the reach."""
    loose = Chain([j if j.slides else Joint(j.name, j.link, offset=j.offset) for j in chain.joints])
    inner, outer = chain.reach
    slack = 1e-12 * (1 + outer)
    for some in (chain, loose):
        away = math.hypot(*some.forward(data.draw(poses(some)))[-1])
        assert inner - slack <= away <= outer + slack
    assert chain.reach == pytest.approx(loose.reach, abs=slack)


@given(sliding_chains(limited=st.just(False)), st.floats(-math.pi, math.pi), st.data())
def test_the_reach_behind_a_free_joint_is_an_annulus(behind, angle, data):
    """Every distance in it is reached in every direction, none beside it."""
    chain = Chain([Joint('base', (data.draw(st.sampled_from([0.0, 0.4])), 0.0)), *behind.joints])
    inner, outer = chain.reach
    share = data.draw(st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.0, 1.0)))
    direction = np.array([math.cos(angle), math.sin(angle)])
    tolerance = 1e-9 * size_of(chain)
    found = solve(chain, (inner + share * (outer - inner)) * direction, tolerance=tolerance)
    assert found.status is Status.REACHED
    assert solve(chain, (1.01 * outer + 0.01) * direction).status is Status.TOO_FAR
    if inner > 0.01:
        assert solve(chain, 0.99 * inner * direction, tolerance=1e-9).status is Status.TOO_NEAR


@settings(max_examples=examples(60))
@given(sliding_chains(joints=st.just(2)), ANY, ANY, st.data())
def test_two_joints_have_a_closed_form(chain, x, y, data):
    size = size_of(chain)
    target, start, tolerance = np.array([x, y]) * size, data.draw(poses(chain)), 1e-9 * size
    for bend in ('nearest', 'positive', 'negative'):
        one = solve(chain, target, 'two_bone', start, bend, tolerance)
        many = solve_batch(chain, [target], 'two_bone', start, bend, tolerance)
        other = solve(chain, target, 'hybrid', start, tolerance=tolerance)
        assert one.iterations == 0
        assert one.status == many.status[0] == other.status
        assert one.error == pytest.approx(other.error, abs=2.0 * tolerance)
        assert many.error[0] == pytest.approx(one.error, abs=2.0 * tolerance)
        if one.status is Status.REACHED:
            assert many.q[0] == pytest.approx(one.q, abs=1e-6)

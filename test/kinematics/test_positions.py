"""Bends and positions: one into the other and back, within the limits, for one pose and many."""

import math

import numpy as np
import pytest
from arms import chains, poses, sliding_chains
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.kinematics import Chain
from ik2d_ros.kinematics.pose import tip_at
from ik2d_ros.kinematics.positions import clipped, clipped_many, commanded, commanded_many

ANY = st.one_of(chains(), sliding_chains())


def drawn(data):
    """A chain, and two of its poses."""
    chain = data.draw(ANY)
    return chain, np.array(data.draw(poses(chain))), np.array(data.draw(poses(chain)))


@settings(max_examples=40)
@given(st.data())
def test_bends_come_back_as_positions(data):
    chain, q, _ = drawn(data)
    assert chain.positions_at(chain.bends_at(q.tolist())) == pytest.approx(q, abs=1e-12)
    many = np.stack([q, q])
    assert chain.positions_many(chain.bends_many(many)) == pytest.approx(many, abs=1e-12)
    assert chain.bends_many(q).tolist() == list(chain.bends_at(q.tolist()))


@settings(max_examples=40)
@given(st.data())
def test_bends_put_the_tip_where_forward_kinematics_has_it(data):
    chain, q, _ = drawn(data)
    tip = tip_at(chain.unit_lengths, chain.bends_at(q.tolist()), chain.fixed_bends)
    assert tip * chain.reach.outer == pytest.approx(complex(*chain.forward(q)[-1]), abs=1e-12)


@settings(max_examples=40)
@given(st.data())
def test_what_is_commanded_is_the_same_pose_within_the_limits_and_near_to_the_start(data):
    chain, q, start = drawn(data)
    bends = chain.bends_at(q.tolist())
    found, tip = commanded(chain, bends, start.tolist())
    assert tip == pytest.approx(complex(*chain.forward(q)[-1]), abs=1e-11)
    assert tip == pytest.approx(complex(*chain.forward(found)[-1]), abs=1e-11)
    for joint, to, position, begin in zip(chain.joints, found, q, start, strict=True):
        if joint.slides:
            assert to == pytest.approx(position, abs=1e-12)
        else:
            assert math.remainder(to - position, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-12)
            assert abs(to - begin) <= abs(position - begin) + 1e-12
        if joint.continuous:
            assert abs(to - begin) <= math.pi + 1e-12
        else:
            assert joint.lower <= to <= joint.upper
    many = commanded_many(chain, np.array(bends)[:, None], start[None])
    assert many[0] == pytest.approx(found, abs=1e-12)


@settings(max_examples=30)
@given(st.data())
def test_a_known_tip_is_taken_only_where_no_joint_has_to_turn_round(data):
    chain = data.draw(chains(limited=st.just(False)))
    bends = chain.bends_at(data.draw(poses(chain)).tolist())
    known = tip_at(chain.unit_lengths, bends)
    start = [at + data.draw(st.sampled_from([0.0, 7.0])) for at in chain.positions_at(bends)]
    q, tip = commanded(chain, bends, start, known)
    assert tip == pytest.approx(complex(*chain.forward(q)[-1]), abs=1e-11)


@settings(max_examples=30)
@given(st.data())
def test_clipping_keeps_to_the_limits_and_takes_off_rounding_only(data):
    chain, q, _ = drawn(data)
    bends = chain.bends_at((q + data.draw(st.sampled_from([-1e-13, 0.0, 1e-13]))).tolist())
    found = clipped(chain, bends)
    assert found == pytest.approx(q, abs=1e-12)
    assert np.all((found >= chain.lower) & (found <= chain.upper))
    assert clipped_many(chain, np.array(bends)[:, None])[0] == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize('name', ['bends_many', 'positions_many'])
def test_what_comes_back_is_not_what_went_in(name):
    chain, given_ = Chain.from_lengths([0.3, 0.2]), np.zeros((1, 2))
    getattr(chain, name)(given_)[:] = 1.0
    assert not given_.any()

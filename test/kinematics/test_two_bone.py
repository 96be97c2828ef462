"""The closed form for two joints, one by one and in batches: bends, edges, limits, odd sizes."""

import math

import numpy as np
import pytest
from arms import chains
from hypothesis import example, given
from hypothesis import strategies as st
from space import both

from ik2d_ros.kinematics import Arm, Chain, Joint, Plane, Status, Turntable, solve, solve_batch

free_joints = chains(st.just(2), limited=False, shortest=0.05)


LINKAGE = Chain([Joint('a', (0.3, 0.0)), Joint('b', (0.25, 0.0), absolute=True)])
SLIDE = Joint('slide', (0.0, 0.0), -1.0, 1.0, type='prismatic')
RAIL = Chain([SLIDE, Joint('turn', (0.5, 0.0))])
BESIDE = Chain([Joint('a', (0.0, 0.3)), SLIDE])
UPRIGHT = Plane.from_pose((0.0, 0.0, 0.1), (math.pi / 2, 0.0, 0.0))
TURNED = Arm(Chain.from_lengths([0.3, 0.25]), UPRIGHT, Turntable())


@pytest.mark.parametrize(
    ('arm', 'target', 'side'),
    [
        (LINKAGE, (0.3, 0.2), lambda q: math.sin(q[1] - q[0])),
        # With a slide, the tip is ahead of the revolute joint or behind, in the slide's direction.
        (RAIL, (0.1, 0.2), lambda q: math.cos(q[1])),
        (BESIDE, (0.5, 0.2), lambda q: q[1]),
        (TURNED, (0.2, 0.3, 0.2), lambda q: q[2]),
    ],
)
@pytest.mark.parametrize(('bend', 'sign'), [('positive', 1.0), ('negative', -1.0)])
def test_bend_picks_the_side(arm, target, side, bend, sign):
    for found in both(arm, target, bend=bend, solver='two_bone'):
        assert found.status == Status.REACHED
        assert sign * side(found.q) > 0.0


@given(st.floats(0.1, 0.9), st.floats(0.3, 3.0), st.floats(-3.2, 3.2), st.sampled_from([1.0, -1.0]))
def test_where_limits_keep_the_tip_away_the_elbow_still_bends_to_the_side(share, most, turn, sign):
    chain = Chain([Joint('a', (0.3, 0.0)), Joint('b', (0.25, 0.0), -most, most)])
    target = share * chain.forward([turn, most])[-1]
    bend = 'positive' if sign > 0.0 else 'negative'
    for found in both(chain, target, bend=bend, start=(0.0, -sign)):
        assert sign * found.q[1] >= 0.0


@given(free_joints, st.lists(st.tuples(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0)), min_size=1))
@example(Chain.from_lengths([0.3, 0.3]), [(0.0, 0.0), (0.6, 0.0), (0.0, 0.3), (-0.0, -0.3)])
def test_a_batch_of_free_joints_is_solved_as_each_target_alone(chain, shares):
    targets = chain.reach.outer * np.array(shares)
    batch = solve_batch(chain, targets)
    for k, target in enumerate(targets):
        alone = solve(chain, target)
        assert (batch.status[k], batch.proven[k]) == (alone.status, alone.proven)
        assert batch.error[k] == pytest.approx(alone.error, abs=1e-12 * chain.size)
        assert np.abs(batch.q[k] - alone.q).max() <= 1e-7

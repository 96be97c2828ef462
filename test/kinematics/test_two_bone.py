"""The closed form for two joints, one by one and in batches: bends, edges, limits, odd sizes."""

import math
from dataclasses import replace

import numpy as np
import pytest
from arms import chains, poses
from hypothesis import example, given
from hypothesis import strategies as st
from space import both, check_answer

from ik2d_ros.kinematics import Arm, Chain, Joint, Plane, Status, Turntable, solve, solve_batch

free_joints = chains(st.just(2), limited=False, shortest=0.05)


@given(free_joints, st.data())
def test_nearest_moves_the_most_moved_joint_least(chain, data):
    target, start = chain.forward(data.draw(poses(chain)))[-1], data.draw(poses(chain))
    moves = {
        bend: np.abs(solve(chain, target, start=start, bend=bend).q - start).max()
        for bend in ('nearest', 'positive', 'negative')
    }
    assert moves['nearest'] <= min(moves['positive'], moves['negative']) + 1e-9


LINKAGE = Chain([Joint('a', (0.3, 0.0)), Joint('b', (0.25, 0.0), absolute=True)])
SLIDE = Joint('slide', (0.0, 0.0), -1.0, 1.0, type='prismatic')
RAIL = Chain([SLIDE, Joint('turn', (0.5, 0.0))])
BESIDE = Chain([Joint('a', (0.0, 0.3)), SLIDE])
TELESCOPE = Chain([Joint('turn', (0.2, 0.0), -2.0, 2.0), replace(SLIDE, lower=0.4, upper=1.1)])
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


@pytest.mark.parametrize(
    ('chain', 'target'),
    [
        (Chain.from_lengths([0.3, 0.25], [(-3.0, 3.0), (0.0, 2.6)]), (0.3, 0.2)),
        (TELESCOPE, (0.5, 0.4)),  # It cannot slide back past its shoulder.
    ],
)
def test_a_forbidden_bend_gives_way_to_the_other(chain, target):
    solution = solve(chain, target, bend='negative')
    check_answer(chain, target, solution)
    assert solution.status is Status.REACHED


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

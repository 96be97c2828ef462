"""What solve takes and refuses, and what it promises for every chain."""

import numpy as np
import pytest
from arms import chains, poses
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.kinematics import Chain, Status, solve, solve_batch

TWO = Chain.from_lengths([0.3, 0.25])
THREE = Chain.from_lengths([0.3, 0.25, 0.2])


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


@pytest.mark.parametrize('target', [(1e300, 1e300), (-1e308, 1e308), (1e20, -1.0)])
@pytest.mark.parametrize('limits', [None, [(-1.0, 1.0)] * 3])
def test_targets_beyond_all_measure_are_too_far(target, limits):
    chain = Chain.from_lengths([0.3, 0.25, 0.2], limits)
    solution = solve(chain, target)
    assert solution.status is Status.TOO_FAR
    assert np.isfinite(solution.q).all()
    assert solve_batch(chain, [target]).status[0] == Status.TOO_FAR

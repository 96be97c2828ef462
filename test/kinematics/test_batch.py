"""Many targets at once give what one at a time gives."""

import numpy as np
import pytest
from arms import in_annulus
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.kinematics import Chain, solve, solve_batch


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
    ignored = min(lengths) if min(lengths) <= 1e-12 else 0.0  # such a link stays where it points
    assert batch.error == pytest.approx(exact, abs=max(1e-12, 2.001 * ignored))


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

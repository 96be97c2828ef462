"""Which of the poses all over the ranges steps begin from."""

import math

import numpy as np
import pytest
from arms import LIMITS, random_chain, random_limits, random_poses

from ik2d_ros.kinematics.tip_angle.tip_angle_spread import nearest_of_spread


@pytest.mark.parametrize('kind', LIMITS)
@pytest.mark.parametrize('count', [150, 600])
def test_for_many_targets_the_same_poses_are_nearest_as_for_each(kind, count):
    rng = np.random.default_rng(count)
    chain = random_chain(8, rng, random_limits(kind, 8, rng))
    q = random_poses(chain, count, rng)
    x, y = chain.forward(q)[:, -1].T / chain.size
    headings = np.asarray(chain.tip_angles(q)) + chain.tip_direction
    headings[::3] = rng.uniform(-4.0 * math.pi, 4.0 * math.pi, len(headings[::3]))
    goals = x + 1j * y
    each = [nearest_of_spread(chain, goals[k : k + 1], headings[k : k + 1]) for k in range(count)]
    np.testing.assert_array_equal(nearest_of_spread(chain, goals, headings), np.hstack(each))

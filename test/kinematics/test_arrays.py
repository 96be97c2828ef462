"""What is written for speed gives what NumPy's own functions give."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.kinematics import Chain, solve_batch
from ik2d_ros.kinematics.angles import cosines_and_sines
from ik2d_ros.kinematics.arrays import hypotenuses, taken
from ik2d_ros.kinematics.tuning import FEW_CLOSEST

EPSILON = float(np.finfo(float).eps)
sizes = st.floats(-1e300, 1e300)


@given(st.lists(st.tuples(sizes, sizes), max_size=40))
def test_hypotenuses_are_those_of_numpy(pairs):
    x, y = np.array(pairs).reshape(-1, 2).T
    assert hypotenuses(x, y) == pytest.approx(np.hypot(x, y), rel=4.0 * EPSILON, abs=5e-324)


@given(st.lists(st.floats(-1e6, 1e6), max_size=40))
def test_cosines_and_sines_are_those_of_numpy(angles):
    angles = np.array([*angles, 0.0, np.pi, -np.pi, 0.5 * np.pi])
    cosines, sines = cosines_and_sines(angles)
    assert cosines == pytest.approx(np.cos(angles), abs=8.0 * EPSILON)
    assert sines == pytest.approx(np.sin(angles), abs=8.0 * EPSILON)


@pytest.mark.parametrize('same', [True, False])
def test_rows_taken_are_those_indexed(same):
    rows = np.arange(12.0).reshape(4, 3)
    if same:
        rows = np.broadcast_to(rows[1], (4, 3))
    for some in (np.array([2, 0, 2, 3, 1, 0]), np.arange(0)):
        assert taken(rows, some).tolist() == rows[some].tolist()


def test_few_targets_of_two_joints_come_as_close_as_many():
    chain = Chain.from_lengths([0.3, 0.25], limits=[(-2, 1), (-1, 2)])
    rng = np.random.default_rng(5)
    targets = rng.uniform(-0.6, 0.6, (600, 2))
    many = solve_batch(chain, targets)
    for begin in range(0, len(targets), FEW_CLOSEST // 2):
        part = slice(begin, begin + FEW_CLOSEST // 2)
        few = solve_batch(chain, targets[part])
        assert (few.status == many.status[part]).all()
        assert few.q == pytest.approx(many.q[part], abs=1e-9)
        assert few.error == pytest.approx(many.error[part], abs=1e-14)

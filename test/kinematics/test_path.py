"""Paths: the tip stays on the lines, no joint jumps, and a path ends where nothing goes on."""

import math

import numpy as np
import pytest
from arms import chains, poses
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.kinematics import (
    Arm,
    Chain,
    Lift,
    Plane,
    Status,
    Turntable,
    solve,
    solve_path,
)

LIMITED = Chain.from_lengths([0.3, 0.25], limits=[(-2.6, 2.6)] * 2)
THREE = Chain.from_lengths([0.3, 0.25, 0.15], limits=[(-2.6, 2.6)] * 3)
SPACE = Plane.from_pose((0.1, -0.2, 0.3), (0.4, 0.2, -0.3))
ARMS = {
    'two joints': LIMITED,
    'three joints': THREE,
    'ten joints': Chain.from_lengths([0.06] * 10, limits=[(-1.0, 1.2)] * 10),
    'continuous': Chain.from_lengths([0.3, 0.25]),
    'a slide': Chain.from_lengths([0.3, 0.1], [None, (0.0, 0.4)], ['revolute', 'prismatic']),
    'a plane in space': Arm(THREE, SPACE),
    'a turntable': Arm(
        LIMITED, Plane.from_pose((0.05, 0.02, 0.1), (math.pi / 2, 0.0, 0.0)), Turntable()
    ),
    'a lift': Arm(LIMITED, SPACE, lift=Lift(lower=-0.2, upper=0.3)),
}


def tips(arm, q):
    """(..., d) where the tips are, in m."""
    return arm.forward(q) if isinstance(arm, Arm) else arm.forward(q)[..., -1, :]


def from_lines(points, corners):
    """(k,) distances of points (k, d) from the lines between corners (m, d), in m."""
    begin, line = corners[:-1], np.diff(corners, axis=0)
    away = points[:, None] - begin
    share = np.sum(away * line, axis=-1) / np.maximum(np.sum(line**2, axis=-1), 1e-300)
    return np.linalg.norm(away - np.clip(share, 0, 1)[..., None] * line, axis=-1).min(axis=1)


def between(q, count=7):
    """Poses between those of a path, all joints moving evenly."""
    shares = np.linspace(0.0, 1.0, count, endpoint=False)[:, None]
    moved = q[:-1, None] + shares * np.diff(q, axis=0)[:, None]
    return np.concatenate([moved.reshape(-1, q.shape[1]), q[-1:]])


def some_corners(arm, seed, count=4):
    """(count, d) points that the tip can reach, each not far from the one before."""
    random = np.random.default_rng(seed)
    low = np.maximum(arm.lower, -2.5)
    high = np.minimum(arm.upper, 2.5)
    q = random.uniform(low, high)
    steps = random.normal(0.0, 0.3, (count, len(low)))
    return tips(arm, np.clip(q + np.cumsum(steps, axis=0), low, high))


def check(arm, corners, path, tolerance=1e-6, aside=1e-4):
    """Whatever the path: its poses are on it, all joints move little, and it says where it ends."""
    if len(path.q):
        assert np.linalg.norm(tips(arm, path.q) - path.points, axis=1).max() <= tolerance * 1.001
        assert from_lines(path.points, corners).max() <= 1e-9
        assert from_lines(tips(arm, between(path.q)), corners).max() <= aside * 1.001
        assert (path.q >= arm.lower).all()
        assert (path.q <= arm.upper).all()
        # A lift goes as far as its points are apart.
        moves = np.diff(path.q, axis=0)[:, 1 if getattr(arm, 'lift', None) else 0 :]
        assert np.abs(moves).max(initial=0.0) <= 0.1 * 1.001
        assert (np.diff(path.length) >= 0.0).all()
        assert path.length[-1] == path.end
    total = np.linalg.norm(np.diff(corners, axis=0), axis=1).sum()
    assert math.isclose(path.total, total, rel_tol=1e-9)
    whole = path.status is Status.REACHED
    assert whole == (path.missed is None) == (path.target is None)
    assert math.isclose(path.end, total, rel_tol=1e-9) if whole else path.end < total
    if not whole and path.status is not Status.PATH_JUMP:
        assert solve(arm, path.target).status is path.status


@pytest.mark.parametrize('name', ARMS)
@pytest.mark.parametrize('seed', range(6))
def test_tip_stays_on_the_lines(name, seed):
    arm = ARMS[name]
    corners = some_corners(arm, seed)
    check(arm, corners, solve_path(arm, corners))


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_chain_follows_any_path(data):
    chain = data.draw(chains())
    corners = np.array([chain.forward(data.draw(poses(chain)))[-1] for _ in range(3)])
    path = solve_path(chain, corners)
    check(chain, corners, path)

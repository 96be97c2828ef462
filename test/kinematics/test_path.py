"""Paths that are known as a whole; that they do without jumps is tested in test_continuity.py."""

import numpy as np
import pytest

from ik2d_ros.kinematics import ArgumentError, Arm, Chain, Joint, Plane, Status, solve
from ik2d_ros.kinematics.path import jumps, solve_path

LAP = np.linspace(0.0, 2.0 * np.pi, 200)
LIMITED = Chain.from_lengths([1.0] * 3, limits=[(-2.6, 2.6)] * 3)
CIRCLE = np.stack([1.65 + 0.6 * np.cos(LAP), 0.6 * np.sin(LAP)], axis=1)
ROUND = 1.5 * np.stack([np.cos(LAP), np.sin(LAP)], axis=1)


def followed(chain, points, start=None):
    """Each target solved from the pose of the last."""
    poses = []
    for point in points:
        poses.append(solve(chain, point, start=poses[-1] if poses else start).q)
    return np.array(poses)


@pytest.mark.parametrize(
    'chain',
    [
        Chain.from_lengths([1.0, 1.0]),
        Chain.from_lengths([1.0] * 4),
        LIMITED,
        Chain(
            [
                Joint('turn', (1.0, 0.0), -2.5, 2.5),
                Joint('slide', (0.5, 0.0), -0.2, 0.9, type='prismatic'),
                Joint('wrist', (0.8, 0.0), -2.5, 2.5),
            ]
        ),
    ],
)
def test_without_a_jump_each_pose_follows_from_the_last(chain):
    points = CIRCLE * chain.reach.outer / 3.0
    batch, start = solve_path(chain, points), None
    np.testing.assert_array_equal(batch.q, followed(chain, points, start))
    assert (batch.status == Status.REACHED).all()
    assert batch.proven.all()
    np.testing.assert_allclose(batch.angle, chain.tip_angles(batch.q))


@pytest.mark.parametrize('joints', [3, 4, 6])
def test_there_are_never_more_jumps_than_without_looking_ahead(joints):
    """Round the base within limits, the arm must wind back."""
    chain = Chain.from_lengths([3.0 / joints] * joints, limits=[(-2.6, 2.6)] * joints)
    points = np.concatenate([ROUND, ROUND])[::2]
    start = followed(chain, points[:1])[0]

    before = jumps(chain, points, followed(chain, points, start)).sum()
    assert before
    batch = solve_path(chain, points, start)
    assert (batch.status == Status.REACHED).all()
    assert jumps(chain, points, batch.q).sum() <= before


def test_a_path_may_leave_what_can_be_reached():
    points = np.stack([np.linspace(2.5, 3.5, 50), np.zeros(50)], axis=1)
    batch = solve_path(LIMITED, points)
    outside = points[:, 0] > 3.0
    assert (batch.status[~outside] == Status.REACHED).all()
    assert (batch.status[outside] == Status.TOO_FAR).all()


def test_no_targets_are_no_poses():
    batch = solve_path(LIMITED, np.empty((0, 2)))
    assert batch.q.shape == (0, 3)
    assert batch.status.shape == batch.error.shape == batch.proven.shape == (0,)


@pytest.mark.parametrize(
    ('arguments', 'says'),
    [
        ((Arm(LIMITED, Plane.from_pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))), CIRCLE), 'chain is '),
        ((None, CIRCLE), 'chain is None'),
        ((LIMITED, [(np.nan, 0.0)]), r'targets\[0, 0\] is nan'),
        ((LIMITED, [1.0, 2.0, 3.0]), r'targets have shape \(3,\)'),
        ((LIMITED, CIRCLE, [0.0]), r'start is \[0.0\]'),
        ((LIMITED, CIRCLE, None, 0.0), 'tolerance is 0.0'),
        ((LIMITED, CIRCLE, None, 1e-6, 0), 'max_iterations is 0'),
    ],
)
def test_what_is_refused(arguments, says):
    with pytest.raises(ArgumentError, match=says):
        solve_path(*arguments)


@pytest.mark.parametrize('types', [None, ('prismatic', 'revolute'), ('revolute', 'prismatic')])
def test_two_joints_go_on_wherever_a_path_of_poses_does(types):
    """Through stretched, where only what follows tells to which side."""
    rng = np.random.default_rng(2)
    share = np.linspace(0.0, 1.0, 400)[:, None]
    for _ in range(30):
        lower = rng.uniform(-2.0, -0.5, 2)
        upper = lower + rng.uniform(1.0, 3.0, 2)
        limits = list(zip(lower, upper, strict=True))
        chain = Chain.from_lengths(rng.uniform(0.2, 1.0, 2), limits, types)
        waves = np.sin(2.0 * np.pi * (rng.uniform(0.3, 0.9, 2) * share + rng.uniform(size=2)))
        poses = 0.5 * (lower + upper) + 0.5 * (upper - lower) * waves
        points = chain.forward(poses)[:, -1]
        assert not jumps(chain, points, poses).any()
        for start in (poses[0], None):
            batch = solve_path(chain, points, start)
            assert (batch.status == Status.REACHED).all()
            assert not jumps(chain, points, batch.q).any()
            assert (batch.q >= chain.lower).all()
            assert (batch.q <= chain.upper).all()

"""Laws of chains with absolute joints and of tools that stay level."""

from __future__ import annotations

import math

import numpy as np
import pytest
from linkage_judge import (
    bends,
    closest,
    closest_angle,
    headings,
    misses,
    poses,
    random_chain,
    tip,
)

from ik2d_ros.kinematics import (
    Arm,
    Chain,
    Ik2dError,
    Joint,
    Plane,
    Status,
    Turntable,
    solve,
    solve_batch,
    solve_path,
)

SEEDS = range(30)


def palletizer(**fields: object) -> Chain:
    """Return an arm whose forearm keeps its direction while the upper arm turns."""
    return Chain(
        [
            Joint('shoulder', (0.14, 0.0), 0.0, 2.0),
            Joint('elbow', (0.16, 0.0), -1.2, 0.6, absolute=True, **fields),  # type: ignore[arg-type]
        ],
        tool=(0.05, -0.03),
    )


def test_an_absolute_joint_has_the_direction_of_its_link() -> None:
    chain = palletizer()
    for shoulder in (0.3, 1.4):
        base, elbow, end = chain.forward([shoulder, -0.5])
        link = end - elbow - chain.tool
        assert math.atan2(link[1], link[0]) == pytest.approx(-0.5)
        assert np.linalg.norm(elbow - base) == pytest.approx(0.14)


@pytest.mark.parametrize('seed', SEEDS)
def test_forward_adds_up_headings_from_each_absolute_joint_anew(seed: int) -> None:
    chain = random_chain(seed)
    for q in poses(chain, 5):
        assert complex(*chain.forward(q)[-1]) == pytest.approx(tip(chain, q), abs=1e-12)
        off = headings(chain.joints, q)[-1] - chain.tip_angle(q)
        assert math.remainder(off, math.tau) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize('solver', ['hybrid', 'ccd', 'two_bone'])
@pytest.mark.parametrize('seed', SEEDS)
def test_whatever_a_pose_reaches_is_reached_within_all_limits(seed: int, solver: str) -> None:
    chain = random_chain(seed)
    if solver == 'two_bone' and len(chain) != 2:
        return
    targets = chain.forward(poses(chain, 200, seed))[:, -1]
    batch = solve_batch(chain, targets, solver=solver)
    assert set(batch.status) == {Status.REACHED}
    for q, target in zip(batch.q, targets, strict=True):
        assert misses(chain, q) <= 1e-9
        assert abs(tip(chain, q) - complex(*target)) <= 1e-6
    single = solve(chain, targets[0], solver=solver)
    assert np.array_equal(single.q, batch.q[0])
    assert single.proven


@pytest.mark.parametrize('seed', SEEDS)
def test_no_pose_is_closer_to_a_forbidden_target_than_the_one_found(seed: int) -> None:
    chain = random_chain(seed)
    rng = np.random.default_rng(seed)
    reach = chain.reach.outer
    forbidden = 0
    while forbidden < 2:
        away, bearing = reach * 1.1 * math.sqrt(rng.random()), rng.uniform(-math.pi, math.pi)
        target = complex(*chain.tool) + away * complex(math.cos(bearing), math.sin(bearing))
        solution = solve(chain, (target.real, target.imag))
        assert misses(chain, solution.q) <= 1e-9
        assert abs(tip(chain, solution.q) - target) == pytest.approx(solution.error, abs=1e-12)
        if solution.status is not Status.REACHED:
            forbidden += 1
            assert solution.proven
            assert solution.error <= closest(chain, target) + 1e-9 * reach


@pytest.mark.parametrize('seed', SEEDS)
def test_a_tip_angle_that_a_pose_has_is_reached(seed: int) -> None:
    chain = random_chain(seed, fewest=3)
    q = poses(chain, 100, seed)
    targets, angles = chain.forward(q)[:, -1], chain.tip_angles(q)
    batch = solve_batch(chain, targets, angle=angles)
    assert set(batch.status) == {Status.REACHED}
    assert all(misses(chain, pose) <= 1e-9 for pose in batch.q)


@pytest.mark.parametrize('seed', SEEDS)
def test_no_pose_at_the_point_is_closer_to_a_forbidden_angle(seed: int) -> None:
    chain = random_chain(seed, fewest=3)
    rng = np.random.default_rng(seed)
    for q in poses(chain, 2, seed):
        point, angle = tip(chain, q), rng.uniform(-math.pi, math.pi)
        solution = solve(chain, (point.real, point.imag), angle=angle)
        assert solution.error <= 1e-6
        assert misses(chain, solution.q) <= 1e-9
        assert solution.angle_error <= max(1e-3, closest_angle(chain, point, angle) + 1e-5)


def test_bend_picks_the_side_to_which_the_elbow_bends() -> None:
    chain = Chain([Joint('a', (0.3, 0.0)), Joint('b', (0.25, 0.0), absolute=True)])
    for bend, sign in (('positive', 1), ('negative', -1)):
        solution = solve(chain, (0.3, 0.2), bend=bend)
        assert solution.status is Status.REACHED
        assert sign * bends(chain.joints, solution.q)[0] > 0


def test_a_motor_moves_no_more_than_the_target_makes_it() -> None:
    chain = palletizer(min_bend=-2.6, max_bend=-0.4)
    q = np.array(chain.middle)
    for at in np.linspace(0, 2 * math.pi, 200):
        target = (0.22 + 0.03 * math.cos(at), 0.02 + 0.03 * math.sin(at))
        solution = solve(chain, target, start=q)
        assert solution.status is Status.REACHED
        if at:
            assert np.abs(solution.q - q).max() < 0.05
        q = solution.q


@pytest.mark.parametrize('seed', [1, 11, 17, 24, 26, 41, 46])
def test_small_moves_go_along_the_limit_of_a_bend(seed: int) -> None:
    """Paths of poses on a straight line between two; where both limits are met it may creep."""
    chain = random_chain(seed)
    first, last = poses(chain, 2, seed)
    between = [first + share * (last - first) for share in np.linspace(0, 1, 30)]
    path = solve_path(chain, chain.forward(between)[:, -1], start=first, path_tolerance=1e-3)
    assert path.status is Status.REACHED
    assert len(path.q) < 300
    assert all(misses(chain, q) <= 1e-9 for q in path.q)


def test_a_turntable_carries_a_linkage() -> None:
    plane = Plane.from_pose((0.02, 0.0, 0.1), (math.pi / 2, 0.0, 0.0))
    turntable = Turntable((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), -2.0, 2.0)
    arm = Arm(palletizer(min_bend=-2.6, max_bend=-0.4), plane, turntable)
    rng = np.random.default_rng(0)
    q = np.array([arm.settled(list(pose)) for pose in rng.uniform(arm.lower, arm.upper, (200, 3))])
    targets = arm.forward(q)
    batch = solve_batch(arm, targets)
    assert set(batch.status) == {Status.REACHED}
    assert np.abs(arm.forward(batch.q) - targets).max() < 1e-6
    far = solve(arm, (1.0, 0.2, 0.5))
    assert far.status is Status.TOO_FAR
    assert far.error == pytest.approx(math.dist(far.tip, (1.0, 0.2, 0.5)))
    inside = solve(arm, (0.03, 0.0, 0.15))
    assert inside.status is Status.JOINT_LIMIT
    assert misses(arm.chain, inside.q[1:]) <= 1e-9


def test_a_slide_beside_absolute_joints_is_searched_and_says_so() -> None:
    chain = Chain(
        [
            Joint('a', (0.3, 0.0), -1.0, 1.0),
            Joint('b', (0.2, 0.0), 0.0, 0.2, type='prismatic'),
            Joint('c', (0.2, 0.0), -1.0, 1.0, absolute=True),
        ]
    )
    q = np.random.default_rng(0).uniform(chain.lower, chain.upper, (200, 3))
    assert set(solve_batch(chain, chain.forward(q)[:, -1]).status) == {Status.REACHED}
    assert not solve(chain, (-0.5, 0.0)).proven


def test_many_absolute_joints_keep_to_the_limits_of_their_bends() -> None:
    fields = {'lower': -1.4, 'upper': 1.2, 'absolute': True, 'min_bend': -1.5, 'max_bend': 1.0}
    joints = [Joint(f'joint{j}', (0.1 + 0.01 * j, 0.0), **fields) for j in range(1, 14)]
    chain = Chain([Joint('joint0', (0.2, 0.0), -1.0, 1.0), *joints])
    for target in ((-1.5, 0.2), (0.1, 0.1), (0.3, -2.2)):
        solution = solve(chain, target)
        assert solution.status is Status.JOINT_LIMIT
        assert not solution.proven
        assert misses(chain, solution.q) <= 1e-9


@pytest.mark.parametrize(
    ('fields', 'words'),
    [
        ({'absolute': 1}, 'absolute is 1; it must be True or False'),
        ({'absolute': True, 'min_bend': 0.1}, 'min_bend without max_bend'),
        ({'absolute': True, 'min_bend': 0.1, 'max_bend': 0.0}, 'min_bend 0.1 is above max_bend'),
        ({'min_bend': 0.1, 'max_bend': 0.2}, 'limits of absolute joints'),
        ({'type': 'prismatic', 'lower': 0, 'upper': 1, 'absolute': True}, 'cannot be absolute'),
    ],
)
def test_a_joint_that_makes_no_sense_is_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(Ik2dError, match=f"joint 'a': .*{words}|{words}"):
        Joint('a', (1.0, 0.0), **fields)  # type: ignore[arg-type]


def test_limits_that_leave_no_pose_are_refused() -> None:
    shoulder = Joint('shoulder', (1.0, 0.0), 0.0, 0.5)
    elbow = Joint('elbow', (1.0, 0.0), 1.0, 2.0, absolute=True, min_bend=-1.0, max_bend=0.2)
    with pytest.raises(Ik2dError, match='leave no pose'):
        Chain([shoulder, elbow])
    with pytest.raises(Ik2dError, match=r"'elbow'.*the first joint has none"):
        Chain([elbow])
    with pytest.raises(Ik2dError, match='tool is'):
        Chain([shoulder], tool=(1.0, math.nan))

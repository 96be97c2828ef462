"""What limits allow and what they forbid is proven: no target missed, no pose closer."""

import math

import numpy as np
import pytest
from arms import LIMITS, chains, in_annulus, poses, random_chain, random_limits, random_poses
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.kinematics import Arm, Chain, Lift, Plane, Status, Turntable, solve, solve_batch
from ik2d_ros.kinematics.links import Links, tips
from ik2d_ros.kinematics.pose import tip_at
from ik2d_ros.kinematics.proof.proof import closest, nearest, proof_of
from ik2d_ros.kinematics.proof.proof import poses as proven_poses
from ik2d_ros.kinematics.proof.proof_many import decide_many

ROUNDING = 1e-11  # reaches

# Links that fold up to nothing, joints that cannot move, limits at right and straight angles.
ANGLES = st.sampled_from([-math.pi, -0.5 * math.pi, 0.0, 0.5 * math.pi, math.pi])
RANGES = st.one_of(st.none(), st.tuples(ANGLES, ANGLES).map(sorted))
AWKWARD = st.lists(st.tuples(st.sampled_from([0.0, 1.0, 1.0, 2.0]), RANGES), min_size=1, max_size=6)


@st.composite
def awkward_chains(draw):
    links = draw(AWKWARD)
    return Chain.from_lengths([link for link, _ in links], [limits for _, limits in links])


def decided(chain, target, start):
    """Whether a target (in reaches) is allowed, and the pose: bends inside the limits."""
    proof = proof_of(chain)
    found = proven_poses(proof, target, start)
    for pose in found:
        assert abs(tip_at(chain.unit_lengths, pose) - target) <= ROUNDING
    pose = nearest(found, start) if found else closest(proof, target, start)
    for bend, (lower, upper) in zip(pose, chain.bend_limits, strict=True):
        assert lower <= bend <= upper
    return bool(found), pose


def bends(chain, q):
    limits = np.array(chain.bend_limits)
    return np.clip(q * chain.signs + chain.shifts, limits[:, 0], limits[:, 1])


@settings(max_examples=300)
@given(st.one_of(chains(), awkward_chains()), st.data())
def test_the_tip_of_a_pose_inside_the_limits_is_never_missed(chain, data):
    start, pose = (bends(chain, data.draw(poses(chain))) for _ in range(2))
    target = tip_at(chain.unit_lengths, pose)
    _, found = decided(chain, target, start.tolist())
    assert abs(tip_at(chain.unit_lengths, found) - target) <= ROUNDING


@settings(max_examples=300)
@given(st.one_of(chains(), awkward_chains()), st.data())
def test_no_pose_is_closer_than_the_proven_one(chain, data):
    start, other = (bends(chain, data.draw(poses(chain))) for _ in range(2))
    target = complex(*data.draw(st.tuples(st.floats(-1.2, 1.2), st.floats(-1.2, 1.2))))
    _, found = decided(chain, target, start.tolist())
    away = abs(tip_at(chain.unit_lengths, found) - target)
    assert away <= abs(tip_at(chain.unit_lengths, other) - target) + ROUNDING


@pytest.mark.parametrize('joints', [1, 2, 3, 4])
@pytest.mark.parametrize('kind', sorted(LIMITS))
def test_no_pose_of_a_grid_is_closer(kind, joints):
    rng = np.random.default_rng(20 + joints)
    chain = random_chain(joints, rng, random_limits(kind, joints, rng))
    lower = np.where(np.isfinite(chain.lower), chain.lower, -math.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, math.pi)
    axes = np.linspace(lower, upper, round(50_000 ** (1 / joints)), axis=1)
    grid = np.stack(np.meshgrid(*axes, indexing='ij'), axis=-1).reshape(-1, joints)
    places = chain.forward(grid)[:, -1] / chain.reach.outer
    for target in in_annulus(chain, 20, rng, 0.0, 1.1) / chain.reach.outer:
        goal = complex(*target)
        allowed, pose = decided(chain, goal, bends(chain, np.array(chain.middle)).tolist())
        away = abs(tip_at(chain.unit_lengths, pose) - goal)
        assert allowed == (away <= ROUNDING)
        assert away <= np.hypot(*(places - target).T).min() + ROUNDING


@pytest.mark.parametrize('joints', [1, 2, 3, 4, 6, 8])
@pytest.mark.parametrize('kind', sorted(LIMITS))
def test_many_are_decided_as_each_is(kind, joints):
    rng = np.random.default_rng(30 + joints)
    chain = random_chain(joints, rng, random_limits(kind, joints, rng))
    reached = chain.forward(random_poses(chain, 20, rng))[:, -1]
    targets = np.concatenate([in_annulus(chain, 20, rng, 0.0, 1.2), reached])
    targets = targets @ (1.0, 1j) / chain.reach.outer
    starts = bends(chain, random_poses(chain, 40, rng)).T
    many = decide_many(proof_of(chain), targets, starts)
    assert many.reached[20:].all()
    for k, target in enumerate(targets.tolist()):
        allowed, pose = decided(chain, target, starts[:, k].tolist())
        assert allowed == many.reached[k]
        assert many.bends[:, k] == pytest.approx(pose, abs=1e-6)
    links = Links.of(chain)
    assert (np.abs(tips(links, many.bends) - targets)[many.reached] <= ROUNDING).all()


@pytest.mark.parametrize('joints', [3, 4, 6, 8])
@pytest.mark.parametrize('kind', sorted(LIMITS))
def test_what_a_shrunken_range_reached_the_whole_one_does_too(kind, joints):
    """Wider limits never forbid more, nor take the closest pose farther."""
    rng = np.random.default_rng(40 + joints)
    limits = [pair or (-3.0, 3.0) for pair in random_limits(kind, joints, rng)]
    lengths = rng.uniform(0.2, 1.0, joints)
    few = [(0.8 * low + 0.2 * high, high) for low, high in limits]
    narrow, wide = (Chain.from_lengths(lengths, ranges) for ranges in (few, limits))
    targets = in_annulus(wide, 100, rng)
    before, after = (
        solve_batch(chain, targets, tolerance=1e-9 * wide.reach.outer) for chain in (narrow, wide)
    )
    assert (after.error <= before.error + 1e-9 * wide.reach.outer).all()
    assert (after.status[before.status == Status.REACHED] == Status.REACHED).all()


@pytest.mark.parametrize(('joints', 'proven'), [(1, True), (2, True), (3, True), (12, False)])
@pytest.mark.parametrize('solver', ['ccd', 'hybrid'])
def test_a_solution_says_whether_its_status_is_proven(solver, joints, proven):
    chain = Chain.from_lengths([1.0 / joints] * joints, [(-0.1, 0.1)] * joints)
    beyond, behind, ahead = (solve(chain, (x, 0.0), solver) for x in (1.5, -1.0, 0.999))
    assert (beyond.status, beyond.proven) == (Status.TOO_FAR, True)
    assert (behind.status, behind.proven) == (Status.JOINT_LIMIT, proven)
    assert ahead.proven == (ahead.status is not Status.NOT_CONVERGED)
    stopped = solve(chain, (-1.0, 0.0), solver, max_iterations=1)
    assert stopped.proven == (stopped.status is Status.JOINT_LIMIT)


@pytest.mark.parametrize('joints', [3, 12])
def test_an_arm_in_space_says_whether_its_status_is_proven(joints):
    chain = Chain.from_lengths([1.0 / joints] * joints, [(-0.1, 0.1)] * joints)
    upright = Plane.from_pose((0.0, 0.0, 0.0), (0.5 * math.pi, 0.0, 0.0))
    for carrier in ({'turntable': Turntable(lower=-0.5, upper=0.5)}, {'lift': Lift()}):
        arm = Arm(chain, upright, **carrier)
        ahead, behind = (solve(arm, (x, 0.0, 0.0)) for x in (1.0, -0.5))
        assert (ahead.status, ahead.proven) == (Status.REACHED, True)
        assert (behind.status, behind.proven) == (Status.JOINT_LIMIT, joints == 3)


def test_a_last_joint_that_carries_nothing_takes_nothing_away():
    chain = Chain.from_lengths([1.0, 0.0, 1.0, 0.0], [(-3.5, 3.5), None, (0.0, math.pi), None])
    allowed, _ = decided(chain, 0.0342420080887 - 0.0040228241346j, [0.1, 0.2, 0.3, 0.4])
    assert allowed


def test_the_closest_pose_is_it_where_ranges_are_next_to_nothing():
    """Where arcs are so short that cosines hardly tell where they end."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        joints = int(rng.integers(3, 6))
        lower = rng.uniform(-2.0, 2.0, joints)
        upper = lower + 10.0 ** rng.uniform(-8.0, -3.0, joints)
        chain = Chain.from_lengths(
            rng.uniform(0.1, 1.0, joints), list(zip(lower, upper, strict=True))
        )
        size = chain.reach.outer
        shares = rng.uniform(size=(20_000, joints))
        shares[rng.random(shares.shape) < 0.7] = 0.0
        shares = np.where(rng.random(shares.shape) < 0.5, 1.0 - shares, shares)
        tips = chain.forward(lower + shares * (upper - lower))[:, -1]
        targets = tips[:20] + size * rng.normal(size=(20, 2)) * 10.0 ** rng.uniform(-8, -5, (20, 1))
        batch = solve_batch(chain, targets, tolerance=1e-12 * size)
        for target, many in zip(targets, batch.error, strict=True):
            least = np.hypot(*(tips - target).T).min()
            assert solve(chain, target, tolerance=1e-12 * size).error <= least + 3e-8 * size
            assert many <= least + 3e-8 * size

"""Targets at a tip angle for chains with prismatic joints: the same promises as without."""

import math

import numpy as np
import pytest
from arms import poses, sliding_chains
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.kinematics import Chain, Joint, Status, solve, solve_batch

TURN = 2.0 * math.pi
NEAR = 1e-9  # reaches, and rad
ANGLES = st.one_of(st.floats(-math.pi, math.pi), st.sampled_from([-math.pi, -0.5 * math.pi, 0.0]))
three_to_six = st.integers(3, 6)

# Joints in one place, slides along one line or straight across, limits at right angles.
RIGHT = st.sampled_from([-math.pi, -0.5 * math.pi, 0.0, 0.5 * math.pi, math.pi])
TURNING = st.tuples(st.just('revolute'), st.tuples(RIGHT, RIGHT).map(sorted))
SLIDING = st.tuples(
    st.just('prismatic'), st.sampled_from([(0.0, 1.0), (-1.0, 0.5), (0.5, 0.5), (0.0, 2.0)])
)
AWKWARD = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0, 2.0]), st.one_of(TURNING, SLIDING)), min_size=2, max_size=5
).map(
    lambda links: Chain.from_lengths(
        [1.0, *(length for length, _ in links)],
        [(0.0, 1.0), *(limits for _, (_, limits) in links)],
        ['prismatic', *(kind for _, (kind, _) in links)],
    )
)
CHAINS = st.one_of(sliding_chains(three_to_six), AWKWARD)

JOINTS = {
    'rail': Joint('rail', (0.0, 0.0), -0.3, 0.4, type='prismatic'),
    'shoulder': Joint('shoulder', (0.4, 0.0), -2.0, 2.0),
    'telescope': Joint('telescope', (0.2, 0.0), 0.0, 0.3, type='prismatic'),
    'again': Joint('again', (0.1, 0.0), 0.0, 0.2, type='prismatic'),
    'aslant': Joint('aslant', (0.1, 0.1), -0.1, 0.2, type='prismatic'),
    'elbow': Joint('elbow', (0.3, 0.1), -2.0, 2.0, offset=0.4, axis=-1),
    'wrist': Joint('wrist', (0.1, 0.0), -1.0, 1.0),
}
ARMS = [
    'rail shoulder wrist',
    'shoulder telescope wrist',
    'shoulder elbow telescope',
    'rail aslant wrist',
    'rail elbow telescope',
    'shoulder aslant telescope',
    'shoulder telescope again',
    'rail again telescope',
    'rail shoulder telescope elbow wrist',
    'shoulder elbow wrist aslant',
    'shoulder elbow telescope again wrist',
    'rail shoulder elbow aslant',
]


def arm(names):
    return Chain([JOINTS[name] for name in names.split()])


def turned(chain, q):
    """Direction of the last link's frame: what revolute joints and offsets turn it by."""
    return sum(
        joint.offset + (joint.axis * position if joint.type == 'revolute' else 0.0)
        for joint, position in zip(chain.joints, q, strict=True)
    )


def apart(angle, other):
    return abs(math.remainder(angle - other, TURN))


def asked(chain, target, angle, solver='hybrid', start=None):
    """Solve exactly, and check that what the solution says of its pose is true."""
    reach = chain.reach.outer or 1.0
    near = {'tolerance': NEAR * reach, 'angle_tolerance': NEAR}
    found = solve(chain, target, solver, start, angle=angle, **near)
    assert np.all((chain.lower <= found.q) & (found.q <= chain.upper))
    assert found.error == pytest.approx(
        math.dist(chain.forward(found.q)[-1], target), abs=1e-12 * reach
    )
    assert apart(found.angle, turned(chain, found.q)) <= NEAR
    assert found.angle_error == pytest.approx(apart(found.angle, angle), abs=NEAR)
    assert found.proven
    return found


@settings(max_examples=25, deadline=None)
@given(CHAINS, st.data())
def test_point_and_angle_of_a_pose_inside_the_limits_are_reached(chain, data):
    start, pose = (data.draw(poses(chain)) for _ in range(2))
    target, angle = chain.forward(pose)[-1], turned(chain, pose)
    for solver in ('hybrid', 'ccd'):
        assert asked(chain, target, angle, solver, start).status is Status.REACHED


@settings(max_examples=25, deadline=None)
@given(CHAINS, ANGLES, st.data())
def test_no_pose_that_reaches_the_point_comes_closer_to_the_angle(chain, angle, data):
    pose = data.draw(poses(chain))
    found = asked(chain, chain.forward(pose)[-1], angle)
    assert found.status in (Status.REACHED, Status.TIP_ANGLE)
    assert found.error <= NEAR * chain.reach.outer
    assert found.angle_error <= apart(turned(chain, pose), angle) + 1e-7


@pytest.mark.parametrize('names', ARMS)
def test_many_are_judged_as_each_is(names):
    chain, rng = arm(names), np.random.default_rng(8)
    q, starts = rng.uniform(chain.lower, chain.upper, (2, 12, len(chain)))
    q[::3] = np.where(rng.random(q[::3].shape) < 0.5, chain.lower, q[::3])
    targets = chain.forward(q)[:, -1]
    angles = np.array([turned(chain, pose) for pose in q])
    angles[8:] += rng.uniform(1.0, 5.0, 4)
    targets[10:] *= 1.5
    batch = solve_batch(chain, targets, start=starts, angle=angles)
    assert (batch.status[:8] == Status.REACHED).all()
    assert batch.proven.all()
    for k, target in enumerate(targets):
        alone = solve(chain, target, start=starts[k], angle=angles[k])
        assert batch.status[k] == alone.status
        assert alone.proven
        assert batch.error[k] == pytest.approx(alone.error, abs=2e-6)
        assert apart(batch.angle[k], turned(chain, batch.q[k])) <= NEAR
        if alone.status is Status.TIP_ANGLE:
            assert batch.angle_error[k] == pytest.approx(alone.angle_error, abs=1e-7)
        if alone.status is Status.REACHED and len(chain) == 3:
            assert batch.q[k] == pytest.approx(alone.q, abs=1e-6)


@pytest.mark.parametrize('names', [names for names in ARMS if len(names.split()) > 3])
def test_what_many_are_asked_first_does_not_change_the_answers(names):
    chain, rng = arm(names), np.random.default_rng(5)
    q, starts = rng.uniform(chain.lower, chain.upper, (2, 300, len(chain)))
    targets, angles = chain.forward(q)[:, -1], rng.uniform(-math.pi, math.pi, 300)
    angles[::5] = [turned(chain, pose) for pose in q[::5]]
    for tolerance in (1e-9, 1e-6, 1e-3):
        near = {'tolerance': tolerance * chain.reach.outer, 'angle_tolerance': tolerance}
        batch = solve_batch(chain, targets, start=starts, angle=angles, **near)
        assert (batch.status[::5] == Status.REACHED).all()
        for k in rng.integers(0, 300, 12):
            alone = solve(chain, targets[k], start=starts[k], angle=angles[k], **near)
            assert (batch.status[k], batch.proven[k]) == (alone.status, alone.proven)
            assert batch.q[k] == pytest.approx(alone.q, abs=1e-6)


@pytest.mark.parametrize('names', ['rail shoulder elbow wrist', 'shoulder elbow aslant wrist'])
def test_a_tip_that_is_turned_in_place_stops_where_the_joints_do(names):
    chain = arm(names)
    target = chain.forward(0.3 * chain.lower + 0.7 * chain.upper)[-1]
    reached = []
    for angle in np.linspace(-math.pi, math.pi, 41):
        found = asked(chain, target, angle)
        assert found.error <= NEAR
        reached.append(found.status is Status.REACHED)
        if not reached[-1]:
            # One step towards the angle asked for from the closest one, nothing is reached.
            way = math.remainder(angle - found.angle, TURN)
            beyond = found.angle + math.copysign(min(1e-3, abs(way)), way)
            assert asked(chain, target, beyond).status is Status.TIP_ANGLE
    assert 0 < sum(reached) < len(reached)


def test_an_angle_is_kept_along_a_path_without_jumps():
    chain = arm('rail shoulder telescope elbow wrist')
    q = 0.5 * chain.lower + 0.5 * chain.upper + (0.0, 0.6, 0.0, 1.0, 0.0)
    center, angle = chain.forward(q)[-1], turned(chain, q)
    for turn in np.linspace(0.0, 2.0 * TURN, 200):
        target = center + 0.05 * np.array([math.cos(turn) - 1.0, math.sin(turn)])
        found = asked(chain, target, angle, start=q)
        assert found.status is Status.REACHED
        assert np.abs(found.q - q).max() <= 0.05
        q = found.q


def test_slides_alone_have_one_angle():
    chain = arm('rail again telescope')
    target = chain.forward([0.1, 0.1, 0.1])[-1]
    assert asked(chain, target, 0.0).status is Status.REACHED
    assert asked(chain, target, 1.0).angle_error == pytest.approx(1.0)
    assert solve(chain, (0.3, 0.3), angle=0.0).status is Status.JOINT_LIMIT


def test_too_many_joints_are_searched_for():
    slide = Joint('slide', (0.1, 0.0), 0.0, 0.1, type='prismatic')
    turning = [Joint(f'joint{i}', (0.1, 0.0), -1.0, 1.0) for i in range(11)]
    chain = Chain([*turning[:5], slide, *turning[5:]])
    pose = np.random.default_rng(5).uniform(chain.lower, chain.upper)
    solution = solve(chain, chain.forward(pose)[-1], angle=turned(chain, pose))
    assert solution.status is Status.REACHED
    away = solve(chain, (1.2999, 0.0), angle=2.0)
    assert (away.status, away.proven) == (Status.TIP_ANGLE, False)

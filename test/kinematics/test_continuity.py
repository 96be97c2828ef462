"""Along smooth paths, each solve started from the last: small moves, no jumps, no unwinding."""

import math

import numpy as np
import pytest

from ik2d_ros.kinematics import Chain, Status, solve
from ik2d_ros.kinematics.path import jumps, solve_path
from ik2d_ros.kinematics.tuning import LIGHTLY

STEPS = 1000
LAP = np.linspace(0.0, 2.0 * math.pi, STEPS, endpoint=False)


def path(name, reach):
    """(STEPS, 2) points of one lap."""
    cos, sin = np.cos(LAP), np.sin(LAP)
    middle = 0.5 * (reach.inner + reach.outer)
    return (
        reach.outer
        * {
            'circle': np.stack([0.55 + 0.2 * cos, 0.2 * sin], axis=1),
            'round the base': np.stack([cos, sin], axis=1) * middle / reach.outer,
            'line': np.stack([np.full(STEPS, 0.5), 0.4 * sin], axis=1),
            'through the base': np.stack([0.8 * cos, np.zeros(STEPS)], axis=1),
            'eight': np.stack([0.5 + 0.3 * sin, 0.2 * np.sin(2.0 * LAP)], axis=1),
            'along the edge': 0.999 * np.stack([cos, sin], axis=1),
            'on the edge': np.stack([cos, sin], axis=1),
        }[name]
    )


def jacobian(chain, q):
    """(2, n) derivatives of the tip by the joints' positions, and (2,) the tip, in m."""
    points = chain.forward(q)
    spans = points[-1] - points[:-1]
    return np.stack([-spans[:, 1], spans[:, 0]]) * chain.signs, points[-1]


def largest_least_move(chain, before, target, damping=0.0):
    """The largest joint move of the least-squares step; joints stop at their limits."""
    slopes, tip = jacobian(chain, before)
    move, free = np.zeros(len(chain)), np.ones(len(chain), dtype=bool)
    while free.any():
        some = slopes[:, free]
        damped = np.vstack([some, math.sqrt(damping * np.sum(some**2)) * np.eye(free.sum())])
        move[free] = np.linalg.pinv(damped)[:, :2] @ (target - tip - slopes[:, ~free] @ move[~free])
        allowed = np.clip(before + move, chain.lower, chain.upper) - before
        # Whether rounding leads past a limit decides nothing.
        stopped = free & (np.abs(allowed - move) > 1e-12)
        if not stopped.any():
            break
        move[stopped] = allowed[stopped]
        free &= ~stopped
    return np.abs(move).max()


def is_jump(chain, before, after, target):
    """Whether the largest joint move exceeds twice that of the least-squares step and 0.01 rad.

    Not beside a singular pose: the tip cannot take every direction there, and moves are large.
    """
    largest = np.abs(after - before).max()
    if largest <= 0.01:
        return False
    if is_singular(chain, before):
        return False
    return largest > 2.0 * largest_least_move(chain, before, target) + 0.01


def is_singular(chain, q):
    """Whether the tip cannot take every direction, or nearly."""
    slopes, _ = jacobian(chain, q)
    return np.linalg.svd(slopes, compute_uv=False)[-1] < 0.05 * chain.reach.outer


def is_avoidable(chain, before, target):
    """Whether a pose no farther than a small step from this one reaches the target."""
    most = 2.0 * largest_least_move(chain, before, target) + 0.01
    lower, upper = np.maximum(chain.lower, before - most), np.minimum(chain.upper, before + most)
    free = upper > lower
    rng = np.random.default_rng(7)
    optimize = pytest.importorskip('scipy.optimize', reason='SciPy is not installed')

    def away(moving):
        q = before.copy()
        q[free] = moving
        return (chain.forward(q)[-1] - target) / chain.reach.outer

    def closest(start):
        return optimize.least_squares(
            away, start, bounds=(lower[free], upper[free]), xtol=1e-15, ftol=1e-15
        )

    starts = rng.uniform(lower[free], upper[free], (5, free.sum()))
    return min(np.hypot(*closest(start).fun) for start in starts) < 1e-9


def follow(chain, points, solver, laps=1):
    """Solve along the path, each solve from the last pose; the last pose and the jumps.

    A jump is the pose before it and the target.
    """
    tolerance = 1e-9 * chain.reach.outer
    # A bent start: from the stretched arm the first pose may be one that no solver leaves smoothly.
    start = np.clip(np.linspace(0.4, 0.8, len(chain)), chain.lower, chain.upper)
    q = solve(chain, points[0], solver=solver, start=start, tolerance=tolerance).q
    jumps = []
    for _ in range(laps):
        for target in points:
            solution = solve(chain, target, solver=solver, start=q, tolerance=tolerance)
            assert solution.status is Status.REACHED
            if is_jump(chain, q, solution.q, target):
                jumps.append((q, target))
            q = solution.q
    return q, jumps


@pytest.mark.parametrize(
    'name', ['circle', 'round the base', 'line', 'eight', 'along the edge', 'on the edge']
)
@pytest.mark.parametrize('joints', [2, 3, 4, 6, 10])
def test_free_joints_never_jump(name, joints):
    chain = Chain.from_lengths(np.linspace(1.0, 0.8, joints))
    solvers = ('two_bone', 'hybrid') if joints == 2 else ('hybrid',)
    for solver in solvers:
        _, jumps = follow(chain, path(name, chain.reach), solver)
        assert not jumps


LIMITS = {
    'wide': lambda joints: [(-2.6, 2.6)] * joints,
    'narrower': lambda joints: [(-2.0, 2.0)] * joints,
    'one-sided': lambda joints: [(-3.1, 3.1)] + [(0.0, 2.6)] * (joints - 1),
    'partly continuous': lambda joints: [None] + [(-1.5, 2.0)] * (joints - 1),
}


@pytest.mark.parametrize('name', ['circle', 'line', 'eight', 'through the base'])
@pytest.mark.parametrize(
    ('limits', 'joints'),
    [(limits, joints) for limits in ('wide', 'narrower') for joints in (4, 6, 10)]
    + [('wide', 3), ('one-sided', 3), ('one-sided', 4)]
    + [('partly continuous', 6), ('partly continuous', 10)],
)
def test_limited_joints_never_jump(limits, joints, name):
    chain = Chain.from_lengths([1.0] * joints, limits=LIMITS[limits](joints))
    _, jumps = follow(chain, path(name, chain.reach), 'hybrid', laps=2)
    assert not jumps


@pytest.mark.parametrize(
    ('limits', 'joints', 'name'),
    [
        ('one-sided', 6, 'line'),
        ('one-sided', 6, 'eight'),
        ('partly continuous', 3, 'circle'),
    ],
)
def test_the_shape_that_comes_first_need_not_end(limits, joints, name):
    """From other shapes than the one that a closure finds, these paths have a jump."""
    chain = Chain.from_lengths([1.0] * joints, limits=LIMITS[limits](joints))
    _, jumps = follow(chain, path(name, chain.reach), 'hybrid')
    assert not jumps


@pytest.mark.parametrize(
    ('limits', 'joints', 'name'),
    [
        ('one-sided', 10, 'eight'),
        ('one-sided', 4, 'round the base'),
        ('wide', 3, 'round the base'),
        ('narrower', 6, 'round the base'),
    ],
)
def test_limited_joints_jump_only_where_no_small_move_is_left(limits, joints, name):
    """On these paths the shape that the arm follows ends."""
    chain = Chain.from_lengths([1.0] * joints, limits=LIMITS[limits](joints))
    _, jumps = follow(chain, path(name, chain.reach), 'hybrid')
    assert jumps
    assert not any(is_avoidable(chain, before, target) for before, target in jumps)


@pytest.mark.parametrize(('joints', 'solver'), [(2, 'two_bone'), (2, 'hybrid'), (3, 'hybrid')])
def test_continuous_joints_do_not_unwind(joints, solver):
    chain = Chain.from_lengths([0.4, 0.3, 0.2][:joints])
    q, jumps = follow(chain, path('round the base', chain.reach), solver, laps=3)
    assert not jumps
    assert np.abs(q).max() > 5.0 * math.pi


@pytest.mark.parametrize('joints', [2, 3, 6])
def test_sweeps_turn_no_continuous_joint_by_more_than_half_a_turn(joints):
    chain = Chain.from_lengths([1.0] * joints)
    q = np.linspace(0.4, 0.8, joints)
    for _ in range(3):
        for target in path('round the base', chain.reach)[::10]:
            after = solve(chain, target, 'ccd', q).q
            assert np.abs(after - q).max() <= math.pi * (1.0 + 1e-12)
            q = after


def test_through_the_base_only_two_joints_must_jump():
    """Two equal links on a line through the base must fold and turn; more links need not."""
    chain = Chain.from_lengths([1.0] * 6)
    _, jumps = follow(chain, path('through the base', chain.reach), 'hybrid')
    assert not jumps


def jumps_of(chain, points, poses):
    """Which of the poses along a path is a jump from the one before."""
    return [k for k in range(1, len(points)) if is_jump(chain, poses[k - 1], poses[k], points[k])]


@pytest.mark.parametrize(
    ('limits', 'joints', 'name'), [('one-sided', 10, 'eight'), ('partly continuous', 3, 'eight')]
)
def test_a_known_path_begins_in_a_shape_that_does_not_end(limits, joints, name):
    chain = Chain.from_lengths([1.0] * joints, limits=LIMITS[limits](joints))
    points, tolerance = path(name, chain.reach), 1e-9 * chain.reach.outer
    start = np.clip(np.linspace(0.4, 0.8, joints), chain.lower, chain.upper)
    batch = solve_path(chain, points, start, tolerance)
    assert (batch.status == Status.REACHED).all()
    assert ((chain.lower <= batch.q) & (batch.q <= chain.upper)).all()
    assert np.hypot(*(chain.forward(batch.q)[:, -1] - points).T).max() <= 2.0 * tolerance
    assert not jumps_of(chain, points, batch.q)


def test_a_known_path_leaves_a_shape_before_it_ends():
    chain = Chain.from_lengths([1.0] * 10, limits=LIMITS['one-sided'](10))
    points, tolerance = path('through the base', chain.reach), 1e-9 * chain.reach.outer
    start = np.clip(np.linspace(0.4, 0.8, 10), chain.lower, chain.upper)
    start = solve(chain, points[0], start=start, tolerance=tolerance).q
    followed = [start]
    for target in points[1:]:
        followed.append(solve(chain, target, start=followed[-1], tolerance=tolerance).q)
    assert jumps_of(chain, points, followed)
    batch = solve_path(chain, points, start, tolerance)
    np.testing.assert_array_equal(batch.q[0], start)
    assert (batch.status == Status.REACHED).all()
    assert not jumps_of(chain, points, batch.q)


def slider(joints, slide):
    """A chain whose given joint slides."""
    limits, types = [(-3.1, 3.1)] + [(-2.6, 2.6)] * (joints - 1), ['revolute'] * joints
    limits[slide], types[slide] = (-0.3, 0.5), 'prismatic'
    return Chain.from_lengths([1.0] * joints, limits=limits, types=types)


@pytest.mark.parametrize(
    ('chain', 'name', 'size'),
    [
        (Chain.from_lengths([1.0] * 4, limits=[(-1.0, 2.2)] * 4), 'through the base', 1.0),
        (slider(4, 2), 'eight', 0.9),
        # Only far walks get past the middle of this one.
        (
            Chain.from_lengths(np.linspace(1.0, 0.5, 10), limits=[(-1.0, 2.2)] * 10),
            'through the base',
            1.0,
        ),
    ],
)
def test_a_known_path_is_explored_where_the_next_shape_leads_nowhere(chain, name, size):
    points, tolerance = size * path(name, chain.reach), 1e-9 * chain.reach.outer
    start = np.clip(np.linspace(0.4, 0.8, len(chain)), chain.lower, chain.upper)
    start = solve(chain, points[0], start=start, tolerance=tolerance).q
    followed = [start]
    for target in points[1:]:
        followed.append(solve(chain, target, start=followed[-1], tolerance=tolerance).q)

    assert jumps(chain, points, followed).any()
    batch = solve_path(chain, points, start, tolerance)
    np.testing.assert_array_equal(batch.q[0], start)
    assert (batch.status == Status.REACHED).all()
    assert not jumps(chain, points, batch.q).any()
    np.testing.assert_array_equal(solve_path(chain, points, start, tolerance).q, batch.q)


@pytest.mark.parametrize('joints', [3, 6])
@pytest.mark.parametrize('kind', sorted(LIMITS))
def test_a_jump_is_judged_by_the_least_squares_step(kind, joints):
    """Also where limits stop joints, and where the least is large."""
    chain = Chain.from_lengths(np.linspace(1.0, 0.6, joints), limits=LIMITS[kind](joints))
    rng = np.random.default_rng(joints)
    lower, upper = np.maximum(chain.lower, -3.1), np.minimum(chain.upper, 3.1)
    shares = np.clip(rng.uniform(-0.2, 1.2, (50, joints)), 0.0, 1.0)
    before = lower + shares * (upper - lower)
    tips = chain.forward(before)[:, -1]
    moves = rng.normal(size=(50, 2)) * rng.choice([0.002, 0.02, 0.2], (50, 1))
    targets = tips + chain.reach.outer * moves
    # Damped, if lightly: the joints that limits leave may hardly move the tip some way.
    pairs = zip(before, targets, strict=True)
    least = np.array([largest_least_move(chain, *pair, damping=LIGHTLY) for pair in pairs])
    # A little less than is a jump, and a little more.
    for share, jumped in ((0.999, False), (1.001, True)):
        turns = rng.uniform(-1.0, 1.0, (50, joints))
        turns *= (share * (2.0 * least + 0.01) / np.abs(turns).max(axis=1))[:, None]
        steps = zip(before, before + turns, tips, targets, strict=True)
        for q, after, tip, target in steps:
            expected = jumped and not is_singular(chain, q)
            assert jumps(chain, [tip, target], [q, after]).tolist() == [expected]

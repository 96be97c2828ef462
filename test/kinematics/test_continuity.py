"""Along smooth paths, each solve started from the last: small moves, no jumps, no unwinding."""

import itertools
import math

import numpy as np
import pytest
from arms import headings
from scipy.optimize import lsq_linear

from ik2d_ros.kinematics import Chain, Joint, Status, solve

STEPS = 1000
LAP = np.linspace(0.0, 2.0 * math.pi, STEPS, endpoint=False)


def path(name, reach):
    """(STEPS, 2) points of one lap."""
    cos, sin = np.cos(LAP), np.sin(LAP)
    middle = 0.5 * (reach.inner + reach.outer) / reach.outer
    x, y = {
        'circle': (0.55 + 0.2 * cos, 0.2 * sin),
        'round the base': (middle * cos, middle * sin),
        'line': (np.full(STEPS, 0.5), 0.4 * sin),
        'through the base': (0.8 * cos, np.zeros(STEPS)),
        'eight': (0.5 + 0.3 * sin, 0.2 * np.sin(2.0 * LAP)),
        'along the edge': (0.999 * cos, 0.999 * sin),
        'on the edge': (cos, sin),
    }[name]
    return reach.outer * np.stack([x, y], axis=1)


def jacobian(chain, q):
    """(k, 2, n) derivatives of the tip by the positions (k, n) of joints, and (k, 2) it, in m."""
    points = chain.forward(q)
    x, y = np.moveaxis(points[:, -1:] - points[:, :-1], -1, 0)
    return np.stack([-y, x], axis=1) * chain.signs, points[:, -1]


def largest_least_moves(chain, before, targets):
    """The largest joint moves of least-squares steps within limits; of many, of the least one."""
    slopes, tips = jacobian(chain, before)
    joints = len(chain)
    least = np.broadcast_to(1e-6 * chain.size * np.eye(joints), (len(before), joints, joints))
    rows = np.concatenate([slopes, least], axis=1)
    gaps = np.pad(targets - tips, [(0, 0), (0, joints)])
    steps = (np.linalg.pinv(rows) @ gaps[..., None])[..., 0]
    lower, upper = chain.lower - before - 1e-9, chain.upper - before + 1e-9
    for k in np.flatnonzero(((steps < lower) | (steps > upper)).any(axis=1)):
        steps[k] = lsq_linear(rows[k], gaps[k], (lower[k], upper[k])).x
    return np.abs(steps).max(axis=1)


def jumps(chain, poses, targets):
    """At which targets the largest move exceeds twice a least-squares step's and 0.01 rad.

    Not beside a singular pose: the tip cannot take every direction there, and moves are large.
    """
    poses, moves = np.array(poses), np.abs(np.diff(poses, axis=0)).max(axis=1)
    large = np.flatnonzero(moves > 0.01)
    stiffness = np.linalg.svd(jacobian(chain, poses[large])[0], compute_uv=False)[:, -1]
    large = large[stiffness >= 0.05 * chain.reach.outer]
    least = largest_least_moves(chain, poses[large], targets[large])
    return large[moves[large] > 2.0 * least + 0.01].tolist()


def follow(chain, points, solver, laps=1):
    """Solve along the path, each solve from the last pose; the targets to which joints jump."""
    tolerance = 1e-9 * chain.reach.outer
    # A bent start: from the stretched arm the first pose may be one that no solver leaves smoothly.
    start = np.clip(np.linspace(0.4, 0.8, len(chain)), chain.lower, chain.upper)
    poses = [solve(chain, points[0], solver=solver, start=start, tolerance=tolerance).q]
    targets = np.tile(points, (laps, 1))
    for target in targets:
        solution = solve(chain, target, solver=solver, start=poses[-1], tolerance=tolerance)
        assert solution.status is Status.REACHED
        poses.append(solution.q)
    return jumps(chain, poses, targets)


@pytest.mark.parametrize(
    ('name', 'joints'),
    [
        *itertools.product(
            ['circle', 'round the base', 'line', 'eight', 'along the edge', 'on the edge'],
            [2, 3, 4, 6, 10],
        ),
        # Two links on a line through the base must fold and turn; more need not.
        ('through the base', 6),
    ],
)
def test_free_joints_never_jump(name, joints):
    chain = Chain.from_lengths(np.linspace(1.0, 0.8, joints))
    solvers = ('two_bone', 'hybrid') if joints == 2 else ('hybrid',)
    for solver in solvers:
        assert not follow(chain, path(name, chain.reach), solver)


# From the bent start ten joints wind round once, and such a shape ends where it is stretched.
COILED = {(10, 'eight')}
LIMITS = {
    'wide': lambda joints: [(-2.6, 2.6)] * joints,
    'narrower': lambda joints: [(-2.0, 2.0)] * joints,
    'one-sided': lambda joints: [(-3.1, 3.1)] + [(0.0, 2.6)] * (joints - 1),
    'partly continuous': lambda joints: [None] + [(-1.5, 2.0)] * (joints - 1),
}


@pytest.mark.parametrize(
    ('limits', 'joints', 'name'),
    [
        (limits, joints, name)
        for limits, some in (
            *(('wide', (3, 4, 6, 10)), ('narrower', (4, 6, 10))),
            *(('one-sided', (3, 4)), ('partly continuous', (6, 10))),
        )
        for joints in some
        for name in ('circle', 'line', 'eight', 'through the base')
        if (joints, name) not in COILED
    ],
)
def test_limited_joints_never_jump(limits, joints, name):
    chain = Chain.from_lengths([1.0] * joints, limits=LIMITS[limits](joints))
    assert not follow(chain, path(name, chain.reach), 'hybrid', laps=2)


def circle(chain, center, radius):
    """(300, 2) points twice around."""
    turn = np.linspace(0.0, 4.0 * math.pi, 300)
    return center + radius * np.stack([np.cos(turn) - 1.0, np.sin(turn)], axis=1)


def along_poses(chain):
    """A start, and the way of the tip where all joints swing inside their limits."""
    middle, half = 0.5 * (chain.lower + chain.upper), 0.5 * (chain.upper - chain.lower)
    phases = np.arange(len(chain))
    lap = np.linspace(0.0, 2.0 * math.pi, 300)
    q = middle + 0.6 * half * np.sin(lap[:, None] + phases)
    return q[0], chain.forward(q)[:, -1], {}


def at_an_angle(chain):
    """A start, and a circle that is followed at the tip angle of the start."""
    q = chain.middle + np.array([0.1, 0.6, 0.1, 0.9, 0.2])
    points = circle(chain, chain.forward(q)[-1], 0.05)
    return q, points, {'angle': headings(chain, q)[-1], 'angle_tolerance': 1e-9}


def of_a_motor(chain):
    """A start, and a circle: a motor moves no more than the target makes it."""
    q = solve(chain, (0.25, 0.02), start=chain.middle).q
    return q, circle(chain, np.array([0.25, 0.02]), 0.03), {}


FIVE = [0.3, 0.25, 0.2, 0.15, 0.1]
RAIL = Joint('rail', (0.0, 0.0), -0.3, 0.4, type='prismatic')
TELESCOPE = Joint('telescope', (0.2, 0.0), 0.0, 0.5, type='prismatic')
SHOULDER = Joint('shoulder', (0.4, 0.0), -2.0, 2.0)
ELBOW = Joint('elbow', (0.3, 0.1), -2.0, 2.0, offset=0.4, axis=-1)
WRIST = Joint('wrist', (0.1, 0.0), -1.0, 1.0)
FOREARM = Joint('forearm', (0.16, 0.0), -1.2, 0.6, absolute=True, min_bend=-2.6, max_bend=-0.4)
STICK = [
    Joint('boom', (1.0, 0.0), -0.5, 1.2),
    Joint('arm', (0.3, 0.0), -2.6, -0.3),
    TELESCOPE,
    Joint('bucket', (0.2, 0.0), -2.0, 0.5),
]


@pytest.mark.parametrize(
    ('joints', 'way', 'most'),
    [
        ([RAIL, SHOULDER, Joint('elbow', (0.4, 0.0), -2.5, 2.5)], along_poses, 0.15),
        (STICK, along_poses, 0.15),
        ([SHOULDER, TELESCOPE], along_poses, 0.15),
        (Chain.from_lengths(FIVE).joints, at_an_angle, 0.05),
        (Chain.from_lengths(FIVE, [(-2.6, 2.6)] * 5).joints, at_an_angle, 0.05),
        ([RAIL, SHOULDER, TELESCOPE, ELBOW, WRIST], at_an_angle, 0.05),
        ([Joint('shoulder', (0.14, 0.0), 0.0, 2.0), FOREARM], of_a_motor, 0.05),
    ],
)
def test_slides_linkages_and_tip_angles_are_followed_in_small_moves(joints, way, most):
    chain = Chain(joints, tool=(0.05, -0.03) if FOREARM in joints else (0.0, 0.0))
    q, points, options = way(chain)
    for target in points:
        found = solve(chain, target, start=q, tolerance=1e-9, **options)
        assert found.status is Status.REACHED
        assert np.abs(found.q - q).max() <= most
        q = found.q

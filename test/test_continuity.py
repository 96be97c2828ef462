"""Along smooth paths, each solve started from the last: small moves, no jumps, no unwinding."""

import math

import numpy as np
import pytest

from ik2d_ros.kinematics import Chain, Status, solve

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
            'eight': np.stack([0.5 + 0.3 * sin, 0.2 * np.sin(2.0 * LAP)], axis=1),
            'along the edge': 0.999 * np.stack([cos, sin], axis=1),
            'on the edge': np.stack([cos, sin], axis=1),
        }[name]
    )


def is_jump(chain, before, after, target):
    """Whether the largest joint move exceeds twice that of the least-squares step and 0.01 rad.

    Not beside a singular pose, where the tip cannot take every direction: every solver must hurry.
    """
    points = chain.forward(before)
    spans = points[-1] - points[:-1]
    jacobian = np.stack([-spans[:, 1], spans[:, 0]]) * chain.signs
    if np.linalg.svd(jacobian, compute_uv=False)[-1] < 0.05 * chain.reach.outer:
        return False
    least = np.linalg.pinv(jacobian) @ (target - points[-1])
    return np.abs(after - before).max() > 2.0 * np.abs(least).max() + 0.01


def follow(chain, points, solver, laps=1):
    """Solve along the path, each solve from the last pose; the last pose and the jumps."""
    tolerance = 1e-9 * chain.reach.outer
    # A bent start: from the stretched arm the first pose may be one that no solver leaves smoothly.
    start = np.clip(np.linspace(0.4, 0.8, len(chain)), chain.lower, chain.upper)
    q = solve(chain, points[0], solver=solver, start=start, tolerance=tolerance).q
    jumps = []
    for lap in range(laps):
        for k, target in enumerate(points):
            solution = solve(chain, target, solver=solver, start=q, tolerance=tolerance)
            assert solution.status is Status.REACHED
            if is_jump(chain, q, solution.q, target):
                jumps.append((lap, k, np.abs(solution.q - q).max()))
            q = solution.q
    return q, jumps


@pytest.mark.parametrize(
    'name', ['circle', 'round the base', 'line', 'eight', 'along the edge', 'on the edge']
)
@pytest.mark.parametrize('joints', [2, 3, 4, 6, 10])
def test_free_joints_never_jump(name, joints):
    chain = Chain.from_lengths(np.linspace(1.0, 0.8, joints))
    solvers = ('two_bone', 'ccd') if joints == 2 else ('ccd',)
    for solver in solvers:
        _, jumps = follow(chain, path(name, chain.reach), solver)
        assert not jumps


@pytest.mark.parametrize('name', ['circle', 'line', 'eight'])
@pytest.mark.parametrize('joints', [4, 6, 10])
def test_limited_joints_do_not_jump_where_they_need_not(name, joints):
    chain = Chain.from_lengths([1.0] * joints, limits=[(-2.6, 2.6)] * joints)
    _, jumps = follow(chain, path(name, chain.reach), 'ccd', laps=2)
    assert not jumps


@pytest.mark.parametrize(('joints', 'solver'), [(2, 'two_bone'), (2, 'ccd'), (3, 'ccd')])
def test_continuous_joints_do_not_unwind(joints, solver):
    chain = Chain.from_lengths([0.4, 0.3, 0.2][:joints])
    q, jumps = follow(chain, path('round the base', chain.reach), solver, laps=3)
    assert not jumps
    assert np.abs(q).max() > 5.0 * math.pi


def test_through_the_base_only_two_joints_must_hurry():
    """Two equal links on a line through the base must fold and turn; more links need not."""
    chain = Chain.from_lengths([1.0] * 6)
    points = np.stack([0.8 * chain.reach.outer * np.cos(LAP), np.zeros(STEPS)], axis=1)
    _, jumps = follow(chain, points, 'ccd')
    assert not jumps

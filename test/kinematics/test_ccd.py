"""Cyclic coordinate descent without limits: it always comes home, from every start."""

import math

import numpy as np
import pytest
from arms import chains, in_annulus, poses, random_chain
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.kinematics import Chain, Status, solve
from ik2d_ros.kinematics.ccd import Problem, at, close_all, close_two, sweep
from ik2d_ros.kinematics.many import Links, close_many

free = chains(limited=st.just(False))


def starts(chain, target, kind, rng):
    """A start (n,) of a kind: random, straight, or collinear with the target."""
    if kind == 'random':
        return rng.uniform(-math.pi, math.pi, len(chain))
    bends = np.zeros(len(chain))
    if kind == 'collinear':
        bends[0] = math.atan2(target[1], target[0])
        bends[1:] = rng.choice([0.0, math.pi], len(chain) - 1)
    return (bends - chain.shifts) * chain.signs


@pytest.mark.parametrize('kind', ['random', 'straight', 'collinear'])
@pytest.mark.parametrize('joints', [1, 2, 3, 4, 6, 10, 20, 50])
@pytest.mark.parametrize('equal', [True, False])
def test_every_reachable_target_is_reached(joints, equal, kind):
    rng = np.random.default_rng(joints)
    for _ in range(4):
        chain = Chain.from_lengths([0.4] * joints) if equal else random_chain(joints, rng)
        targets = [in_annulus(chain, 40 if joints < 20 else 10, rng)]
        targets += [in_annulus(chain, 5, rng, at, at) for at in (0.0, 1.0)]
        targets += [in_annulus(chain, 5, rng, 0.0, 1e-6), in_annulus(chain, 5, rng, 1 - 1e-9, 1.0)]
        tolerance = 1e-9 * chain.reach.outer
        for target in np.vstack(targets):
            start = starts(chain, target, kind, rng)
            solution = solve(chain, target, solver='ccd', start=start, tolerance=tolerance)
            assert solution.status is Status.REACHED
            assert math.dist(chain.forward(solution.q)[-1], target) <= tolerance
            assert solution.solver == 'ccd'


@settings(max_examples=300)
@given(free, st.data())
def test_what_a_pose_reaches_is_reached(chain, data):
    target = chain.forward(data.draw(poses(chain)))[-1]
    start = data.draw(poses(chain))
    tolerance = 1e-9 * (chain.reach.outer or 1.0)
    solution = solve(chain, target, solver='ccd', start=start, tolerance=tolerance)
    assert solution.status is Status.REACHED


@given(free, st.floats(-20, 20), st.floats(-20, 20), st.data())
def test_outside_the_annulus_the_closest_distance_is_exact(chain, x, y, data):
    distance = math.hypot(x, y)
    exact = max(distance - chain.reach.outer, chain.reach.inner - distance)
    solution = solve(chain, (x, y), solver='ccd', start=data.draw(poses(chain)))
    if exact <= 1e-6:
        return
    assert solution.status is (Status.TOO_FAR if distance > chain.reach.outer else Status.TOO_NEAR)
    assert solution.error == pytest.approx(exact, abs=1e-9 * max(chain.reach.outer, 1.0))
    assert solution.iterations == 0


def test_figure_3_of_the_article_is_left_behind():
    """Two straight bones in line with a target between them: sweeps alone stay stuck in line."""
    problem = Problem([0.5, 0.5], None, 0.5 + 0j)
    stuck = sweep(problem, at(problem, [0.0, 0.0]))
    for _ in range(50):
        again = sweep(problem, stuck)
        assert again.error == pytest.approx(stuck.error)
        stuck = again
    assert stuck.error > 0.4
    assert close_two(problem, stuck).error <= 1e-15
    chain = Chain.from_lengths([0.5, 0.5])
    solution = solve(chain, (0.5, 0.0), solver='ccd', start=[0.0, 0.0], tolerance=1e-12)
    assert solution.status is Status.REACHED


@given(st.data())
def test_a_sweep_never_moves_the_tip_away(data):
    chain = data.draw(chains())
    x, y = data.draw(st.floats(-1.5, 1.5)), data.draw(st.floats(-1.5, 1.5))
    problem = Problem(chain.unit_lengths, chain.bend_limits, complex(x, y))
    q = data.draw(poses(chain))
    pose = at(problem, (q * chain.signs + chain.shifts).tolist())
    swept = sweep(problem, pose)
    assert swept.error <= pose.error + 1e-14
    slack = 1e-12
    for bend, (lower, upper) in zip(swept.bends, chain.bend_limits, strict=True):
        assert lower - slack <= bend <= upper + slack


@given(
    st.lists(st.floats(0.05, 1.0), min_size=2, max_size=12),
    st.floats(0.0, 1.0),
    st.floats(-math.pi, math.pi),
    st.data(),
)
def test_the_whole_chain_always_closes(lengths, share, direction, data):
    lengths = [length / math.fsum(lengths) for length in lengths]
    inner, outer = Chain.from_lengths(lengths).reach
    radius = inner + share * (outer - inner)
    problem = Problem(
        lengths, None, complex(radius * math.cos(direction), radius * math.sin(direction))
    )
    angles = st.floats(-math.pi, math.pi)
    bends = data.draw(st.lists(angles, min_size=len(lengths), max_size=len(lengths)))
    assert close_all(problem, at(problem, bends)).error <= 1e-12


@pytest.mark.parametrize(
    ('lengths', 'bends', 'target'),
    [
        ([2 / 3, 1 / 3], [0.5, 0.0], 1 + 0j),
        ([2 / 3, 1 / 3], [0.5, math.pi], 1 / 3 + 0j),
        ([0.5, 0.25, 0.25], [0.5, 0.0, 0.0], -1 + 0j),
        ([0.1] * 10, [0.5] + [0.0] * 9, 1j),
        ([0.1, 0.7, 0.2], [0.5, math.pi, 0.0], 0.4 + 0j),
    ],
)
def test_straight_and_folded_chains_close_on_the_edges(lengths, bends, target):
    problem = Problem(lengths, None, target)
    assert close_all(problem, at(problem, bends)).error <= 1e-12


@pytest.mark.parametrize('y', [0.0, -0.0, 1e-17, -1e-17])
def test_a_straight_chain_closes_to_the_positive_side(y):
    for scale in (1.0, 3.0, 0.1, 1.1, 1.7, 7.0):
        chain = Chain.from_lengths([0.2 * scale] * 5)
        direction = math.atan2(y, 1.0)
        for start in ([direction] + [0.0] * 4, [direction + 2.0] + [0.0] * 4):
            target = 0.6 * scale * math.cos(direction), 0.6 * scale * math.sin(direction)
            problem = Problem(chain.unit_lengths, None, complex(*target) / chain.reach.outer)
            closed = close_two(problem, at(problem, start))
            assert max(closed.bends[1:]) > 0.1
            assert min(closed.bends[1:]) >= 0.0
            bends, _ = close_many(
                Links.of(chain), np.array([problem.target]), np.array(start)[:, None]
            )
            assert bends[:, 0] == pytest.approx(closed.bends, abs=1e-9)


def test_the_same_input_gives_the_same_bits():
    rng = np.random.default_rng(5)
    chain = random_chain(6, rng)
    for target in in_annulus(chain, 20, rng):
        first, second = (solve(chain, target, solver='ccd') for _ in range(2))
        assert first.q.tobytes() == second.q.tobytes()
        assert first.error == second.error


@pytest.mark.parametrize('cap', [1, 2, 3, 8, 12, 40, 100])
def test_no_more_passes_than_allowed(cap):
    rng = np.random.default_rng(6)
    chain = Chain.from_lengths([0.1] * 10, limits=[(-1.0, 1.2)] * 10)
    for target in in_annulus(chain, 40, rng):
        solution = solve(chain, target, max_iterations=cap)
        assert solution.iterations <= cap
        assert (solution.q >= chain.lower).all()
        assert (solution.q <= chain.upper).all()


@given(chains(), st.sampled_from([1, 2, 3, 5, 9]), st.data())
def test_near_targets_take_no_more_passes_either(chain, cap, data):
    start = data.draw(poses(chain))
    tip = chain.forward(start)[-1]
    reach = chain.reach.outer or 1.0
    away = data.draw(st.floats(-0.1, 0.1)) * reach, data.draw(st.floats(-0.1, 0.1)) * reach
    for target in (tip + away, tip * (1.0 + away[0] / reach)):
        solution = solve(
            chain, target, 'ccd', start=start, tolerance=1e-12 * reach, max_iterations=cap
        )
        assert solution.iterations <= cap


def test_too_few_passes_are_no_proof():
    chain = Chain.from_lengths([0.5, 0.4, 0.3])
    solution = solve(chain, (0.1, 0.7), start=[2.0, -2.0, 2.0], tolerance=1e-12, max_iterations=1)
    assert solution.status is Status.NOT_CONVERGED
    assert solution.error > 1e-12


def test_a_pose_on_the_target_does_not_move():
    chain = Chain.from_lengths([0.3, 0.2, 0.1], limits=[None, (-2, 2), (-2, 2)])
    q = np.array([7.0, 1.0, -0.5])
    solution = solve(chain, chain.forward(q)[-1], start=q)
    assert solution.q == pytest.approx(q, abs=1e-12)
    assert solution.iterations == 0

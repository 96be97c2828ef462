"""Descents: sweeps that are what they say, closures, and every target reached from every start."""

import math
import sys

import numpy as np
import pytest
from arms import LIMITS, chains, in_annulus, poses, random_chain, random_limits, random_poses
from harness import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.kinematics import Chain, Status, solve
from ik2d_ros.kinematics.descent.ccd import pace, sweep, sweep_on
from ik2d_ros.kinematics.descent.ccd_many import sweep_many
from ik2d_ros.kinematics.descent.closing import close_all, close_two
from ik2d_ros.kinematics.descent.closing_many import close_all_many, close_many
from ik2d_ros.kinematics.links import Links, points_of
from ik2d_ros.kinematics.planar import strategy
from ik2d_ros.kinematics.planar.stages import PLANS, Stage
from ik2d_ros.kinematics.pose import Problem, at, tip_at

sys.path.append(str(ROOT / 'benchmarks'))
from article_ccd import article_ccd

DESCENTS = ('ccd', 'hybrid')
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
@pytest.mark.parametrize('solver', DESCENTS)
def test_every_reachable_target_is_reached(solver, joints, equal, kind):
    rng = np.random.default_rng(joints)
    for _ in range(4):
        chain = Chain.from_lengths([0.4] * joints) if equal else random_chain(joints, rng)
        targets = [in_annulus(chain, 40 if joints < 20 else 10, rng)]
        targets += [in_annulus(chain, 5, rng, at, at) for at in (0.0, 1.0)]
        targets += [in_annulus(chain, 5, rng, 0.0, 1e-6), in_annulus(chain, 5, rng, 1 - 1e-9, 1.0)]
        tolerance = 1e-9 * chain.reach.outer
        for target in np.vstack(targets):
            start = starts(chain, target, kind, rng)
            solution = solve(chain, target, solver, start, tolerance=tolerance)
            assert solution.status is Status.REACHED
            assert math.dist(chain.forward(solution.q)[-1], target) <= tolerance
            assert solution.solver == solver


@settings(max_examples=300)
@given(free, st.sampled_from(DESCENTS), st.data())
def test_what_a_pose_reaches_is_reached(chain, solver, data):
    target = chain.forward(data.draw(poses(chain)))[-1]
    start = data.draw(poses(chain))
    tolerance = 1e-9 * (chain.reach.outer or 1.0)
    solution = solve(chain, target, solver, start, tolerance=tolerance)
    assert solution.status is Status.REACHED


@given(free, st.sampled_from(DESCENTS), st.floats(-20, 20), st.floats(-20, 20), st.data())
def test_outside_the_annulus_the_closest_distance_is_exact(chain, solver, x, y, data):
    distance = math.hypot(x, y)
    exact = max(distance - chain.reach.outer, chain.reach.inner - distance)
    solution = solve(chain, (x, y), solver, start=data.draw(poses(chain)))
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
    for solver in DESCENTS:
        solution = solve(chain, (0.5, 0.0), solver, start=[0.0, 0.0], tolerance=1e-12)
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


def turned_alone(chain, target, q):
    """The positions (n,) after each joint in turn has minimised the distance, the last one first.

    The squared distance is a sinusoid of one joint's angle: three values of it give its minimum.
    """
    q = np.array(q)
    for i in range(len(q) - 1, -1, -1):

        def away(position, i=i):
            moved = q.copy()
            moved[i] = position
            return math.dist(chain.forward(moved)[-1], target)

        thirds = q[i] + np.array([0.0, 2.0, 4.0]) * math.pi / 3.0
        squares = np.array([away(position) ** 2 for position in thirds])
        best = np.angle(-(squares * np.exp(1j * thirds)).sum())
        turns = best + 2.0 * math.pi * np.arange(-4, 5)
        allowed = turns[(turns >= chain.lower[i]) & (turns <= chain.upper[i])]
        ends = [end for end in chain.limits[i] if math.isfinite(end)]
        q[i] = min(allowed if len(allowed) else ends, key=away)
    return q


@pytest.mark.parametrize('joints', [1, 2, 3, 6, 10])
@pytest.mark.parametrize('kind', [None, *sorted(LIMITS)])
def test_passes_of_ccd_are_joints_turned_one_by_one(joints, kind):
    """From the first pass on, until a sweep creeps: whatever the limits and the senses."""
    rng = np.random.default_rng(joints)
    chain = random_chain(joints, rng, random_limits(kind, joints, rng) if kind else None)
    share, patience, _ = pace(joints)
    compared = 0
    for start in random_poses(chain, 15, rng, corners=0.0):
        target = chain.forward(random_poses(chain, 1, rng)[0])[-1]
        q, error = start, math.dist(chain.forward(start)[-1], target)
        for sweeps in range(1, patience + 1):
            q, before = turned_alone(chain, target, q), error
            error = math.dist(chain.forward(q)[-1], target)
            solution = solve(chain, target, 'ccd', start, tolerance=1e-15, max_iterations=sweeps)
            assert solution.iterations == sweeps or error < 1e-7
            assert solution.error == pytest.approx(error, abs=1e-7)
            apart = np.exp(1j * solution.q) - np.exp(1j * q)
            assert np.abs(apart).max() < 1e-5 or error < 1e-7
            compared += 1
            if error > 0.999 * share * before or error < 1e-7:
                break
    assert compared >= 15


@pytest.mark.parametrize('joints', [2, 3, 6, 10])
def test_the_first_sweep_is_that_of_the_article(joints):
    rng = np.random.default_rng(joints)
    chain = Chain.from_lengths([1.0 / joints] * joints)
    for target in in_annulus(chain, 50, rng, 0.05, 0.95):
        start = rng.uniform(-math.pi, math.pi, joints)
        theirs = article_ccd(chain.lengths, tuple(target), start.tolist(), arrival=1e-12, cap=1)
        ours = solve(chain, target, 'ccd', start, max_iterations=1).q
        assert np.exp(1j * ours) == pytest.approx(np.exp(1j * np.array(theirs)), abs=1e-6)


@given(chains(), st.data())
def test_no_pass_of_ccd_moves_the_tip_away(chain, data):
    start, goal = data.draw(poses(chain)), data.draw(poses(chain))
    target = chain.forward(goal)[-1]
    size = chain.reach.outer or 1.0
    error = math.dist(chain.forward(start)[-1], target)
    for passes in range(1, 9):
        solution = solve(chain, target, 'ccd', start, tolerance=1e-12 * size, max_iterations=passes)
        assert solution.error <= error + 1e-12 * size
        error = solution.error


@pytest.mark.parametrize('off', [1.1e-9, 5e-9, -1e-9, -3e-9])
def test_the_nearer_limit_is_taken_however_near_the_other_one_is(off):
    narrow, where = ((0.0, 1e-9),), complex(math.cos(off), math.sin(off))
    nearer = 1e-9 if off > 0.0 else 0.0
    for start in narrow[0]:
        problem = Problem((1.0,), narrow, where)
        assert sweep(problem, at(problem, [start])).bends == [nearer]
        many = Links(np.array([[1.0]]), np.array([[0.0]]), np.array([[1e-9]]))
        swept, _ = sweep_many(many, np.array([where]), np.array([[start]]))
        assert swept.tolist() == [[nearer]]


@pytest.mark.parametrize('joints', [1, 2, 3, 6, 10])
def test_sweeps_on_vectors_are_sweeps_by_angles(joints):
    """Where no joint comes to be under the tip or the target: there, every angle is as good."""
    rng = np.random.default_rng(joints)
    chain = random_chain(joints, rng)
    for start, target in zip(
        rng.uniform(-math.pi, math.pi, (60, joints)),
        in_annulus(chain, 60, rng) @ (1.0, 1j) / chain.reach.outer,
        strict=True,
    ):
        problem = Problem(chain.unit_lengths, None, complex(target))
        quick, sweeps = sweep_on(problem, start.tolist(), 1e-9, 100)
        assert sweeps >= 1
        pose = at(problem, start.tolist())
        for _ in range(sweeps):
            assert pose.error > 1e-9
            pose = sweep(problem, pose)
        assert quick.error == pytest.approx(pose.error, abs=1e-8)
        for points in (pose.points, at(problem, quick.bends).points):
            assert np.array(quick.points) == pytest.approx(np.array(points), abs=1e-6)


@given(free, st.data())
def test_the_pose_that_sweeps_end_in_is_that_of_its_bends(chain, data):
    start = (data.draw(poses(chain)) * chain.signs + chain.shifts).tolist()
    x, y = data.draw(st.floats(-1.0, 1.0)), data.draw(st.floats(-1.0, 1.0))
    problem = Problem(chain.unit_lengths, None, complex(x, y))
    pose, _ = sweep_on(problem, start, 1e-9, 100)
    again = at(problem, pose.bends)
    assert pose.error == pytest.approx(again.error, abs=1e-12)
    assert np.array(pose.points) == pytest.approx(np.array(again.points), abs=1e-12)


@given(free, st.data())
def test_a_pose_of_three_joints_is_that_with_a_link_of_no_length_more(chain, data):
    # Three are written out.
    lengths = (*(*chain.unit_lengths, 0.0, 0.0)[:3], 0.0)
    bends = (*(*data.draw(poses(chain)), 0.0, 0.0)[:3], 0.0)
    three, four = (at(Problem(lengths[:n], None, 0.3 - 0.4j), bends[:n]) for n in (3, 4))
    assert three.bends == list(bends[:3])
    assert three.points == four.points[:4]
    assert three.error == four.error


@given(chains(), st.data())
def test_the_tip_alone_is_that_of_the_pose(chain, data):
    bends = (data.draw(poses(chain)) * chain.signs + chain.shifts).tolist()
    tip = at(Problem(chain.unit_lengths, None, 0j), bends).points[-1]
    assert tip_at(chain.unit_lengths, bends) == pytest.approx(tip, abs=1e-12)


def test_exact_steps_are_for_sweeps_that_creep(monkeypatch):
    """Targets that sweeps alone reach at their pace cost sweeps and nothing else."""
    rng = np.random.default_rng(9)

    def refuse(*_, **__):
        raise RuntimeError('an exact step')

    plans = {key: plan._replace(stages=(Stage(refuse, refuse),)) for key, plan in PLANS.items()}
    monkeypatch.setattr(strategy, 'PLANS', plans)
    quick = creeping = 0
    for joints in (2, 3, 6):
        for kind in (None, 'symmetric'):
            chain = random_chain(joints, rng, random_limits(kind, joints, rng) if kind else None)
            limits = chain.bend_limits if kind else None
            share, patience, late = pace(joints)
            for goal, start in random_poses(chain, 200, rng).reshape(100, 2, joints):
                target = chain.forward(goal)[-1]
                problem = Problem(chain.unit_lengths, limits, complex(*target) / chain.reach.outer)
                pose = at(problem, (start * chain.signs + chain.shifts).tolist())
                sweeps, crept = 0, False
                while pose.error > 1e-6 and not crept:
                    before, pose = pose.error, sweep(problem, pose)
                    sweeps += 1
                    crept = pose.error > (share if sweeps <= patience else late) * before
                tolerance = 1e-6 * chain.reach.outer
                if pose.error <= 1e-6:
                    solution = solve(chain, target, 'ccd', start, tolerance=tolerance)
                    assert solution.status is Status.REACHED
                    assert solution.iterations == sweeps
                    quick += 1
                else:
                    with pytest.raises(RuntimeError, match='an exact step'):
                        solve(chain, target, 'ccd', start, tolerance=tolerance)
                    creeping += 1
    assert quick > 50
    assert creeping > 50


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


@pytest.mark.parametrize('joints', [1, 2, 3, 6, 30])
def test_whole_chains_close_together_as_one_by_one(joints):
    rng = np.random.default_rng(joints)
    lengths = rng.uniform(0.05, 1.0, joints)
    lengths[rng.integers(joints)] *= joints  # So that there is a hole in most of them.
    chain = Chain.from_lengths((lengths / lengths.sum()).tolist())
    inner, outer = chain.unit_reach
    bends = rng.uniform(-math.pi, math.pi, (joints, 60))
    bends[:, :5] = 0.0
    radii = rng.uniform(inner, outer, 60)
    radii[5:10], radii[10:15] = outer, inner
    targets = radii * np.exp(1j * rng.uniform(-math.pi, math.pi, 60))
    links = Links.of(chain)
    closed, errors, met = close_all_many(links, targets, bends, points_of(links, bends))
    assert errors.max() <= 1e-12
    for target, start, end, closer in zip(targets, bends.T, closed.T, met, strict=True):
        problem = Problem(chain.unit_lengths, None, complex(target))
        begun = at(problem, start.tolist())
        alone = close_all(problem, begun)
        assert (alone is not begun) == closer
        np.testing.assert_allclose(end, alone.bends, rtol=0.0, atol=1e-6)


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


@pytest.mark.parametrize('solver', DESCENTS)
def test_the_same_input_gives_the_same_bits(solver):
    rng = np.random.default_rng(5)
    chain = random_chain(6, rng)
    for target in in_annulus(chain, 20, rng):
        first, second = (solve(chain, target, solver) for _ in range(2))
        assert first.q.tobytes() == second.q.tobytes()
        assert first.error == second.error


@pytest.mark.parametrize('cap', [1, 2, 3, 8, 12, 40, 100])
@pytest.mark.parametrize('solver', DESCENTS)
def test_no_more_passes_than_allowed(solver, cap):
    rng = np.random.default_rng(6)
    chain = Chain.from_lengths([0.1] * 10, limits=[(-1.0, 1.2)] * 10)
    for target in in_annulus(chain, 40, rng):
        solution = solve(chain, target, solver, max_iterations=cap)
        assert solution.iterations <= cap
        assert (solution.q >= chain.lower).all()
        assert (solution.q <= chain.upper).all()


@given(chains(), st.sampled_from(DESCENTS), st.sampled_from([1, 2, 3, 5, 9]), st.data())
def test_near_targets_take_no_more_passes_either(chain, solver, cap, data):
    start = data.draw(poses(chain))
    tip = chain.forward(start)[-1]
    reach = chain.reach.outer or 1.0
    away = data.draw(st.floats(-0.1, 0.1)) * reach, data.draw(st.floats(-0.1, 0.1)) * reach
    for target in (tip + away, tip * (1.0 + away[0] / reach)):
        solution = solve(
            chain, target, solver, start=start, tolerance=1e-12 * reach, max_iterations=cap
        )
        assert solution.iterations <= cap


@pytest.mark.parametrize('solver', DESCENTS)
def test_too_few_passes_are_no_proof(solver):
    chain = Chain.from_lengths([0.5, 0.4, 0.3])
    solution = solve(chain, (0.1, 0.7), solver, [2.0, -2.0, 2.0], tolerance=1e-12, max_iterations=1)
    assert solution.status is Status.NOT_CONVERGED
    assert solution.error > 1e-12


@pytest.mark.parametrize('solver', DESCENTS)
def test_a_pose_on_the_target_does_not_move(solver):
    chain = Chain.from_lengths([0.3, 0.2, 0.1], limits=[None, (-2, 2), (-2, 2)])
    q = np.array([7.0, 1.0, -0.5])
    solution = solve(chain, chain.forward(q)[-1], solver, q)
    assert solution.q == pytest.approx(q, abs=1e-12)
    assert solution.iterations == 0

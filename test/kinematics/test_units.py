"""What each unit of the kernel promises to the others: uncompiled, as C hides what is inside."""

import cmath
import itertools
import math
from contextlib import contextmanager

import numpy as np
import pytest
from arms import (
    LIMITS,
    bend_excess,
    chains,
    poses,
    random_chain,
    random_linkage,
    random_poses,
    sliding_chains,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from space import random_arm, random_pose, with_slides

from ik2d_ros.kinematics import Arm, Chain
from ik2d_ros.kinematics.kernel import kernel_name
from ik2d_ros.kinematics.kernel.lines import disc, distances, lines
from ik2d_ros.kinematics.kernel.meeting import Meeting
from ik2d_ros.kinematics.kernel.turntable import TurntableSolver
from ik2d_ros.kinematics.kernel.walk import Closest
from ik2d_ros.kinematics.options import NO_ANGLE
from ik2d_ros.kinematics.turning_plane import TurningPlane

pytestmark = pytest.mark.skipif(kernel_name() == 'compiled', reason='C hides what is inside')

FAR = 1e300

few = st.integers(1, 4)
any_chain = st.one_of(chains(few), sliding_chains(few))
seeds = st.integers(0, 2**32 - 1)
linkages = seeds.map(np.random.default_rng).map(random_linkage).filter(lambda chain: chain.linked)


def laid(links, values, heading=0.0):
    """Where links lead, and the heading of the last one."""
    end = 0j
    for link, value in zip(links, values, strict=True):
        bend, length = link.bend_and_length(value)
        heading = bend if link.absolute and not link.slides else heading + bend
        end += cmath.rect(length, heading)
    return end, heading


def values_of(chain, q):
    return [sign * x + shift for sign, x, shift in zip(chain.signs, q, chain.shifts, strict=True)]


def positions_of(chain, values):
    triples = zip(chain.signs, values, chain.shifts, strict=True)
    return np.array([sign * (x - shift) for sign, x, shift in triples])


def solver_at(chain, q):
    """The chain's solver, about to solve from a pose."""
    solver = chain.new_solver()
    solver.configure(0.0, (0, 0, 100))
    for j, position in enumerate(q):
        solver.set_start(j, float(position))
    solver.solver.begin(NO_ANGLE)
    return solver.solver


def some_tips(chain, rng, count=100):
    some = random_poses(chain, count, rng, corners=0.4)
    return [laid(chain.links, values_of(chain, q))[0] for q in some]


@contextmanager
def unpruned(rows):
    """Lines whose rings and discs are everywhere, but for the end, which is where it is."""
    kept, count = (rows.nearest, rows.farthest, rows.radius), len(rows.nearest) - 1
    rows.nearest = [*[-FAR] * count, 0.0]
    rows.farthest = rows.radius = [*[FAR] * count, 0.0]
    yield
    rows.nearest, rows.farthest, rows.radius = kept


def is_allowed(links, pose):
    return all(
        link.lower - 1e-9 <= value <= link.upper + 1e-9
        for link, value in zip(links, pose, strict=False)
    )


def off_of(chain, pose, target):
    """How far a pose, which is within all limits, is from a target."""
    pose = pose[: len(chain)]
    assert is_allowed(chain.links, pose)
    assert bend_excess(chain, positions_of(chain, pose)) < 1e-9
    return abs(laid(chain.links, pose)[0] - target)


@settings(max_examples=60)
@given(any_chain, st.data())
def test_no_small_move_passes_a_line(chain, data):
    """Of any joints to first order, of the free ones to second order."""
    links, end = chain.links, len(chain)
    for f, found in enumerate(lines(links, end)):
        for line in found:
            rest, begin = links[f + 1 :], complex(links[f].fixed)
            tip = begin + laid(rest, line.values)[0]
            assert abs(tip - cmath.rect(line.span, line.direction)) < 1e-9
            for size, free in ((1e-6, False), (1e-3, True)):
                moved = [
                    min(max(value + data.draw(st.floats(-size, size)), link.lower), link.upper)
                    if not free or link.lower < value < link.upper
                    else value
                    for link, value in zip(rest, line.values, strict=True)
                ]
                away = abs(begin + laid(rest, moved)[0])
                assert line.span < 1e-3 or away <= line.span + 1e-9 or not line.longest
                assert line.span < 1e-3 or away >= line.span - 1e-9 or not line.shortest


@settings(max_examples=100)
@given(any_chain, st.data())
def test_no_pose_is_beyond_the_lines_or_outside_of_the_disc(chain, data):
    links, values = chain.links, values_of(chain, data.draw(poses(chain)))
    found = lines(links, len(chain))
    for f in range(len(chain)):
        tip = laid(links[f:], values[f:])[0]
        centre, radius = disc(links[f:])
        nearest, farthest = distances(links[f:], found[f], abs(centre) - radius)
        assert nearest - 1e-9 <= abs(tip) <= farthest + 1e-9
        assert abs(tip - centre) <= radius + 1e-9


@pytest.mark.parametrize('chains', [any_chain, linkages])
@settings(max_examples=200)
@given(data=st.data(), seed=seeds)
def test_no_pose_is_closer_than_the_closest_whatever_a_walk_prunes(chains, data, seed):
    chain, rng = data.draw(chains), np.random.default_rng(seed)
    solver = solver_at(chain, random_poses(chain, 1, rng)[0])
    target, found = (
        complex(*rng.uniform(-1.3, 1.3, 2)) * rng.choice([0.2, 1.0]),
        solver.closest_point,
    )
    assume(not solver.at_point.find_pose(target, NO_ANGLE, False, FAR))
    found.find_closest(target, FAR)
    if not chain.linked:
        every = Closest(solver.trial, solver.lines)
        with unpruned(solver.lines):
            every.find_closest(target, FAR)
        assert found.best_cost == pytest.approx(every.best_cost, abs=1e-12)
    assert off_of(chain, found.best, target) == pytest.approx(found.best_cost, abs=1e-9)
    for tip in some_tips(chain, rng):
        assert found.best_cost <= abs(tip - target) + 1e-9


@settings(max_examples=200)
@given(seeds)
def test_what_a_meeting_prunes_holds_no_pose_with_a_smaller_move(seed):
    rng = np.random.default_rng(seed)
    low = rng.uniform(-2.0, 0.0, int(rng.integers(2, 5)))
    ends = np.stack([low, low + rng.uniform(0.0, 2.0, len(low))], axis=1)
    chain = Chain.from_lengths(rng.uniform(0.2, 1.0, len(low)), ends.tolist())
    solver = solver_at(chain, random_poses(chain, 1, rng)[0])
    [target] = some_tips(chain, rng, 1)
    found, every = (Meeting(solver.trial, solver.lines) for _ in range(2))
    assert found.find_pose(target, NO_ANGLE, True, FAR)
    with unpruned(solver.lines):
        assert every.find_pose(target, NO_ANGLE, True, FAR)
    assert found.best_cost == pytest.approx(every.best_cost, abs=1e-6)


@settings(max_examples=100)
@given(any_chain, st.data())
def test_a_descent_ends_within_limits_and_never_farther(chain, data):
    descent = solver_at(chain, data.draw(poses(chain))).descent
    descent.set_angle(data.draw(st.one_of(st.just(NO_ANGLE), st.floats(-3.0, 3.0))))
    descent.set_pose(descent.trial.start)
    target = data.draw(st.complex_numbers(max_magnitude=1.3))
    errors = [descent.measure_error(descent.pose, target)]
    for _ in range(4):
        if descent.aimed:
            errors.append(descent.descend_to(target, 2, 1e-12))
        else:
            descent.sweep_joints(target)
            errors += [descent.measure_error(descent.pose, target)]
            errors += [descent.descend_to(target, 2, 1e-12)]
        assert is_allowed(chain.links, descent.pose)
    assert all(after <= before + 1e-12 for before, after in itertools.pairwise(errors))


@pytest.mark.parametrize('chains', [any_chain, linkages])
@settings(max_examples=200)
@given(data=st.data(), seed=seeds)
def test_a_decision_finds_what_some_pose_reaches(chains, data, seed):
    chain = data.draw(chains)
    start, there = random_poses(chain, 2, np.random.default_rng(seed))
    solver, [target, _] = solver_at(chain, start), laid(chain.links, values_of(chain, there))
    if solver.at_point.find_pose(target, NO_ANGLE, False, FAR):
        assert off_of(chain, solver.at_point.best, target) < 1e-6
    else:
        # At the edge of what it reaches, rounding decides: the walk of the closest is there.
        solver.closest_point.find_closest(target, FAR)
        assert solver.closest_point.best_cost <= 1e-7


@settings(max_examples=300)
@given(seeds)
def test_a_decision_at_an_angle_finds_what_some_pose_reaches(seed):
    """Alone: a search for the closest angle would find what it misses, by a larger move."""
    rng = np.random.default_rng(seed)
    chain = random_chain(int(rng.integers(3, 6)), rng, rng.choice([*LIMITS, None]))
    if rng.random() < 0.8:
        chain = with_slides(Arm(chain), rng).chain
    start, there = random_poses(chain, 2, rng, corners=0.0)
    solver, (target, angle) = solver_at(chain, start), laid(chain.links, values_of(chain, there))
    assert solver.at_angle.find_pose(target, angle, False, FAR)
    assert off_of(chain, solver.at_angle.best, target) < 1e-6
    heading = laid(chain.links, solver.at_angle.best[: len(chain)])[1]
    assert abs(math.remainder(heading - angle, math.tau)) < 1e-6


def test_no_two_joints_restart_together():
    """The shares of each two spread over a grid of four by four cells, as random ones do."""
    solver = Chain.from_lengths([1.0] * 64, [(0.0, 1.0)] * 64).solver.solver
    shares = np.array([[solver.restart_value(i, j) for j in range(64)] for i in range(1, 64)])
    cells = (4 * shares).astype(int).T
    assert all(len({*(4 * a + b)}) >= 12 for a, b in itertools.combinations(cells, 2))


@settings(max_examples=300)
@given(seeds)
def test_the_bound_between_two_turns_is_below_the_distance_at_each(seed):
    rng = np.random.default_rng(seed)
    kind = str(rng.choice([*LIMITS]))
    arm = random_arm(int(rng.integers(2, 4)), kind, 'turns', rng)
    lean = rng.choice([4.9e-3, 0.3]) * rng.uniform(-1.0, 1.0)  # No arm leans that far.
    axis = np.cos(lean) * np.array(arm.frame.axes[2]) + np.sin(lean) * np.array(arm.plane.axes[2])
    turning = TurningPlane.of(arm.plane, arm.frame.origin, tuple(axis.tolist()))
    solver = TurntableSolver(arm.chain.solver, turning, arm.limits[0])
    solver.configure(NO_ANGLE, (2, 0, 100))
    for j, position in enumerate(random_pose(arm, rng)):
        solver.set_start(j, float(position))
    solver.set_target(complex(*rng.uniform(-1.0, 1.0, 2)) * arm.size, rng.uniform(-1.0, 1.0))
    side = solver.bearing - math.pi * rng.integers(0, 2)
    low, high = np.sort(side + rng.uniform(0.0, math.pi, 2))
    bound = solver.bound_between(low, solver.solve_closest(low), high, solver.solve_closest(high))
    for turn in rng.uniform(low, high, 10):
        assert bound <= solver.solve_closest(turn) + 1e-9

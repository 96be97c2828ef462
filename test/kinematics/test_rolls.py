"""Arms with a roll: where the tip is in an orientation, and paths on which it turns."""

import math
from dataclasses import replace

import numpy as np
import pytest
from arms import headings
from harness import examples
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares
from space import ARMS, both, check_answer, of_chain, random_pose, tip, turned, with_slopes

from ik2d_ros import load_arm
from ik2d_ros.kinematics import Arm, Chain, Roll, Status, Turntable, solve, solve_path
from ik2d_ros.kinematics.orientation import Orientation, solve_oriented

THREE = Chain.from_lengths([0.3, 0.25, 0.15], limits=[(-2.6, 2.6)] * 3)
ROLLING = [kind for kind in ARMS if 'roll' in kind]
seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds, kind=st.sampled_from(ROLLING), turning=st.booleans())
@settings(max_examples=examples(15))
def test_on_a_path_the_roll_turns_evenly_and_the_tip_stays_on_the_line(seed, kind, turning):
    rng = np.random.default_rng(seed)
    arm = ARMS[kind](rng)
    if turning and arm.tip_radius > 0.05 * arm.size:  # as no wrist has it
        arm = replace(arm, roll=replace(arm.roll, origin=arm.chain.joints[-1].link, tip_z=0.0))
    q, size = random_pose(arm, rng), arm.size
    begin, end = tip(arm, q), tip(arm, [*(q[:-1] + rng.normal(0.0, 0.1, len(q) - 1)), q[-1]])
    rolls = np.array([q[-1], q[-1] + (rng.uniform(-1.0, 1.0) if turning else 0.0)])
    rolls = np.clip(rolls, arm.lower[-1], arm.upper[-1])
    near = {'tolerance': 1e-6 * size, 'path_tolerance': 1e-3 * size}
    path = solve_path(arm, [begin, end], start=q, roll=rolls, **near)
    way = (end - begin) / (np.linalg.norm(end - begin) or 1.0)
    shares = np.linspace(0.0, 1.0, 7)[:, None]
    poses = (path.q[:-1, None] + shares * np.diff(path.q, axis=0)[:, None]).reshape(-1, len(q))
    away = tip(arm, poses) - begin
    assert np.linalg.norm(away - np.outer(away @ way, way), axis=-1).max(initial=0.0) <= 1e-3 * size
    asked = np.interp(path.length, [0.0, path.total or 1.0], rolls)
    if path.total > 1e-6 * size:
        assert path.q[:, -1] == pytest.approx(asked, abs=1e-6)


@pytest.mark.parametrize('angle', [None, 0.3])
def test_a_path_on_which_the_roll_turns_ends_at_the_edge_of_the_reach(angle):
    arm = Arm(THREE, turntable=Turntable(axis=(0.0, 1.0, 0.0)), roll=Roll(origin=(0.0, 0.008)))
    for far in np.linspace(0.71, 0.9, examples(3)):
        points = [(0.55, 0.1, 0.02), (far, 0.1, 0.05)]
        path = solve_path(arm, points, angle=angle, roll=[0.1, 1.5])
        assert path.status in (Status.TOO_FAR, Status.TIP_ANGLE)
        assert len(path.q) < 5000


def test_a_path_ends_where_the_roll_does():
    arm = Arm(THREE, roll=Roll(lower=-1.0, upper=1.0))
    path = solve_path(arm, [(0.4, 0.0, 0.0), (0.4, 0.2, 0.0)], roll=[0.0, 2.0])
    assert path.status is Status.TIP_ANGLE
    assert path.end == pytest.approx(0.1, abs=2e-4)
    assert path.missed.roll_error > 1e-3


@given(seed=seeds, kind=st.sampled_from(ROLLING))
@example(seed=264, kind='linkage and roll')  # rolled, the last link is on the other side of -x
@settings(max_examples=examples(40))
def test_a_roll_that_limits_exclude_is_as_near_as_they_let_it_be_and_says_by_how_much(seed, kind):
    rng = np.random.default_rng(seed)
    arm = ARMS[kind](rng)
    pose, start = random_pose(arm, rng), random_pose(arm, rng)
    asked = pose[-1]
    lower = asked + rng.uniform(0.01, 2.0)
    upper = lower + rng.uniform(0.0, 2.0)
    arm = replace(arm, roll=replace(arm.roll, lower=lower, upper=upper))
    off, nearest = min((lower - asked, lower), (asked + math.tau - upper, upper))
    target = tip(arm, np.array([*pose[:-1], nearest]))
    for found in both(arm, target, start, roll=asked):
        check_answer(arm, target, found, roll=asked)
        assert (found.status, found.q[-1]) == (Status.TIP_ANGLE, nearest)
        assert found.roll_error == pytest.approx(off)


def tip_axes(arm, q):
    """(..., 2, 3) x-axis and y-axis of what rolls, turned about the axes that the arm was given."""
    heading = np.array(headings(arm.chain, of_chain(arm, q))[-1])
    rows = turned(np.eye(3)[:2], np.zeros(3), (*arm.roll.axis, 0.0), q[..., -1:])
    rows = turned(rows, np.zeros(3), (0.0, 0.0, 1.0), heading[..., None]) @ np.array(arm.plane.axes)
    is_turned = arm.turntable is not None
    return turned(rows, np.zeros(3), arm.turntable.axis, q[..., :1]) if is_turned else rows


def angle_between(axes, others):
    """The angle of the rotation from one orientation to another in rad."""
    first, second = (np.vstack([rows, np.cross(*rows)]) for rows in (axes, others))
    return math.acos(min(1.0, max(-1.0, (np.trace(first @ second.T) - 1.0) / 2.0)))


def asked_of(arm, q, start):
    """The answer to the orientation of a pose at its tip."""
    orientation = Orientation.of_tip(arm, *map(tuple, tip_axes(arm, q).tolist()))
    return solve_oriented(arm, tuple(tip(arm, q).tolist()), orientation, start)


@given(seed=seeds, kind=st.sampled_from(ROLLING), aside=st.sampled_from([0.01, 0.1, 1.0]))
@example(seed=453280, kind='turntable and roll', aside=0.1)  # the nearer turns lean
@settings(max_examples=examples(40))
def test_an_orientation_that_the_arm_can_have_is_taken_also_next_to_the_turntable(
    seed, kind, aside
):
    rng = np.random.default_rng(seed)
    arm = ARMS[kind](rng)
    q, start = random_pose(arm, rng), random_pose(arm, rng)
    if arm.turntable is not None:  # its axis goes by the tip
        gap = aside * arm.size * rng.normal(size=3)
        xyz = tip(replace(arm, turntable=None), q[1:]) + gap
        arm = replace(arm, turntable=replace(arm.turntable, xyz=tuple(xyz)))
    assume(len(arm.chain) > 2)
    found = asked_of(arm, q, start)
    assert found.status is Status.REACHED
    assert math.dist(tip(arm, found.q), tip(arm, q)) <= 1e-6
    assert angle_between(tip_axes(arm, found.q), tip_axes(arm, q)) <= 2e-3


def test_of_two_turns_next_to_each_other_both_are_found():
    """Some millimetres from the turntable's axis, where they differ by 0.2 degrees."""
    arm = load_arm('so101').without_walls
    q = np.array([-1.14743134, 1.3345343, 0.17994372, 1.60046418, -2.26047793])
    found = asked_of(arm, q, 0.5 * (arm.lower + arm.upper))
    assert found.status is Status.REACHED
    assert angle_between(tip_axes(arm, found.q), tip_axes(arm, q)) <= 2e-3


def smallest_angle_of_a_search(arm, place, axes, rng):
    """How near to an orientation least squares from some poses come, the tip at a place."""
    found, free = [math.inf], ~np.isfinite(arm.lower)
    for _ in range(4):
        q = random_pose(arm, rng)
        ends = np.where(free, q - 9.0, arm.lower), np.where(free, q + 9.0, arm.upper)

        def gaps(q):
            turned_off = (tip_axes(arm, q) - axes).reshape(*q.shape[:-1], -1)
            return np.concatenate([1e2 * (tip(arm, q) - place) / arm.size, turned_off], axis=-1)

        options = {'jac': lambda q: with_slopes(gaps, q)[1], 'max_nfev': 40}
        best = least_squares(gaps, q, bounds=(ends[0] - 1e-9, ends[1] + 1e-9), **options).x
        if math.dist(tip(arm, best), place) < 3e-3 * arm.size:
            found.append(angle_between(tip_axes(arm, best), axes))
    return min(found)


@pytest.mark.parametrize('seed', range(examples(5)))
@pytest.mark.parametrize('kind', ROLLING)
def test_of_an_orientation_that_limits_of_the_roll_exclude_no_search_comes_closer(seed, kind):
    rng = np.random.default_rng(seed)
    arm = ARMS[kind](rng)
    while len(arm.chain) < 3:
        arm = ARMS[kind](rng)
    q, start = random_pose(arm, rng), random_pose(arm, rng)
    lower = q[-1] + rng.uniform(0.05, 2.0)
    limits = {'lower': lower, 'upper': lower + rng.uniform(0.0, 2.0)}
    arm = replace(arm, roll=replace(arm.roll, **limits))
    found, axes, place = asked_of(arm, q, start), tip_axes(arm, q), tip(arm, q)
    assert found.error == pytest.approx(math.dist(tip(arm, found.q), place), abs=1e-11)
    assert (arm.lower <= found.q).all()
    assert (found.q <= arm.upper).all()
    told = found.angle_error + found.roll_error
    is_right = max(found.angle_error, found.roll_error) <= 1e-3
    assert (found.status is Status.REACHED) == (found.error <= 1e-6 and is_right)
    if arm.turntable is None:  # nothing leans
        assert angle_between(tip_axes(arm, found.q), axes) <= told + 1e-9
    if found.error <= 1e-6:
        # Both errors are at right angles: their sum is 1.5 times their angle at most.
        assert told <= 1.5 * smallest_angle_of_a_search(arm, place, axes, rng) + 0.05


def test_a_continuous_roll_goes_the_short_way_whatever_turns_its_driver_counts():
    arm = Arm(THREE, roll=Roll())
    found = solve(arm, (0.4, 0.1, 0.0), start=(0.1, 0.2, 0.3, 6.9), roll=0.0)
    assert found.q[-1] == pytest.approx(math.tau)
    assert (found.status, found.roll_error) == (Status.REACHED, 0.0)
    assert solve(arm, (0.4, 0.1, 0.0), start=found.q).q[-1] == found.q[-1]

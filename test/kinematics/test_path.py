"""Paths: the tip stays on the lines, no joint jumps, and a path ends where nothing goes on."""

import math
import tracemalloc
from functools import partial
from itertools import cycle

import numpy as np
import pytest
from arms import chains, poses
from harness import IS_UNCOMPILED, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from space import ARMS, random_pose, tip

from ik2d_ros.kinematics import (
    Arm,
    Chain,
    Joint,
    Plane,
    Status,
    Turntable,
    solve,
    solve_path,
    timed,
)

LIMITED = Chain.from_lengths([0.3, 0.25], limits=[(-2.6, 2.6)] * 2)


def from_lines(points, corners):
    """(k,) distances of points (k, d) from the lines between corners (m, d), in m."""
    begin, line = corners[:-1], np.diff(corners, axis=0)
    away = points[:, None] - begin
    share = np.sum(away * line, axis=-1) / np.maximum(np.sum(line**2, axis=-1), 1e-300)
    return np.linalg.norm(away - np.clip(share, 0, 1)[..., None] * line, axis=-1).min(axis=1)


def between(q, count=7):
    """Poses between those of a path, all joints moving evenly."""
    shares = np.linspace(0.0, 1.0, count, endpoint=False)[:, None]
    moved = q[:-1, None] + shares * np.diff(q, axis=0)[:, None]
    return np.concatenate([moved.reshape(-1, q.shape[1]), q[-1:]])


def some_corners(arm, rng, count=4):
    """(count, d) points that the tip can reach, each not far from the one before."""
    q = random_pose(arm, rng) + np.cumsum(rng.normal(0.0, 0.3, (count, len(arm))), axis=0)
    return tip(arm, np.clip(q, arm.lower, arm.upper))


def check(arm, corners, path, tolerance=1e-6, aside=1e-4):
    """Whatever the path: its poses are on it, all joints move little, and it says where it ends."""
    if len(path.q):
        assert np.linalg.norm(tip(arm, path.q) - path.points, axis=1).max() <= tolerance * 1.001
        assert from_lines(path.points, corners).max() <= 1e-9
        assert from_lines(tip(arm, between(path.q)), corners).max() <= aside * 1.001
        assert (path.q >= arm.lower).all()
        assert (path.q <= arm.upper).all()
        # A lift goes as far as its points are apart.
        most = 0.05 * np.array([arm.size if unit == 'm' else 1.0 for unit in arm.units])
        most[: 1 if getattr(arm, 'lift', None) else 0] = math.inf
        assert (np.abs(np.diff(path.q, axis=0)) <= most * 1.001).all()
        assert (np.diff(path.length) >= 0.0).all()
        assert path.length[-1] == path.end
    total = np.linalg.norm(np.diff(corners, axis=0), axis=1).sum()
    assert math.isclose(path.total, total, rel_tol=1e-9)
    whole = path.status is Status.REACHED
    assert whole == (path.missed is None) == (path.target is None)
    assert math.isclose(path.end, total, rel_tol=1e-9) if whole else path.end < total
    if not whole and path.status is not Status.PATH_JUMP:
        assert solve(arm, path.target).status is path.status


@pytest.mark.parametrize('kind', ARMS)
@pytest.mark.parametrize('seed', range(6))
def test_tip_stays_on_the_lines(kind, seed):
    rng = np.random.default_rng(seed)
    arm = ARMS[kind](rng)
    corners = some_corners(arm, rng)
    check(arm, corners, solve_path(arm, corners))


def test_a_path_ends_where_the_reach_does():
    path = solve_path(LIMITED, [(0.4, 0.0), (0.7, 0.0)])
    assert path.status is Status.TOO_FAR
    assert path.proven
    assert path.end == pytest.approx(0.15, abs=2e-6)
    np.testing.assert_allclose(path.target, (0.55, 0.0), atol=2e-6)
    path = solve_path(LIMITED, [(0.7, 0.0), (0.4, 0.0)])
    assert (path.status, path.end, path.q.shape) == (Status.TOO_FAR, 0.0, (0, 2))


def test_a_change_of_shape_ends_a_path():
    # The elbow has to be on the other side beyond the hole that the limits leave.
    chain = Chain.from_lengths([0.3, 0.25], limits=[(-1.0, 1.0), (-2.6, 2.6)])
    line = [(0.3, -0.35), (0.3, 0.35)]
    begun = [solve(chain, line[0], bend=bend).q for bend in ('positive', 'negative')]
    ends = [solve_path(chain, line, start=q) for q in begun]
    longest = solve_path(chain, line)
    assert longest.end == max(path.end for path in ends)
    for path in ends:
        check(chain, np.array(line), path)
        if path.status is Status.PATH_JUMP:
            assert path.missed.status is Status.REACHED
            assert np.abs(path.missed.q - path.q[-1]).max() > 0.1


@given(data=st.data())
@settings(max_examples=examples(60))
def test_what_poses_show_is_found(data):
    """Two joints that move evenly, never straight or folded: their tip's path leads there."""
    chain = data.draw(chains(st.just(2), shortest=0.05))
    first, last = data.draw(poses(chain)), data.draw(poses(chain))
    points = chain.forward(first + np.linspace(0.0, 1.0, 1000)[:, None] * (last - first))
    (x, y), (u, v) = np.moveaxis(np.diff(points, axis=1), 0, 2)
    bends = (x * v - y * u) / np.prod(chain.lengths)
    if np.abs(bends).min() > 0.02 and np.ptp(np.sign(bends)) == 0:
        reach = chain.reach.outer
        options = {'tolerance': 1e-4 * reach, 'path_tolerance': 1e-3 * reach}
        path = solve_path(chain, points[:, -1], start=first, **options)
        assert path.status is Status.REACHED
        np.testing.assert_allclose(path.q[-1], last, atol=0.05)


@pytest.mark.parametrize('angle', [0.3, [0.3, 1.0, -0.2]])
def test_tip_angles_turn_evenly_between_points(angle):
    chain = Chain.from_lengths([0.3, 0.25, 0.1], limits=[(-2.6, 2.6)] * 3)
    corners = np.array([(0.3, 0.2), (0.4, 0.1), (0.35, -0.1)])
    path = solve_path(chain, corners, angle=angle)
    assert path.status is Status.REACHED
    check(chain, corners, path)
    along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1)))
    wanted = np.interp(path.length, along, np.broadcast_to(angle, 3))
    np.testing.assert_allclose(chain.tip_angles(path.q), wanted, atol=2e-3)


def test_few_poses_lead_along_an_angle_that_its_tolerance_gives_up():
    for seed in range(examples(40)):
        rng = np.random.default_rng(seed)
        arm = ARMS[('linkage', 'turntable and linkage', 'limits')[seed % 3]](rng)
        if len(arm.chain) < 3:
            continue
        path = solve_path(
            arm, some_corners(arm, rng), angle=rng.uniform(-3.0, 3.0), angle_tolerance=2.5
        )
        assert len(path.q) < 2000, seed


def test_at_one_point_the_tip_may_turn():
    chain = Chain.from_lengths([0.3, 0.25, 0.1])
    path = solve_path(chain, [(0.3, 0.2)] * 2, angle=[3.0, -3.0])
    assert (path.status, path.end, path.total) == (Status.REACHED, 0.0, 0.0)
    turned = np.abs(np.diff(chain.tip_angles(path.q)))
    assert np.minimum(turned, 2 * math.pi - turned).sum() == pytest.approx(2 * math.pi - 6.0)


def test_a_folded_arm_begins_in_the_pose_that_lasts():
    """Two links as long as each other: the tip is at the first one's pivot, wherever they point."""
    half = 1.57079632679
    links = [(0.0, 0.16), (0.0, 0.16)]
    joints = zip(links, (-half, -math.pi), (half, math.pi), strict=True)
    chain = Chain([Joint(f'joint_{k}', *each) for k, each in enumerate(joints)])
    plane = Plane.from_pose((0.0, -0.05945, 0.283), (-1.570796326795, 0.0, 0.0))
    arm = Arm(chain, plane, Turntable((0.0, 0.0, 0.283), (-1.0, 0.0, 0.0), -half, half))
    first = (1.5612511283791264e-17, -0.04386645609804349, 0.32312526049010054)
    line = np.array([first, (-0.0248, -0.0782, 0.3223)])
    path = solve_path(arm, line)
    check(arm, line, path)
    assert path.status is Status.REACHED


# --- times ---

MOTION = ((2.0, 8.0), (0.2, 0.5), (0.5, math.inf), (math.inf, 3.0))


@pytest.mark.parametrize(('kind', 'motion'), [*zip(ARMS, cycle(MOTION), strict=False)])
def test_limits_hold_at_all_times(kind, motion):
    rng = np.random.default_rng(3)
    arm = ARMS[kind](rng)
    corners = some_corners(arm, rng)
    path = solve_path(arm, corners)
    course = timed(path, [motion] * len(arm), 0.05)
    times = np.linspace(0.0, course.duration, 5000)
    q, velocities, length = course.at(times)
    assert np.abs(velocities).max() <= motion[0] * (1 + 1e-9)
    step = times[1]
    assert np.abs(np.diff(q, axis=0)).max() <= motion[0] * step * (1 + 1e-6)
    assert np.abs(np.diff(velocities, axis=0)).max() <= motion[1] * step * (1 + 1e-6)
    assert from_lines(tip(arm, q), corners).max() <= 1.05e-4
    speeds = np.linalg.norm(np.diff(tip(arm, q), axis=0), axis=1) / step
    assert speeds.max() <= 0.05 * 1.01
    assert (np.diff(length) >= -1e-12).all()
    assert (np.diff(course.times) > 0.0).all()
    assert {0.0, course.duration} <= {*course.times}
    np.testing.assert_allclose((length[0], length[-1]), (0.0, path.end), atol=1e-9)
    np.testing.assert_allclose(q[[0, -1]], path.q[[0, -1]], atol=1e-9)
    if math.isfinite(motion[1]):
        assert np.abs(velocities[[0, -1]]).max() < 1e-6


@pytest.mark.skipif(IS_UNCOMPILED, reason='the same poses take eight seconds')
def test_a_path_takes_and_keeps_few_bytes_a_pose():
    """At most 250 MB for the million poses of the longest path, a third of it once it is timed."""
    corners = np.tile([(0.3, 0.2), (0.3, -0.2)], (200, 1))
    tracemalloc.start()
    try:
        path = solve_path(LIMITED, corners)
        poses, begun = len(path.q), tracemalloc.get_traced_memory()[0]
        assert begun <= 60 * poses
        course = timed(path, [(2.0, 8.0)] * 2, 0.05)
        kept, most = tracemalloc.get_traced_memory()
        assert course.duration > 200 * 0.4 / 0.05
        assert most <= 250 * poses
        assert kept - begun <= 100 * poses
    finally:
        tracemalloc.stop()


# --- the search ends ---


def test_a_search_can_be_ended_and_says_how_far_it_got():
    line = np.array([(0.3, 0.1), (0.3, -0.1)] * 500)
    for most in (0, 1, 7):
        path = solve_path(LIMITED, line, ended=partial(next, iter([False] * most), True))
        assert (path.status, path.proven) == (Status.NOT_CONVERGED, False)
        assert 0.0 < path.end < path.total
        assert (path.end, len(path.q)) == (path.length[-1], len(path.points))
        np.testing.assert_allclose(tip(LIMITED, path.q), path.points, atol=1e-6)


def test_the_tip_keeps_the_speed_where_limits_allow_it():
    turns = np.linspace(0.0, 2 * math.pi, 500)
    circle = np.stack([0.4 + 0.1 * np.cos(turns), 0.1 * np.sin(turns)], axis=1)
    path = solve_path(LIMITED, circle)
    course = timed(path, [(5.0, math.inf)] * 2, 0.05)
    times = np.linspace(0.1, course.duration - 0.1, 5000)
    q, _, _ = course.at(times)
    speeds = np.linalg.norm(np.diff(tip(LIMITED, q), axis=0), axis=1) / np.diff(times)
    np.testing.assert_allclose(speeds, 0.05, rtol=0.01)

"""Targets in space: reached where the arm can, else as close as it comes; without any flip."""

import math
from dataclasses import replace

import numpy as np
import pytest
from arms import LIMITS
from harness import examples
from judge import closest
from space import both

from ik2d_ros.kinematics import Arm, Chain, Lift, Plane, Status, Turntable, solve

TWO = Chain.from_lengths([0.3, 0.25])
UPRIGHT = Plane.from_pose((0.0, 0.0, 0.1), (math.pi / 2, 0.0, 0.0))


BESIDE = Arm(TWO, UPRIGHT, Turntable((0.0, 0.05, 0.0)))
LOW, HIGH = (
    Arm(TWO, Plane.from_pose((0.0, 0.0, 0.5), (0.0, 0.0, 0.0)), lift=Lift(axis, -0.1, 0.2))
    for axis in (1, -1)
)


@pytest.mark.parametrize(
    ('arm', 'target', 'start', 'status', 'error', 'first'),
    [
        (BESIDE, (0.02, 0.05, 0.3), None, Status.TOO_NEAR, 0.03, None),
        (BESIDE, (0.05 + 1e-9, 0.05, 0.3), None, Status.REACHED, 0.0, None),
        (BESIDE, (0.0, 0.05, 0.3), (0.7, 0.5, 0.5), Status.TOO_NEAR, 0.05, 0.7),
        (BESIDE, (0.02, 0.05, 3.0), None, Status.TOO_FAR, None, None),
        (Arm(TWO, UPRIGHT), (1e300, 0.0, -1e300), None, Status.TOO_FAR, None, None),
        (Arm(TWO, UPRIGHT), (0.3, 0.0, 0.2), None, Status.REACHED, 0.0, None),
        (Arm(TWO, UPRIGHT), (0.3, 0.04, 0.2), None, Status.TOO_FAR, 0.04, None),
        *(
            (arm, (x, y, 0.5 + up * arm.lift.axis), None, *found)
            for arm in (LOW, HIGH)
            for x, y, up, *found in (
                (0.3, 0.2, 0.1, Status.REACHED, 0.0, 0.1),
                (0.3, 0.2, 0.3, Status.JOINT_LIMIT, 0.1, 0.2),
                (0.6, 0.0, -0.2, Status.TOO_FAR, math.hypot(0.05, 0.1), -0.1),
                (0.6, 0.0, 0.0, Status.TOO_FAR, 0.05, 0.0),
            )
        ),
    ],
)
def test_beside_the_axis_the_plane_and_the_lift_verdict_and_distance_are_right(
    arm, target, start, status, error, first
):
    for found in both(arm, target, start):
        assert found.status == status
        assert error is None or found.error == pytest.approx(error, abs=1e-6)
        assert first is None or found.q[0] == pytest.approx(first)


@pytest.mark.parametrize('away', [1.0, 10.0, 1000.0])
def test_on_an_axis_anywhere_rounding_turns_no_turntable(away):
    rng = np.random.default_rng(1)
    for _ in range(examples(100)):
        plane = Plane.from_pose(away * rng.uniform(-1.0, 1.0, 3), rng.uniform(-3.0, 3.0, 3))
        arm = Arm(TWO, plane, Turntable(plane.origin, plane.axes[1]))
        start = rng.uniform(-3.0, 3.0, 3)
        for found in both(arm, plane.point(0.0, rng.uniform(0.1, 0.5)), start):
            assert found.status == Status.REACHED
            assert found.q[0] == start[0]


def test_of_two_answers_that_reach_the_smaller_move_is_taken():
    rng, arm, back = np.random.default_rng(5), Arm(TWO, UPRIGHT, Turntable()), 0
    for _ in range(200):
        start, target = rng.uniform(-3.0, 3.0, 3), arm.forward(rng.uniform(-3.0, 3.0, 3))
        first = solve(arm, target, start=start)
        others = Turntable(lower=first.q[0] + 0.01, upper=first.q[0] + math.tau - 0.01)
        other = solve(replace(arm, turntable=others), target, start=start)
        moves = np.array([each.q - start for each in (first, other)])
        moves[:, 0] -= math.tau * np.rint(moves[:, 0] / math.tau)
        assert other.status is Status.REACHED
        assert np.abs(moves[0]).max() <= np.abs(moves[1]).max() + 1e-9
        back += math.cos(first.q[0] - math.atan2(target[1], target[0])) < 0.0
    assert 20 < back < 180


# Rows and columns of a circle about a point, in m: around, beside and above the axis.
CIRCLES = {
    'around': ((0.0, 0.0, 0.3), 0.25, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    'beside': ((0.25, 0.1, 0.3), 0.08, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    'upright': ((0.25, 0.0, 0.3), 0.08, (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    'above': ((0.05, 0.0, 0.45), 0.15, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
}


@pytest.mark.parametrize('beside', [0.0, 0.02, -0.04])
@pytest.mark.parametrize('lengths', [(0.3, 0.3), (0.25, 0.2, 0.15)])
@pytest.mark.parametrize('circle', CIRCLES)
def test_along_circles_nothing_flips(circle, lengths, beside):
    middle, radius, first, second = map(np.array, CIRCLES[circle])
    angles = np.linspace(0.0, 4.0 * math.pi, 800)
    points = middle + radius * (
        np.multiply.outer(np.cos(angles), first) + np.multiply.outer(np.sin(angles), second)
    )
    arm = Arm(Chain.from_lengths(lengths), UPRIGHT, Turntable((0.0, beside, 0.0)))
    poses = [solve(arm, points[0], start=[0.0, 0.9, *[-0.6] * (len(lengths) - 1)]).q]
    for point in points[1:]:
        solution = solve(arm, point, start=poses[-1], tolerance=1e-9)
        assert solution.status is Status.REACHED
        poses.append(solution.q)
    step = radius * (angles[1] - angles[0])
    out = np.hypot(points[:, 0], points[:, 1] - beside)
    # How far the turntable must turn for a step, so near to the axis, and the chain for another.
    most = step / np.sqrt(np.maximum(out**2 - beside**2, 1e-9)) + 0.05
    assert (np.abs(np.diff(poses, axis=0)).max(axis=1) <= 2.0 * most[1:]).all()
    if circle in ('around', 'above'):
        assert abs(poses[-1][0] - poses[0][0]) == pytest.approx(4.0 * math.pi, abs=0.01)


@pytest.mark.parametrize('seed', range(30))
def test_beyond_a_lift_the_pose_is_the_closest_one_whatever_the_size(seed):
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.uniform(-6.0, 0.0)
    limits = LIMITS['asymmetric'](3, rng)
    chain = Chain.from_lengths(size * rng.uniform(0.2, 1.0, 3), limits=limits)
    arm = Arm(chain, lift=Lift(1, 0.0, size))
    for x, y in size * rng.uniform(-2.0, 2.0, (4, 2)):
        above = rng.uniform(1.1, 4.0) * max(size, 1e-6)
        found = solve(arm, (x, y, size + above))
        is_over = solve(chain, (x, y), tolerance=1e-8 * size).status is Status.REACHED
        aside = 0.0 if is_over else closest(chain, x, y)
        assert found.error == pytest.approx(math.hypot(above, aside), rel=1e-6)

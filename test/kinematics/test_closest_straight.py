"""The straight pose towards what is beyond reach: no point of the edge is closer."""

import math

import numpy as np
import pytest
from space import random_arm, random_pose, tip

from ik2d_ros.kinematics import Arm, Plane, Status, Turntable, solve, solve_batch
from ik2d_ros.kinematics.space.closest_arcs import closest_tips
from ik2d_ros.kinematics.space.closest_straight import straight, straight_many
from ik2d_ros.kinematics.space.edge_in_space import edge_of
from ik2d_ros.kinematics.sweep import Goal


def goals_beyond(arm, rng, count=12):
    """Targets beyond reach at any turn: radius, angle and height about the axis."""
    reach, sweep = arm.chain.reach.outer, arm.sweep
    goals = []
    while len(goals) < count:
        far = reach * rng.choice([0.3, 1.0, 10.0, 1e4])
        radius, height = abs(rng.normal(scale=far)), sweep.base[1] + rng.normal(scale=far)
        out = math.sqrt(max(radius**2 - sweep.d**2, 0.0))
        nearest = math.hypot(out - abs(sweep.base[0]), height - sweep.base[1])
        if nearest > 1.0001 * reach and radius > abs(sweep.d):
            goals.append((radius, rng.uniform(-math.pi, math.pi), height))
    return np.array(goals)


def test_it_is_as_close_as_the_closest_point_of_the_edge():
    rng = np.random.default_rng(31)
    for _ in range(20):
        arm = random_arm(int(rng.integers(2, 6)), None, 'free', rng, beside=2.0)
        reach, sweep = arm.chain.reach.outer, arm.sweep
        edge = edge_of(arm.chain, sweep)
        goals = goals_beyond(arm, rng)
        (many,) = straight_many(sweep, reach, goals)
        assert many.known.all()
        for k, row in enumerate(goals.tolist()):
            goal = Goal(*row)
            (to,) = straight(sweep, reach, goal)
            assert (many.turn[k], many.direction[k]) == pytest.approx(to, abs=1e-9)
            x, y = reach * math.cos(to.direction), reach * math.sin(to.direction)
            out, across, height = sweep.raised(x, y)
            apart = goal.angle - to.turn
            away = math.dist(
                (goal.radius * math.cos(apart), goal.radius * math.sin(apart), goal.height),
                (out, across, height),
            )
            unit = Goal(goal.radius / reach, goal.angle, goal.height / reach)
            best = min(each.away for each in closest_tips(edge, arm.limits[0], unit))
            assert away / reach == pytest.approx(best, rel=1e-12, abs=1e-12)


def test_an_axis_that_leans_or_nearly_meets_the_base_is_left_to_the_search():
    rng = np.random.default_rng(32)
    leaning = random_arm(3, None, 'free', rng, lean=4e-3)
    goals = goals_beyond(leaning, rng)
    assert not straight_many(leaning.sweep, leaning.size, goals)
    assert not straight(leaning.sweep, leaning.size, Goal(*goals[0].tolist()))
    upright = Plane.from_pose((1e-8, 0.0, 0.0), (0.5 * math.pi, 0.0, 0.0))
    near = Arm(leaning.chain, upright, Turntable()).sweep
    assert not straight(near, leaning.size, Goal(10.0 * leaning.size, 0.0, 0.0))


@pytest.mark.parametrize('start', [[0.3, 0.0, 0.0, 0.0], [2.9, 0.1, -0.2, 0.0]])
def test_of_two_answers_that_are_as_close_the_smaller_move_is_taken(start):
    """With the base on the axis, the arm reaches as far over the back as in front."""
    rng = np.random.default_rng(33)
    chain = random_arm(3, None, 'free', rng).chain
    for origin in ((0.0, 0.0, 0.1), (0.0, 0.1 * chain.reach.outer, 0.1)):
        plane = Plane.from_pose(origin, (0.5 * math.pi, 0.0, 0.0))
        arm = Arm(chain, plane, Turntable())
        target = (3.0 * chain.reach.outer, 0.0, 0.2)
        one = solve(arm, target, start=start)
        batch = solve_batch(arm, [target], start=[start])
        assert one.status is Status.TOO_FAR
        assert batch.q[0] == pytest.approx(one.q, abs=1e-9)
        assert abs(one.q[0] - start[0]) < 0.5 * math.pi


def test_limits_that_forbid_the_straight_pose_leave_it_to_the_search():
    rng = np.random.default_rng(34)
    for turntable in ('half', 'free'):
        for kind in ('narrow', 'mixed'):
            arm = random_arm(3, kind, turntable, rng)
            for _ in range(4):
                away = rng.normal(size=3)
                target = arm.turntable.xyz + 4.0 * arm.size * away / np.linalg.norm(away)
                one, batch = solve(arm, target), solve_batch(arm, [target])
                assert one.status is Status.TOO_FAR
                assert batch.error[0] == pytest.approx(one.error, rel=1e-9)
                poses = [random_pose(arm, rng) for _ in range(50)]
                assert one.error <= min(math.dist(tip(arm, q), target) for q in poses)

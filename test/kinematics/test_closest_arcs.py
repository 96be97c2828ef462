"""The closest points in space of the edge of what a chain reaches, against points all along it."""

import math

import numpy as np
import pytest
from space import some_arms, with_slides

from ik2d_ros.kinematics.space.closest_arcs import closest_tips
from ik2d_ros.kinematics.space.closest_arcs_many import closest_tips_many
from ik2d_ros.kinematics.space.edge_in_space import edge_of
from ik2d_ros.kinematics.sweep import Goal

POINTS = 500  # Of each arc.


def arms(count, rng):
    """Arms of all kinds, every third with joints that slide."""
    for number, arm in enumerate(some_arms(count, rng, joints=(2, 5), lean=4.9e-3)):
        yield arm if number % 3 else with_slides(arm, rng)


def random_goals(count, rng):
    """Targets near the axis, in the arm's midst and far away: radius, angle and height."""
    radius = np.abs(rng.normal(size=count)) * rng.choice([0.01, 0.5, 2.0], count)
    return np.column_stack([radius, rng.uniform(-4.0, 4.0, count), rng.normal(size=count)])


def points_of(arcs, shares):
    lengths = np.minimum(arcs.length, 2.0 * math.pi)
    return np.concatenate([arcs.points(arcs.begin + share * lengths) for share in shares])


def distances(sweep, goal, points, turns):
    """How far points of the turned plane are from a target."""
    out, across, height = sweep.raised(points.real, points.imag)
    radius, angle, up = goal
    x = radius * np.cos(angle - turns) - out
    y = radius * np.sin(angle - turns) - across
    return np.sqrt(x * x + y * y + (up - height) ** 2)


def best_turns(sweep, limits, goal, points):
    """The turn for each point that brings it closest to a target, of many tried within limits."""
    out, across, _ = sweep.raised(points.real, points.imag)
    wanted = goal[1] - np.arctan2(across, out)
    if not math.isfinite(limits[0]):
        return wanted
    middle, half = 0.5 * (limits[0] + limits[1]), 0.5 * (limits[1] - limits[0])
    apart = (wanted - middle + math.pi) % (2.0 * math.pi) - math.pi
    return middle + np.clip(apart, -half, half)


def test_no_point_of_the_edge_is_closer():
    rng = np.random.default_rng(20)
    for arm in arms(28, rng):
        edge, limits = edge_of(arm.chain, arm.sweep), arm.limits[0]
        points = points_of(edge.arcs, np.linspace(0.0, 1.0, POINTS))
        for row in random_goals(6, rng):
            goal = Goal(*row.tolist())
            turns = best_turns(edge.sweep, limits, goal, points)
            least = distances(edge.sweep, goal, points, turns).min()
            for tip in closest_tips(edge, limits, goal):
                assert tip.away <= least + 1e-9
                arc = edge.arcs.at(np.array([tip.arc]))
                assert -1e-9 <= tip.angle - arc.begin[0] <= arc.length[0] + 1e-9
                away = distances(edge.sweep, goal, arc.points(np.array([tip.angle])), tip.turn)[0]
                assert away == pytest.approx(tip.away, abs=1e-7)
                apart = math.remainder(tip.turn - 0.5 * (limits[0] + limits[1]), 2.0 * math.pi)
                assert abs(apart) <= 0.5 * (limits[1] - limits[0]) or math.isinf(limits[0])


def test_many_at_once_are_found_as_one_by_one():
    rng = np.random.default_rng(21)
    for arm in arms(14, rng):
        edge, limits = edge_of(arm.chain, arm.sweep), arm.limits[0]
        goals = random_goals(40, rng)
        many = closest_tips_many(edge, limits, goals)
        for k, row in enumerate(goals):
            some = many.which == k
            tips = closest_tips(edge, limits, Goal(*row.tolist()))
            assert many.arc[some].tolist() == [tip.arc for tip in tips]
            assert many.away[some] == pytest.approx([tip.away for tip in tips], abs=1e-12)
            assert many.turn[some] == pytest.approx([tip.turn for tip in tips], abs=1e-7)
            assert many.angle[some] == pytest.approx([tip.angle for tip in tips], abs=1e-7)

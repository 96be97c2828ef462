"""Angles that cannot be had even without limits, for arms that have limits."""

import math

import numpy as np
import pytest
from arms import chains, poses, random_chain, random_limits, random_poses
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ik2d_ros.kinematics import Chain, Status, solve, solve_batch
from ik2d_ros.kinematics.links import Links
from ik2d_ros.kinematics.pose import at, problem_of
from ik2d_ros.kinematics.tip_angle.tip_angle_edge import can_be_had, closest_on_edge
from ik2d_ros.kinematics.tip_angle.tip_angle_edge_many import closest_on_edge_many
from ik2d_ros.kinematics.tip_angle.tip_angle_proof import EXACT, angle_proof_of, turned

NEAR = 1e-9  # reaches, and rad


def apart(angle, other):
    return np.abs(np.remainder(np.asarray(angle) - other + math.pi, 2.0 * math.pi) - math.pi)


def out_of_the_annulus(chain, count, rng):
    """Targets, headings that no limits are needed to forbid, and starts, in reaches and bends."""
    pose, starts = (chain.bends_many(random_poses(chain, count, rng)).T for _ in range(2))
    lengths = np.array(chain.unit_lengths)[:, None]
    goals = (lengths * np.exp(1j * np.cumsum(pose, axis=0))).sum(axis=0)
    headings = rng.uniform(-math.pi, math.pi, count)
    wrists = np.abs(goals - lengths[-1] * np.exp(1j * headings))
    some = ~can_be_had(chain.unit_lengths, wrists, (0.0, 0.0))
    return goals[some], headings[some], starts[:, some]


@pytest.mark.parametrize('kind', ['symmetric', 'asymmetric', 'mixed', 'wide'])
def test_a_pose_on_the_edge_that_limits_allow_is_the_closest_there_is(kind):
    rng, count = np.random.default_rng(8), 0
    for joints in (3, 4, 5):
        chain = random_chain(joints, rng, random_limits(kind, joints, rng))
        if not chain.limited:
            continue
        goals, headings, starts = out_of_the_annulus(chain, 1000, rng)
        links, lengths = Links.of(chain), chain.unit_lengths
        many, settled = closest_on_edge_many(links, lengths, goals, headings, starts)
        proof = angle_proof_of(chain)
        for k, (goal, heading) in enumerate(zip(goals.tolist(), headings.tolist(), strict=True)):
            limits, start = chain.bend_limits, starts[:, k].tolist()
            alone = closest_on_edge(lengths, limits, goal, heading, start)
            assert (alone is not None) == settled[k]
            if alone is None:
                continue
            count += 1
            assert many[:, k] == pytest.approx(alone, abs=NEAR)
            assert at(problem_of(chain, goal), alone).error <= NEAR
            assert all(low <= bend <= up for bend, (low, up) in zip(alone, limits, strict=True))
            found = turned(proof, goals[k : k + 1], headings[k : k + 1], starts[:, k : k + 1])
            closest = np.abs(found.off[found.error <= EXACT]).min()
            assert apart(sum(alone), heading) == pytest.approx(closest, abs=1e-8)
    assert count > 20


@settings(deadline=None)
@given(chains(st.integers(3, 6), st.just(True)), st.data())
def test_an_angle_beyond_the_annulus_is_missed_by_as_much_by_one_as_by_many(chain, data):
    target = chain.forward(data.draw(poses(chain)))[-1]
    angle = data.draw(st.floats(-math.pi, math.pi))
    reach = chain.reach.outer
    assume(reach)
    goal = complex(*target) / reach
    last = chain.unit_lengths[-1]
    wrist = abs(goal - last * np.exp(1j * (angle + chain.tip_direction)))
    assume(not can_be_had(chain.unit_lengths, wrist, (1e-6, 1e-3)))
    alone = solve(chain, target, angle=angle)
    batch = solve_batch(chain, [target], angle=angle)
    assert (alone.status, alone.proven) == (Status.TIP_ANGLE, True)
    assert (batch.status[0], bool(batch.proven[0])) == (Status.TIP_ANGLE, True)
    assert batch.angle_error[0] == pytest.approx(alone.angle_error, abs=1e-7)


def test_of_two_sides_that_are_as_close_the_nearer_one_is_taken():
    chain = Chain.from_lengths([0.3, 0.3, 0.2], [(-3.0, 3.0)] * 3)
    for side in (1.0, -1.0):
        start = [0.2 * side, 0.1 * side, 0.5 * side]
        solution = solve(chain, (0.7, 0.0), start=start, angle=math.pi)
        assert solution.status is Status.TIP_ANGLE
        assert solution.q[2] * side > 0.0


def test_the_closest_angle_of_many_joints_is_proven_where_limits_allow_it():
    chain = Chain.from_lengths([0.1] * 12, [(-2.0, 2.0)] * 12)
    solution = solve(chain, (1.15, 0.0), angle=2.0)
    assert (solution.status, solution.proven) == (Status.TIP_ANGLE, True)
    assert (np.abs(solution.q[1:-1]) <= NEAR).all()

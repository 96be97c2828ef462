"""Targets at a tip angle, in the plane and in space: reached, or at the closest angle."""

import math
import sys
from dataclasses import replace
from threading import Thread

import numpy as np
import pytest
from arms import LIMITS, chains, headings, poses, random_chain, random_poses
from harness import examples
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from space import both, check_answer, random_arm, random_pose, tip, with_slides

from ik2d_ros.kinematics import Arm, Chain, Joint, Status, solve

three_to_six = st.integers(3, 6)
CHAINS = chains(three_to_six, slides=0.2)


PROVABLE = 2e-8  # tolerances in reaches and rad: below 1e-8, rounding may decide


def asked(chain, target, angle, **keywords):
    reach = chain.reach.outer or 1.0
    given = {'tolerance': PROVABLE * reach, 'angle_tolerance': PROVABLE, **keywords}
    solution = solve(chain, target, angle=angle, **given)
    check_answer(chain, target, solution, angle, **given)
    return solution


@settings(max_examples=examples(80))
@given(CHAINS, st.data())
def test_point_and_angle_of_a_pose_inside_the_limits_are_reached(chain, data):
    start, pose = (data.draw(poses(chain)) for _ in range(2))
    target, angle = chain.forward(pose)[-1], headings(chain, pose)[-1]
    for solver in ('hybrid', 'ccd'):
        solution = asked(chain, target, angle, start=start, solver=solver)
        assert (solution.status, solution.proven) == (Status.REACHED, True)


@settings(max_examples=examples(60))
@given(CHAINS, st.data())
def test_no_pose_that_reaches_the_point_comes_closer_to_the_angle(chain, data):
    pose, angle = data.draw(poses(chain)), data.draw(st.floats(-math.pi, math.pi))
    target = chain.forward(pose)[-1]
    solution = asked(chain, target, angle)
    assert solution.status in (Status.REACHED, Status.TIP_ANGLE)
    assert solution.proven
    assert solution.error <= PROVABLE * chain.reach.outer
    off = abs(math.remainder(headings(chain, pose)[-1] - angle, math.tau))
    assert solution.angle_error <= off + 1e-7


@pytest.mark.parametrize('slides', [False, True])
def test_a_pose_at_its_limits_is_found_from_rounded_coordinates(slides):
    """They can be out of reach by a part of the tolerances."""
    for seed in range(examples(100)):
        rng = np.random.default_rng(seed)
        chain = random_chain(int(rng.integers(3, 6)), rng, rng.choice([*LIMITS]))
        if slides:
            chain = with_slides(Arm(chain), rng).chain
        start, *there = random_poses(chain, 4, rng, corners=1.0)
        for pose in there:
            away, turn = 0.4 * rng.uniform(-0.7, 0.7, 2), 0.4 * rng.uniform(-1.0, 1.0)
            point, heading = chain.forward(pose)[-1], headings(chain, pose)[-1]
            for share, allowed in ((1e-6, 1e-6), (1e-6, 1e-3), (1e-3, 1e-3)):
                near = share * chain.size
                options = {'start': start, 'tolerance': near, 'angle_tolerance': allowed}
                found = solve(chain, point + near * away, angle=heading + allowed * turn, **options)
                assert found.status is Status.REACHED


@given(chains(three_to_six), st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), st.floats(-9.0, 9.0))
def test_a_point_is_missed_with_an_angle_where_it_is_without(chain, x, y, angle):
    reach = chain.reach.outer
    assume(reach)
    target = (x * reach, y * reach)
    free, bound = solve(chain, target), solve(chain, target, angle=angle)
    check_answer(chain, target, bound, angle)
    if free.status is Status.REACHED:
        assert bound.status in (Status.REACHED, Status.TIP_ANGLE)
    else:
        assert bound.status is free.status
        assert bound.error == pytest.approx(free.error, abs=1e-6 * reach)
    assert free.angle_error == 0.0


def test_another_thread_may_make_the_tables_meanwhile():
    """As in the node."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(examples(60)):
            chain = Chain.from_lengths([0.3, 0.25, 0.12, 0.1], [(-2.0, 2.0)] * 4)
            other = Thread(target=chain.solver.solver.prepare_angles)
            other.start()
            assert asked(chain, (0.4, 0.3), 0.5).status is Status.REACHED
            other.join()
    finally:
        sys.setswitchinterval(before)


TELESCOPE = Joint('telescope', (0.1, 0.0), 0.0, 0.2, type='prismatic')


@pytest.mark.parametrize('slides', [[], [TELESCOPE]])
def test_too_many_limited_joints_are_searched_for(slides):
    turning = [Joint(f'joint{i}', (0.1, 0.0), -1.0, 1.0) for i in range(12)]
    chain = Chain([*turning[:5], *slides, *turning[5:]])
    rng = np.random.default_rng(5)
    for pose in rng.uniform(chain.lower, chain.upper, (5, len(chain))):
        solution = solve(chain, chain.forward(pose)[-1], angle=headings(chain, pose)[-1])
        assert solution.status is Status.REACHED
    away = solve(chain, (0.95 * chain.reach.outer, 0.0), angle=-3.1)
    assert (away.status, away.proven) == (Status.TIP_ANGLE, False)
    assert away.error <= 1e-6


@pytest.mark.parametrize('kind', [None, 'symmetric', 'wide'])
@pytest.mark.parametrize('wide', [0.0, 1e-9, 1.0])
def test_a_target_next_to_a_limit_of_the_turntable_is_reached_at_its_angle(kind, wide):
    """Beside the plane by less than the tolerance, be it rounding."""
    rng = np.random.default_rng(8)
    for trial in range(6):
        arm = random_arm(3 + trial % 3, kind, 'half', rng)
        lower = arm.turntable.lower
        arm = replace(arm, turntable=replace(arm.turntable, upper=lower + wide))
        q, size = random_pose(arm, rng), arm.chain.reach.outer
        q[0] = lower
        normal = np.array(arm.carried_plane(lower).axes[2])
        angle = headings(arm.chain, q[1:])[-1]
        for beside in (0.0, 0.4e-6, -0.4e-6):
            target = tip(arm, q) + beside * size * normal
            options = {'angle': angle, 'tolerance': 1e-6 * size, 'angle_tolerance': 1e-6}
            for found in both(arm, target, **options):
                check_answer(arm, target, found, **options)
                assert (found.status, found.proven) == (Status.REACHED, True)

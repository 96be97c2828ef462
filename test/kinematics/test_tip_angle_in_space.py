"""Targets at a tip angle for arms in space: one turn or the other, one by one and in batches."""

import math

import numpy as np
import pytest
from arms import headings
from space import random_arm, random_pose, tip

from ik2d_ros.kinematics import (
    Arm,
    Chain,
    Joint,
    Lift,
    Plane,
    Status,
    Turntable,
    solve,
    solve_batch,
)

UPRIGHT = Plane.from_pose((0.0, 0.0, 0.1), (0.5 * math.pi, 0.0, 0.0))
TURNTABLE = {'turntable': Turntable()}
LIFTS = ({}, {'lift': Lift()}, {'lift': Lift(-1, -0.2, 0.1)})


@pytest.mark.parametrize('size', [1.0, 1000.0])
def test_a_slide_of_many_metres_is_no_large_move_of_a_large_arm(size):
    chain = Chain(
        [
            Joint('shoulder', (0.0, 0.0)),
            Joint('telescope', (0.2 * size, 0.0), 0.0, 0.8 * size, type='prismatic'),
            Joint('wrist', (0.2 * size, 0.0)),
        ]
    )
    arm = Arm(chain, Plane.from_pose((0.0, 0.0, 0.0), (0.5 * math.pi, 0.0, 0.0)), Turntable())
    # In front the telescope goes out farther than over the back, where all else turns by half.
    target, angle, start = (0.5 * size, 0.0, 0.0), 2.0, [0.0, 0.0, 0.0, 0.0]
    one = solve(arm, target, start=start, angle=angle)
    batch = solve_batch(arm, [target], start=start, angle=angle)
    for q, status in ((one.q, one.status), (batch.q[0], batch.status[0])):
        assert status == Status.REACHED
        assert q[0] == pytest.approx(0.0, abs=1e-9)


def test_a_turn_that_reaches_the_angle_beats_one_that_nearly_does():
    chain = Chain.from_lengths([0.2, 0.2, 0.1], limits=[(-0.5, 3.0), (-1.5, 1.5), (-1.5, 1.5)])
    arm, q = Arm(chain, UPRIGHT, Turntable()), (3.0, 2.2, 0.5, 0.8)
    target, angle = arm.forward(q), sum(q[1:])
    front = solve(Arm(chain, UPRIGHT, Turntable(lower=-1.0, upper=1.0)), target, angle=angle)
    assert front.status is Status.TIP_ANGLE
    nearly = front.angle_error - 4e-10
    found = solve(arm, target, angle=angle, start=front.q, angle_tolerance=nearly)
    assert found.status is Status.REACHED


@pytest.mark.parametrize('carrier', LIFTS)
def test_an_angle_that_a_search_has_not_found_is_not_reached_on_a_lift_either(carrier):
    chain = Chain.from_lengths([0.1] * 12, [(-0.3, 0.3)] * 12)
    arm = Arm(chain, **carrier)
    # The way to the point takes all the passes that there may be.
    options = {'angle': 2.0, 'max_iterations': 4}
    flat = solve(chain, (1.0, 0.4), **options)
    assert flat.status is not Status.REACHED
    one = solve(arm, (1.0, 0.4, 0.0), **options)
    batch = solve_batch(arm, [(1.0, 0.4, 0.0)], **options)
    for status, proven in ((one.status, one.proven), (batch.status[0], batch.proven[0])):
        assert (status, proven) == (flat.status, False)


def is_reached_at_its_angle(arm, target, angle, tolerance):
    """Alone and in a batch."""
    options = {'tolerance': tolerance, 'angle_tolerance': 1e-6, 'angle': angle}
    one, batch = solve(arm, target, **options), solve_batch(arm, [target], **options)
    assert math.dist(tip(arm, one.q), target) <= tolerance * (1.0 + 1e-9)
    assert abs(math.remainder(one.angle - angle, 2.0 * math.pi)) <= 1e-6
    assert (one.q >= arm.lower).all()
    assert (one.q <= arm.upper).all()
    return one.status is Status.REACHED and one.proven and batch.status[0] == Status.REACHED


@pytest.mark.parametrize('kind', [None, 'symmetric', 'wide'])
@pytest.mark.parametrize('wide', [0.0, 1e-9, 1.0])
def test_a_target_next_to_a_limit_of_the_turntable_is_reached_at_its_angle(kind, wide):
    """Beside the plane by less than the tolerance, be it rounding."""
    rng = np.random.default_rng(8)
    for trial in range(6):
        arm = random_arm(3 + trial % 3, kind, 'half', rng)
        turntable = arm.turntable
        lower = turntable.lower
        arm = Arm(
            arm.chain,
            arm.plane,
            Turntable(turntable.xyz, turntable.axis, lower, lower + wide),
        )
        q, size = random_pose(arm, rng), arm.chain.reach.outer
        q[0] = lower
        normal = np.array(arm.carried_plane(lower).axes[2])
        angle = headings(arm.chain, q[1:])[-1]
        for beside in (0.0, 0.4e-6, -0.4e-6):
            target = tip(arm, q) + beside * size * normal
            assert is_reached_at_its_angle(arm, target, angle, 1e-6 * size)


def test_a_target_hardly_too_near_to_the_axis_is_reached_at_its_angle():
    plane = Plane.from_pose((0.0, 0.05, 0.1), (0.5 * math.pi, 0.0, 0.0))
    arm = Arm(Chain.from_lengths([0.3, 0.25, 0.2]), plane, turntable=Turntable())
    for nearer in (0.0, 1e-16, 5e-7):
        assert is_reached_at_its_angle(arm, (0.0, 0.05 - nearer, 0.5), 0.3, 1e-6)

"""Braking: the laws of motion, and that nothing brakes sooner."""

from __future__ import annotations

import math

from hypothesis import assume, example, given
from hypothesis import strategies as st

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.motion.braking import braked, braking, stop_range

limit = st.floats(0.1, 50.0)
limits = st.builds(MotionLimits, st.none(), limit, st.none() | limit)
speed = st.floats(-5.0, 5.0)


def stopped(velocity: float, acceleration: float, limits: MotionLimits) -> float:
    """How long it takes to stop, in s."""
    return sum(stretch.duration for stretch in braking(velocity, acceleration, limits))


@given(speed, speed, limits, st.floats(0.0, 1.0))
def test_braking_can_be_interrupted_and_ends_in_the_same_place(
    velocity: float, acceleration: float, limits: MotionLimits, part: float
) -> None:
    time = part * stopped(velocity, acceleration, limits)
    halfway = braked(0.0, velocity, acceleration, limits, time)
    end = braked(0.0, velocity, acceleration, limits, math.inf)
    again = braked(*halfway, limits, math.inf)
    assert math.isclose(end[0], again[0], rel_tol=1e-6, abs_tol=1e-6)
    assert end[1:] == (0.0, 0.0)
    lower, upper = stop_range(0.0, velocity, acceleration, limits)
    assert lower - 1e-9 <= halfway[0] <= upper + 1e-9
    assert lower <= end[0] <= upper


@example(5e-324, 0.0, MotionLimits(None, 2.0))  # the time to stop is 0 to rounding
@given(speed, speed, limits)
def test_braking_keeps_to_the_limits(
    velocity: float, acceleration: float, limits: MotionLimits
) -> None:
    """Each of its stretches goes on where the last one ended, and none exceeds a limit."""
    speed, a = velocity, acceleration
    for stretch in braking(velocity, acceleration, limits):
        assert stretch.duration > 0.0
        if limits.jerk is None:
            assert abs(stretch.acceleration) == limits.acceleration
            assert stretch.jerk == 0.0
        else:
            assert math.isclose(stretch.acceleration, a, abs_tol=1e-6)
            assert abs(stretch.jerk) in (0.0, limits.jerk)
        a = stretch.acceleration + stretch.jerk * stretch.duration
        assert abs(a) <= max(limits.acceleration, abs(acceleration)) + 1e-9
        speed += stretch.duration * (stretch.acceleration + a) / 2.0
    if limits.jerk is not None:
        assert math.isclose(a, 0.0, abs_tol=1e-6)
    assert math.isclose(speed, 0.0, abs_tol=1e-6)


@given(speed, limit)
def test_a_joint_without_jerk_limit_stops_where_the_textbook_says(
    velocity: float, acceleration: float
) -> None:
    assume(abs(velocity) > 1e-6)
    there, _, _ = braked(0.0, velocity, 0.0, MotionLimits(None, acceleration), math.inf)
    assert math.isclose(there, velocity * abs(velocity) / (2.0 * acceleration))


def test_a_joint_without_limits_stops_at_once() -> None:
    assert braked(1.0, 5.0, 3.0, MotionLimits(2.0), 0.02) == (1.0, 0.0, 0.0)
    assert stop_range(1.0, 5.0, 3.0, MotionLimits(2.0)) == (1.0, 1.0)

"""Commands made of poses: every one of them passes the strict checker."""

from __future__ import annotations

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.control.acceptance import TrajectoryController
from ik2d_ros.control.commands import command_pose, span_of_step, streamed_trajectory
from ik2d_ros.control.content import BILLION, Trajectory
from ik2d_ros.control.strict import Stance, array_fault, trajectory_fault

JOINTS = ('gripper', 'shoulder', 'elbow')
LIMITS = {'shoulder': (-2.6, 2.6), 'elbow': (-2.6, 2.6)}
MAX_VELOCITY = {'shoulder': 2.0, 'elbow': 1.0}
SPEEDS = (None, 2.0, 1.0)
PERIODS = st.floats(1e-4, 100.0)
ANGLES = st.floats(-2.6, 2.6)
POSES = st.tuples(st.just(0.3), ANGLES, ANGLES)


def stance(period: float, last: tuple[float, ...] | None) -> Stance:
    return Stance(
        controller=TrajectoryController(JOINTS),
        period=period,
        limits=LIMITS,
        max_velocity=MAX_VELOCITY,
        last=dict(zip(JOINTS, last, strict=True)) if last else {},
    )


@given(st.lists(POSES, min_size=1, max_size=8), PERIODS)
def test_a_streamed_trajectory_passes_the_strict_checker_however_long_the_steps(
    poses: list[tuple[float, ...]], period: float
) -> None:
    before: tuple[float, ...] | None = None
    for pose in poses:
        span = period if before is None else span_of_step(before, pose, SPEEDS, period)
        trajectory = streamed_trajectory(JOINTS, before, pose, span)
        assert trajectory_fault(trajectory, stance(period, before), now=10**18) is None
        assert trajectory.points[-1].positions == pose
        before = pose


@given(st.lists(POSES, min_size=1, max_size=8), PERIODS)
def test_an_array_passes_if_the_steps_are_within_the_speed_limits(
    poses: list[tuple[float, ...]], period: float
) -> None:
    for before, pose in itertools.pairwise(poses):
        is_slow = span_of_step(before, pose, SPEEDS, period) <= period * 1.009
        fault = array_fault(pose, stance(period, before))
        if is_slow:
            assert fault is None


def carried_out(
    trajectory: Trajectory, measured: tuple[float, ...], cycle: float, span: float
) -> list[tuple[float, ...]]:
    """What joint_trajectory_controller (Jazzy) commands in each cycle until the next message.

    It interpolates linearly from the measured pose, and samples one cycle ahead.
    """
    points = [(0, measured), *((point.time, point.positions) for point in trajectory.points)]
    commands = []
    for number in range(1, round(span / cycle) + 1):
        time = round(number * cycle * BILLION)
        command = points[-1][1]
        for (t0, q0), (t1, q1) in itertools.pairwise(points):
            if t0 <= time < t1:
                part = (time - t0) / (t1 - t0)
                command = tuple(a + part * (b - a) for a, b in zip(q0, q1, strict=True))
        commands.append(command)
    return commands


@given(
    st.lists(st.floats(-1.0, 1.0), min_size=2, max_size=8),
    st.floats(-0.3, 0.3),
    st.sampled_from([1, 2, 5, 20]),
)
def test_a_servo_that_lags_behind_does_not_make_the_controller_stutter(
    steps: list[float], lag: float, cycles: int
) -> None:
    """No cycle's command is further from the one before than the speed limit allows."""
    period, limit = 0.02, 2.0
    positions = itertools.accumulate((limit * period * step for step in steps), initial=0.0)
    poses = [(position,) for position in positions]
    before, last = poses[0], poses[0][0]
    for pose in poses[1:]:
        trajectory = streamed_trajectory(('j',), before, pose, period)
        for (command,) in carried_out(trajectory, (last + lag,), period / cycles, period):
            assert abs(command - last) <= limit * period / cycles * 1.01 + 1e-4
            last = command
        before = pose
    assert math.isclose(last, poses[-1][0], abs_tol=1e-4)


def test_a_standing_arm_is_one_point_due_at_once() -> None:
    (point,) = streamed_trajectory(('j',), (0.5,), (0.5,), 0.02).points
    assert point.positions == (0.5,)
    assert 0 < point.time < 10**5


def test_a_first_command_is_reached_after_one_period() -> None:
    (point,) = streamed_trajectory(('j',), None, (0.5,), 0.02).points
    assert math.isclose(point.time, 0.02 * BILLION, rel_tol=1e-3)


def test_a_late_command_takes_the_time_that_its_step_needs() -> None:
    assert span_of_step((0.0, 0.0), (0.1, 0.1), (2.0, None), 0.02) == 0.1 / 2.0
    assert span_of_step((0.0, 0.0), (0.01, 5.0), (2.0, None), 0.02) == 0.02


def test_a_pose_has_all_joints_in_the_order_of_the_controller_or_none() -> None:
    arm = {'shoulder': 0.1, 'elbow': 0.2}
    assert command_pose(JOINTS, arm, {'gripper': 0.3}) == (0.3, 0.1, 0.2)
    assert command_pose(('elbow', 'shoulder'), arm, {}) == (0.2, 0.1)
    for unknown in ({}, {'gripper': math.nan}, {'gripper': math.inf}):
        assert command_pose(JOINTS, arm, unknown) is None
    assert command_pose(('elbow',), {'elbow': math.nan}, {}) is None

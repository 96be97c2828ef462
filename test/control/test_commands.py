"""Commands made of poses: every one of them passes the strict checker."""

from __future__ import annotations

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.control.acceptance import TrajectoryController
from ik2d_ros.control.commands import command_pose, streamed_trajectory
from ik2d_ros.control.content import BILLION, Trajectory
from ik2d_ros.control.strict import Stance, array_fault, trajectory_fault

JOINTS = ('gripper', 'shoulder', 'elbow')
LIMITS = {'shoulder': (-2.6, 2.6), 'elbow': (-2.6, 2.6)}
MAX_VELOCITY = {'shoulder': 2.0, 'elbow': 1.0}
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


def poses_of(steps: list[float], period: float) -> list[tuple[float, ...]]:
    """The poses of a motion whose joints go forth and back, none faster than its limit."""
    shoulder = elbow = 0.0
    poses = []
    for step in steps:
        for sign in (1.0, -1.0):
            moved = shoulder + sign * step * 2.0 * period
            if abs(moved) <= 2.6:
                shoulder, elbow = moved, moved / 2.0
                break
        poses.append((0.3, shoulder, elbow))
    return poses


STEPS = st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=8)


@given(STEPS, PERIODS)
def test_a_stream_of_commands_passes_the_strict_checker(steps: list[float], period: float) -> None:
    before: tuple[float, ...] | None = None
    for pose in poses_of(steps, period):
        trajectory = streamed_trajectory(JOINTS, before, pose, period)
        assert trajectory_fault(trajectory, stance(period, before), now=10**18) is None
        assert trajectory.points[-1].positions == pose
        assert array_fault(pose, stance(period, before)) is None
        before = pose


@given(POSES, POSES, PERIODS)
def test_a_step_faster_than_the_limits_does_not_pass(
    before: tuple[float, ...], pose: tuple[float, ...], period: float
) -> None:
    is_fast = any(
        abs(a - b) > 1.02 * limit * period + 1e-6
        for a, b, limit in zip(before[1:], pose[1:], MAX_VELOCITY.values(), strict=True)
    )
    trajectory = streamed_trajectory(JOINTS, before, pose, period)
    if is_fast:
        assert trajectory_fault(trajectory, stance(period, before), now=10**18)
        assert array_fault(pose, stance(period, before))


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


@given(STEPS, PERIODS)
def test_the_way_to_the_first_point_is_not_taken_for_a_fast_motion(
    steps: list[float], period: float
) -> None:
    """A controller with gains corrects the velocity: that of the first point is the motion's."""
    before, now = poses_of([*steps, 0.5], period)[-2:]
    trajectory = streamed_trajectory(JOINTS, before, now, period)
    limits = (0.0, 2.0, 1.0)
    first = trajectory.points[0]
    assert all(
        abs(v) <= 1.01 * limit + 1e-9 for v, limit in zip(first.velocities, limits, strict=True)
    )
    moves = [b - a for a, b in zip(before, now, strict=True)]
    assert all(v * move >= 0.0 for v, move in zip(first.velocities, moves, strict=True))
    (still,) = streamed_trajectory(JOINTS, now, now, period).points
    assert still.velocities == (0.0, 0.0, 0.0)


def test_a_standing_arm_is_one_point_due_at_once() -> None:
    (point,) = streamed_trajectory(('j',), (0.5,), (0.5,), 0.02).points
    assert point.positions == (0.5,)
    assert 0 < point.time < 10**5


def test_a_first_command_is_reached_after_one_period() -> None:
    (point,) = streamed_trajectory(('j',), None, (0.5,), 0.02).points
    assert math.isclose(point.time, 0.02 * BILLION, rel_tol=1e-3)


def test_a_pose_has_all_joints_in_the_order_of_the_controller_or_none() -> None:
    arm = {'shoulder': 0.1, 'elbow': 0.2}
    assert command_pose(JOINTS, arm, {'gripper': 0.3}) == (0.3, 0.1, 0.2)
    assert command_pose(('elbow', 'shoulder'), arm, {}) == (0.2, 0.1)
    for unknown in ({}, {'gripper': math.nan}, {'gripper': math.inf}):
        assert command_pose(JOINTS, arm, unknown) is None
    assert command_pose(('elbow',), {'elbow': math.nan}, {}) is None

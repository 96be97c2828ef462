"""``ik2d_sim``: the real node on the real middleware, commanded as a controller is."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from harness import CONFIG, HAS_ROS, resent
from node_client import Client

if HAS_ROS:
    from builtin_interfaces.msg import Duration
    from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

    from ik2d_ros.ros.stamps import nanoseconds

START, GOAL, OTHER = [0.4, 0.8], [0.7, 0.5], [0.2, 0.6]
SECOND = 10**9


def trajectory(positions: list[float], *names: str) -> Any:
    point = JointTrajectoryPoint(positions=positions, time_from_start=Duration(nanosec=200_000_000))
    return JointTrajectory(joint_names=names, points=[point])


def test_it_takes_trajectories_refuses_wrong_ones_and_measures(
    start_process: Callable[..., Any], ros: int, spin_until: Callable[..., Any]
) -> None:
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    file = CONFIG / 'two_bone.yaml'
    process = start_process('sim', '--ros-args', '--params-file', file)
    robot = Client(None, spin_until, '/ik2d_sim')
    heard, publish = robot.joint_states, robot.node.create_publisher
    commands = publish(JointTrajectory, 'arm_controller/joint_trajectory', 1)

    def say(message: Any, condition: Callable[[], Any], what: str) -> None:
        send = resent(lambda: commands.publish(message))  # its reader is best effort
        robot.wait(lambda: send() or condition(), f'{what} from {process.output[-2000:]}')

    def is_at(positions: list[float], within: float = 0.01) -> bool:
        return heard[-1].position.tolist() == pytest.approx(positions, abs=within)

    robot.wait(lambda: heard, 'joint_states')
    assert is_at(START, 1e-6)
    words = 'it must be for the joints shoulder, elbow'
    say(trajectory([0.0], 'elbow'), lambda: words in process.output, words)
    assert is_at(START, 1e-6)
    say(trajectory(GOAL[::-1], 'elbow', 'shoulder'), lambda: is_at(GOAL), 'the goal')
    assert heard[-1].name == ['shoulder', 'elbow']
    assert len(heard[-1].velocity) == len(heard[-1].effort) == 2
    stamps = [nanoseconds(each.header.stamp) for each in heard]
    gaps = [later - earlier for earlier, later in pairwise(stamps)]
    assert min(gaps) > 0
    assert min(gaps) <= SECOND // 100

    assert robot.set({'active': False}).successful
    count = len(heard)
    say(trajectory(OTHER, 'shoulder', 'elbow'), lambda: len(heard) > count + 100, 'time')
    assert is_at(GOAL)
    assert robot.set({'active': True}).successful
    say(trajectory(OTHER, 'shoulder', 'elbow'), lambda: is_at(OTHER), 'the other goal')
    robot.close()

"""``ik2d_sim``: the real node on the real middleware, commanded as a controller is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from harness import HAS_ROS, ROOT, once
from node_client import Client

if HAS_ROS:
    from builtin_interfaces.msg import Duration
    from geometry_msgs.msg import Vector3Stamped
    from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

    from ik2d_ros.ros.stamps import nanoseconds

TWO_BONE = ROOT / 'config/two_bone.yaml'
START = [0.4, 0.8]
GOAL = [0.7, 0.5]
SECOND = 10**9


class Rig(Client):
    """A running simulation, its measurements, and a way to command it."""

    def __init__(self, process: Any, spin_until: Callable[..., Any]) -> None:
        super().__init__(None, spin_until, '/ik2d_sim')
        self.process, self.heard = process, self.joint_states
        self._commands = self.node.create_publisher(
            JointTrajectory, 'arm_controller/joint_trajectory', 1
        )
        self.wait(lambda: self.heard, 'joint_states')

    def wait(self, predicate: Callable[[], Any], what: str) -> Any:
        return super().wait(predicate, f'{what} from {self.process.output[-2000:]}')

    def say(self, message: Any, predicate: Callable[[], Any], what: str) -> None:
        """Publish a message now and again until something holds: its reader is best effort."""
        for _ in range(20):
            count = len(self.heard)
            self._commands.publish(message)
            self.wait(lambda n=count: predicate() or len(self.heard) > n + 200, what)
            if predicate():
                return
        pytest.fail(f'no sign of {what} in {self.process.output}')

    def is_at(self, positions: list[float], within: float = 0.01) -> bool:
        return self.heard[-1].position.tolist() == pytest.approx(positions, abs=within)


@pytest.fixture
def rig(
    start_process: Callable[..., Any], ros: int, spin_until: Callable[..., Any]
) -> Iterator[Callable[..., Rig]]:
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    rigs = []

    def start(*parameters: str) -> Rig:
        given = [part for each in parameters for part in ('-p', each)]
        process = start_process(
            '-m', 'ik2d_ros.sim', '--ros-args', '--params-file', TWO_BONE, *given
        )
        rigs.append(Rig(process, spin_until))
        return rigs[-1]

    yield start
    for each in rigs:
        each.close()


def trajectory(positions: list[float], names: tuple[str, ...]) -> Any:
    point = JointTrajectoryPoint(positions=positions, time_from_start=Duration(nanosec=200_000_000))
    return JointTrajectory(joint_names=list(names), points=[point])


def test_it_takes_trajectories_refuses_wrong_ones_and_measures(rig: Callable[..., Rig]) -> None:
    robot = rig()
    assert robot.is_at(START, 1e-6)
    words = 'it must be for the joints shoulder, elbow'
    robot.say(trajectory([0.0], ('elbow',)), lambda: words in robot.process.output, words)
    assert robot.is_at(START, 1e-6)
    robot.say(trajectory(GOAL[::-1], ('elbow', 'shoulder')), lambda: robot.is_at(GOAL), 'the goal')
    last = robot.heard[-1]
    assert last.name == ['shoulder', 'elbow']
    assert len(last.velocity) == len(last.effort) == 2
    stamps = [nanoseconds(each.header.stamp) for each in robot.heard]
    assert all(later > earlier for earlier, later in pairwise(stamps))
    assert min(later - earlier for earlier, later in pairwise(stamps)) <= SECOND // 100

    push = robot.node.create_publisher(Vector3Stamped, 'ik2d_sim/push', 10)
    force = Vector3Stamped()
    force.vector.x, force.vector.y = -20.0, 20.0  # more than the elbow can bear
    robot.wait(lambda: push.publish(force) or not robot.is_at(GOAL, 0.05), 'the effect of a push')
    robot.wait(
        lambda: push.publish(Vector3Stamped()) or robot.is_at(GOAL), 'the return after a push'
    )


@once
def test_an_inactive_controller_holds(rig: Callable[..., Rig]) -> None:
    robot = rig()
    assert robot.set({'active': False}).successful
    count = len(robot.heard)
    good = trajectory(GOAL, ('shoulder', 'elbow'))
    robot.say(good, lambda: len(robot.heard) > count + 100, 'time')
    assert robot.is_at(START, 1e-6)

    assert robot.set({'active': True}).successful
    robot.say(good, lambda: robot.is_at(GOAL), 'the goal')

"""Targets and queries that take long to solve delay no tick of any arm."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from harness import HAS_ROS

from ik2d_ros.node.parameters import Settings

if HAS_ROS:
    import rclpy
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import PointStamped
    from rclpy.qos import QoSProfile
    from sensor_msgs.msg import JointState

    from ik2d_ros.node.arm_node import ArmNode
    from ik2d_ros.node.asking_controllers import in_namespace
    from ik2d_ros.node.incoming import MOST_QUERIES
    from ik2d_ros.node.waiting import Turns
    from ik2d_ros.ros.executors import EVENTS, SINGLE, create_executor
    from ik2d_ros.ros.stamps import nanoseconds

RATE, TAKES = 100.0, 0.05  # Hz, s: some ticks are due after every solve
ARM = f"""
/**:
  ros__parameters:
    joints: [a, b]
    publish_rate: {RATE}
    chain: {{a: {{length: 0.3}}, b: {{length: 0.25}}}}
"""


class Bench:
    """Two arms in one process, and a client that hears all that they say."""

    def __init__(self, executor: Any) -> None:
        self.executor, turns = executor, Turns()
        names = '/one', '/other'
        self.arms = [ArmNode(arguments=in_namespace(name), turns=turns) for name in names]
        self.client = rclpy.create_node('client')
        self.poses: dict[str, list[int]] = {'one': [], 'other': []}
        self.answers: list[DiagnosticArray] = []
        deep = QoSProfile(depth=1000)
        for name, heard in self.poses.items():
            self.client.create_subscription(
                JointState,
                f'/{name}/joint_states',
                lambda message, heard=heard: heard.append(nanoseconds(message.header.stamp)),
                deep,
            )
        self.client.create_subscription(
            DiagnosticArray, '/one/ik2d/query_status', self.answers.append, deep
        )
        self.publishers = {
            topic: self.client.create_publisher(PointStamped, f'/one/ik2d/{topic}', deep)
            for topic in ('query', 'target')
        }
        for node in (*self.arms, self.client):
            executor.add_node(node)

    def send(self, topic: str, count: int = 1) -> None:
        message = PointStamped()
        message.point.x, message.point.y = 0.3, 0.2
        for _ in range(count):
            self.publishers[topic].publish(message)


@pytest.fixture(params=['events', 'single'])
def bench(
    request: pytest.FixtureRequest, ros_environment: int, tmp_path: Path, spin_until: Any
) -> Iterator[Bench]:
    file = tmp_path / 'arms.yaml'
    file.write_text(ARM)
    rclpy.init(args=['--ros-args', '--params-file', str(file)])
    executor = None
    try:
        executor = create_executor({'events': EVENTS, 'single': SINGLE}[request.param])
        bench = Bench(executor)
        subscribed = [each.get_subscription_count for each in bench.publishers.values()]
        spin_until(executor, lambda: all(count() for count in subscribed), what='subscriptions')
        spin_until(executor, lambda: all(bench.poses.values()), what='poses')
        yield bench
        executor.shutdown()
        for node in (*bench.arms, bench.client):
            node.destroy_node()
    finally:
        rclpy.try_shutdown()


@pytest.fixture
def solves(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """When each solve began and ended, in ns; all take a while."""
    times: list[tuple[int, int]] = []
    original = Settings.solve

    def slow(*arguments: Any, **more: Any) -> Any:
        begin = time.time_ns()
        time.sleep(TAKES)
        times.append((begin, time.time_ns()))
        return original(*arguments, **more)

    monkeypatch.setattr(Settings, 'solve', slow)
    return times


def test_between_two_solves_every_arm_ticks(
    bench: Bench, solves: list[tuple[int, int]], spin_until: Any
) -> None:
    def ask() -> None:
        bench.send('query')
        bench.send('target')

    timer = bench.client.create_timer(0.5 / RATE, ask)
    spin_until(bench.executor, lambda: len(solves) > 20, what='solves')
    timer.cancel()
    done = solves[:]
    spin_until(
        bench.executor,
        lambda: min(heard[-1] for heard in bench.poses.values()) > done[-1][1],
        what='the last poses',
    )
    for heard in bench.poses.values():
        for (_, end), (begin, _) in pairwise(done):
            assert bisect_right(heard, begin) > bisect_right(heard, end)


def test_ten_queries_wait_and_more_get_no_answer(
    bench: Bench, solves: list[tuple[int, int]], spin_until: Any
) -> None:
    bench.send('query', 3 * MOST_QUERIES)
    spin_until(bench.executor, lambda: len(bench.answers) >= MOST_QUERIES, what='answers')
    before = [len(heard) for heard in bench.poses.values()]
    spin_until(
        bench.executor,
        lambda: all(
            len(heard) > count + 50
            for heard, count in zip(bench.poses.values(), before, strict=True)
        ),
        what='more poses',
    )
    assert len(bench.answers) == len(solves) < 3 * MOST_QUERIES

"""Targets and queries that take long to solve delay no tick of any arm."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from harness import HAS_ROS
from node_client import NEAR, TWO, Client, parameter_file

from ik2d_ros.node.parameters import Settings

if HAS_ROS:
    import rclpy

    from ik2d_ros.node.arm_node import ArmNode
    from ik2d_ros.node.asking_controllers import in_namespace
    from ik2d_ros.node.incoming import MOST_QUERIES
    from ik2d_ros.ros.executors import EVENTS, SINGLE, create_executor
    from ik2d_ros.ros.stamps import nanoseconds

RATE, TAKES = 100.0, 0.05  # Hz, s: some ticks are due after every solve


class Bench(NamedTuple):
    """Two arms in one process, and a client of each, all in one executor."""

    executor: Any
    one: Client
    other: Client

    def heard(self) -> list[list[int]]:
        """The times of the poses of each arm in ns."""
        return [
            [nanoseconds(message.header.stamp) for message in client.joint_states]
            for client in (self.one, self.other)
        ]


@pytest.fixture(params=['events', 'single'])
def bench(
    request: pytest.FixtureRequest, ros_environment: int, tmp_path: Path, spin_until: Any
) -> Iterator[Bench]:
    file = parameter_file(tmp_path / 'arms.yaml', {**TWO, 'publish_rate': RATE})
    rclpy.init(args=['--ros-args', '--params-file', str(file)])
    executor = None
    try:
        executor = create_executor({'events': EVENTS, 'single': SINGLE}[request.param])
        one = ArmNode(arguments=in_namespace('/one'))
        arms = [one, ArmNode(arguments=in_namespace('/other'), first=one)]
        clients = [Client(None, spin_until, f'/{name}/ik2d') for name in ('one', 'other')]
        nodes = [*arms, *(client.node for client in clients)]
        for node in nodes:
            executor.add_node(node)
        bench = Bench(executor, *clients)
        subscribed = [each.get_subscription_count for each in bench.one.inputs]
        spin_until(executor, lambda: all(count() for count in subscribed), what='subscriptions')
        spin_until(executor, lambda: all(bench.heard()), what='poses')
        yield bench
        executor.shutdown()
        for node in nodes:
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
        for query in (True, False):
            bench.one.send(NEAR, query=query)

    timer = bench.one.node.create_timer(0.5 / RATE, ask)
    spin_until(bench.executor, lambda: len(solves) > 20, what='solves')
    timer.cancel()
    done = solves[:]
    spin_until(
        bench.executor,
        lambda: min(heard[-1] for heard in bench.heard()) > done[-1][1],
        what='the last poses',
    )
    for heard in bench.heard():
        for (_, end), (begin, _) in pairwise(done):
            assert bisect_right(heard, begin) > bisect_right(heard, end)


def test_ten_queries_wait_and_more_get_no_answer(
    bench: Bench, solves: list[tuple[int, int]], spin_until: Any
) -> None:
    for _ in range(3 * MOST_QUERIES):
        bench.one.send(NEAR, query=True)
    answers = bench.one.answers
    spin_until(bench.executor, lambda: len(answers) >= MOST_QUERIES, what='answers')
    before = min(map(len, bench.heard()))
    spin_until(bench.executor, lambda: min(map(len, bench.heard())) > before + 50, what='poses')
    assert len(answers) == len(solves) < 3 * MOST_QUERIES

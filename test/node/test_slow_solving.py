"""Targets and queries that take long to solve delay no tick of any arm."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from harness import HAS_ROS, once
from node_client import NEAR, TWO, Client, parameter_file, values

from ik2d_ros.planning.settings import Settings

if HAS_ROS:
    import rclpy

    from ik2d_ros.node.arm_node import ArmNode
    from ik2d_ros.node.fleet import in_namespace
    from ik2d_ros.node.turns import Turns
    from ik2d_ros.ros.executors import create_executor
    from ik2d_ros.ros.stamps import nanoseconds

pytestmark = once  # under both executors
RATE, TAKES = 100.0, 0.05  # Hz, s: some ticks are due after every solve


Clients = tuple[Client, Client]


def heard(clients: Clients) -> list[list[int]]:
    """The times of the poses of each arm in ns."""
    return [[nanoseconds(message.header.stamp) for message in c.joint_states] for c in clients]


@pytest.fixture(params=['events', 'single'])
def clients(
    request: pytest.FixtureRequest, ros_environment: int, tmp_path: Path, spin_until: Any
) -> Iterator[Clients]:
    """The clients of two arms in one process, all in one executor."""
    file = parameter_file(tmp_path / 'arms.yaml', {**TWO, 'publish_rate': RATE})
    rclpy.init(args=['--ros-args', '--params-file', str(file)])
    try:
        executor = create_executor(is_single=request.param == 'single')
        first = ArmNode(arguments=in_namespace('/one'))
        arms = [first, ArmNode(arguments=in_namespace('/other'), first=first)]
        one, other = (Client(None, spin_until, f'/{name}/ik2d') for name in ('one', 'other'))
        one.executor = other.executor = executor
        for node in (*arms, one.node, other.node):
            executor.add_node(node)
        for publisher in one.inputs:
            one.wait(publisher.get_subscription_count, 'a subscription')
        one.wait(lambda: all(heard((one, other))), 'poses')
        yield one, other
        executor.shutdown()
        for node in (*arms, one.node, other.node):
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
    clients: Clients, solves: list[tuple[int, int]]
) -> None:
    one, _ = clients

    def ask() -> None:
        for query in (True, False):
            one.send(NEAR, query=query)

    timer = one.node.create_timer(0.5 / RATE, ask)
    one.wait(lambda: len(solves) > 20, 'solves')
    timer.cancel()
    done = solves[:]
    one.wait(lambda: min(times[-1] for times in heard(clients)) > done[-1][1], 'the last poses')
    for times in heard(clients):
        for (_, end), (begin, _) in pairwise(done):
            due = end - round(1e9 / RATE)  # a stamp tells when a tick was due
            assert bisect_right(times, begin) > bisect_right(times, due)


class Waiting:
    """An arm with some targets to answer."""

    def __init__(self, name: int, count: int, asked: list[int]) -> None:
        self.name, self.count, self.asked = name, count, asked

    @property
    def is_waiting(self) -> bool:
        return self.count > 0

    def answer_next(self) -> bool:
        self.asked.append(self.name)
        self.count -= 1
        return self.count >= 0


@pytest.mark.parametrize('seed', range(5))
def test_arms_answer_in_turn_and_those_without_targets_are_not_asked(
    ros_packages: None, seed: int
) -> None:
    random, turns, asked = Random(seed), Turns(lambda: False), list[int]()
    counts = [random.randrange(4) for _ in range(6)]
    arms = [Waiting(name, count, asked) for name, count in enumerate(counts)]
    for arm in arms:
        if arm.is_waiting:
            turns.wait(arm)
            turns.wait(arm)
    turns.run()
    assert not any(arm.is_waiting for arm in arms)
    rounds = [[name for name, count in enumerate(counts) if count >= k] for k in (1, 2, 3)]
    answered = [name for each in rounds for name in each]
    assert asked[: len(answered)] == answered
    assert sorted(set(asked)) == rounds[0]
    asked.clear()
    turns.run()
    assert not asked


def test_a_path_of_many_points_keeps_nobody_waiting(arm: Client) -> None:
    """Queries that come later are answered earlier."""
    angles = np.linspace(0.0, 400.0, 20_000)
    circle = np.stack([0.35 + 0.05 * np.cos(angles), 0.05 * np.sin(angles), 0.0 * angles], axis=1)
    asked = arm.send_path(circle, query=True)
    for _ in range(3):
        arm.ask(NEAR, query=True)
        assert asked not in [message.header.stamp for message in arm.answers]
    arm.wait(lambda: arm.answers[-1].header.stamp == asked, 'the answer for the path')
    assert values(arm.answers[-1])['code'] == 'REACHED'

"""Ticks keep their distance and rates, whoever shares them, and however long targets take."""

from __future__ import annotations

import itertools
import time
from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from threading import Event
from typing import Any
from unittest.mock import Mock, patch

import numpy as np
import pytest
from harness import HAS_ROS, once
from hypothesis import given
from hypothesis import strategies as st
from node_client import NEAR, TWO, Client, parameter_file, values

from ik2d_ros.pilot.answer import Answer
from ik2d_ros.pilot.waiting import Worker
from ik2d_ros.planning.settings import Settings

if HAS_ROS:
    import rclpy
    from rclpy.executors import SingleThreadedExecutor

    from ik2d_ros.node.fleet import build_nodes
    from ik2d_ros.node.schedule import CLOSEST, Schedule
    from ik2d_ros.parameters.table import Table
    from ik2d_ros.ros.parameter_node import ParameterNode, create_executor
    from ik2d_ros.ros.stamps import nanoseconds

PERIOD = 0.02  # s
RATES = [50.0, 125.0, 200.0]  # Hz
ENOUGH, DEADLINE = 8, 60.0  # ticks and s


class Waiting:
    """An arm with some targets to answer."""

    def __init__(self, name: int, count: int, asked: list[int]) -> None:
        self.name, self.count, self.asked = name, count, asked

    @property
    def is_waiting(self) -> bool:
        return self.count > 0

    def answer_next(self):
        self.asked.append(self.name)
        self.count -= 1
        return self.count >= 0


@pytest.mark.usefixtures('ros_packages')
def test_ticks_that_come_too_soon_are_skipped() -> None:
    node, now, kept = Mock(guarded=lambda callback: callback), [0.0], list[float]()
    node.get_clock.return_value.ros_time_is_active = False
    node.create_timer.return_value.time_until_next_call.return_value = 1

    @given(st.lists(st.floats(0.0, 3.0 * PERIOD), min_size=1))
    def law(pauses: list[float]) -> None:
        times, least = [*itertools.accumulate(pauses, initial=1.0)], CLOSEST * PERIOD
        kept.clear()
        Schedule(node).tick_at(node, 1.0 / PERIOD, lambda: kept.append(now[0]))
        tick = node.create_timer.call_args.args[1]
        for now[0] in times:
            tick()
        assert kept[0] == times[0]
        assert all(later - earlier >= least for earlier, later in itertools.pairwise(kept))
        # None is left out without one before that was too near.
        assert all(any(0.0 <= time - one < least for one in kept) for time in {*times} - {*kept})

    with patch('ik2d_ros.node.schedule.time', Mock(monotonic=lambda: now[0])):
        law()


def test_timers_of_a_process_keep_their_rates_and_errors(ros: int) -> None:
    """Whichever rates change: no tick is lost for others, comes too often, or for another node."""
    random, executor = Random(0), SingleThreadedExecutor()
    nodes = [ParameterNode(f'arm{number}', Table(()), dict) for number in range(3)]
    ticks, followed = [0] * len(nodes), list[int]()

    def tick(number: int) -> None:
        ticks[number] += 1
        raise LookupError(number)

    ticking = Schedule(nodes[0])

    class Arm:
        """It waits for ever, and notes the ticks before its turn."""

        is_waiting = True

        def answer_next(self):
            followed.append(sum(ticks))
            return False

    ticking.queue(Arm())
    rates = [RATES[0]] * len(nodes)
    for number, node in enumerate(nodes):
        executor.add_node(node)
        ticking.tick_at(node, rates[number], partial(tick, number))
    for _ in range(12):
        number = random.randrange(len(nodes))
        rates[number] = random.choice(RATES)
        ticking.tick_at(nodes[number], rates[number], partial(tick, number))
        ticks[:], errors = [0] * len(ticks), [node.fault_count for node in nodes]
        followed.clear()
        begin, left = time.monotonic(), [ticking.time_left(rate) / 1e9 for rate in rates]
        while min(ticks) < ENOUGH and time.monotonic() - begin < DEADLINE:
            executor.spin_once(timeout_sec=PERIOD)
        passed = time.monotonic() - begin
        assert min(ticks) >= ENOUGH
        assert followed[-1] == sum(ticks)
        for rate, count, first in zip(rates, ticks, left, strict=True):
            assert count <= (passed - first) * rate + 2
        assert [node.fault_count for node in nodes] == [*map(sum, zip(errors, ticks, strict=True))]
    executor.shutdown()


@pytest.mark.parametrize('seed', range(5))
def test_arms_answer_in_turn_and_those_without_targets_are_not_asked(
    ros_packages: None, seed: int
) -> None:
    random, turns, asked = Random(seed), Schedule(Mock()), list[int]()
    counts = [random.randrange(4) for _ in range(6)]
    arms = [Waiting(name, count, asked) for name, count in enumerate(counts)]
    for arm in arms:
        if arm.is_waiting:
            turns.queue(arm)
            turns.queue(arm)
    turns.answer()
    assert not any(arm.is_waiting for arm in arms)
    rounds = [[name for name, count in enumerate(counts) if count >= k] for k in (1, 2, 3)]
    answered = [name for each in rounds for name in each]
    assert asked[: len(answered)] == answered
    assert sorted(set(asked)) == rounds[0]
    asked.clear()
    turns.answer()
    assert not asked


RATE, TAKES = 100.0, 0.05  # Hz, s: some ticks are due after every solve


def heard(clients: tuple[Client, Client]) -> list[list[int]]:
    """The times of the poses of each arm in ns."""
    return [[nanoseconds(message.header.stamp) for message in c.joint_states] for c in clients]


@pytest.fixture(params=['events', 'single'])
def clients(
    request: pytest.FixtureRequest, ros_environment: int, tmp_path: Path, spin_until: Any
) -> Iterator[tuple[Client, Client]]:
    """The clients of two arms in one process, all in one executor."""
    both = {**TWO, 'publish_rate': RATE, 'arms': ['/one', '/other']}
    file = parameter_file(tmp_path / 'arms.yaml', both)
    rclpy.init(args=['--ros-args', '--params-file', str(file)])
    try:
        executor = create_executor(is_single=request.param == 'single')
        arms = build_nodes([])
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


@once  # under both executors
def test_between_two_solves_every_arm_ticks(
    clients: tuple[Client, Client], solves: list[tuple[int, int]]
) -> None:
    one, _ = clients

    def ask():
        for query in (True, False):
            one.send(NEAR, query=query)

    timer = one.node.create_timer(0.5 / RATE, ask)
    one.wait(lambda: len(solves) > 20, 'solves')
    timer.cancel()
    done = solves[:]
    one.wait(lambda: min(times[-1] for times in heard(clients)) > done[-1][1], 'the last poses')
    for times in heard(clients):
        for (_, end), (begin, _) in itertools.pairwise(done):
            due = end - round(1e9 / RATE)  # a stamp tells when a tick was due
            assert bisect_right(times, begin) > bisect_right(times, due)


@once  # under both executors
def test_a_path_that_is_judged_keeps_nobody_waiting(
    clients: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Queries that come later are answered earlier."""
    one, _ = clients
    one.connect()
    has_begun, may_end = Event(), Event()
    original = Worker.add

    def held(worker, job):
        def job_that_waits() -> Answer:
            has_begun.set()
            may_end.wait()
            return job()

        original(worker, job_that_waits)

    monkeypatch.setattr(Worker, 'add', held)
    angles = np.linspace(0.0, 6.0, 100)
    circle = np.stack([0.35 + 0.05 * np.cos(angles), 0.05 * np.sin(angles), 0.0 * angles], axis=1)
    try:
        asked = one.send_path(circle, query=True)
        one.wait(has_begun.is_set, 'the judging of the path')
        one.ask(NEAR, query=True)
        assert asked not in [message.header.stamp for message in one.answers]
    finally:
        may_end.set()
    one.wait(lambda: one.answers[-1].header.stamp == asked, 'the answer for the path')
    assert values(one.answers[-1])['code'] == 'REACHED'

"""Targets and queries that take long to solve delay no tick of any arm."""

from __future__ import annotations

import time
from bisect import bisect_right
from itertools import pairwise
from threading import Event

import numpy as np
import pytest
from harness import HAS_ROS, once
from node_client import NEAR, TWO, Client, parameter_file, values

from ik2d_ros.pilot.waiting import Worker
from ik2d_ros.planning.settings import Settings

if HAS_ROS:
    import rclpy

    from ik2d_ros.node.fleet import build_nodes
    from ik2d_ros.ros.parameter_node import create_executor
    from ik2d_ros.ros.stamps import nanoseconds

pytestmark = once  # under both executors
RATE, TAKES = 100.0, 0.05  # Hz, s: some ticks are due after every solve


Clients = tuple[Client, Client]


def heard(clients):
    """The times of the poses of each arm in ns."""
    return [[nanoseconds(message.header.stamp) for message in c.joint_states] for c in clients]


@pytest.fixture(params=['events', 'single'])
def clients(request, ros_environment, tmp_path, spin_until):
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
def solves(monkeypatch):
    """When each solve began and ended, in ns; all take a while."""
    times: list[tuple[int, int]] = []
    original = Settings.solve

    def slow(*arguments, **more):
        begin = time.time_ns()
        time.sleep(TAKES)
        times.append((begin, time.time_ns()))
        return original(*arguments, **more)

    monkeypatch.setattr(Settings, 'solve', slow)
    return times


def test_between_two_solves_every_arm_ticks(clients, solves):
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
        for (_, end), (begin, _) in pairwise(done):
            due = end - round(1e9 / RATE)  # a stamp tells when a tick was due
            assert bisect_right(times, begin) > bisect_right(times, due)


def test_a_path_that_is_judged_keeps_nobody_waiting(clients, monkeypatch):
    """Queries that come later are answered earlier."""
    one, _ = clients
    one.connect()
    has_begun, may_end = Event(), Event()
    original = Worker.add

    def held(worker, job):
        def job_that_waits():
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

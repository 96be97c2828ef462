"""The arm's node from Python: what each call returns, and what ends it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from harness import DEFAULT_TIMEOUT, HAS_ROS
from node_client import parameter_file
from refusals import TWO
from transforms import Transforms, with_tf

from ik2d_ros.parameters.shipped import find_config

if HAS_ROS:
    from geometry_msgs.msg import Point, PointStamped

    from ik2d_ros.client import ArmClient

QUICK = {**TWO, 'chain.shoulder.max_velocity': 3.0, 'chain.elbow.max_velocity': 3.0}
# The next call has to come before the arm is there, however slow the machine is.
SLOW = {**TWO, 'chain.shoulder.max_velocity': 1e-3, 'chain.elbow.max_velocity': 1e-3}
Start = Callable[..., 'ArmClient']


@pytest.fixture
def start(ros_node: Any, start_process: Any, tmp_path: Path) -> Iterator[Start]:
    """``start(parameters) -> ArmClient``: a node, and a client of it."""
    clients = []

    def connect(parameters: dict[str, object] | str) -> ArmClient:
        command, file = ('-m', 'ik2d_ros.node', '--ros-args'), parameters
        if not isinstance(parameters, str):
            file = parameter_file(tmp_path / 'arm.yaml', parameters)
        process = start_process(*command, '--params-file', file, env=with_tf())
        process.wait_for_output('ready')
        clients.append(ArmClient(ros_node))
        return clients[-1]

    yield connect
    for client in clients:
        client.destroy()


@pytest.fixture
def beside() -> Iterator[Callable[..., Future[Any]]]:
    """``beside(call, *arguments)`` makes a call in another thread."""
    with ThreadPoolExecutor(2) as pool:
        yield pool.submit


def assert_is_replaced(call: Future[Any], target: tuple[float, float, float]) -> None:
    """What replaces it may come before the node has answered, or after that."""
    fault = call.exception(DEFAULT_TIMEOUT)
    if fault is None:
        assert call.result().target in (target, None)
        assert not call.result().at_goal
    else:
        assert isinstance(fault, CancelledError)


def test_a_script_that_spins_nothing(start: Start) -> None:
    client = start(QUICK)
    assert client.name == '/ik2d'
    asked = client.can_reach(0.3, 0.2, timeout=DEFAULT_TIMEOUT)
    assert (asked.code, asked.reachable, asked.at_goal) == ('REACHED', True, False)
    there = client.go_to(0.3, 0.2, timeout=DEFAULT_TIMEOUT)
    assert (there.code, there.at_goal) == ('REACHED', True)
    assert there.target == (0.3, 0.2, 0.0)
    beyond = client.go_to(1.0, 0.0, timeout=DEFAULT_TIMEOUT)
    assert (beyond.code, beyond.reachable, beyond.at_goal) == ('TOO_FAR', False, True)
    assert beyond.error == pytest.approx(0.45)
    stopped = client.stop(DEFAULT_TIMEOUT)
    assert stopped.code == 'READY'
    assert stopped.message.startswith('The arm stands with its tip at (0.55, ')


def test_a_path(start: Start) -> None:
    client = start({**QUICK, 'path_speed': 0.5})
    there = client.follow([(0.3, 0.2), (0.3, 0.0), (0.2, 0.2, 0.0)], timeout=DEFAULT_TIMEOUT)
    assert (there.code, there.at_goal, there.path_progress) == ('REACHED', True, 1.0)
    assert there.target == (0.2, 0.2, 0.0)
    bad = client.follow([(0.3, 0.2)], timeout=DEFAULT_TIMEOUT)
    assert (bad.code, bad.at_goal) == ('INVALID_TARGET', False)


def test_an_arm_that_holds_is_not_there(start: Start) -> None:
    held = start({**QUICK, 'unreachable': 'hold'}).go_to(1.0, 0.0, timeout=DEFAULT_TIMEOUT)
    assert (held.code, held.at_goal) == ('TOO_FAR', False)


def test_a_callback_of_a_spun_node(start: Start, ros_node: Any, spin_until: Any) -> None:
    client, results = start(QUICK), []

    def call() -> None:
        timer.cancel()
        results.append(client.go_to(0.3, 0.2, timeout=DEFAULT_TIMEOUT))

    timer = ros_node.create_timer(0.01, call)
    spin_until(ros_node, lambda: results, what='the end of the motion')
    assert results[0].at_goal


def test_the_next_call_ends_a_motion_and_a_question_does_not(
    start: Start, beside: Callable[..., Future[Any]]
) -> None:
    client = start(SLOW)
    first = beside(client.go_to, -0.3, 0.2, timeout=10 * DEFAULT_TIMEOUT)
    assert client.can_reach(0.2, 0.2, timeout=DEFAULT_TIMEOUT).reachable
    assert not first.done()
    second = beside(client.go_to, -0.3, -0.2, timeout=10 * DEFAULT_TIMEOUT)
    assert_is_replaced(first, (-0.3, 0.2, 0.0))
    assert client.stop(DEFAULT_TIMEOUT).code == 'READY'
    assert_is_replaced(second, (-0.3, -0.2, 0.0))


def test_a_timeout_stops_the_arm(start: Start) -> None:
    client = start(SLOW)
    client.can_reach(0.3, 0.2, timeout=DEFAULT_TIMEOUT)
    late = client.go_to(-0.3, 0.2, timeout=2.0)
    assert late.is_on_the_way
    assert not late.at_goal
    assert client._newest[1].code == 'READY'


def test_a_target_of_somebody_else_ends_a_motion(
    start: Start, ros_node: Any, spin_until: Any, beside: Callable[..., Future[Any]]
) -> None:
    client = start(SLOW)
    call = beside(client.go_to, -0.3, 0.2, timeout=10 * DEFAULT_TIMEOUT)
    publisher = ros_node.create_publisher(PointStamped, 'ik2d/target', 1)
    timer = ros_node.create_timer(0.1, lambda: publisher.publish(PointStamped(point=Point(x=0.3))))
    spin_until(ros_node, call.done, what='the end of the motion')
    timer.cancel()
    assert_is_replaced(call, (-0.3, 0.2, 0.0))


def test_the_tip_angle_is_that_in_the_plane(start: Start) -> None:
    client = start(str(find_config('so101')))
    for angle in (0.0, 0.7):
        status = client.go_to(0.25, 0.1, 0.15, angle=angle, timeout=DEFAULT_TIMEOUT)
        assert (status.code, status.at_goal) == ('REACHED', True)
        assert status.angle == pytest.approx(angle, abs=2e-3)


def test_a_path_in_space(start: Start) -> None:
    client = start(str(find_config('so101')))
    path = [(0.25, 0.1, 0.15), (0.25, -0.1, 0.15), (0.2, 0.0, 0.2)]
    there = client.follow(path, timeout=10 * DEFAULT_TIMEOUT)
    assert (there.code, there.at_goal) == ('REACHED', True)
    assert there.target == pytest.approx(path[-1])
    assert there.error < 1e-4


def test_an_angle_needs_the_base_frame(start: Start) -> None:
    with pytest.raises(ValueError, match=r"angle is 0 in frame 'table'; it must be .*'base_link'"):
        start(QUICK).go_to(0.3, 0.2, angle=0.0, frame='table', timeout=DEFAULT_TIMEOUT)


def test_what_is_refused_is_forgotten(start: Start, ros_node: Any) -> None:
    client, transforms = start(QUICK), Transforms(ros_node)
    refused = client.go_to(0.2, -0.2, frame='camera', timeout=DEFAULT_TIMEOUT)
    assert refused.code == 'UNKNOWN_FRAME'
    transforms.place('camera', 0.0, 0.0, 0.0)
    while client.can_reach(0.2, -0.2, frame='camera', timeout=DEFAULT_TIMEOUT).code != 'REACHED':
        pass
    assert client._newest[1].code == 'READY'
    assert client.go_to(math.nan, 0.0, timeout=DEFAULT_TIMEOUT).code == 'INVALID_TARGET'


def test_without_a_node_there_is_no_answer(ros_node: Any) -> None:
    client = ArmClient(ros_node, 'left/ik2d')
    calls = (
        lambda: client.go_to(0.3, 0.2, timeout=0.1),
        lambda: client.can_reach(0.3, 0.2, timeout=0.1),
        lambda: client.stop(timeout=0.1),
    )
    for call in calls:
        with pytest.raises(TimeoutError, match="'/left/ik2d' is not there: is it running"):
            call()
    client.destroy()

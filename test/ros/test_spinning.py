"""A node goes on whatever its callbacks or rclpy raise."""

from __future__ import annotations

import importlib.util
import time
from collections import Counter
from typing import Any

import pytest
from harness import DEFAULT_TIMEOUT

if importlib.util.find_spec('rclpy'):
    import rclpy
    from rclpy.executors import ExternalShutdownException
    from rclpy.node import Node
    from std_msgs.msg import String
    from std_srvs.srv import Trigger

    from ik2d_ros.kinematics.plane import Plane
    from ik2d_ros.parameters.table import Table
    from ik2d_ros.ros.parameter_node import ParameterNode, cause, create_executor, spin

ENOUGH = 5
PERIOD = 0.01  # s


@pytest.fixture(params=['single', 'events'])
def spin_alone(request: Any, ros: int) -> Any:
    """``spin_alone(node, *others)`` under one of the executors; returns the exceptions noted."""
    if request.param == 'events':
        pytest.importorskip('rclpy.experimental', reason='rclpy has no EventsExecutor')

    def run(node: Any, *others: Any) -> list[Exception]:
        noted: list[Exception] = []
        node.note = noted.append
        executor = create_executor(is_single=request.param == 'single')
        try:
            spin(executor, [node, *others])
        finally:
            executor.shutdown()
        return noted

    return run


class Clumsy:
    """A node with a callback of each kind, which raise, and a timer that triggers them."""

    def __init__(self, node: Any) -> None:
        self.called: Counter[str] = Counter()
        self.deadline = time.monotonic() + DEFAULT_TIMEOUT
        self.kinds = {'subscription', 'service', 'timer', 'task', 'go on'}
        self.node = node
        self.publisher = node.create_publisher(String, 'talk', 10)
        guarded = getattr(node, 'guarded', lambda callback: callback)
        self.task = guarded(lambda: self.fail('task'))
        self.subscription = node.create_subscription(
            String, 'talk', lambda _: self.fail('subscription'), 10
        )
        node.create_service(Trigger, 'ask', lambda *_: self.fail('service'))
        self.client, self.answers = node.create_client(Trigger, 'ask'), list[Any]()
        node.create_timer(PERIOD, lambda: self.fail('timer'))
        node.create_timer(PERIOD, self.go_on)

    def fail(self, kind: str) -> None:
        if rclpy.ok():  # calls after the shutdown do not count
            self.called[kind] += 1
        raise LookupError(kind)

    def go_on(self) -> None:
        self.called['go on'] += 1
        self.node.executor.create_task(self.task)
        self.publisher.publish(String())
        self.answers.append(self.client.call_async(Trigger.Request()))
        if time.monotonic() > self.deadline or self.is_enough():
            rclpy.shutdown()

    def is_enough(self) -> bool:
        # Only guarded services answer.
        is_answered = any(each.done() for each in self.answers) or type(self.node) is Node
        is_called = self.called.keys() == self.kinds and min(self.called.values()) >= ENOUGH
        return is_called and is_answered


@pytest.mark.parametrize('is_guarded', [True, False])
def test_callbacks_of_any_kind_may_raise(spin_alone: Any, is_guarded: bool, capfd: Any) -> None:
    """Callbacks of our nodes are guarded; exceptions of others reach the executor."""
    node = ParameterNode('clumsy', Table(()), dict) if is_guarded else rclpy.create_node('clumsy')
    clumsy, other = Clumsy(node), ParameterNode('other', Table(()), dict)
    noted = spin_alone(clumsy.node, other)
    assert clumsy.is_enough(), clumsy.called
    raised = clumsy.called.total() - clumsy.called['go on']
    assert len(noted) in (raised, raised + 1)  # a service may be called after the shutdown
    assert all(isinstance(each, LookupError) for each in noted)
    assert other.fault_count == 0
    if is_guarded:  # who calls a service waits for an answer
        answer = next(each.result() for each in clumsy.answers if each.done())
        assert not answer.success
        assert answer.message.startswith('internal error: LookupError: service, in ')
    assert not (is_guarded and 'Traceback' in ''.join(capfd.readouterr()))


def test_a_shutdown_in_a_callback_is_no_error(spin_alone: Any) -> None:
    node = rclpy.create_node('ends')

    def end() -> None:
        rclpy.shutdown()
        raise ExternalShutdownException

    node.create_timer(PERIOD, end)
    assert spin_alone(node) == []


def test_the_cause_names_our_own_innermost_frame(ros_packages: None) -> None:
    with pytest.raises(TypeError) as caught:
        Plane.from_quaternion((0.0, 0.0, 0.0), (0.0, 0.0, 'up', 1.0))  # type: ignore[arg-type]
    assert 'TypeError: ' in cause(caught.value)
    assert 'ik2d_ros/kinematics/plane.py:' in cause(caught.value)
    assert '(from_quaternion)' in cause(caught.value)

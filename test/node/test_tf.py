"""Targets in other frames than the arm's: the node as it ships, with tf2 or a stand-in for it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from harness import HAS_ROS, ROOT, asking
from refusals import TWO, yaml_of
from transforms import Transforms, on_path, with_tf

if HAS_ROS:
    from builtin_interfaces.msg import Time as TimeMessage
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import PointStamped
    from rcl_interfaces.srv import SetParametersAtomically
    from rclpy.parameter import Parameter
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from rosgraph_msgs.msg import Clock

FOR_EVER = 1e6  # s


class Robot:
    """A node, who sends it targets, and who publishes transforms."""

    def __init__(self, node: Any, spin_until: Callable[..., Any]) -> None:
        self.node, self._spin_until = node, spin_until
        self.statuses: list[DiagnosticArray] = []
        self.answers: list[DiagnosticArray] = []
        kept = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(DiagnosticArray, 'ik2d/status', self._on_status, kept)
        node.create_subscription(DiagnosticArray, 'ik2d/query_status', self.answers.append, 100)
        self._target = node.create_publisher(PointStamped, 'ik2d/target', 10)
        self._query = node.create_publisher(PointStamped, 'ik2d/query', 10)
        transforms = Transforms(node)
        self.place, self.hears = transforms.place, transforms.are_heard
        self._clock = node.create_publisher(Clock, '/clock', 10)
        self._set = node.create_client(SetParametersAtomically, 'ik2d/set_parameters_atomically')
        self._stamps = itertools.count(1000)

    def _on_status(self, message: DiagnosticArray) -> None:
        """Keep what is new; the node repeats its last status."""
        if message not in self.statuses[-1:]:
            self.statuses.append(message)

    def wait(self, predicate: Callable[[], Any], what: str) -> Any:
        return self._spin_until(self.node, predicate, what=what)

    def connect(self) -> Robot:
        """Wait until targets and queries arrive, and their answers."""

        def is_connected() -> bool:
            for publisher in (self._target, self._query):
                publisher.publish(PointStamped(point=point(math.nan)))
            return bool(self.answers) and 'INVALID_TARGET' in map(code, self.statuses)

        self.wait(is_connected, 'answers')
        # Some of them may still be under way.
        for query in (False, True):
            self.ask((0.3, 0.2, 0.0), query=query)
        self.answers.clear()
        return self

    def send(
        self,
        place: tuple[float, float, float],
        frame: str = '',
        stamp: int | None = None,
        query: bool = False,
    ) -> TimeMessage:
        """Publish a target or a query, with a stamp of its own in s unless one is given."""
        message = PointStamped(point=point(*place))
        message.header.frame_id = frame
        message.header.stamp.sec = next(self._stamps) if stamp is None else stamp
        (self._query if query else self._target).publish(message)
        return message.header.stamp

    def find(self, stamp: TimeMessage, query: bool = False) -> DiagnosticArray | None:
        """The last answer to what has a stamp."""
        received = self.answers if query else self.statuses
        return next((m for m in reversed(received) if m.header.stamp == stamp), None)

    def ask(self, place: tuple[float, float, float], frame: str = '', **how: Any) -> dict[str, str]:
        """Send a target or a query, and give the values of its first answer."""
        query = bool(how.get('query'))
        stamp = self.send(place, frame, **how)
        self.wait(lambda: self.find(stamp, query), f'an answer in {frame}')
        received = self.answers if query else self.statuses
        return values(next(m for m in received if m.header.stamp == stamp))

    def wait_for(self, stamp: TimeMessage, expected: str) -> DiagnosticArray:
        """Wait until what has a stamp is answered with a code."""

        def found() -> DiagnosticArray | None:
            message = self.find(stamp)
            return message if message is not None and code(message) == expected else None

        return self.wait(found, expected)

    def set(self, **changes: object) -> None:
        self.wait(self._set.service_is_ready, 'the service')
        parameters = [Parameter(name, value=value) for name, value in changes.items()]
        request = SetParametersAtomically.Request(
            parameters=[parameter.to_parameter_msg() for parameter in parameters]
        )
        result = self.wait(asking(self._set, request), 'the answer of the service').result
        assert result.successful, result.reason

    def show(self, seconds: int) -> None:
        """Let the simulated clock show a time."""
        self._clock.publish(Clock(clock=TimeMessage(sec=seconds)))


def point(x: float, y: float = 0.0, z: float = 0.0) -> Any:
    message = PointStamped().point
    message.x, message.y, message.z = x, y, z
    return message


def values(message: DiagnosticArray) -> dict[str, str]:
    (status,) = message.status
    return {value.key: value.value for value in status.values} | {'message': status.message}


def code(message: DiagnosticArray) -> str:
    return values(message)['code']


@pytest.fixture
def start(
    ros_node: Any, start_process: Any, spin_until: Any, tmp_path: Path
) -> Iterator[Callable[..., Robot]]:
    processes = []

    def start_node(env: Mapping[str, str] | None = None, **parameters: object) -> Robot:
        file = tmp_path / 'parameters.yaml'
        file.write_text(yaml_of({**TWO, **parameters}))
        if env is None:
            env = with_tf()
        command = ('-m', 'ik2d_ros.node', '--ros-args', '--params-file', file)
        processes.append(start_process(*command, env=env))
        processes[-1].wait_for_output('ready')
        return Robot(ros_node, spin_until)

    yield start_node
    for process in processes:
        assert process.stop() == 0, process.output
        assert 'Traceback' not in process.output
        assert 'internal error' not in process.output


# In a frame that is turned by a quarter about z and shifted, and what that is in the base frame.
SEEN, SHIFT = (0.2, -0.2, 0.1), (0.1, 0.0, -0.1)


def is_at_meant(said: Mapping[str, str], shift: tuple[float, float, float] = SHIFT) -> bool:
    """Whether an answer is about SEEN in a frame with a shift."""
    found = [float(said[name]) for name in ('x', 'y', 'out_of_plane')]
    meant = [0.2 + shift[0], 0.2 + shift[1], 0.1 + shift[2]]
    in_base = [float(said[f'target_{axis}']) for axis in 'xyz']
    return (
        said['code'] == 'REACHED' and max(math.dist(found, meant), math.dist(in_base, meant)) < 1e-9
    )


def test_targets_in_any_frame(start: Callable[..., Robot]) -> None:
    robot = start().connect()
    assert not robot.hears()  # it costs processor time

    # No transform at all, then one: the target is answered again without another word.
    stamp = robot.send(SEEN, 'camera')
    said = values(robot.wait_for(stamp, 'UNKNOWN_FRAME'))
    assert "'camera'" in said['message']
    assert "'base_link'" in said['message']
    assert 'does not exist (LookupException). The arm holds.' in said['message']
    robot.wait(robot.hears, 'a listener')
    robot.place('camera', *SHIFT)
    assert is_at_meant(values(robot.wait_for(stamp, 'REACHED')))
    # Then at once, with a stamp or without; a query too.
    assert is_at_meant(robot.ask(SEEN, 'camera'))
    assert is_at_meant(robot.ask(SEEN, 'camera', query=True))
    count = len(robot.statuses)
    robot.send(SEEN, 'camera', stamp=0)
    robot.wait(lambda: len(robot.statuses) > count, 'a status')
    assert is_at_meant(values(robot.statuses[-1]))
    assert robot.ask(SEEN, 'no\nwhere', query=True)['code'] == 'UNKNOWN_FRAME'
    # The goal is kept in the base frame.
    robot.set(solver='ccd')
    said = values(robot.wait(lambda: robot.statuses[count + 1 :], 'the changed status')[-1])
    assert is_at_meant(said)
    assert said['solver'] == 'ccd'


def test_nothing_waits_for_a_target_that_waits(start: Callable[..., Robot]) -> None:
    robot = start(tf_timeout=FOR_EVER).connect()
    waiting = robot.send(SEEN, 'camera')
    robot.wait(robot.hears, 'a listener')
    assert robot.ask((0.3, 0.2, 0.0), query=True)['code'] == 'REACHED'
    robot.set(solver='ccd')
    assert robot.find(waiting) is None
    # One that can be answered takes its place, and it is told so first.
    newer = robot.send((0.2, 0.3, 0.0))
    robot.wait_for(newer, 'REACHED')
    assert [code(message) for message in robot.statuses[-2:]] == ['UNKNOWN_FRAME', 'REACHED']
    assert [m.header.stamp for m in robot.statuses[-2:]] == [waiting, newer]
    # With a transform before its stamp, a target waits for one after it.
    waiting, asked = robot.send(SEEN, 'hand', 100), robot.send(SEEN, 'hand', 99, query=True)

    def is_answered() -> bool:
        robot.place('hand', *SHIFT, stamp=99, moving=True)
        return robot.find(asked, query=True) is not None

    robot.wait(is_answered, 'the answer at the time of the transform')
    assert robot.find(waiting) is None
    robot.place('hand', *SHIFT, stamp=101, moving=True)
    assert is_at_meant(values(robot.wait_for(waiting, 'REACHED')))


def test_simulated_time_that_stands_or_jumps_back(start: Callable[..., Robot]) -> None:
    robot = start(use_sim_time=True)
    robot.wait(lambda: robot.show(1000) or 'READY' in map(code, robot.statuses), 'the clock')

    # It stands still, and a target is refused all the same.
    def is_refused() -> bool:
        robot.send(SEEN, 'hand')
        return 'UNKNOWN_FRAME' in map(code, robot.statuses)

    robot.wait(is_refused, 'a refusal')
    robot.wait(robot.hears, 'a listener')

    def is_found_at(stamp: int, shift: tuple[float, float, float]) -> bool:
        """Whether the latest transform, as the node knows it, has a shift."""
        robot.show(stamp)
        robot.place('hand', *shift, stamp=stamp, moving=True)
        count = len(robot.answers)
        robot.send(SEEN, 'hand', stamp=0, query=True)
        robot.wait(lambda: len(robot.answers) > count, 'an answer')
        return is_at_meant(values(robot.answers[-1]), shift)

    robot.wait(lambda: is_found_at(1001, SHIFT), 'the transform')
    # What was the latest then is in the future now.
    robot.wait(lambda: is_found_at(10, (0.0, 0.1, -0.1)), 'the transform after the jump')


def test_without_tf_it_says_what_is_missing(start: Callable[..., Robot]) -> None:
    without = {**on_path(ROOT / 'test/without'), 'IK2D_WITHOUT': 'tf2_ros'}
    robot = start(env=without).connect()
    for query in (False, True):
        said = robot.ask(SEEN, 'camera', query=query)
        assert said['code'] == 'UNKNOWN_FRAME'
        for word in ("'camera'", "'base_link'", 'tf2_ros', 'install', 'tf2_ros_py'):
            assert word in said['message']
    assert robot.ask((0.2, 0.3, 0.0))['code'] == 'REACHED'

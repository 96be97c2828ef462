"""The node as it ships: a process of its own, asked over the real middleware."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from changes import ARMS, BASES, answered, arm_with, changeable, changes_of, shows
from harness import DEFAULT_TIMEOUT, HAS_ROS, asking, wait_for_signal_handler
from refusals import ALWAYS, HOME, LIMITS, THREE, TWO, Refusals, yaml_of

from ik2d_ros.arm.description import load_arm
from ik2d_ros.kinematics import Chain, Status, solve
from ik2d_ros.node.outcome import Level
from ik2d_ros.parameters.table import Effect

if HAS_ROS:
    import rclpy
    from builtin_interfaces.msg import Time as TimeMessage
    from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
    from geometry_msgs.msg import PointStamped
    from rcl_interfaces.msg import Parameter as ParameterMessage
    from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
    from rcl_interfaces.srv import (
        DescribeParameters,
        GetParameters,
        SetParameters,
        SetParametersAtomically,
    )
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.parameter import Parameter, parameter_value_to_python
    from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
    from rosgraph_msgs.msg import Clock
    from sensor_msgs.msg import JointState

CONFIG = Path(__file__).resolve().parents[2] / 'config'
KEYS = [
    *('code', 'reachable', 'error', 'at_goal', 'solver', 'iterations', 'solve_time'),
    *('x', 'y', 'out_of_plane', 'proven', 'angle', 'angle_error'),
    *('target_x', 'target_y', 'target_z'),
]
CHAIN = Chain.from_lengths([0.3, 0.25], limits=[LIMITS, LIMITS])
SECONDS_BETWEEN_LOGS = 1.0
NEAR, FAR = (0.3, 0.2, 0.0), (1.0, 0.0, 0.0)


def parameter_file(path: Path, parameters: Mapping[str, object]) -> Path:
    path.write_text(yaml_of(parameters))
    return path


def tip(positions: tuple[float, ...], chain: Chain = CHAIN) -> tuple[float, float]:
    x, y = chain.forward(np.array(positions))[-1]
    return float(x), float(y)


class Client:
    """Talks to one node: what it publishes is kept, and every wait is bounded."""

    def __init__(self, context: Any, spin_until: Callable[..., Any], node: str = '/ik2d') -> None:
        self.node = rclpy.create_node('client', context=context)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self._spin_until = spin_until
        self.name = node
        namespace = node.rpartition('/')[0]
        self.joint_states: list[JointState] = []
        self.statuses: list[DiagnosticArray] = []
        self.repeated = 0
        self._last_status: DiagnosticArray | None = None
        self.answers: list[DiagnosticArray] = []
        latched = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        subscribe = self.node.create_subscription
        subscribe(JointState, f'{namespace}/joint_states', self.joint_states.append, 100)
        subscribe(DiagnosticArray, f'{node}/status', self._on_status, latched)
        subscribe(DiagnosticArray, f'{node}/query_status', self.answers.append, 100)
        self._target = self.node.create_publisher(PointStamped, f'{node}/target', 10)
        self._query = self.node.create_publisher(PointStamped, f'{node}/query', 10)
        # Long before they are asked: a node that has not heard of a client hears it seconds later.
        self._services = {
            name: self.node.create_client(kind, f'{node}/{name}')
            for name, kind in {
                'set_parameters': SetParameters,
                'set_parameters_atomically': SetParametersAtomically,
                'get_parameters': GetParameters,
                'describe_parameters': DescribeParameters,
            }.items()
        }
        self._stamps = itertools.count(1)

    def _on_status(self, message: DiagnosticArray) -> None:
        """Keep what is new; the node tells its last status again while there is nothing else."""
        if message == self._last_status:
            self.repeated += 1
        else:
            self.statuses.append(message)
        self._last_status = message

    def wait(self, predicate: Callable[[], Any], what: str) -> Any:
        return self._spin_until(self.executor, predicate, what=what)

    def connect(self, poses: bool = True) -> Client:
        """Wait until every topic is matched on both sides, so that nothing is lost.

        Args:
            poses: whether to wait for joint_states too.
        """
        self.wait(self._query.get_subscription_count, 'the subscription of queries')
        self._greet(query=True)
        self._greet(query=False)
        self.wait(lambda: self.joint_states or not poses, 'joint_states')
        self.answers.clear()
        self.statuses.clear()
        return self

    def _greet(self, query: bool) -> None:
        """Send what moves nothing, again and again, until it is answered, and once more.

        The last one is answered last: no other answer is under way then.
        """
        received = self.answers if query else self.statuses
        sent: list[TimeMessage] = []
        again = 0.0

        def is_answered() -> bool:
            nonlocal again
            if time.monotonic() >= again:
                sent.append(self.send((math.nan, 0.0, 0.0), query=query))
                again = time.monotonic() + 0.2
            return any(message.header.stamp in sent for message in received)

        self.wait(is_answered, 'an answer to a query' if query else 'a status')
        self.ask((math.nan, 0.0, 0.0), query=query)

    def send(
        self,
        point: tuple[float, float, float],
        frame_id: str = '',
        stamp: TimeMessage | int | None = None,
        query: bool = False,
    ) -> TimeMessage:
        """Publish a target or a query.

        Its stamp (a message, or whole seconds) is unlike any before unless one is given.
        """
        message = PointStamped()
        message.header.frame_id = frame_id
        if stamp is None:
            stamp = 1000 + next(self._stamps)
        message.header.stamp = TimeMessage(sec=stamp) if isinstance(stamp, int) else stamp
        message.point.x, message.point.y, message.point.z = point
        (self._query if query else self._target).publish(message)
        return message.header.stamp

    def ask(
        self, point: tuple[float, float, float], query: bool = False, **how: Any
    ) -> DiagnosticArray:
        """Publish a target or a query, and wait for the status with its stamp."""
        received = self.answers if query else self.statuses
        seen = len(received)
        stamp = self.send(point, query=query, **how)
        return self.wait(
            lambda: next((m for m in received[seen:] if m.header.stamp == stamp), None),
            f'the status for {point}',
        )

    def pose(self) -> tuple[float, ...]:
        """The commanded pose, from a message that is published after now."""
        now = self.now()
        # Any number may be under way already, when this process had no time to take them.
        self.wait(lambda: self.poses(since=now), 'joint_states')
        return self.poses(since=now)[-1]

    def poses(self, since: int) -> list[tuple[float, ...]]:
        """The commanded poses that were published after a time in ns, as far as received."""
        return [
            tuple(message.position)
            for message in self.joint_states
            if rclpy.time.Time.from_msg(message.header.stamp).nanoseconds > since
        ]

    def now(self) -> int:
        """The time in ns."""
        return self.node.get_clock().now().nanoseconds

    def call(self, kind: Any, name: str, **request: Any) -> Any:
        if name not in self._services:
            self._services[name] = self.node.create_client(kind, f'{self.name}/{name}')
        client = self._services[name]
        self.wait(client.service_is_ready, name)
        return self.wait(asking(client, kind.Request(**request)), f'the answer of {name}')

    def set(self, changes: Mapping[str, object]) -> SetParametersResult:
        """Set parameters all at once; None takes a parameter away."""
        return self.call(
            SetParametersAtomically, 'set_parameters_atomically', parameters=messages(changes)
        ).result

    def set_singly(self, changes: Mapping[str, object]) -> list[SetParametersResult]:
        return self.call(SetParameters, 'set_parameters', parameters=messages(changes)).results

    def get(self, *names: str) -> list[object]:
        found = self.call(GetParameters, 'get_parameters', names=names).values
        return [parameter_value_to_python(value) for value in found]

    def describe(self, name: str) -> ParameterDescriptor:
        return self.call(DescribeParameters, 'describe_parameters', names=[name]).descriptors[0]

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()


def messages(changes: Mapping[str, object]) -> list[ParameterMessage]:
    return [Parameter(name, value=value).to_parameter_msg() for name, value in changes.items()]


def only(message: DiagnosticArray) -> DiagnosticStatus:
    """The one status of an array."""
    (status,) = message.status
    return status


def values(message: DiagnosticArray) -> dict[str, str]:
    return {value.key: value.value for value in only(message).values}


@contextlib.contextmanager
def new_context() -> Iterator[Any]:
    own = rclpy.Context()
    rclpy.init(context=own, args=[])
    yield own
    rclpy.try_shutdown(context=own)


@pytest.fixture
def context(ros_environment: int) -> Iterator[Any]:
    """Of this test alone: one that has been there for long is heard of by new nodes only later."""
    with new_context() as own:
        yield own


@pytest.fixture
def start(context: Any, start_process: Any, spin_until: Any, tmp_path: Path) -> Iterator[Any]:
    """``start(parameters, *ros_arguments) -> (process, client)``, connected."""
    clients = []

    def start_node(
        parameters: Mapping[str, object], *arguments: str, node: str = '/ik2d'
    ) -> tuple[Any, Client]:
        file = parameter_file(tmp_path / f'{len(clients)}.yaml', parameters)
        command = ('-m', 'ik2d_ros.node', '--ros-args', '--params-file', file, *arguments)
        process = start_process(*command)
        client = Client(context, spin_until, node)
        clients.append(client)
        process.wait_for_output('ready')
        return process, client

    yield start_node
    for client in clients:
        client.close()


@pytest.fixture
def arm(start: Any) -> Client:
    """A node with two joints of its own for this test."""
    return start(TWO)[1].connect()


# Targets

STALE = {'stamp': 12}
# Floating-point arithmetic does not come this near but by chance, and the solver cannot know why.
IMPOSSIBLE = {'solver': 'ccd', 'tolerance': 1e-300, 'max_iterations': 1}
CODES = {
    'REACHED': ({}, NEAR, {}, Level.OK, 'true'),
    'REACHED in base_frame': ({}, NEAR, {'frame_id': 'base_link'}, Level.OK, 'true'),
    'TOO_FAR': ({}, FAR, {}, Level.WARN, 'false'),
    'TOO_NEAR': ({}, (0.01, 0.0, 0.0), {}, Level.WARN, 'false'),
    'JOINT_LIMIT': ({}, (0.1, 0.0, 0.0), {}, Level.WARN, 'false'),
    'NOT_CONVERGED': (
        IMPOSSIBLE,
        None,
        {},
        Level.WARN,
        'unknown',
    ),
    'UNKNOWN_FRAME': ({}, NEAR, {'frame_id': 'map'}, Level.ERROR, 'unknown'),
    'OUT_OF_PLANE': ({}, (0.3, 0.2, 0.02), {}, Level.ERROR, 'unknown'),
    'STALE_TARGET': ({'target_timeout': 60.0}, NEAR, STALE, Level.STALE, 'unknown'),
    **{
        f'INVALID_TARGET {point}': ({}, point, {}, Level.ERROR, 'unknown')
        for point in [
            (math.nan, 0.2, 0.0),
            (0.3, math.inf, 0.0),
            (0.3, 0.2, -math.inf),
            (0.3, 0.2, math.nan),
        ]
    },
}
REFUSED = ['INVALID_TARGET', 'UNKNOWN_FRAME', 'OUT_OF_PLANE', 'STALE_TARGET']


def not_converging(pose: tuple[float, ...]) -> tuple[float, float, float]:
    """A target that the solver, asked for the impossible, misses from a pose by a rounding."""
    for step in range(100):
        x, y = 0.31 + 1e-3 * step, 0.17
        if solve(CHAIN, (x, y), start=pose, **IMPOSSIBLE).status is Status.NOT_CONVERGED:
            return x, y, 0.0
    raise AssertionError('the solver reaches every target exactly')


@pytest.mark.parametrize('unreachable', ['closest', 'hold'])
def test_every_code_as_the_table_says(start: Any, unreachable: str) -> None:
    base = {**TWO, 'plane_tolerance': 0.01, 'unreachable': unreachable}
    _, arm = start(base)
    arm.connect()
    defaults = {'solver': 'auto', 'tolerance': 1e-6, 'max_iterations': 100, 'target_timeout': 0.0}
    for row, (changes, given, how, level, reachable) in CODES.items():
        code = row.split()[0]
        # Back to where no target of the table leads to, without a trace of the row before.
        assert arm.set(defaults).successful
        arm.ask((0.2, 0.35, 0.0))
        assert arm.set(changes).successful
        before = arm.pose()
        point = given or not_converging(before)
        message = arm.ask(point, **how)
        after = arm.pose()
        status, said = only(message), values(message)
        assert message.header.frame_id == 'base_link', row
        assert (status.name, status.hardware_id) == ('ik2d: reachability', '/ik2d'), row
        assert status.level == bytes([level]), row
        assert [value.key for value in status.values] == KEYS, row
        assert (said['code'], said['reachable']) == (code, reachable), row
        holds = code in REFUSED or (unreachable == 'hold' and code != 'REACHED')
        assert (after == before) == holds, row
        assert ('The arm holds.' in status.message) == holds, row
        assert said['at_goal'] == ('false' if holds else 'true'), row
        if code in REFUSED:
            assert (said['error'], said['solver'], said['iterations']) == ('nan', '', '0'), row
        else:
            assert (float(said['x']), float(said['y'])) == point[:2], row
            assert float(said['out_of_plane']) == point[2], row
            if not holds:
                error = math.dist(tip(after), point[:2])
                assert float(said['error']) == pytest.approx(error, abs=1e-12), row
                assert (error <= 1e-6) == (code == 'REACHED') or code == 'NOT_CONVERGED', row


def test_the_arm_starts_at_home_and_follows(arm: Client) -> None:
    assert arm.pose() == HOME
    assert arm.joint_states[-1].name == ['shoulder', 'elbow']
    for angle in (0.0, 1.0, 2.0, -1.0):
        x, y = 0.4 * math.cos(angle), 0.4 * math.sin(angle)
        assert values(arm.ask((x, y, 0.0)))['code'] == 'REACHED'
        assert math.dist(tip(arm.pose()), (x, y)) <= 1e-6


@pytest.mark.parametrize('name', ['two_bone', 'three_link', 'snake'])
def test_the_files_that_come_with_the_package_run(
    context: Any, start_process: Any, spin_until: Any, name: str
) -> None:
    file = CONFIG / f'{name}.yaml'
    process = start_process('-m', 'ik2d_ros.node', '--ros-args', '--params-file', file)
    process.wait_for_output('ready')
    client = Client(context, spin_until).connect()
    expected = load_arm(file)
    assert client.pose() == expected.home
    assert tuple(client.joint_states[-1].name) == expected.chain.names
    assert 'ignored' not in process.output
    client.close()


def test_a_query_is_answered_and_moves_nothing(arm: Client) -> None:
    arm.ask((0.2, 0.35, 0.0))
    there = arm.now()
    before, statuses = arm.pose(), len(arm.statuses)
    for point, code in ((NEAR, 'REACHED'), (FAR, 'TOO_FAR'), ((math.nan, 0, 0), 'INVALID_TARGET')):
        message = arm.ask(point, query=True)
        assert values(message)['code'] == code
        assert [value.key for value in only(message).values] == KEYS
        assert only(message).hardware_id == '/ik2d'
        assert values(message)['at_goal'] == 'false'
        assert 'The arm' not in only(message).message
    assert arm.pose() == before
    assert len(arm.statuses) == statuses
    assert set(arm.poses(since=there)) == {before}


def test_the_solver_may_change_while_targets_come(arm: Client) -> None:
    for solver in ('ccd', 'two_bone', 'auto', 'ccd', 'auto'):
        assert arm.set({'solver': solver}).successful
        for angle in (0.1, 0.2, 0.3):
            x, y = 0.45 * math.cos(angle), 0.45 * math.sin(angle)
            said = values(arm.ask((x, y, 0.0)))
            assert said['code'] == 'REACHED'
            assert said['solver'] == ('ccd' if solver == 'ccd' else 'two_bone')
            assert math.dist(tip(arm.pose()), (x, y)) <= 1e-6


# Stamps and topics


def test_stamps_are_the_targets_or_the_time_of_arrival(arm: Client) -> None:
    given = TimeMessage(sec=123, nanosec=456)
    clock = arm.node.get_clock()
    for query, received in ((False, arm.statuses), (True, arm.answers)):
        arm.send(NEAR, stamp=given, query=query)
        arm.wait(lambda received=received: received, 'the status of a target with a stamp')
        assert [message.header.stamp for message in received] == [given]
        received.clear()
        before = clock.now()
        arm.send(NEAR, stamp=0, query=query)
        arm.wait(lambda received=received: received, 'the status of a target without a stamp')
        arrived = rclpy.time.Time.from_msg(received[0].header.stamp, clock_type=before.clock_type)
        assert before <= arrived <= clock.now()
    stamps = [rclpy.time.Time.from_msg(m.header.stamp).nanoseconds for m in arm.joint_states]
    assert stamps[0] > 0
    assert stamps == sorted(stamps)


class Ticks:
    """A simulation's clock, which stands still unless it is told to move."""

    def __init__(self, arm: Client) -> None:
        self._arm = arm
        self._publisher = arm.node.create_publisher(Clock, '/clock', 10)
        arm.wait(self._publisher.get_subscription_count, 'the subscription of /clock')

    def show(self, seconds: int, nanoseconds: int = 0) -> None:
        """Show a time, and give it a moment to be seen."""
        self._publisher.publish(Clock(clock=TimeMessage(sec=seconds, nanosec=nanoseconds)))
        self._arm.executor.spin_once(timeout_sec=0.05)

    def run_until(self, predicate: Callable[[], Any], what: str, first: int) -> None:
        """Let it run, a second a tick, until a condition holds."""
        times = itertools.count(first)

        def holds() -> bool:
            self.show(next(times))
            return bool(predicate())

        self._arm.wait(holds, what)


SIMULATED = {**TWO, 'use_sim_time': True}


def test_nothing_is_published_before_simulated_time_begins(start: Any) -> None:
    process, arm = start(SIMULATED)
    ticks = Ticks(arm)
    arm.connect(poses=False)
    message = arm.ask(NEAR, query=False)
    assert (values(message)['code'], only(message).level) == ('NO_CLOCK', bytes([Level.ERROR]))
    assert values(message)['at_goal'] == 'false'
    assert '/clock' in only(message).message
    assert only(message).message.endswith('The arm holds.')
    assert arm.joint_states == []
    process.wait_for_output('there is no valid time: use_sim_time is true')
    # As soon as the clock comes, all is well by itself: the arm goes where it was sent.
    ticks.run_until(lambda: len(arm.joint_states) > 3, 'poses', first=100)
    assert {100 <= message.header.stamp.sec < 10**6 for message in arm.joint_states} == {True}
    healed = arm.wait(
        lambda: [m for m in arm.statuses if values(m)['code'] == 'REACHED'], 'the answer'
    )
    assert [m.header.stamp for m in healed] == [message.header.stamp]
    assert math.dist(tip(tuple(arm.joint_states[-1].position)), NEAR[:2]) <= 1e-6


def test_a_refused_target_does_not_replace_the_one_that_waits_for_the_clock(start: Any) -> None:
    _, arm = start({**SIMULATED, 'target_timeout': 1e9})
    ticks = Ticks(arm)
    arm.connect(poses=False)
    stamp = arm.ask(NEAR).header.stamp
    assert values(arm.ask((math.inf, 0.0, 0.0)))['code'] == 'INVALID_TARGET'
    arm.statuses.clear()
    ticks.run_until(lambda: arm.statuses, 'the answer', first=100)
    assert [(m.header.stamp, values(m)['code']) for m in arm.statuses] == [(stamp, 'REACHED')]


def test_a_clock_beyond_all_stamps_is_told_of_and_passes(start: Any) -> None:
    process, arm = start(SIMULATED)
    ticks = Ticks(arm)
    ticks.run_until(lambda: arm.joint_states, 'poses', first=100)
    arm.connect()
    stamp = arm.ask(NEAR).header.stamp

    def is_lost() -> bool:
        ticks.show(2**31 - 1, 2**32 - 1)
        return values(arm.statuses[-1])['code'] == 'NO_CLOCK'

    arm.wait(is_lost, 'the loss of the clock')
    assert arm.statuses[-1].header.stamp == stamp
    assert 'after 2147483647 s' in only(arm.statuses[-1]).message
    process.wait_for_output('there is no valid time: the clock shows')
    arm.joint_states.clear()
    ticks.run_until(lambda: values(arm.statuses[-1])['code'] == 'REACHED', 'health', first=10**6)
    assert arm.statuses[-1].header.stamp == stamp
    ticks.run_until(lambda: arm.joint_states, 'poses', first=2 * 10**6)
    assert math.dist(tip(tuple(arm.joint_states[-1].position)), NEAR[:2]) <= 1e-6


def test_poses_have_later_stamps_one_after_the_other_also_while_the_clock_stands(
    start: Any,
) -> None:
    _, arm = start(SIMULATED)
    ticks = Ticks(arm)
    ticks.run_until(lambda: arm.joint_states, 'poses', first=100)
    arm.connect()
    for turn in range(5):
        # No tick in between: whoever keeps the latest stamp must see the latest pose.
        angle = 0.2 * turn
        x, y = 0.4 * math.cos(angle), 0.4 * math.sin(angle)
        arm.ask((x, y, 0.0))

        def latest_tip() -> tuple[float, float]:
            return tip(tuple(max(arm.joint_states, key=stamp_of).position))

        # Poses of before may still be on their way.
        arm.wait(lambda goal=(x, y): math.dist(latest_tip(), goal) <= 1e-6, 'the latest pose')
    stamps = [stamp_of(message) for message in arm.joint_states]
    assert stamps == sorted(set(stamps))


def stamp_of(message: JointState) -> tuple[int, int]:
    return message.header.stamp.sec, message.header.stamp.nanosec


def test_stale_in_the_past_and_in_the_future(arm: Client) -> None:
    assert arm.set({'target_timeout': 120.0}).successful
    for offset, code in ((-200, 'STALE_TARGET'), (0, 'REACHED'), (200, 'STALE_TARGET')):
        stamp = (arm.node.get_clock().now() + rclpy.duration.Duration(seconds=offset)).to_msg()
        assert values(arm.ask(NEAR, stamp=stamp))['code'] == code, offset


def test_qualities_of_service(arm: Client) -> None:
    reliable = ReliabilityPolicy.RELIABLE
    volatile, kept = DurabilityPolicy.VOLATILE, DurabilityPolicy.TRANSIENT_LOCAL
    published = {
        '/joint_states': (reliable, volatile, 'sensor_msgs/msg/JointState'),
        '/ik2d/status': (reliable, kept, 'diagnostic_msgs/msg/DiagnosticArray'),
        '/ik2d/query_status': (reliable, volatile, 'diagnostic_msgs/msg/DiagnosticArray'),
    }
    subscribed = {
        '/ik2d/target': (reliable, volatile, 'geometry_msgs/msg/PointStamped'),
        '/ik2d/target_pose': (reliable, volatile, 'geometry_msgs/msg/PoseStamped'),
        '/ik2d/query': (reliable, volatile, 'geometry_msgs/msg/PointStamped'),
    }
    for topics, infos in (
        (published, arm.node.get_publishers_info_by_topic),
        (subscribed, arm.node.get_subscriptions_info_by_topic),
    ):
        for topic, expected in topics.items():
            # An endpoint is heard of before the name of its node.
            (info,) = arm.wait(
                lambda infos=infos, topic=topic: [
                    info for info in infos(topic) if info.node_name == 'ik2d'
                ],
                topic,
            )
            profile = info.qos_profile
            assert (profile.reliability, profile.durability, info.topic_type) == expected, topic


def test_before_the_first_target_the_node_is_ready(start: Any) -> None:
    started = time.time_ns()
    _, arm = start(TWO)
    arm.wait(lambda: arm.repeated >= 2, 'the first status, and again')
    (message,) = arm.statuses
    said = values(message)
    assert (said['code'], only(message).level) == ('READY', bytes([Level.OK]))
    assert (said['at_goal'], said['reachable'], said['x']) == ('false', 'unknown', 'nan')
    assert started <= rclpy.time.Time.from_msg(message.header.stamp).nanoseconds <= time.time_ns()
    # No later change brings it back.
    arm.connect()
    arm.ask(NEAR)
    assert arm.set({'solver': 'ccd', 'publish_rate': 60.0}).successful
    arm.ask(FAR)
    assert 'READY' not in [values(message)['code'] for message in arm.statuses]


def test_the_node_is_ready_as_soon_as_there_is_a_clock(start: Any) -> None:
    _, arm = start(SIMULATED)
    ticks = Ticks(arm)
    arm.wait(lambda: arm.statuses, 'the first status')
    assert [values(m)['code'] for m in arm.statuses] == ['NO_CLOCK']
    ticks.run_until(lambda: len(arm.statuses) > 1, 'the next', first=100)
    assert [values(m)['code'] for m in arm.statuses] == ['NO_CLOCK', 'READY']
    assert arm.statuses[-1].header.stamp.sec >= 100


def test_the_last_status_is_told_again_as_it_was(arm: Client) -> None:
    arm.ask(NEAR)
    arm.wait(lambda: arm.repeated >= 3, 'the status, three times more')
    assert len(arm.statuses) == 1
    # Another one takes its place.
    arm.ask(FAR)
    repeated = arm.repeated
    arm.wait(lambda: arm.repeated >= repeated + 2, 'the new status again')
    assert [values(message)['code'] for message in arm.statuses] == ['REACHED', 'TOO_FAR']


def test_two_arms_are_two_entries_of_diagnostics(start: Any) -> None:
    to_diagnostics = ('-r', '~/status:=/diagnostics')
    started = [
        start(TWO, '-r', f'__ns:=/{side}', *to_diagnostics, node=f'/{side}/ik2d')
        for side in ('left', 'right')
    ]
    client = started[0][1]
    heard: list[DiagnosticArray] = []
    client.node.create_subscription(DiagnosticArray, '/diagnostics', heard.append, 100)
    names = {'left/ik2d: reachability': '/left/ik2d', 'right/ik2d: reachability': '/right/ik2d'}

    def entries() -> dict[str, str]:
        for _, own in started:
            own.send(NEAR)
            own.executor.spin_once(timeout_sec=0.05)
        return {only(message).name: only(message).hardware_id for message in heard}

    client.wait(lambda: entries() == names, 'both arms')
    # Neither goes stale, though nobody sends a target any more.
    heard.clear()
    client.wait(
        lambda: all([only(m).name for m in heard].count(name) >= 3 for name in names),
        'both arms, again and again',
    )


OVERRIDDEN = 'qos_overrides./ik2d/target.subscription'


@pytest.mark.parametrize('from_file', [True, False])
def test_the_quality_of_targets_can_be_overridden(start: Any, from_file: bool) -> None:
    given = {f'{OVERRIDDEN}.reliability': 'best_effort', f'{OVERRIDDEN}.depth': 5}
    arguments = [part for name, value in given.items() for part in ('-p', f'{name}:={value}')]
    process, arm = start({**TWO, **(given if from_file else {})}, *([] if from_file else arguments))
    assert arm.get(*given) == list(given.values())
    infos = arm.wait(
        lambda: arm.node.get_subscriptions_info_by_topic('/ik2d/target'), 'the subscription'
    )
    assert [info.qos_profile.reliability for info in infos] == [ReliabilityPolicy.BEST_EFFORT]
    assert not arm.set({f'{OVERRIDDEN}.depth': 6}).successful
    assert arm.set({'solver': 'ccd'}).successful
    arm.connect()

    def is_reached() -> bool:
        arm.send(NEAR)  # again, for who listens with best effort may miss one
        return any(values(message)['code'] == 'REACHED' for message in arm.statuses)

    arm.wait(is_reached, 'an answer')
    assert 'ignored' not in process.output


def test_each_target_travels_reliably_also_a_long_one(arm: Client) -> None:
    for length in (1000, 100_000, 1_000_000):
        assert values(arm.ask(NEAR, frame_id='x' * length))['code'] == 'UNKNOWN_FRAME'


def test_who_joins_late_gets_the_last_status(arm: Client) -> None:
    first, last = arm.ask(NEAR), arm.ask(FAR)
    late: list[DiagnosticArray] = []
    kept = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    arm.node.create_subscription(DiagnosticArray, '/ik2d/status', late.append, kept)
    arm.wait(lambda: last.header.stamp in [m.header.stamp for m in late], 'the last status')
    assert [m.header.stamp for m in late[-2:]] == [first.header.stamp, last.header.stamp]


def test_the_rate_changes_while_running(start: Any) -> None:
    _, arm = start({**TWO, 'publish_rate': 0.01})
    arm.connect(poses=False)
    # At this rate the next one takes longer than any wait here: what comes has another reason.
    arm.ask(NEAR)
    arm.wait(lambda: arm.joint_states, 'joint_states at once after a solve')
    assert arm.set({'publish_rate': 200}).successful
    arm.wait(lambda: len(arm.joint_states) > 5, 'joint_states at the new rate')
    assert arm.set({'publish_rate': 0.01}).successful
    assert arm.set({'publish_rate': 100.0}).successful
    seen = len(arm.joint_states)
    arm.wait(lambda: len(arm.joint_states) > seen + 5, 'joint_states at the last rate')


def test_nothing_but_the_rate_and_a_solve_publishes_a_pose(start: Any) -> None:
    _, arm = start({**TWO, 'publish_rate': 200.0})
    arm.connect()
    assert arm.set({'publish_rate': 0.01}).successful  # and the timer of before is no more
    assert values(arm.ask(NEAR))['code'] == 'REACHED'
    since = arm.now()
    assert arm.set({'chain.elbow.max_velocity': 1.0}).successful
    while arm.now() < since + 200_000_000:  # at the rate of before, 40 of them
        arm.ask(FAR, query=True)
    assert arm.poses(since=since) == []


def test_a_namespace_and_another_name(start: Any) -> None:
    arguments = ('-r', '__ns:=/left', '-r', '__node:=solver')
    _, arm = start({**TWO, 'base_frame': 'world'}, *arguments, node='/left/solver')
    arm.connect()
    message = arm.ask(NEAR)
    assert only(message).hardware_id == '/left/solver'
    assert message.header.frame_id == 'world'
    assert arm.joint_states
    assert values(arm.ask(NEAR, query=True))['code'] == 'REACHED'


# Parameters

SECTION = '/**:\n  ros__parameters:\n'
# Only what rclpy has a hand in: all that our own functions refuse by themselves is tested there.
COMMAND_LINES: dict[str, tuple[str | None, list[str], list[str]]] = {
    'no file': (None, [], ['joints', '--ros-args --params-file', '/**', '/ik2d']),
    'a file for another namespace': (
        '/left/ik2d:\n  ros__parameters:\n    joints: [a]\n',
        [],
        ['joints', "'/left/ik2d'", "'/ik2d'"],
    ),
    'no joints': (f'{SECTION}    solver: ccd\n', [], ['joints', 'missing', 'given only: solver']),
    'a value': (f'{SECTION}    joints: []\n', [], ['joints', '[]', 'unique']),
    'use_sim_time': (yaml_of({**TWO, 'use_sim_time': 3}), [], ['use_sim_time', '3']),
    'broken YAML': (f'{SECTION}    joints: [a\n    b: 1\n', [], [':4:', 'not valid YAML']),
    'no such file': (None, ['--params-file', 'none.yaml'], ['none.yaml', 'No such file']),
    'mixed on the command line': (None, ['-p', 'link:=[0, 0.3]'], ['link', '[0.0, 0.3]']),
    'unknown ROS argument': (None, ['--parameters'], ['--parameters']),
    'bad depth': (
        yaml_of({**TWO, 'qos_overrides./ik2d/target.subscription.depth': 0}),
        [],
        ['qos_overrides./ik2d/target.subscription.depth', '0', 'from 1 to 10000'],
    ),
    'depth a text': (
        yaml_of({**TWO, 'qos_overrides./ik2d/target.subscription.depth': 'deep'}),
        [],
        ['qos_overrides./ik2d/target.subscription.depth', "'deep'", 'from 1 to 10000'],
    ),
    'bad reliability': (
        yaml_of(TWO),
        ['-p', 'qos_overrides./ik2d/target.subscription.reliability:=always'],
        ['subscription.reliability', "'always'", 'one of reliable, best_effort'],
    ),
    'bad node name': (None, ['-r', '__node:=a-b'], ['__node:=a-b']),
}


@pytest.mark.parametrize('row', COMMAND_LINES)
def test_what_is_refused_at_start_up_ends_the_node_with_its_message(
    start_process: Any, ros_environment: int, tmp_path: Path, row: str
) -> None:
    content, arguments, words = COMMAND_LINES[row]
    if content is not None:
        file = tmp_path / 'parameters.yaml'
        file.write_text(content)
        arguments = [*arguments, '--params-file', str(file)]
    process = start_process('-m', 'ik2d_ros.node', '--ros-args', *arguments)
    assert process.wait() == 1, process.output
    message = '\n'.join(line for line in process.stderr.splitlines() if '[rcl]' not in line)
    assert [word for word in words if word not in message] == [], message
    assert message.startswith('ik2d_node: ')
    assert 'Traceback' not in process.output


@pytest.fixture(scope='module')
def lasting(
    ros_environment: int, spin_until: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    """One node for all the tests that must leave it as it is."""
    directory = tmp_path_factory.mktemp('lasting')
    file = parameter_file(directory / 'two.yaml', TWO)
    with new_context() as context, (directory / 'output').open('w') as output:
        process = subprocess.Popen(
            [
                *(sys.executable, '-m', 'ik2d_ros.node', '--ros-args', '--params-file', str(file)),
                *('-r', '__node:=lasting', '-r', 'joint_states:=lasting/joint_states'),
            ],
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        client = Client(context, spin_until, '/lasting')
        client.node.create_subscription(
            JointState, '/lasting/joint_states', client.joint_states.append, 100
        )
        client.wait(lambda: client.joint_states, 'the node that lasts')
        yield client
        client.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(DEFAULT_TIMEOUT) == 0
    assert 'Traceback' not in (directory / 'output').read_text()


WHILE_RUNNING: Refusals = {
    'joints': (
        {'joints': ['a', 'b']},
        ['joints', "['a', 'b']", "['shoulder', 'elbow']", 'restart'],
    ),
    'base_frame': ({'base_frame': 'odom'}, ['base_frame', "'odom'", "'base_link'", 'restart']),
    'unknown': ({'solvr': 'ccd'}, ['solvr', "'ccd'", "did you mean 'solver'?", 'tolerance']),
    'use_sim_time': ({'use_sim_time': 'yes'}, ['use_sim_time', "'yes'"]),
    'a good and a bad one': ({'solver': 'ccd', 'tolerance': -1.0}, ['tolerance', '-1.0', '> 0']),
    'a good and an unknown one': ({'solver': 'ccd', 'x': 1}, ['x', '1', 'no such parameter']),
    'a good and a fixed one': ({'solver': 'ccd', 'joints': ['a']}, ['joints', 'restart']),
    'bytes': ({'tolerance': [b'a']}, ['tolerance', "[b'a']", '> 0']),
}


@pytest.mark.parametrize('row', [*ALWAYS, *WHILE_RUNNING])
def test_what_is_refused_at_run_time_changes_nothing(lasting: Client, row: str) -> None:
    changes, words = {**ALWAYS, **WHILE_RUNNING}[row]
    names = [*TWO, 'solver', 'tolerance', *changes]
    before, pose = lasting.get(*names), lasting.pose()
    result = lasting.set(changes)
    assert not result.successful
    assert [word for word in words if word not in result.reason] == [], result.reason
    assert repr(lasting.get(*names)) == repr(before)
    assert lasting.pose() == pose


def test_each_of_several_is_judged_with_the_rest_as_it_stands(arm: Client) -> None:
    ends = {'chain.elbow.min_position': 2.7, 'chain.elbow.max_position': 2.9}
    low, high = arm.set_singly(ends)
    assert not low.successful
    assert 'chain.elbow.max_position' in low.reason
    assert high.successful
    assert arm.get(*ends) == [LIMITS[0], 2.9]
    assert arm.set({'chain.elbow.min_position': 2.75, 'chain.elbow.home': 2.8}).successful
    assert arm.get(*ends) == [2.75, 2.9]
    assert arm.set({'chain.elbow.min_position': LIMITS[0], 'chain.elbow.home': 0.0}).successful
    # Both at once, the home that is outside must move with them.
    assert not arm.set(ends).successful
    assert arm.set({**ends, 'chain.elbow.home': 2.8}).successful
    assert arm.get(*ends) == [2.7, 2.9]
    assert 2.7 <= arm.pose()[1] <= 2.9


def test_fields_that_were_not_given_can_be_set_and_taken_away(arm: Client) -> None:
    field = 'chain.elbow.max_velocity'
    assert arm.get(field) == [None]
    assert arm.set({field: 2}).successful
    assert arm.get(field) == [2]
    assert arm.set({field: 2.5}).successful
    assert 'rad/s' in arm.describe(field).description
    assert arm.set({field: None}).successful
    assert arm.get(field) == [None]
    assert arm.set({'chain.elbow.length': None, 'chain.elbow.link': [0, 1]}).successful
    assert values(arm.ask((0.3, 1.0, 0.0), query=True))['code'] == 'REACHED'
    assert arm.set({'solver': 'ccd'}).successful
    assert arm.set({'solver': None}).successful
    assert arm.get('solver') == ['auto']


def test_parameters_are_described(arm: Client) -> None:
    solver = arm.describe('solver')
    assert (solver.read_only, solver.dynamic_typing) == (False, True)
    assert 'two_bone' in solver.additional_constraints
    assert arm.describe('joints').read_only
    assert '[m]' in arm.describe('chain.elbow.length').description


TEXTS = {
    'tolerance': ('1e-6', 1e-6),
    'plane_tolerance': ('inf', math.inf),
    'max_iterations': ('50', 50),
    'base.xyz': ('[0, 0, 0.5]', [0.0, 0.0, 0.5]),
    'base.rpy': (['0', '1e-3', '-.5'], [0.0, 0.001, -0.5]),
    'chain.elbow.length': ('3e-1', 0.3),
}


def test_text_that_is_a_number_is_one(arm: Client) -> None:
    """As from ``ros2 param set``, which takes 1e-6, inf and lists of mixed kinds for text."""
    for name, (text, number) in TEXTS.items():
        result = arm.set({name: text})
        assert result.successful, result.reason
        (stored,) = arm.get(name)
        assert (stored if isinstance(stored, (int, float)) else list(stored)) == number
    for name, text in [
        *(('tolerance', '0x10'), ('tolerance', '1_000'), ('tolerance', ' 1'), ('tolerance', '')),
        *(('tolerance', 'nan'), ('tolerance', 'inf'), ('tolerance', '-1e-6')),
        *(('max_iterations', '1e2'), ('max_iterations', '0'), ('max_iterations', '9' * 30)),
        *(('base.xyz', '[0, 0]'), ('base.xyz', '0'), ('base.xyz', '[0, 0, x]')),
    ]:
        result = arm.set({name: text})
        assert not result.successful, (name, text)
        assert f"'{name}' is " in result.reason
    # What is no number by its nature stays text.
    assert "'5'" in arm.set({'solver': '5'}).reason


def test_text_that_is_a_number_is_one_at_the_start_too(start: Any) -> None:
    _, arm = start({**TWO, 'tolerance': '1e-6', 'chain.elbow.length': '0.25'})
    assert arm.get('tolerance', 'chain.elbow.length') == [1e-6, 0.25]


def test_a_read_only_parameter_may_be_set_to_what_it_is(arm: Client) -> None:
    depth = 'qos_overrides./ik2d/target.subscription.depth'
    same = {'joints': ['shoulder', 'elbow'], 'base_frame': 'base_link', depth: 1}
    for name, value in same.items():
        assert arm.set({name: value}).successful, name
    assert arm.set({**same, 'solver': 'ccd'}).successful
    assert arm.get('solver') == ['ccd']
    assert not arm.set({'solver': 'auto', 'joints': ['elbow', 'shoulder']}).successful
    assert arm.get('solver', 'joints') == ['ccd', ['shoulder', 'elbow']]


def test_a_range_is_described_where_it_has_two_ends(arm: Client) -> None:
    (rate,) = arm.describe('publish_rate').floating_point_range
    assert (rate.from_value, rate.to_value, rate.step) == (0.01, 10_000.0, 0.0)
    for name in ('tolerance', 'plane_tolerance', 'max_iterations', 'solver'):
        described = arm.describe(name)
        assert not described.floating_point_range, name
        assert not described.integer_range, name
    # Our words, not those of rclpy.
    reason = arm.set({'publish_rate': 1e5}).reason
    assert '100000.0' in reason
    assert '<= 10000' in reason


def test_whole_numbers_will_do(start: Any) -> None:
    whole = {'chain.shoulder.length': 1, 'chain.elbow.length': 1, 'publish_rate': 50}
    _, arm = start({**TWO, **whole, 'base.xyz': [0, 0, 1], 'tolerance': 1})
    arm.connect()
    assert values(arm.ask((2, 0, 1)))['code'] == 'REACHED'
    assert arm.set({'tolerance': 1e-6, 'base.xyz': [0, 0, 0]}).successful


def test_a_changed_arm_solves_for_the_last_target_again(arm: Client) -> None:
    assert values(arm.ask(FAR))['code'] == 'TOO_FAR'
    stamp, seen = arm.statuses[-1].header.stamp, len(arm.statuses)
    assert arm.set({'chain.elbow.length': 0.9}).successful
    message = arm.wait(lambda: arm.statuses[seen:], 'the changed status')[0]
    assert message.header.stamp == stamp
    assert values(message)['code'] == 'REACHED'
    longer = Chain.from_lengths([0.3, 0.9])
    assert math.dist(tip(arm.pose(), longer), FAR[:2]) <= 1e-6


def test_a_refused_target_does_not_replace_the_one_before(arm: Client) -> None:
    stamp = arm.ask(NEAR).header.stamp
    for refused in ((math.nan, 0.0, 0.0), (math.inf, 0.0, 0.0)):
        assert values(arm.ask(refused))['code'] == 'INVALID_TARGET'
    seen = len(arm.statuses)
    assert arm.set({'solver': 'ccd'}).successful
    message = arm.wait(lambda: arm.statuses[seen:], 'the status of the target before')[0]
    assert message.header.stamp == stamp
    assert values(message)['code'] == 'REACHED'


MATTERS = {
    'limits': (
        {
            'chain.elbow.min_position': -0.1,
            'chain.elbow.max_position': 0.1,
            'chain.elbow.home': 0.0,
        },
        ('JOINT_LIMIT', 'true', 'two_bone'),
    ),
    'plane': ({'base.xyz': [0.0, 0.0, 0.5], 'plane_tolerance': 0.1}, ('OUT_OF_PLANE', 'false', '')),
    'base': ({'base.xyz': [-5.0, 0.0, 0.0]}, ('TOO_FAR', 'true', 'two_bone')),
    'unreachable': (
        {'unreachable': 'hold', 'base.xyz': [-5.0, 0.0, 0.0]},
        ('TOO_FAR', 'false', 'two_bone'),
    ),
    'solver': ({'solver': 'ccd'}, ('REACHED', 'true', 'ccd')),
}


def test_each_change_that_matters_is_answered_anew(arm: Client) -> None:
    for row, (changes, expected) in MATTERS.items():
        stamp = arm.ask(NEAR).header.stamp
        pose, seen = arm.pose(), len(arm.statuses)
        before = dict(zip(changes, arm.get(*changes), strict=True))
        assert arm.set(changes).successful, row
        message = arm.wait(lambda seen=seen: arm.statuses[seen:], row)[0]
        said = values(message)
        assert message.header.stamp == stamp, row
        assert (said['code'], said['at_goal'], said['solver']) == expected, row
        if said['at_goal'] == 'false':
            assert arm.pose() == pose, row
        if row == 'limits':
            assert -0.1 <= arm.pose()[1] <= 0.1
        assert arm.set(before).successful


@pytest.mark.parametrize('kind', ARMS)
def test_whatever_affects_solving_takes_effect_at_once(start: Any, kind: str) -> None:
    whole = ARMS[kind]
    _, arm = start(whole)
    arm.connect()
    for name, row in changeable().items():
        if row.affects is not Effect.SOLVING or arm_with(name) is not whole:
            continue
        for base in BASES:
            assert arm.set(base).successful
            pose = arm.pose()
            tried = (c for c in changes_of(name, row) if base.items() <= c.base.items())
            change = next((change for change in tried if shows(change, pose)), None)
            if change is not None:
                break
        else:
            pytest.fail(f'no change of {name} shows')
        first = answered(change.base, change.target, pose)
        stamp = arm.ask(change.target).header.stamp
        assert arm.pose() == first.positions, name
        expected = answered({**change.base, **change.changes}, change.target, first.positions)
        seen = len(arm.statuses)
        assert arm.set(change.changes).successful
        assert arm.pose() == expected.positions, name
        if not first.report.says_the_same(expected.report):
            message = arm.wait(lambda seen=seen: arm.statuses[seen:], name)[0]
            assert message.header.stamp == stamp, name
            assert only(message).message == expected.report.message, name
        assert arm.set({changed: whole.get(changed) for changed in change.changes}).successful


def test_a_changed_bend_turns_the_elbow_over(arm: Client) -> None:
    assert arm.set({'bend': 'negative'}).successful
    arm.ask(NEAR)
    assert arm.pose()[1] < 0.0
    assert arm.set({'bend': 'positive'}).successful
    assert arm.pose()[1] > 0.0
    assert math.dist(tip(arm.pose()), NEAR[:2]) <= 1e-6


def test_nothing_new_is_not_told_again(arm: Client) -> None:
    first = arm.ask(NEAR)
    pose = arm.pose()
    assert arm.set({'max_iterations': 50}).successful
    assert arm.set({'publish_rate': 80.0}).successful
    assert arm.set({'chain.elbow.max_velocity': 1.0}).successful
    second = arm.ask(FAR)
    assert [m.header.stamp for m in arm.statuses] == [first.header.stamp, second.header.stamp]
    assert pose in [tuple(m.position) for m in arm.joint_states]


def test_a_pose_outside_new_limits_is_clamped_before_any_target(arm: Client) -> None:
    assert arm.pose() == HOME
    limits = {'chain.elbow.min_position': 1.0, 'chain.elbow.max_position': 2.0}
    assert arm.set({**limits, 'chain.elbow.home': 1.5}).successful
    assert arm.pose() == (HOME[0], 1.0)
    assert arm.statuses == []


def test_two_bone_is_refused_for_three_joints_while_running(start: Any) -> None:
    _, arm = start(THREE)
    arm.connect()
    result = arm.set({'solver': 'two_bone'})
    assert not result.successful
    assert all(w in result.reason for w in ("'solver'", "'two_bone'", 'auto or ccd', '3 joints'))
    assert values(arm.ask(NEAR))['solver'] == 'hybrid'


def test_one_joint_turns_towards_its_target(start: Any) -> None:
    _, arm = start({'joints': ['only'], 'chain.only.length': 0.5})
    arm.connect()
    assert values(arm.ask((0.0, 0.5, 0.0)))['code'] == 'REACHED'
    assert arm.pose() == pytest.approx((math.pi / 2,), abs=1e-5)


def test_strange_parameters_are_warned_of_with_the_closest_valid_one(start: Any) -> None:
    ours = {'publish_rat': 3, 'use_sim_time': False, 'qos_overrides./x.publisher.depth': 1}
    process, _ = start({**TWO, **ours, 'start_type_description_service': True})
    (line,) = [line for line in process.output.splitlines() if '[WARN]' in line]
    assert "'publish_rat'; did you mean 'publish_rate'?" in line
    assert not re.search('use_sim_time|qos_overrides|start_type', line)


# The life of the process


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('busy', [False, True])
def test_signals_end_it_with_status_0(start: Any, number: int, busy: bool) -> None:
    process, arm = start({**TWO, 'publish_rate': 1000.0 if busy else 0.01})
    if busy:
        arm.connect()
        deadline = time.monotonic() + DEFAULT_TIMEOUT
        process.popen.send_signal(number)
        while process.is_running() and time.monotonic() < deadline:
            arm.send(NEAR)
            arm.executor.spin_once(timeout_sec=0.0)
        status = process.wait()
    else:
        status = process.stop(number)
    assert status == 0, process.output
    assert 'Traceback' not in process.output
    assert 'xception' not in process.output


def test_a_signal_while_it_starts_ends_it_with_status_0(
    ros_environment: int, tmp_path: Path
) -> None:
    file = parameter_file(tmp_path / 'two.yaml', TWO)
    command = ['-m', 'ik2d_ros.node', '--ros-args', '--params-file', str(file)]
    for number, part in itertools.product((signal.SIGINT, signal.SIGTERM), (0.3, 0.6, 0.9)):
        process = subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        wait_for_signal_handler(process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.3 * part)
        process.send_signal(number)
        output, _ = process.communicate(timeout=DEFAULT_TIMEOUT)
        assert process.returncode == 0, output
        assert 'Traceback' not in output


@pytest.mark.parametrize('gap', [0.02, 0.06, 0.12])
def test_a_second_signal_does_no_more_than_the_first(start: Any, gap: float) -> None:
    """As when launch and the terminal both pass Ctrl-C on."""
    process, _ = start(TWO)
    process.popen.send_signal(signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.popen.wait(gap)
    process.popen.send_signal(signal.SIGINT)
    assert process.wait() == 0, process.output
    assert 'Traceback' not in process.output


def test_the_log_tells_of_a_change_once(start: Any) -> None:
    process, arm = start(TWO)
    arm.connect()
    arm.wait(lambda: arm.ask(FAR) and 'TOO_FAR' in process.output, 'the change in the log')
    told = time.monotonic()
    while time.monotonic() < told + 1.5 * SECONDS_BETWEEN_LOGS:
        arm.ask(FAR)
    assert process.output.count('TOO_FAR') == 1


def test_the_log_is_not_flooded_by_changes(start: Any) -> None:
    began = time.monotonic()
    process, arm = start(TWO)
    arm.connect()
    for _ in range(50):
        arm.ask(NEAR)
        arm.ask(FAR)
    told = process.output.count('REACHED:') + process.output.count('TOO_FAR:')
    assert told <= 1 + (time.monotonic() - began) / SECONDS_BETWEEN_LOGS


def test_debug_messages_are_there_for_who_wants_them(start: Any) -> None:
    process, arm = start(TWO, '--log-level', 'ik2d:=debug')
    arm.connect()
    arm.ask(NEAR)
    arm.ask(FAR, query=True)
    assert arm.set({'solver': 'ccd', 'tolerance': '1e-5'}).successful
    for words in (
        "target (0.3, 0.2, 0) in '': REACHED by two_bone in ",
        "target (1, 0, 0) in '': TOO_FAR by two_bone in ",
        "set: solver = 'ccd', tolerance = 1e-05",
    ):
        process.wait_for_output(words)
        (line,) = [line for line in process.output.splitlines() if words in line]
        assert line.startswith('[DEBUG] ')


def test_without_being_asked_for_there_are_none(start: Any) -> None:
    process, arm = start(TWO)
    arm.connect()
    arm.ask(NEAR)
    assert arm.set({'solver': 'ccd'}).successful
    assert 'DEBUG' not in process.output


def test_the_log_level_can_be_changed_by_a_service(start: Any) -> None:
    pytest.importorskip('rclpy.logging_service', reason='this rclpy has no logger services')
    from rcl_interfaces.msg import LoggerLevel
    from rcl_interfaces.srv import SetLoggerLevels

    process, arm = start(TWO)
    arm.connect()
    level = LoggerLevel(name='ik2d', level=LoggerLevel.LOG_LEVEL_DEBUG)
    (result,) = arm.call(SetLoggerLevels, 'set_logger_levels', levels=[level]).results
    assert result.successful
    arm.ask(NEAR)
    process.wait_for_output('[DEBUG]')


def test_why_it_could_not_start_is_in_the_log_too_and_said_once(
    start_process: Any, ros_environment: int, tmp_path: Path
) -> None:
    file = parameter_file(tmp_path / 'two.yaml', {**TWO, 'tolerance': -1.0})
    command = ('-m', 'ik2d_ros.node', '--ros-args', '--params-file', file)
    process = start_process(*command, env={'ROS_LOG_DIR': str(tmp_path / 'log')})
    assert process.wait() == 1
    words = "parameter 'tolerance' is -1.0; it must be a finite number > 0"
    assert process.output.count(words) == 1
    assert 'FATAL' not in process.output
    (log,) = [path.read_text() for path in (tmp_path / 'log').glob('*.log')]
    assert re.search(rf'\[FATAL\].*{re.escape(words)}', log), log

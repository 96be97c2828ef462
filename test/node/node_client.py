"""A client of one node, which keeps all messages and waits for a limited time."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import yaml
from harness import HAS_ROS, asking, resent

from ik2d_ros.kinematics import Chain
from ik2d_ros.pilot.parameters import PARAMETERS

if HAS_ROS:
    import rclpy
    from builtin_interfaces.msg import Time as TimeMessage
    from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
    from geometry_msgs.msg import PointStamped, PoseStamped
    from nav_msgs.msg import Path
    from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
    from rcl_interfaces.srv import (
        DescribeParameters,
        GetParameters,
        SetParametersAtomically,
    )
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.parameter import Parameter, parameter_value_to_python
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from rosgraph_msgs.msg import Clock
    from sensor_msgs.msg import JointState


LIMITS = (-2.6, 2.6)
HOME = (0.4, 0.8)
TWO: dict[str, object] = {
    'joints': ['shoulder', 'elbow'],
    'chain.shoulder.length': 0.3,
    'chain.shoulder.min_position': LIMITS[0],
    'chain.shoulder.max_position': LIMITS[1],
    'chain.shoulder.home': HOME[0],
    'chain.elbow.length': 0.25,
    'chain.elbow.min_position': LIMITS[0],
    'chain.elbow.max_position': LIMITS[1],
    'chain.elbow.home': HOME[1],
}
THREE = {**TWO, 'joints': ['shoulder', 'elbow', 'wrist'], 'chain.wrist.length': 0.1}

JOINT_FIELDS = ('max_velocity', 'max_acceleration', 'max_jerk', 'link', 'home')
CHAIN = Chain.from_lengths([0.3, 0.25], limits=[LIMITS, LIMITS])
NEAR, FAR, NOWHERE = (0.3, 0.2, 0.0), (1.0, 0.0, 0.0), (math.nan, 0.0, 0.0)


def yaml_of(parameters: Mapping[str, object]) -> str:
    """A ROS parameter file for any node; None leaves a parameter out."""
    given = {name: value for name, value in parameters.items() if value is not None}
    return yaml.safe_dump({'/**': {'ros__parameters': given}})


def parameter_file(path: FilePath, parameters: Mapping[str, object]) -> FilePath:
    path.write_text(yaml_of(parameters))
    return path


def tip(positions: tuple[float, ...], chain: Chain = CHAIN) -> tuple[float, float]:
    x, y = chain.forward(np.array(positions))[-1]
    return float(x), float(y)


class Client:
    """A client of one node, which keeps all messages and waits for a limited time."""

    def __init__(
        self,
        context: Any,
        spin_until: Callable[..., Any],
        node: str = '/ik2d',
        name: str = 'client',
    ) -> None:
        self.node = rclpy.create_node(name, context=context)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self._spin_until = spin_until
        self.name = node
        self.process: Any = None  # of the node, where it lasts for a file
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
        publish = self.node.create_publisher
        self._target = publish(PointStamped, f'{node}/target', 10)
        self._target_pose = publish(PoseStamped, f'{node}/target_pose', 10)
        self._query = publish(PointStamped, f'{node}/query', 10)
        self.inputs = self._target, self._target_pose, self._query
        self._path = publish(Path, f'{node}/path', 10)
        self._query_path = publish(Path, f'{node}/query_path', 10)
        self._clock = publish(Clock, '/clock', 10)
        # Long before they are asked: a node that has not heard of a client hears it seconds later.
        self._services = {
            name: self.node.create_client(kind, f'{node}/{name}')
            for name, kind in {
                'set_parameters_atomically': SetParametersAtomically,
                'get_parameters': GetParameters,
                'describe_parameters': DescribeParameters,
            }.items()
        }
        self._stamps = itertools.count(1)

    def _on_status(self, message: DiagnosticArray) -> None:
        """Keep a new status, and count the last one's repetitions."""
        if message == self._last_status:
            self.repeated += 1
        else:
            self.statuses.append(message)
        self._last_status = message

    def wait(self, predicate: Callable[[], Any], what: str) -> Any:
        return self._spin_until(self.executor, predicate, what=what)

    def connect(self, poses: bool = True) -> Client:
        """Wait until every topic is matched on both sides, so that nothing is lost."""
        for topic in (self._query, self._target_pose):
            self.wait(topic.get_subscription_count, f'the subscription of {topic.topic_name}')
        self._greet(query=True)
        self._greet(query=False)
        self.wait(lambda: self.joint_states or not poses, 'joint_states')
        self.answers.clear()
        self.statuses.clear()
        return self

    def _greet(self, query: bool) -> None:
        """Send an invalid target until it is answered, and once more.

        The last one is answered last: no other answer is under way then.
        """
        received = self.answers if query else self.statuses
        sent: list[TimeMessage] = []
        send = resent(lambda: sent.append(self.send(NOWHERE, query=query)), every=0.2)
        self.wait(
            lambda: send() or any(message.header.stamp in sent for message in received),
            'an answer to a query' if query else 'a status',
        )
        self.ask(NOWHERE, query=query)

    def send(
        self,
        point: tuple[float, float, float],
        frame_id: str = '',
        stamp: TimeMessage | int | None = None,
        query: bool = False,
        turn: tuple[float, float] | None = None,
    ) -> TimeMessage:
        """Publish a target or a query.

        Its stamp (a message, or whole seconds) is unlike any before unless one is given. With a
        turn about z (z, w of its quaternion) it is a pose.
        """
        message = PointStamped() if turn is None else PoseStamped()
        message.header.frame_id = frame_id
        if stamp is None:
            stamp = 1000 + next(self._stamps)
        message.header.stamp = TimeMessage(sec=stamp) if isinstance(stamp, int) else stamp
        place = message.point if turn is None else message.pose.position
        place.x, place.y, place.z = point
        if turn is not None:
            message.pose.orientation.z, message.pose.orientation.w = turn
            self._target_pose.publish(message)
        else:
            (self._query if query else self._target).publish(message)
        return message.header.stamp

    def send_path(self, points: Iterable[Sequence[float]], query: bool = False) -> TimeMessage:
        """Publish a path, (k, 3) in m, to be followed or judged, with a stamp unlike any before."""
        publisher = self._query_path if query else self._path
        message = Path()
        for point in points:
            pose = PoseStamped()
            place = pose.pose.position
            place.x, place.y, place.z = map(float, point)
            message.poses.append(pose)
        message.header.stamp.sec = 1000 + next(self._stamps)
        self.wait(publisher.get_subscription_count, f'the subscription of {publisher.topic_name}')
        publisher.publish(message)
        return message.header.stamp

    def show(self, seconds: int, nanoseconds: int = 0) -> None:
        """Let a simulated clock show a time, and give it a moment to be seen."""
        self._clock.publish(Clock(clock=TimeMessage(sec=seconds, nanosec=nanoseconds)))
        self.executor.spin_once(timeout_sec=0.05)

    @property
    def status(self) -> dict[str, str]:
        """The last status: its values, its sentence, and its level."""
        if not self.statuses:
            return {'code': '', 'message': '', 'level': '', 'at_goal': ''}
        return {**values(self.statuses[-1]), 'level': str(only(self.statuses[-1]).level[0])}

    def wait_until_told(self, code: str, *words: str) -> None:
        def is_told() -> bool:
            said = self.status
            return said['code'] == code and all(word in said['message'] for word in words)

        self.wait(is_told, f'{code} {words}')

    def told(self, stamp: TimeMessage) -> list[dict[str, str]]:
        """The statuses of a target, from first to last."""
        return [values(message) for message in self.statuses if message.header.stamp == stamp]

    def wait_for(self, stamp: TimeMessage, code: str, at_goal: str = '') -> dict[str, str]:
        """Wait until the last status of a target has a code and, if given, an ``at_goal``."""

        def found() -> dict[str, str] | None:
            said = self.told(stamp)[-1:]
            is_so = said and said[0]['code'] == code and at_goal in ('', said[0]['at_goal'])
            return said[0] if is_so else None

        return self.wait(found, f'{code} {at_goal}')

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
        now = self.node.get_clock().now()

        def last():  # any number may be under way already, when this process had no time for them
            state = self.joint_states[-1:]
            return state if state and rclpy.time.Time.from_msg(state[0].header.stamp) > now else []

        (state,) = self.wait(last, 'joint_states')
        return tuple(state.position)

    def call(self, kind: Any, name: str, **request: Any) -> Any:
        if name not in self._services:
            self._services[name] = self.node.create_client(kind, f'{self.name}/{name}')
        client = self._services[name]
        self.wait(client.service_is_ready, name)
        return self.wait(asking(client, kind.Request(**request)), f'the answer of {name}')

    def set(self, changes: Mapping[str, object]) -> SetParametersResult:
        """Set parameters all at once; None takes a parameter away."""
        given = [Parameter(name, value=value).to_parameter_msg() for name, value in changes.items()]
        name = 'set_parameters_atomically'
        return self.call(SetParametersAtomically, name, parameters=given).result

    def reset(self, given: Mapping[str, object]) -> None:
        """Set all parameters as they were given at the start, others to their defaults."""
        changeable = dict.fromkeys(name for name, row in PARAMETERS.items() if row.affects)
        fields = itertools.product(given['joints'], JOINT_FIELDS)
        changeable |= {f'chain.{joint}.{field}': None for joint, field in fields}
        own = {name: given[name] for name in given if name in changeable or '.' in name}
        result = self.set({**changeable, **own})
        assert result.successful, result.reason

    def get(self, *names: str) -> list[object]:
        found = self.call(GetParameters, 'get_parameters', names=names).values
        return [parameter_value_to_python(value) for value in found]

    def describe(self, name: str) -> ParameterDescriptor:
        return self.call(DescribeParameters, 'describe_parameters', names=[name]).descriptors[0]

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()


def only(message: DiagnosticArray) -> DiagnosticStatus:
    """The one status of a target in an array."""
    (status,) = (each for each in message.status if each.name.endswith(': reachability'))
    return status


def values(message: DiagnosticArray) -> dict[str, str]:
    """The values of a status, and its sentence."""
    status = only(message)
    return {value.key: value.value for value in status.values} | {'message': status.message}


@contextlib.contextmanager
def new_context() -> Iterator[Any]:
    own = rclpy.Context()
    rclpy.init(context=own, args=[])
    yield own
    rclpy.try_shutdown(context=own)

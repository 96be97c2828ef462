"""The client that stays for all of a soak: sends targets, changes parameters, counts cycles."""

from __future__ import annotations

import collections
import itertools
import math
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from fleet_client import BILLION, stamp_of
from geometry_msgs.msg import PointStamped, PoseStamped
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

DEEP = QoSProfile(depth=2000)
PATIENCE = 60.0  # s for an answer; machines are slow at times
PAUSE = 0.1  # s from an answer to the next target
BURST = 50  # targets at once
LATE = 2.0  # periods between two poses; from there on, cycles were missed
NOWHERE = 'nowhere'  # a frame that is not there


class Cycles:
    """The cycles of an arm, counted by the stamps of its poses."""

    def __init__(self, node: Node, arm: str, rate: float) -> None:
        """Listen.

        Args:
            node: who listens.
            arm: its namespace.
            rate: its publish_rate in Hz.
        """
        self._period, self._last = BILLION / rate, 0
        self._due = self._missed = 0
        node.create_subscription(JointState, f'/{arm}/joint_states', self._on_pose, DEEP, raw=True)

    def _on_pose(self, message: bytes) -> None:
        stamp = stamp_of(message)
        if self._last:
            periods = (stamp - self._last) / self._period
            self._due += max(round(periods), 1)
            self._missed += round(periods) - 1 if periods > LATE else 0
        self._last = stamp

    def take(self) -> tuple[int, int]:
        """Return the cycles since the last call, and how many of them were missed."""
        taken = self._due, self._missed
        self._due = self._missed = 0
        return taken


class Line:
    """Sends an arm targets and queries, one after the other, and waits for the answers.

    Attributes:
        arm: its namespace.
        answered: how many targets and queries were answered.
        codes: how many times each.
        is_served: whether the node has ever answered, since it was last started.
    """

    def __init__(self, node: Node, arm: str, rng: random.Random) -> None:
        """Create what it takes.

        Args:
            node: who sends.
            arm: namespace of the arm.
            rng: chooses the targets.
        """
        self.arm, self._node, self._rng = arm, node, rng
        self.answered, self.is_served = 0, False
        self.codes: collections.Counter[str] = collections.Counter()
        self._targets = node.create_publisher(PointStamped, f'/{arm}/ik2d/target', 1)
        self._poses = node.create_publisher(PoseStamped, f'/{arm}/ik2d/target_pose', 1)
        self._queries = node.create_publisher(PointStamped, f'/{arm}/ik2d/query', 10)
        for topic in ('status', 'query_status'):
            node.create_subscription(DiagnosticArray, f'/{arm}/ik2d/{topic}', self._on_status, DEEP)
        self._waits_for, self._sent_at, self._next_at = 0, 0.0, 0.0
        self._number = 0

    def restart(self) -> None:
        """Begin anew with a node that was just started."""
        self.is_served, self._waits_for = False, 0
        self._sent_at = time.monotonic()

    def go_on(self) -> str:
        """Send the next target if it is time; return what is wrong, if anything."""
        now = time.monotonic()
        if self._waits_for:
            # What is sent before both sides have found each other is lost.
            if self.is_served and now - self._sent_at > PATIENCE:
                waited, self._waits_for = self._waits_for, 0
                return f'{self.arm} did not answer target {self._number}, {waited} ns'
            if self.is_served or now - self._sent_at < 1.0:
                return ''
        if now >= self._next_at:
            self._send()
            self._sent_at = now
        return ''

    def send_far(self, x: float, y: float, z: float) -> None:
        """Send a target apart from the others, to set the arm in motion."""
        message = PointStamped()
        self._waits_for = self._stamp(message)
        message.point.x, message.point.y, message.point.z = x, y, z
        self._targets.publish(message)
        self._sent_at = time.monotonic()

    def _send(self) -> None:
        self._number += 1
        kind = self._number % 10
        if not self.is_served or kind < 4:
            self._targets.publish(self._message(PointStamped))
        elif kind < 6:
            self._poses.publish(self._message(PoseStamped))
        elif kind < 9:
            self._queries.publish(self._message(PointStamped))
        else:
            # The last one of them is answered in any case.
            for _ in range(BURST):
                self._targets.publish(self._message(PointStamped))

    def _message(self, kind: Callable[[], Any]) -> Any:
        rng, message = self._rng, kind()
        place = message.point if isinstance(message, PointStamped) else message.pose.position
        place.x, place.y, place.z = (rng.uniform(-0.5, 0.5) for _ in range(3))
        if rng.random() < 0.02:
            place.x = math.nan
        if isinstance(message, PoseStamped):
            half = rng.uniform(-math.pi, math.pi)
            message.pose.orientation.w, message.pose.orientation.y = math.cos(half), math.sin(half)
        message.header.frame_id = rng.choice(('', '', 'base_link', 'base_link', NOWHERE))
        self._waits_for = self._stamp(message)
        return message

    def _stamp(self, message: Any) -> int:
        now = time.time_ns()
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(now, BILLION)
        return now

    def _on_status(self, message: DiagnosticArray) -> None:
        stamp = message.header.stamp
        if not self._waits_for or stamp.sec * BILLION + stamp.nanosec != self._waits_for:
            return
        self._waits_for, self.is_served = 0, True
        self.answered += 1
        self._next_at = time.monotonic() + PAUSE
        values = message.status[0].values
        self.codes[next(pair.value for pair in values if pair.key == 'code')] += 1


class Changes:
    """Changes parameters, some of them to values that must be refused.

    Attributes:
        made: how many were answered.
    """

    def __init__(self, node: Node) -> None:
        """Create the clients."""
        self._node, self.made = node, 0
        self._clients = {
            arm: node.create_client(SetParameters, f'/{arm}/ik2d/set_parameters')
            for arm in ('plane', 'turntable', 'left', 'right')
        }
        self._future: Any = None
        self._sent_at, self._next_at = 0.0, 0.0
        self._changes = itertools.cycle(_changes())
        self._change = next(self._changes)

    def go_on(self) -> str:
        """Make the next change if it is time; return what is wrong, if anything."""
        now = time.monotonic()
        arm, name, value, is_right = self._change
        if self._future is None:
            if now >= self._next_at and self._clients[arm].service_is_ready():
                request = SetParameters.Request(
                    parameters=[Parameter(name=name, value=as_message(value))]
                )
                self._future, self._sent_at = self._clients[arm].call_async(request), now
            return ''
        if not self._future.done():
            if now - self._sent_at < PATIENCE:
                return ''
            self._future = None
            return f'{arm} did not answer when {name} was set to {value}'
        (result,) = self._future.result().results
        self._future, self._next_at = None, now + 5.0 * PAUSE
        self._change = next(self._changes)
        self.made += 1
        if result.successful == is_right:
            return ''
        said = 'accepted' if result.successful else f'refused: {result.reason}'
        return f'{arm}: {name} = {value} was {said}'


def _changes() -> Iterator[tuple[str, str, object, bool]]:
    for solver, bend in (('ccd', 'positive'), ('hybrid', 'negative'), ('auto', 'nearest')):
        for arm in ('plane', 'turntable', 'left', 'right'):
            yield arm, 'solver', solver, True
            yield arm, 'bend', bend, True
            yield arm, 'tolerance', -1.0, False
            yield arm, 'max_iterations', 50 if solver == 'ccd' else 100, True
            yield arm, 'unreachable', 'hold' if solver == 'ccd' else 'closest', True
        yield 'plane', 'chain.wrist.length', 0.15 if solver == 'ccd' else 0.12, True
        yield 'plane', 'chain.elbow.min_position', 9.0, False
        yield 'plane', 'tip_angle', 0.5 if solver == 'ccd' else math.nan, True
        yield 'right', 'base.xyz', [0.0, 0.1 if solver == 'ccd' else 0.0, 0.0], True
        yield 'left', 'publish_rate', {'ccd': 20.0, 'hybrid': 100.0}.get(solver, 50.0), True
        yield 'turntable', 'base_frame', 'elsewhere', False


def as_message(value: object) -> ParameterValue:
    """Return the value of a parameter as a message."""
    if isinstance(value, str):
        return ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=value)
    if isinstance(value, int):
        return ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=value)
    if isinstance(value, list):
        return ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY, double_array_value=value)
    return ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)


class Robot:
    """What a controller and its driver are to the node: does as it is told, and measures that."""

    def __init__(self, node: Node, arm: str) -> None:
        """Start.

        Args:
            node: whose timer it takes.
            arm: namespace of the arm.
        """
        self._node, self._topic = node, f'/{arm}/ik2d/command'
        self._positions = dict.fromkeys(
            ('shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll'), 0.0
        )
        self._message = JointState(name=[*self._positions])
        self._publisher = node.create_publisher(JointState, f'/{arm}/measured_joint_states', 10)
        self._subscription: Any = None
        self.moved = False
        self.switch_on()

    def switch_on(self) -> None:
        """Listen and measure."""
        if self._subscription is None:
            self._subscription = self._node.create_subscription(
                JointTrajectory, self._topic, self._on_command, 10
            )

    def switch_off(self) -> None:
        """Neither listen nor measure."""
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None

    def measure(self) -> None:
        """Publish where the joints are."""
        if self._subscription is not None:
            message = self._message
            stamp = message.header.stamp
            stamp.sec, stamp.nanosec = divmod(time.time_ns(), BILLION)
            message.position = [*self._positions.values()]
            self._publisher.publish(message)

    def _on_command(self, message: JointTrajectory) -> None:
        told = dict(zip(message.joint_names, message.points[-1].positions, strict=True))
        self.moved = self.moved or told != self._positions
        self._positions.update(told)

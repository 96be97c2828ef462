"""Who talks to a program that must not go down, and how much of it: one message, one answer."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from faults import FULL
from harness import DEFAULT_TIMEOUT

CONFIG = Path(__file__).resolve().parents[2] / 'config'

PATIENCE = DEFAULT_TIMEOUT  # s for an answer
RESENT_AFTER = 2.0  # s: what is sent before both sides have found each other is lost
ASKED_AFTER = 8.0  # s without an answer to a call


def count(full: int, short: int) -> int:
    """How many of something: ``full`` for ``make faults``, else ``short``."""
    return full if FULL else short


def resident_kib(process: int) -> int:
    """The memory of a process that is in use, in KiB."""
    found = re.search(r'VmRSS:\s*(\d+)', Path(f'/proc/{process}/status').read_text())
    assert found, 'the process has ended'
    return int(found[1])


class Peer:
    """A node that asks, and keeps what it hears from ``/ik2d``, whose poses it judges at once."""

    def __init__(self, limits: Mapping[str, tuple[float, float]]) -> None:
        """``limits`` are those of the arm's joints, by name, in rad."""
        import rclpy
        from diagnostic_msgs.msg import DiagnosticArray
        from geometry_msgs.msg import PointStamped, PoseStamped
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.qos import DurabilityPolicy, QoSProfile
        from sensor_msgs.msg import JointState
        from visualization_msgs.msg import MarkerArray

        self.node = rclpy.create_node('peer')
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self._limits = limits
        self.poses = self.pictures = self.sent = 0
        self.wrong: list[str] = []
        self.statuses: list[Any] = []
        self.answers: list[Any] = []
        kept = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        subscribe = self.node.create_subscription
        subscribe(JointState, '/joint_states', self._on_pose, 100)
        self._markers = subscribe(MarkerArray, '/ik2d/markers', self._on_picture, kept)
        self._last_status: Any = None
        subscribe(DiagnosticArray, '/ik2d/status', self._on_status, kept)
        subscribe(DiagnosticArray, '/ik2d/query_status', self.answers.append, 100)
        self.targets = self.node.create_publisher(PointStamped, '/ik2d/target', 10)
        self.directed = self.node.create_publisher(PoseStamped, '/ik2d/target_pose', 10)
        self.queries = self.node.create_publisher(PointStamped, '/ik2d/query', 10)
        self._clients: dict[str, Any] = {}

    def wait(self, holds: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
        """Spin until a condition holds; the test fails if it never does."""
        deadline = time.monotonic() + patience
        while not (result := holds()):
            if time.monotonic() > deadline:
                pytest.fail(f'no sign of {what} within {patience} s')
            self.executor.spin_once(timeout_sec=0.05)
        return result

    def connect(self) -> Peer:
        """Wait until everything has been heard of once in both directions."""
        for query in (True, False):
            self.ask((math.nan, 0.0, 0.0), (7, 7), query=query)
        self.wait(lambda: self.poses and self.pictures, 'poses and markers')
        self.sent = 0
        return self

    def ask(
        self,
        point: tuple[float, float, float],
        stamp: tuple[int, int],
        frame_id: str = '',
        query: bool = False,
    ) -> Any:
        """Publish a target or a query; give the first status after it with its very stamp.

        Where the stamp is zero, that is the first one whose stamp is not.
        """
        from geometry_msgs.msg import PointStamped

        message = PointStamped()
        message.header.stamp.sec, message.header.stamp.nanosec = stamp
        message.header.frame_id = frame_id
        message.point.x, message.point.y, message.point.z = point
        received = self.answers if query else self.statuses
        received.clear()

        def answer() -> Any:
            for status in received:
                given = (status.header.stamp.sec, status.header.stamp.nanosec)
                if given == stamp or (stamp == (0, 0) and given != stamp):
                    return status
            return None

        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            (self.queries if query else self.targets).publish(message)
            self.sent += 1
            again = time.monotonic() + RESENT_AFTER
            while time.monotonic() < again:
                self.executor.spin_once(timeout_sec=0.05)
                if found := answer():
                    return found
        heard = [(m.header.stamp, code(m)) for m in received]
        pytest.fail(f'no status for {point}, {stamp}, {frame_id[:50]!r}; heard {heard}')

    def call(self, kind: Any, request: Any, node: str = '/ik2d') -> Any:
        """Ask a parameter service, and give its answer."""
        words = re.findall('[A-Z][a-z]+', kind.__name__)
        name = f'{node}/{"_".join(words).lower()}'
        if name not in self._clients:
            self._clients[name] = self.node.create_client(kind, name)
            self.wait(self._clients[name].service_is_ready, name)
        # The answer is lost where the node has not found the client yet, though that has found it.
        asked, again = [], 0.0

        def answered() -> Any:
            nonlocal again
            if time.monotonic() >= again:
                again = time.monotonic() + ASKED_AFTER
                asked.append(self._clients[name].call_async(request))
            return next((future for future in asked if future.done()), None)

        return self.wait(answered, f'an answer of {name} to {str(request)[:500]}').result()

    def look_away(self) -> None:
        """Do without the markers: nothing is drawn then, nor is an area of reach computed."""
        self.node.destroy_subscription(self._markers)

    def close(self) -> None:
        """Be gone."""
        self.executor.shutdown()
        self.node.destroy_node()

    def _on_pose(self, message: Any) -> None:
        self.poses += 1
        pose = dict(zip(message.name, message.position, strict=True))
        stamp = message.header.stamp
        if pose.keys() != self._limits.keys() or (stamp.sec, stamp.nanosec) <= (0, 0):
            self.wrong.append(str(message))
        for name, (lower, upper) in self._limits.items():
            if not lower <= pose.get(name, math.nan) <= upper:
                self.wrong.append(str(message))

    def _on_status(self, message: Any) -> None:
        """Keep what is new; the node tells its last status again while there is nothing else."""
        if message != self._last_status:
            self.statuses.append(message)
        self._last_status = message

    def _on_picture(self, message: Any) -> None:
        self.pictures += 1
        for marker in message.markers:
            place, turn, scale = marker.pose.position, marker.pose.orientation, marker.scale
            points = [(p.x, p.y, p.z) for p in (place, scale, turn, *marker.points)]
            if not all(math.isfinite(value) for point in points for value in point):
                self.wrong.append(f'marker {marker.ns} {marker.id}')


def code(status: Any) -> str:
    """The code of a status array."""
    return next(pair.value for pair in status.status[0].values if pair.key == 'code')

"""Sends targets to many arms, and measures when they are answered and how regular their cycles are.

A process of its own, which does as little as possible for each message: stamps are read from the
bytes, without making messages of them. Prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import math
import struct
import sys
import time
from collections.abc import Callable

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

BILLION = 10**9
CYCLE = 2.0  # s in which the targets of an arm go to and fro
SETTLING = 2.0  # s until everybody has found everybody
TURN = 0.005  # s


def stamp_of(message: bytes) -> int:
    """Return the stamp in ns of a serialised message that begins with a header."""
    seconds, nanoseconds = struct.unpack_from('<iI', message, 4)
    return int(seconds) * BILLION + int(nanoseconds)


class Arm:
    """One arm, seen from outside."""

    def __init__(self, node: Node, name: str) -> None:
        """Create the publisher and the subscriptions."""
        self.cycles: list[int] = []
        self.latencies: dict[int, int] = {}
        self._sent: set[int] = set()
        self._message = PointStamped()
        self._publisher = node.create_publisher(PointStamped, f'/{name}/ik2d/target', 1)
        deep = QoSProfile(depth=100)
        node.create_subscription(JointState, f'/{name}/joint_states', self._on_pose, deep, raw=True)
        node.create_subscription(
            DiagnosticArray, f'/{name}/ik2d/status', self._on_status, deep, raw=True
        )

    def send(self, phase: float) -> None:
        """Send a target, stamped with the time."""
        now, message = time.time_ns(), self._message
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(now, BILLION)
        message.point.x = 0.35 + 0.1 * math.cos(math.tau * phase)
        message.point.y = 0.1 * math.sin(math.tau * phase)
        self._publisher.publish(message)
        self._sent.add(now)

    def forget(self) -> None:
        """Begin anew."""
        self.cycles.clear()
        self.latencies.clear()
        self._sent.clear()

    @property
    def sent(self) -> int:
        """How many targets were sent."""
        return len(self._sent)

    def _on_pose(self, message: bytes) -> None:
        self.cycles.append(stamp_of(message))

    def _on_status(self, message: bytes) -> None:
        now, stamp = time.time_ns(), stamp_of(message)
        if stamp in self._sent:
            self.latencies.setdefault(stamp, now - stamp)  # it is repeated


def spinner(node: Node) -> Callable[[float], None]:
    """Return what handles messages for a time in s."""
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        executor = SingleThreadedExecutor()
    else:
        executor = EventsExecutor()
    executor.add_node(node)
    return lambda span: executor.spin_once(timeout_sec=span)


def send_for(arms: list[Arm], rate: float, seconds: float, spin: Callable[[float], None]) -> None:
    """Send each arm targets at a rate in Hz, one arm after the other."""
    count = round(len(arms) * rate * seconds)
    begin = time.monotonic()
    for number in range(count):
        due = begin + number / (len(arms) * rate)
        while (left := due - time.monotonic()) > 0.0:
            spin(min(left, TURN))
        arms[number % len(arms)].send((time.monotonic() - begin) / CYCLE)
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        spin(TURN)


def percentile(values: list[float], share: float) -> float:
    """Return the value that a share of them does not exceed; NaN for none."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else math.nan


def main() -> int:
    """Measure; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--arms', type=int, required=True)
    parser.add_argument('--rate', type=float, required=True, help='targets a second for each arm')
    parser.add_argument('--cycle', type=float, required=True, help='publish_rate of the arms')
    parser.add_argument('--seconds', type=float, required=True)
    options, rest = parser.parse_known_args()
    rclpy.init(args=rest)
    node = Node('client', start_parameter_services=False)
    arms = [Arm(node, f'arm{number}') for number in range(options.arms)]
    spin = spinner(node)
    began = time.monotonic()
    while not all(arm.cycles for arm in arms):
        spin(TURN)
        if time.monotonic() - began > 60.0:
            print('not all arms were heard within 60 s', file=sys.stderr)
            return 1
    found = time.monotonic() - began
    send_for(arms, max(1.0, options.rate), SETTLING, spin)
    for arm in arms:
        arm.forget()
    print('go', flush=True)
    send_for(arms, options.rate, options.seconds, spin)
    latencies = [1e-6 * latency for arm in arms for latency in arm.latencies.values()]
    late = [
        1e-6 * (later - earlier) - 1e3 / options.cycle
        for arm in arms
        for earlier, later in zip(arm.cycles, arm.cycles[1:], strict=False)
    ]
    found_all = {
        'found': found,
        'sent': sum(arm.sent for arm in arms),
        'answered': len(latencies),
        'median': percentile(latencies, 0.5),
        'p99': percentile(latencies, 0.99),
        'p999': percentile(latencies, 0.999),
        'cycles': len(late),
        'late': percentile(late, 0.999),
        'latest': max(late, default=math.nan),
    }
    print(json.dumps(found_all), flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())

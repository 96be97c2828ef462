"""The node in service, beside bare rclpy nodes that only relay: ``make bench-node``.

Real processes on the real middleware, measured in turns; whoever is not measured is frozen. Ratios
come from one run; times depend on the machine.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState
from tables import Bar, Report, Table, number, show

from ik2d_ros.node.outcome import Code
from ik2d_ros.node.report import Report as NodeReport
from ik2d_ros.node.status import StatusMessage
from ik2d_ros.ros import qos
from ik2d_ros.ros.executors import AUTO, EVENTS, SINGLE, create_executor, spin_function

ARM = """/**:
  ros__parameters:
    joints: [a, b]
    chain:
      a: {length: 0.3, min_position: -2.6, max_position: 2.6}
      b: {length: 0.25, min_position: -2.6, max_position: 2.6}
"""
DOMAIN = '84'
PATIENCE = 60.0  # s
LOST = 0.5  # s after which a target is sent again
WARM_UP = 200  # round trips
SETTLE = 0.05  # s after a thaw
FLOOD = 5000.0  # targets/s


class Relay(Node):
    """A point comes in, a pose and a status leave: no node in Python can do less.

    Nothing is checked, solved or decided, and the messages are made once.
    """

    def __init__(self, namespace: str = '', rate: float = 0.0) -> None:
        """Create the publishers and the subscription.

        Args:
            namespace: its namespace; empty for that of the process.
            rate: of its poses in Hz; 0 for one for each target.
        """
        super().__init__('ik2d', namespace=namespace or None)
        self._has_timer = rate > 0.0
        if self._has_timer:
            self.create_timer(1.0 / rate, self._publish_pose)
        self._pose = JointState(name=['a', 'b'], position=[0.0, 0.0])
        message = StatusMessage(self.get_fully_qualified_name(), 'base_link')
        report = NodeReport(Code.REACHED, 'The target is reached, to < 1 um.', error=1.234e-17)
        self._status = message.encode(report._replace(solver='two_bone'), None, report.message)
        self._values = [p for p in self._status.status[0].values if p.key in {'x', 'y'}]
        self._poses = self.create_publisher(JointState, 'joint_states', qos.EACH)
        self._statuses = self.create_publisher(DiagnosticArray, '~/status', qos.EACH_KEPT)
        self.create_subscription(PointStamped, '~/target', self._on_target, qos.LATEST)

    def _on_target(self, message: PointStamped) -> None:
        point = message.point
        self._pose.position = [point.x, point.y]
        if not self._has_timer:
            self._publish_pose()
        self._status.header.stamp = message.header.stamp
        for pair, value in zip(self._values, (point.x, point.y), strict=True):
            pair.value = repr(value)
        self._statuses.publish(self._status)

    def _publish_pose(self) -> None:
        self._pose.header.stamp = self.get_clock().now().to_msg()
        self._poses.publish(self._pose)


def processor_time(process: int) -> float:
    """Return the processor time of a process so far in s."""
    tasks = Path(f'/proc/{process}/task')
    return sum(int((task / 'schedstat').read_text().split()[0]) for task in tasks.iterdir()) / 1e9


def relay(kind: str, nodes: Sequence[Relay]) -> None:
    """Run bare nodes until a signal."""
    executor = create_executor(kind)
    for node in nodes:
        executor.add_node(node)
    turn = spin_function(executor)
    with contextlib.suppress(ExternalShutdownException, KeyboardInterrupt):
        while rclpy.ok():
            turn()


class Contender:
    """A running process that answers targets, and its client.

    Attributes:
        node: the client.
        trips: s of each round trip, until the pose came back.
        answered: how many statuses came.
    """

    def __init__(self, key: str, command: Sequence[str]) -> None:
        """Start it in a namespace of its own."""
        space = f'/{key}_{os.getpid()}'
        arguments = ['-r', f'__ns:={space}', '--log-level', 'error']
        self._process = subprocess.Popen([sys.executable, *command, *arguments])
        self.node = rclpy.create_node('client', namespace=space)
        self._targets = self.node.create_publisher(PointStamped, 'ik2d/target', qos.LATEST)
        self.node.create_subscription(JointState, 'joint_states', self._on_pose, qos.ALL)
        self.node.create_subscription(DiagnosticArray, 'ik2d/status', self._on_status, qos.ALL)
        self._number = self._left = self.answered = 0
        self._pose: tuple[float, ...] = ()
        self._sent_at = 0.0
        self.trips: list[float] = []

    def is_there(self) -> bool:
        """Whether both hear one another."""
        if self._process.poll() is not None:
            raise RuntimeError(f'{self._process.args} has ended')
        return bool(self._targets.get_subscription_count()) and bool(
            self.node.count_publishers('joint_states')
        )

    def send(self) -> None:
        """Send a target that can be reached and is unlike the one before."""
        self._number += 1
        message = PointStamped()
        message.header.stamp.sec = self._number
        message.point.x = 0.3 + 0.1 * math.cos(0.7 * self._number)
        message.point.y = 0.2 + 0.1 * math.sin(0.7 * self._number)
        self._sent_at = time.perf_counter()
        self._targets.publish(message)

    def begin(self, trips: int) -> None:
        """Begin a closed loop: the next target is sent when the pose for the last one is there."""
        self._left, self.trips = trips, []
        self.send()

    def has_ended(self) -> bool:
        """Return whether the loop has ended; a lost target is replaced."""
        if self._left and time.perf_counter() - self._sent_at > LOST:
            self.send()
        return not self._left

    def _on_pose(self, message: JointState) -> None:
        now, pose = time.perf_counter(), tuple(message.position)
        # The timer of a node repeats its pose.
        if self._left and pose != self._pose:
            self._pose = pose
            self.trips.append(now - self._sent_at)
            self._left -= 1
            if self._left:
                self.send()

    def _on_status(self, message: DiagnosticArray) -> None:
        self.answered += message.header.stamp.sec <= self._number

    def processor_time(self) -> float:
        """Return the processor time of the process so far in s."""
        return processor_time(self._process.pid)

    @contextlib.contextmanager
    def thawed(self) -> Iterator[None]:
        """Let it run for a while; otherwise it takes no time from others."""
        self._process.send_signal(signal.SIGCONT)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGSTOP)

    def end(self) -> None:
        """End it."""
        self._process.send_signal(signal.SIGCONT)
        self._process.terminate()
        self._process.wait(PATIENCE)
        self.node.destroy_node()


class Bench:
    """The contenders, by name and executor, and who spins their clients."""

    def __init__(self, file: Path) -> None:
        """Start them, wait until all are heard, and freeze them."""
        self._executor = create_executor(AUTO)
        self.contenders: dict[tuple[str, str], Contender] = {}
        for kind in (EVENTS, SINGLE):
            node = ('-m', 'ik2d_ros.node', '--executor', kind, '--ros-args', '--params-file')
            bare = (str(Path(__file__)), '--relay', kind, '--ros-args')
            self.contenders['ik2d_node', kind] = Contender(f'node_{kind}', [*node, str(file)])
            self.contenders['bare relay', kind] = Contender(f'relay_{kind}', bare)
        for each in self.contenders.values():
            self._executor.add_node(each.node)
        deadline = time.monotonic() + PATIENCE
        while not all(each.is_there() for each in self.contenders.values()):
            if time.monotonic() > deadline:
                raise TimeoutError(f'not all were heard within {PATIENCE:g} s')
            self.spin(0.1)
        for each in self.contenders.values():
            with each.thawed():
                self.spin(SETTLE)

    def spin(self, seconds: float) -> None:
        """Handle what comes for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self._executor.spin_once(timeout_sec=left)

    def loop(self, each: Contender, trips: int) -> tuple[float, float, float]:
        """Return the median round trip and the processor time of one in s, and the rate in 1/s."""
        with each.thawed():
            self.spin(SETTLE)
            for count in (WARM_UP, trips):
                began, before = time.perf_counter(), each.processor_time()
                each.begin(count)
                while not each.has_ended():
                    self._executor.spin_once(timeout_sec=0.1)
            took, cost = time.perf_counter() - began, each.processor_time() - before
        return statistics.median(each.trips), cost / trips, trips / took

    def flood(self, each: Contender, seconds: float) -> tuple[float, float]:
        """Send more targets than can be answered; return answers per s, and the share of a core."""
        with each.thawed():
            self.spin(SETTLE)
            each.answered, before, began = 0, each.processor_time(), time.perf_counter()
            for sent in range(round(FLOOD * seconds)):
                each.send()
                self._executor.spin_once(timeout_sec=0.0)
                while (left := began + (sent + 1) / FLOOD - time.perf_counter()) > 0.0:
                    self._executor.spin_once(timeout_sec=left)
            took = time.perf_counter() - began
            return each.answered / took, (each.processor_time() - before) / took

    def rest(self, each: Contender, seconds: float) -> float:
        """Return the share of a core that one without targets takes."""
        with each.thawed():
            self.spin(SETTLE)
            before = each.processor_time()
            self.spin(seconds)
            return (each.processor_time() - before) / seconds

    def end(self) -> None:
        """End all."""
        for each in self.contenders.values():
            each.end()
        self._executor.shutdown()


def measure(report: Report, rounds: int, trips: int, seconds: float) -> None:
    """Measure all contenders in turns."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, 'arm.yaml')
        file.write_text(ARM)
        bench = Bench(file)
        try:
            loops: dict[Any, list[tuple[float, float, float]]] = {k: [] for k in bench.contenders}
            for _ in range(rounds):
                for key, each in bench.contenders.items():
                    loops[key].append(bench.loop(each, trips))
            floods = {key: bench.flood(each, seconds) for key, each in bench.contenders.items()}
            rests = {key: bench.rest(each, seconds) for key, each in bench.contenders.items()}
        finally:
            bench.end()
    medians = {
        key: [statistics.median(values) for values in zip(*found, strict=True)]
        for key, found in loops.items()
    }
    report.tables.append(
        Table(
            'Targets',
            'From a target to the pose for it, and then the next target; a flood of '
            f'{FLOOD:.0f} targets/s; and none: the node then publishes its pose at 50 Hz. A bare '
            'relay solves nothing, and publishes the same for a target. Medians of '
            f'{rounds} turns of {trips} round trips.',
            (
                *('contender', 'round trip, us', 'processor time of one, us', 'targets/s'),
                *('of a flood, answers/s', 'CPU, %', 'at rest, CPU, %'),
            ),
            [
                (
                    f'{name}, {kind}',
                    *(number(1e6 * value) for value in medians[name, kind][:2]),
                    f'{medians[name, kind][2]:,.0f}',
                    f'{floods[name, kind][0]:,.0f}',
                    number(100.0 * floods[name, kind][1]),
                    number(100.0 * rests[name, kind]),
                )
                for name, kind in loops
            ],
        )
    )
    for kind in (EVENTS, SINGLE):
        pairs = zip(loops['ik2d_node', kind], loops['bare relay', kind], strict=True)
        ratios = [(ours[0] / theirs[0], ours[2] / theirs[2]) for ours, theirs in pairs]
        trip, rate = (statistics.median(values) for values in zip(*ratios, strict=True))
        report.bars += [
            Bar(f"{kind}: round trip at most 1.10 times a relay's", f'{trip:.2f}', trip <= 1.1),
            Bar(f"{kind}: targets/s at least 1.0 times a relay's", f'{rate:.2f}', rate >= 1.0),
        ]


def main() -> int:
    """Run everything; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--quick', action='store_true', help='short turns, for a look')
    parser.add_argument('--relay', choices=(EVENTS, SINGLE), help='be a bare relay')
    options, rest = parser.parse_known_args()
    os.environ.setdefault('ROS_DOMAIN_ID', DOMAIN)
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    rclpy.init(args=rest)
    if options.relay:
        relay(options.relay, [Relay()])
        return 0
    report, how = Report(), (3, 500, 1.0) if options.quick else (20, 2000, 5.0)
    show(report, [lambda: measure(report, *how)])
    return 0


if __name__ == '__main__':
    sys.exit(main())

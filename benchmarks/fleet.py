"""Many arms in one process, beside as many bare rclpy nodes: ``make bench-fleet``.

Real processes on the real middleware: one holds the arms, one sends targets and listens to all of
them. Arms and bare nodes take turns. Times depend on the machine, which should do nothing else.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from service import Relay, processor_time, relay
from tables import Bar, Report, Table, number, show

from ik2d_ros.ros.executors import AUTO, create_executor
from ik2d_ros.ros.stamps import BILLION, nanoseconds

ARMS, BARE = 'arms', 'bare nodes'
ENVIRONMENT = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', 'PYTHONUNBUFFERED': '1'}
TO_AND_FRO = 2.0  # s in which the targets of an arm go to and fro
SETTLING = 2.0  # s until everybody has found everybody
TURN = 0.005  # s
PATIENCE = 60.0  # s


@dataclass(frozen=True)
class Case:
    """What is measured.

    Attributes:
        arms: how many.
        rate: their publish_rate in Hz.
        targets: how many each of them gets a second.
    """

    arms: int
    rate: float
    targets: float

    def __str__(self) -> str:
        return f'{self.arms} at {self.rate:g} Hz, {self.targets:g} targets/s each'


CASES = (
    *(Case(arms, 50.0, 1.0) for arms in (1, 4, 16, 64)),
    *(Case(arms, 100.0, 1.0) for arms in (1, 16)),
    *(Case(arms, 20.0, 100.0) for arms in (1, 4, 16)),
)


class Arm:
    """One arm, seen from outside."""

    def __init__(self, node: Node, name: str) -> None:
        """Create the publisher and the subscriptions."""
        self.cycles: list[int] = []
        self.latencies: dict[int, int] = {}
        self.sent: set[int] = set()
        self._message = PointStamped()
        self._publisher = node.create_publisher(PointStamped, f'/{name}/ik2d/target', 1)
        deep = QoSProfile(depth=100)
        node.create_subscription(JointState, f'/{name}/joint_states', self._on_pose, deep)
        node.create_subscription(DiagnosticArray, f'/{name}/ik2d/status', self._on_status, deep)

    def send(self, phase: float) -> None:
        """Send a target, stamped with the time."""
        now, message = time.time_ns(), self._message
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(now, BILLION)
        message.point.x = 0.35 + 0.1 * math.cos(math.tau * phase)
        message.point.y = 0.1 * math.sin(math.tau * phase)
        self._publisher.publish(message)
        self.sent.add(now)

    def forget(self) -> None:
        """Begin anew."""
        for each in (self.cycles, self.latencies, self.sent):
            each.clear()

    def _on_pose(self, message: JointState) -> None:
        self.cycles.append(nanoseconds(message.header.stamp))

    def _on_status(self, message: DiagnosticArray) -> None:
        now, stamp = time.time_ns(), nanoseconds(message.header.stamp)
        if stamp in self.sent:
            self.latencies.setdefault(stamp, now - stamp)  # it is repeated


def send_for(arms: list[Arm], rate: float, seconds: float, executor: Any) -> None:
    """Send each arm targets at a rate in Hz, one arm after the other."""
    begin = time.monotonic()
    for place in range(round(len(arms) * rate * seconds)):
        due = begin + place / (len(arms) * rate)
        while (left := due - time.monotonic()) > 0.0:
            executor.spin_once(timeout_sec=min(left, TURN))
        arms[place % len(arms)].send((time.monotonic() - begin) / TO_AND_FRO)
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        executor.spin_once(timeout_sec=TURN)


def percentile(values: list[float], share: float) -> float:
    """Return the value that a share of them does not exceed; NaN for none."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else math.nan


def be_client(case: Case, seconds: float) -> None:
    """Send targets and measure; prints one line of JSON."""
    node = Node('client', start_parameter_services=False)
    executor = create_executor(AUTO)
    executor.add_node(node)
    arms = [Arm(node, f'arm{place}') for place in range(case.arms)]
    deadline = time.monotonic() + PATIENCE
    while not all(arm.cycles for arm in arms):
        executor.spin_once(timeout_sec=TURN)
        if time.monotonic() > deadline:
            sys.exit(f'not all arms were heard within {PATIENCE:g} s')
    send_for(arms, max(1.0, case.targets), SETTLING, executor)
    for arm in arms:
        arm.forget()
    print('go', flush=True)
    send_for(arms, case.targets, seconds, executor)
    latencies = [1e-6 * latency for arm in arms for latency in arm.latencies.values()]
    late = [
        1e-6 * (later - earlier) - 1e3 / case.rate
        for arm in arms
        for earlier, later in itertools.pairwise(arm.cycles)
    ]
    found = {
        'answered': len(latencies) / sum(len(arm.sent) for arm in arms),
        'median': percentile(latencies, 0.5),
        'p999': percentile(latencies, 0.999),
        'late': percentile(late, 0.999),
        'latest': max(late, default=math.nan),
    }
    print(json.dumps(found), flush=True)


def arms_command(case: Case) -> list[str]:
    """Return the command line of a process with arms."""
    names = ', '.join(f'arm{each}' for each in range(case.arms))
    parameters = [f'arms:=[{names}]', f'publish_rate:={case.rate}', 'joints:=[shoulder, elbow]']
    for joint, length in (('shoulder', 0.3), ('elbow', 0.25)):
        fields = {'length': length, 'min_position': -2.6, 'max_position': 2.6, 'max_velocity': 2.0}
        parameters += [f'chain.{joint}.{field}:={value}' for field, value in fields.items()]
    arguments = itertools.chain.from_iterable(('-p', each) for each in parameters)
    return [sys.executable, '-m', 'ik2d_ros.node', '--ros-args', *arguments]


def own_memory(process: int) -> float:
    """Return the memory that a process shares with no other, in MB."""
    lines = Path(f'/proc/{process}/smaps_rollup').read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith('Private_')) / 1000.0


def measure(kind: str, case: Case, seconds: float) -> dict[str, float]:
    """Measure one case for a while."""
    environment = {**os.environ, **ENVIRONMENT, 'ROS_DOMAIN_ID': str(200 + os.getpid() % 30)}
    here = [sys.executable, __file__, '--arms', str(case.arms), '--rate', str(case.rate)]
    here += ['--targets', str(case.targets), '--seconds', str(seconds), '--be']
    command = arms_command(case) if kind == ARMS else [*here, 'bare']
    with tempfile.TemporaryFile('w+') as log:
        arms = subprocess.Popen(command, env=environment, stderr=log)
        try:
            client = subprocess.Popen(
                [*here, 'client'], env=environment, stdout=subprocess.PIPE, text=True
            )
            assert client.stdout is not None
            if client.stdout.readline().strip() != 'go':
                log.seek(0)
                raise RuntimeError(f'{kind}, {case}: {log.read()}')
            before = processor_time(arms.pid)
            found: dict[str, float] = json.loads(client.stdout.readline())
            # It ends half a second after the last target.
            found['cpu'] = (processor_time(arms.pid) - before) / (seconds + 0.5)
            found['memory'] = own_memory(arms.pid)
            client.wait()
            return found
        finally:
            arms.send_signal(signal.SIGINT)
            arms.wait(PATIENCE)


def measure_all(report: Report, cases: Sequence[Case], seconds: float) -> None:
    """Measure cases in turn, arms and bare nodes one after the other."""
    found = {(kind, case): measure(kind, case, seconds) for case in cases for kind in (ARMS, BARE)}
    columns = {
        'median, ms': ('median', 1.0),
        '99.9 %, ms': ('p999', 1.0),
        'answered, %': ('answered', 100.0),
        'pose late by, 99.9 %, ms': ('late', 1.0),
        'latest, ms': ('latest', 1.0),
        'CPU, %': ('cpu', 100.0),
        'memory, MB': ('memory', 1.0),
    }
    report.tables.append(
        Table(
            'Arms in one process',
            'Each arm moves all the time. Time from a target to its status; how much later than '
            'due a pose came; processor time of the process in percent of one core; memory that '
            'the process shares with no other. Of targets that come faster than they are '
            'answered, the latest wins.',
            ('arms', *columns),
            [
                (f'{case}, {kind}', *(number(by * each[name]) for name, by in columns.values()))
                for (kind, case), each in found.items()
            ],
        )
    )
    one, most = found[ARMS, Case(1, 50.0, 1.0)], found[ARMS, Case(64, 50.0, 1.0)]
    further, cost = (most['memory'] - one['memory']) / 63.0, most['cpu'] / (64.0 * one['cpu'])
    report.bars += [
        Bar('a further arm costs under 2 MB', f'{further:.2f} MB', further < 2.0),
        Bar('64 arms: no pose later than 20 ms', f'{most["late"]:.2f} ms', most['late'] <= 20.0),
        Bar('each of 64 costs no more time than one alone', f'{cost:.2f} times', cost <= 1.05),
    ]


def main() -> int:
    """Run everything; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=float, default=20.0, help='for each case')
    parser.add_argument('--be', choices=('bare', 'client'), help='be a part of the benchmark')
    parser.add_argument('--arms', type=int, default=1)
    parser.add_argument('--rate', type=float, default=50.0)
    parser.add_argument('--targets', type=float, default=1.0)
    options, rest = parser.parse_known_args()
    case = Case(options.arms, options.rate, options.targets)
    if options.be:
        rclpy.init(args=rest)
        if options.be == 'bare':
            relay(AUTO, [Relay(f'/arm{place}', case.rate) for place in range(case.arms)])
        else:
            be_client(case, options.seconds)
        return 0
    report = Report()
    show(report, [lambda: measure_all(report, CASES, options.seconds)])
    return 0


if __name__ == '__main__':
    sys.exit(main())

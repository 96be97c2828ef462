"""The node in service, and bare rclpy nodes that only relay: ``make bench-node``.

``make bench-fleet`` measures many arms in one process. One process holds the arms, another sends
targets and listens to all of them. Arms and bare nodes take turns. The machine should do nothing
else.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import math
import multiprocessing
import os
import signal
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped
from processes import program, stamp, stay_local
from rclpy.node import Node
from sensor_msgs.msg import JointState
from tables import Bar, Table, number, show

from ik2d_ros.node.status import blank_status, fill
from ik2d_ros.pilot.clock import NO_STAMP
from ik2d_ros.pilot.outcome import Code
from ik2d_ros.pilot.outcome import Report as NodeReport
from ik2d_ros.ros import qos
from ik2d_ros.ros.parameter_node import create_executor, spin
from ik2d_ros.ros.stamps import nanoseconds

ARMS, BARE = 'arms', 'bare nodes'
RATE = 50.0  # Hz, of the poses
TO_AND_FRO = 2.0  # s in which the targets of an arm go to and fro
SETTLING = 2.0  # s for discovery
TURN = 0.005  # s
LOST = 0.5  # s after which a target of a closed loop is sent again
LINGER = 0.5  # s after the last target
PATIENCE = 60.0  # s


@dataclass(frozen=True)
class Case:
    """A process to measure.

    Attributes:
        arms: how many it has.
        is_loop: whether the next target is sent when the pose for the last one is there; or else
            each arm gets a target a second.
        is_single: whether the SingleThreadedExecutor runs it, or else the EventsExecutor.
    """

    arms: int
    is_loop: bool
    is_single: bool = False


LOOPS = tuple(Case(1, True, is_single) for is_single in (False, True))
FLEETS = tuple(Case(arms, False) for arms in (1, 16, 64))


class Relay(Node):
    """Turns each point into a pose and a status: no node in Python can do less.

    Nothing is checked, solved or decided, and the messages are made once.
    """

    def __init__(self, namespace: str, is_loop: bool) -> None:
        """Create the publishers and the subscription.

        Args:
            namespace: its namespace.
            is_loop: whether it publishes a pose for each target, or else at ``RATE``.
        """
        super().__init__('ik2d', namespace=namespace)
        self._is_loop = is_loop
        if not is_loop:
            self.create_timer(1.0 / RATE, self._publish_pose)
        self._pose = JointState(name=['a', 'b'], position=[0.0, 0.0])
        report = NodeReport.of(
            Code.REACHED, 'The target is reached, to less than 1 um.', error=1.234e-17
        )
        self._status = blank_status(self.get_fully_qualified_name(), 'base_link')
        fill(self._status, report._replace(solver='two_bone'), NO_STAMP)
        self._values = [p for p in self._status.status[0].values if p.key in {'x', 'y'}]
        self._poses = self.create_publisher(JointState, 'joint_states', qos.EACH)
        self._statuses = self.create_publisher(DiagnosticArray, '~/status', qos.EACH_KEPT)
        self.create_subscription(PointStamped, '~/target', self._on_target, qos.LATEST)

    def _on_target(self, message: PointStamped) -> None:
        point = message.point
        self._pose.position = [point.x, point.y]
        if self._is_loop:
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


def relay(case: Case) -> None:
    """Run bare nodes until a signal."""
    rclpy.init(args=[])
    nodes = [Relay(f'/arm{place}', case.is_loop) for place in range(case.arms)]
    with contextlib.suppress(KeyboardInterrupt):
        spin(create_executor(case.is_single), nodes)


class Arm:
    """One arm, seen from outside.

    Attributes:
        cycles: stamps of its poses, in ns.
        sent: stamps of its targets that have no status yet.
        latencies: ms from each target to its status.
        trips: s of each round trip of a closed loop.
    """

    def __init__(self, node: Node, name: str) -> None:
        """Create the publisher and the subscriptions."""
        self.cycles: list[int] = []
        self.latencies: list[float] = []
        self.sent: set[int] = set()
        self.trips: list[float] = []
        self.loops = False
        self._pose: Sequence[float] = ()
        self._sent_at = 0.0
        self._message = PointStamped()
        self._publisher = node.create_publisher(PointStamped, f'/{name}/ik2d/target', qos.LATEST)
        node.create_subscription(JointState, f'/{name}/joint_states', self._on_pose, qos.ALL)
        node.create_subscription(DiagnosticArray, f'/{name}/ik2d/status', self._on_status, qos.ALL)

    def send(self, phase: float) -> None:
        """Send a target, stamped with the time."""
        message = self._message
        sent = stamp(message)
        message.point.x = 0.35 + 0.1 * math.cos(math.tau * phase)
        message.point.y = 0.1 * math.sin(math.tau * phase)
        self._sent_at = time.perf_counter()
        self._publisher.publish(message)
        self.sent.add(sent)

    def go_on(self) -> None:
        """Send the first target of a closed loop, or another one in place of one that was lost."""
        if time.perf_counter() - self._sent_at > LOST:
            self.send(time.monotonic() / TO_AND_FRO)

    def forget(self) -> None:
        """Clear the record."""
        for each in (self.cycles, self.latencies, self.sent, self.trips):
            each.clear()

    def _on_pose(self, message: JointState) -> None:
        now, pose = time.perf_counter(), tuple(message.position)
        self.cycles.append(nanoseconds(message.header.stamp))
        if self.loops and pose != self._pose:  # the timer of a node repeats its pose
            self._pose = pose
            self.trips.append(now - self._sent_at)
            self.send(0.11 * len(self.trips))

    def _on_status(self, message: DiagnosticArray) -> None:
        now, sent = time.time_ns(), nanoseconds(message.header.stamp)
        if sent in self.sent:  # it is repeated
            self.sent.remove(sent)
            self.latencies.append(1e-6 * (now - sent))


def send_for(arms: list[Arm], is_loop: bool, seconds: float, executor: Any) -> None:
    """Send each arm a target a second, one arm after the other, or targets in closed loops."""
    begin = time.monotonic()
    for place in range(0 if is_loop else round(len(arms) * seconds)):
        due = begin + place / len(arms)
        while (left := due - time.monotonic()) > 0.0:
            executor.spin_once(timeout_sec=min(left, TURN))
        arms[place % len(arms)].send((time.monotonic() - begin) / TO_AND_FRO)
    end = time.monotonic() + (seconds if is_loop else LINGER)
    while time.monotonic() < end:
        for arm in arms:
            arm.loops = is_loop
            if is_loop:
                arm.go_on()
        executor.spin_once(timeout_sec=TURN)


def quantile(values: list[float], share: float) -> float:
    """Return the value that a share of them does not exceed; NaN for none."""
    return float(np.quantile(values, share)) if values else math.nan


def be_client(case: Case, seconds: float, pipe: Any) -> None:
    """Send targets and measure; the pipe gets a word when it begins, then the results."""
    rclpy.init(args=[])
    node = Node('client', start_parameter_services=False)
    executor = create_executor()
    executor.add_node(node)
    arms = [Arm(node, f'arm{place}') for place in range(case.arms)]
    deadline = time.monotonic() + PATIENCE
    while not all(arm.cycles for arm in arms):
        if case.is_loop:  # a bare relay has no timer then
            arms[0].go_on()
        executor.spin_once(timeout_sec=TURN)
        if time.monotonic() > deadline:
            sys.exit(f'not all arms were heard within {PATIENCE:g} s')
    send_for(arms, case.is_loop, SETTLING, executor)
    for arm in arms:
        arm.forget()
    pipe.send('go')
    send_for(arms, case.is_loop, seconds, executor)
    latencies = [latency for arm in arms for latency in arm.latencies]
    late = [
        1e-6 * (later - earlier) - 1e3 / RATE
        for arm in arms
        for earlier, later in itertools.pairwise(arm.cycles)
    ]
    found = {
        'median': quantile(latencies, 0.5),
        'late': quantile(late, 0.999),
        'trip': quantile([trip for arm in arms for trip in arm.trips], 0.5),
        'trips': sum(len(arm.trips) for arm in arms) / seconds,
    }
    pipe.send(found)


def arms_command(case: Case) -> list[str]:
    """Return the command line of a process with arms."""
    names = ', '.join(f'arm{each}' for each in range(case.arms))
    parameters = {'arms': f'[{names}]', 'publish_rate': RATE, 'joints': '[shoulder, elbow]'}
    for joint, length in (('shoulder', 0.3), ('elbow', 0.25)):
        fields = {'length': length, 'min_position': -2.6, 'max_position': 2.6}
        if not case.is_loop:
            fields['max_velocity'] = 2.0
        parameters |= {f'chain.{joint}.{field}': value for field, value in fields.items()}
    command = program('node', parameters=parameters)
    return [*command, '--log-level', 'warn']


def name_of(case: Case) -> str:
    """Return the name of a case's executor."""
    return f'{"single" if case.is_single else "events"} executor'


def own_memory(process: int) -> float:
    """Return the memory that a process shares with no other, in MB."""
    lines = Path(f'/proc/{process}/smaps_rollup').read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith('Private_')) / 1000.0


def measure(kind: str, case: Case, seconds: float) -> dict[str, float]:
    """Measure one case for a while."""
    spawn = multiprocessing.get_context('spawn')
    pipe, other = spawn.Pipe()
    arms = spawn.Process(target=relay, args=(case,))
    if kind == ARMS:
        arms = spawn.Process(
            target=os.execve,
            args=(
                sys.executable,
                arms_command(case),
                {**os.environ, 'IK2D_EXECUTOR': 'single' if case.is_single else ''},
            ),
        )
    client = spawn.Process(target=be_client, args=(case, seconds, other))
    arms.start()
    client.start()
    other.close()  # so that the end of the client is noticed
    try:
        pipe.recv()
        before = processor_time(arms.pid)
        found: dict[str, float] = pipe.recv()
        took = seconds + (0.0 if case.is_loop else LINGER)
        found['cpu'] = (processor_time(arms.pid) - before) / took
        found['memory'] = own_memory(arms.pid)
        return found
    finally:
        os.kill(arms.pid, signal.SIGINT)
        arms.join()
        client.join()


def measure_loops(seconds: float = 4.0, rounds: int = 3) -> tuple[Table, list[Bar]]:
    """Measure one arm and one relay in closed loops, by turns."""
    found: dict[tuple[str, Case], list[dict[str, float]]] = {}
    for _, case, kind in itertools.product(range(rounds), LOOPS, (ARMS, BARE)):
        found.setdefault((kind, case), []).append(measure(kind, case, seconds))

    def median(kind: str, case: Case, name: str) -> float:
        return statistics.median(each[name] for each in found[kind, case])

    table = Table(
        'Targets',
        'From a target to the pose for it, and then the next target. A bare relay solves nothing, '
        f'and publishes the same for a target. Medians of {rounds} turns of {seconds:g} s.',
        ('contender', 'round trip, us', 'targets/s', 'CPU, %'),
        [
            (
                f'{kind}, {name_of(case)}',
                number(1e6 * median(kind, case, 'trip')),
                f'{median(kind, case, "trips"):,.0f}',
                number(100.0 * median(kind, case, 'cpu')),
            )
            for kind, case in found
        ],
    )
    bars = []
    for case in LOOPS:
        pairs = [*zip(found[ARMS, case], found[BARE, case], strict=True)]
        trip, rate = (
            statistics.median(ours[name] / theirs[name] for ours, theirs in pairs)
            for name in ('trip', 'trips')
        )
        name = name_of(case)
        bars += [
            Bar(f"{name}: round trip at most 1.10 times a relay's", f'{trip:.2f}', trip <= 1.1),
            Bar(f"{name}: targets/s at least 1.0 times a relay's", f'{rate:.2f}', rate >= 1.0),
        ]
    return table, bars


def measure_fleets(seconds: float = 20.0) -> tuple[Table, list[Bar]]:
    """Measure arms and as many bare nodes one after the other."""
    found = {(kind, case): measure(kind, case, seconds) for case in FLEETS for kind in (ARMS, BARE)}
    columns = {
        'target to status, median, ms': ('median', 1.0),
        'cycle late by, 99.9 %, ms': ('late', 1.0),
        'CPU, % of a core': ('cpu', 100.0),
        'memory, MB': ('memory', 1.0),
    }
    table = Table(
        'Arms in one process',
        'Each arm moves all the time, and gets a target a second. The memory is what the process '
        'shares with no other.',
        ('arms', *columns),
        [
            (f'{case.arms} {kind}', *(number(by * each[name]) for name, by in columns.values()))
            for (kind, case), each in found.items()
        ],
    )
    one, most = found[ARMS, FLEETS[0]], found[ARMS, FLEETS[-1]]
    further, cost = (most['memory'] - one['memory']) / 63.0, most['cpu'] / (64.0 * one['cpu'])
    return table, [
        Bar('a further arm costs under 2 MB', f'{further:.2f} MB', further < 2.0),
        Bar('64 arms: no pose later than 20 ms', f'{most["late"]:.2f} ms', most['late'] <= 20.0),
        Bar('each of 64 costs no more time than one alone', f'{cost:.2f} times', cost <= 1.05),
    ]


def main() -> int:
    """Run everything; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--fleet', action='store_true', help='many arms in one process')
    options = parser.parse_args()
    stay_local(200 + os.getpid() % 30)
    table, bars = measure_fleets() if options.fleet else measure_loops()
    show([table], bars)
    return 0


if __name__ == '__main__':
    sys.exit(main())

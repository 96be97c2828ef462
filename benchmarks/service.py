"""The node in service, beside bare rclpy nodes that only relay: ``make bench-node``.

Round trips, processor time, a flood of targets, targets that limits forbid, and the start. Real
processes on the real middleware, measured in turns; whoever is not measured is frozen. Ratios come
from one run; times depend on the machine, and demands that are not met end with status 0.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from contender import DOMAIN, PATIENCE, Contender
from pages import page_with, write_end
from tables import NODE_MARK, Bar, Report, Table, machine, number, show

HERE = Path(__file__).resolve().parent
WARM_UP = 200  # round trips
SETTLE = 0.05  # s after a thaw
RESTS = 5  # turns
ARMS = {
    'limited': (
        '    joints: [a, b]\n'
        '    chain:\n'
        '      a: {length: 0.3, min_position: -2.6, max_position: 2.6}\n'
        '      b: {length: 0.25, min_position: -2.6, max_position: 2.6}\n'
    ),
    'forbidden': (
        '    joints: [a, b, c]\n'
        '    chain:\n'
        '      a: {length: 0.3, min_position: -0.5, max_position: 0.4}\n'
        '      b: {length: 0.25, min_position: -0.3, max_position: 0.4}\n'
        '      c: {length: 0.15, min_position: -0.4, max_position: 0.3}\n'
    ),
}
# Imports beside rclpy's, and all that the node does before it can answer.
START = """
import time, sys
import rclpy
from geometry_msgs.msg import PointStamped
from rclpy.node import Node
began = time.perf_counter()
rclpy.init(args=sys.argv)
from ik2d_ros.node.arm_node import ArmNode
node = ArmNode()
print(time.perf_counter() - began)
node.destroy_node()
rclpy.shutdown()
"""
BARE_START = """
import time, sys
import rclpy
from geometry_msgs.msg import PointStamped
from rclpy.node import Node
began = time.perf_counter()
rclpy.init(args=sys.argv)
node = Node('bare')
print(time.perf_counter() - began)
node.destroy_node()
rclpy.shutdown()
"""


@dataclass(frozen=True)
class Slice:
    """What one turn of a contender gave.

    Attributes:
        trips: s of its round trips.
        rate: round trips per s.
        cost: processor time of one in s.
    """

    trips: tuple[float, ...]
    rate: float
    cost: float

    @property
    def median(self) -> float:
        """The median round trip in s."""
        return statistics.median(self.trips)


class Bench:
    """The contenders, and who spins their clients."""

    def __init__(self, folder: Path, kinds: dict[str, Sequence[str]]) -> None:
        """Start them and wait until all are heard; then freeze them.

        Args:
            folder: for parameter files.
            kinds: their command lines by name; an arm's name instead of its parameter file.
        """
        import rclpy

        from ik2d_ros.ros.executors import AUTO, create_executor

        rclpy.init(args=[])
        self._executor = create_executor(AUTO)
        for name, content in ARMS.items():
            (folder / f'{name}.yaml').write_text(f'/**:\n  ros__parameters:\n{content}')
        self.contenders = {
            name: Contender(name, [part.format(folder=folder) for part in command], f'c{place}')
            for place, (name, command) in enumerate(kinds.items())
        }
        for each in self.contenders.values():
            self._executor.add_node(each.node)
        deadline = time.monotonic() + PATIENCE
        while not all(each.is_there for each in self.contenders.values()):
            if time.monotonic() > deadline:
                raise TimeoutError('not all contenders are heard')
            self.spin(0.05)
        self.spin(2.0)
        for each in self.contenders.values():
            each.freeze()

    def spin(self, seconds: float) -> None:
        """Receive for some time."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0.0:
            self._executor.spin_once(timeout_sec=left)

    def turn(self, name: str, measure: Callable[[Contender], object]) -> None:
        """Let a contender go on while it is measured."""
        each = self.contenders[name]
        each.thaw()
        self.spin(SETTLE)
        each.forget()
        measure(each)
        each.freeze()

    def closed_loop(self, each: Contender, trips: int) -> Slice:
        """Send one target after the other, each when the pose for the one before is there."""
        self._loop(each, WARM_UP)
        each.forget()
        before, began = each.processor_time(), time.perf_counter()
        self._loop(each, trips)
        took = time.perf_counter() - began
        return Slice(tuple(each.trips), trips / took, (each.processor_time() - before) / trips)

    def _loop(self, each: Contender, trips: int) -> None:
        each.begin(trips)
        while not each.has_ended():
            self._executor.spin_once(timeout_sec=0.1)

    def stream(
        self, each: Contender, rate: float, seconds: float, target: tuple[float, ...] = ()
    ) -> float:
        """Send targets at a rate, and wait for the last one's status; return s of that wait."""
        began, sent = time.perf_counter(), 0
        while time.perf_counter() < began + seconds:
            due = began + sent / rate
            left = due - time.perf_counter()
            if left > 0.0:
                self._executor.spin_once(timeout_sec=left)
                continue
            # None at the same time as another one, however late.
            each.send(*target)
            sent += 1
            self._executor.spin_once(timeout_sec=0.0)
        ended = time.perf_counter()
        while each.last not in each.heard[-3:] and time.perf_counter() < ended + 5.0:
            self._executor.spin_once(timeout_sec=0.01)
        return time.perf_counter() - ended

    def end(self) -> None:
        """End everything."""
        import rclpy

        self._executor.shutdown()
        for each in self.contenders.values():
            each.end()
        rclpy.try_shutdown()


NODE, RELAY = 'ik2d_node', 'bare relay, the same outputs'
NODE_SINGLE, RELAY_SINGLE = 'ik2d_node, single', 'bare relay, the same outputs, single'
POSE, POSE_SINGLE = 'bare relay, pose alone', 'bare relay, pose alone, single'
FORBIDDEN = 'ik2d_node, three joints'


def node_command(arm: str, executor: str) -> tuple[str, ...]:
    """Return the command line of the node with an arm."""
    parameters = ('--ros-args', '--params-file', f'{{folder}}/{arm}.yaml')
    return ('-m', 'ik2d_ros.node', '--executor', executor, *parameters)


def relay_command(executor: str, *options: str) -> tuple[str, ...]:
    """Return the command line of a relay."""
    return (str(HERE / 'relay.py'), '--executor', executor, *options)


KINDS: dict[str, Sequence[str]] = {
    NODE: node_command('limited', 'events'),
    RELAY: relay_command('events', '--status'),
    POSE: relay_command('events'),
    POSE_SINGLE: relay_command('single'),
    NODE_SINGLE: node_command('limited', 'single'),
    RELAY_SINGLE: relay_command('single', '--status'),
    FORBIDDEN: node_command('forbidden', 'events'),
}


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median of the ratios of turns that followed each other."""
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def p99(values: Sequence[float]) -> float:
    """Return the value that one in a hundred exceeds."""
    return float(np.percentile(values, 99.0)) if values else math.nan


def round_trips(bench: Bench, report: Report, rounds: int, trips: int) -> None:
    """One target after the other."""
    names = [NODE, RELAY, POSE, POSE_SINGLE, NODE_SINGLE, RELAY_SINGLE]
    found: dict[str, list[Slice]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            bench.turn(name, lambda each: found[each.name].append(bench.closed_loop(each, trips)))
    rows, medians, tails = [], {}, {}
    for name, slices in found.items():
        medians[name] = [each.median for each in slices]
        tails[name] = [p99(each.trips) for each in slices]
        rows.append(
            (
                name,
                number(1e6 * statistics.median(medians[name])),
                number(1e6 * statistics.median(tails[name])),
                f'{statistics.median(each.rate for each in slices):,.0f}',
                number(1e6 * statistics.median(each.cost for each in slices)),
            )
        )
    report.tables.append(
        Table(
            'Round trips',
            'From a target to the pose for it, and then the next target. A bare relay is a node '
            'that solves nothing, and publishes a pose, or a pose and a status of the same size as '
            'the node. All run in the EventsExecutor but for those called single, which run in the '
            'SingleThreadedExecutor. By how much the EventsExecutor is quicker depends on '
            'the machine, as it sleeps between targets: the relay of the pose alone shows it. '
            f'Medians of {rounds} turns of {trips} round trips each.',
            ('contender', 'median, us', '99 %, us', 'targets/s', 'processor time of one, us'),
            rows,
        )
    )
    median, tail = ratio(medians[NODE], medians[RELAY]), ratio(tails[NODE], tails[RELAY])
    rate = ratio([s.rate for s in found[NODE]], [s.rate for s in found[POSE_SINGLE]])
    report.bars += [
        Bar("median round trip at most 1.10 times a relay's", f'{median:.2f} times', median <= 1.1),
        Bar('99 % of round trips at most 1.2 times', f'{tail:.2f} times', tail <= 1.2),
        Bar(
            'targets/s at least 1.1 times those of a relay of the pose alone, single-threaded',
            f'{rate:.2f} times',
            rate >= 1.1,
        ),
    ]


def load(bench: Bench, report: Report, rounds: int, seconds: float) -> None:
    """A thousand targets a second, and five thousand."""
    cost: dict[str, list[float]] = {NODE: [], RELAY: []}
    late: dict[str, list[float]] = {NODE: [], RELAY: []}

    def at_rate(each: Contender) -> None:
        before, began = each.processor_time(), time.perf_counter()
        bench.stream(each, 1000.0, seconds)
        took = time.perf_counter() - began
        cost[each.name].append((each.processor_time() - before) / took)
        late[each.name].append(p99(each.answers))

    for _ in range(rounds):
        for name in cost:
            bench.turn(name, at_rate)
    rows: list[tuple[str, ...]] = [
        (
            f'{name}, 1000 targets/s',
            number(100.0 * statistics.median(shares)),
            number(1e3 * statistics.median(late[name])),
            '',
            '',
        )
        for name, shares in cost.items()
    ]
    for name in cost:
        bench.turn(name, lambda each: rows.append(flooded(bench, each, seconds)))
    report.tables.append(
        Table(
            'Load',
            'Targets at a rate, whatever becomes of them: processor time in percent of one core; '
            'from a target to its status, for those that got one; which share that was; and what '
            'the memory grew by after the first second.',
            ('contender', 'CPU, %', 'status after, 99 %, ms', 'answered, %', 'memory, MB'),
            rows,
        )
    )
    share, tail = ratio(cost[NODE], cost[RELAY]), statistics.median(late[NODE])
    flood = next(row for row in rows if row[0].startswith(NODE) and '5000' in row[0])
    report.bars += [
        Bar(
            "processor time at 1000 targets/s at most 1.2 times a relay's",
            f'{share:.2f} times',
            share <= 1.2,
        ),
        Bar('99 % of statuses within 3 ms, at 1000 targets/s', f'{1e3 * tail:.2f} ms', tail < 3e-3),
        Bar(
            'at 5000 targets/s memory does not grow by 1 MB', f'{flood[4]} MB', float(flood[4]) < 1
        ),
    ]


def flooded(bench: Bench, each: Contender, seconds: float) -> tuple[str, ...]:
    """Send more targets than can be answered; the last one is answered in any case."""
    bench.stream(each, 5000.0, 1.0)
    first, memory, before = each.last, each.memory(), each.processor_time()
    each.forget()
    began = time.perf_counter()
    bench.stream(each, 5000.0, seconds)
    took = time.perf_counter() - began
    if each.last not in each.heard:
        raise RuntimeError(f'{each.name} never answered the last target of a flood')
    return (
        f'{each.name}, {(each.last - first) / seconds:.0f} of 5000 targets/s sent',
        number(100.0 * (each.processor_time() - before) / took),
        number(1e3 * p99(each.answers)),
        f'{100.0 * len(each.heard) / (each.last - first):.0f}',
        f'{each.memory() - memory:.1f}',
    )


def at_rest(folder: Path, report: Report, seconds: float) -> None:
    """Measure a node without targets, alone: frozen ones do not answer what it asks them."""
    bench, shares = Bench(folder, {NODE: KINDS[NODE]}), list[float]()

    def rest(each: Contender) -> None:
        bench.spin(1.0)
        before, began = each.processor_time(), time.perf_counter()
        bench.spin(seconds)
        shares.append((each.processor_time() - before) / (time.perf_counter() - began))

    try:
        for _ in range(RESTS):
            bench.turn(NODE, rest)
    finally:
        bench.end()
    share = statistics.median(shares)
    report.tables.append(
        Table(
            'At rest',
            'Without targets and without the others, the pose heard at 50 Hz: processor time in '
            f'percent of one core, of {RESTS} turns.',
            ('contender', 'least', 'median', 'most'),
            [(NODE, *(number(100.0 * each) for each in (min(shares), share, max(shares))))],
        )
    )
    report.bars.append(
        Bar('at rest at most 3 % of a core', f'{100.0 * share:.2f} %', share <= 0.03)
    )


def forbidden(bench: Bench, report: Report, seconds: float) -> None:
    """Targets that the limits of three joints forbid, a hundred a second."""
    found: list[tuple[int, int, float, float]] = []

    def run(each: Contender) -> None:
        # Frozen for long, they have lost each other.
        until = time.monotonic() + PATIENCE
        while not each.heard and time.monotonic() < until:
            each.send(0.3, 0.3)
            bench.spin(0.02)
        each.forget()
        rng = np.random.default_rng(1)
        before, count = each.last, round(100.0 * seconds)
        for _ in range(count):
            radius, angle = rng.uniform(0.1, 0.45), rng.uniform(-math.pi, math.pi)
            each.send(radius * math.cos(angle), radius * math.sin(angle))
            bench.spin(0.01)
        bench.spin(0.2)
        median = statistics.median(each.answers) if each.answers else math.nan
        found.append((each.last - before, len(set(each.heard)), median, p99(each.answers)))

    bench.turn(FORBIDDEN, run)
    sent, heard, median, tail = found[0]
    report.tables.append(
        Table(
            'Targets that limits forbid',
            'Three joints, and targets in reach that their limits forbid, 100 a second.',
            ('targets', 'answered', 'median, ms', '99 %, ms'),
            [(str(sent), str(heard), number(1e3 * median), number(1e3 * tail))],
        )
    )
    report.bars.append(
        Bar('every forbidden target answered at 100 Hz', f'{heard} of {sent}', heard == sent)
    )


def start(folder: Path, report: Report, times: int) -> None:
    """From rclpy being there to a node that answers."""

    def took(code: str) -> float:
        parameters = ['--ros-args', '--params-file', str(folder / 'limited.yaml')]
        runs = [
            subprocess.run(
                [sys.executable, '-c', code, *parameters, '--log-level', 'error'],
                capture_output=True,
                text=True,
                check=True,
            ).stdout.split()[-1]
            for _ in range(times)
        ]
        return statistics.median(map(float, runs))

    node, bare = took(START), took(BARE_START)
    report.tables.append(
        Table(
            'Start',
            'From rclpy being imported to a node that answers, in s.',
            ('node', 's'),
            [(NODE, f'{node:.3f}'), ('bare node', f'{bare:.3f}')],
        )
    )
    report.bars.append(
        Bar('the start takes at most 0.3 s beyond importing rclpy', f'{node:.2f} s', node <= 0.3)
    )


def measured(
    folder: Path, report: Report, quick: bool
) -> Generator[Callable[[], object], None, None]:
    """Yield the parts of the benchmark."""
    rounds, trips, seconds = (3, 500, 1.0) if quick else (20, 2000, 5.0)
    bench = Bench(folder, KINDS)
    try:
        yield lambda: round_trips(bench, report, rounds, trips)
        yield lambda: load(bench, report, max(rounds // 4, 1), seconds)
        yield lambda: forbidden(bench, report, 2.0 * seconds)
    finally:
        bench.end()
    yield lambda: at_rest(folder, report, seconds)
    yield lambda: start(folder, report, 3 if quick else 9)


def main() -> int:
    """Run everything; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--quick', action='store_true', help='short turns, for a look')
    parser.add_argument(
        '--write', type=page_with(NODE_MARK), metavar='FILE', help='write the tables there too'
    )
    options = parser.parse_args()
    os.environ.setdefault('ROS_DOMAIN_ID', DOMAIN)
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    report = Report()
    with (
        tempfile.TemporaryDirectory() as name,
        contextlib.closing(measured(Path(name), report, options.quick)) as parts,
    ):
        verdicts = show(report, parts)
    if options.write:
        about = (
            '# The node in service\n\n'
            f'Written by `make bench-node`. {machine()}. Many arms in one process: '
            '[scaling.md](scaling.md#figures-of-one-process).'
        )
        write_end(options.write, NODE_MARK, about, [verdicts, *report.tables])
    return 0


if __name__ == '__main__':
    sys.exit(main())

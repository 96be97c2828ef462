"""Many arms in one process, beside as many bare rclpy nodes: ``make bench-fleet``.

Real processes on the real middleware: one holds the arms, one sends targets and listens to all of
them. Arms and bare nodes take turns. Times depend on the machine, which should do nothing else.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pages import page_with, write_end
from tables import Bar, Report, Table, machine, number, show

HERE = Path(__file__).parent
ARMS, BARE = 'arms', 'bare nodes'
ENVIRONMENT = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', 'PYTHONUNBUFFERED': '1'}
TICKS = os.sysconf('SC_CLK_TCK')
STREAM, CYCLES = 'stream', 'cycles'
MARK = '<!-- Everything below is written by `make bench-fleet WRITE=...`. -->'


@dataclass(frozen=True)
class Case:
    """What is measured.

    Attributes:
        arms: how many.
        cycle: their publish_rate in Hz.
        targets: how many each of them gets a second.
    """

    arms: int
    cycle: float
    targets: float

    def __str__(self) -> str:
        return f'{self.arms} at {self.cycle:g} Hz'


IN_CYCLES = (
    *(Case(arms, 50.0, 1.0) for arms in (1, 4, 16, 64)),
    *(Case(arms, 100.0, 1.0) for arms in (1, 16)),
)
IN_STREAMS = tuple(Case(arms, 20.0, 100.0) for arms in (1, 4, 16))


def command(kind: str, case: Case) -> list[str]:
    """Return the command that starts the arms."""
    if kind == BARE:
        numbers = ('--arms', str(case.arms), '--cycle', str(case.cycle))
        return [sys.executable, str(HERE / 'bare_fleet.py'), *numbers]
    names = ', '.join(f'arm{each}' for each in range(case.arms))
    joints = [
        f'chain.{joint}.{field}:={value}'
        for joint, length in (('shoulder', 0.3), ('elbow', 0.25))
        for field, value in (
            *(('length', length), ('min_position', -2.6), ('max_position', 2.6)),
            ('max_velocity', 2.0),
        )
    ]
    parameters = [
        *(f'arms:=[{names}]', f'publish_rate:={case.cycle}', 'joints:=[shoulder, elbow]'),
        *joints,
    ]
    arguments = itertools.chain.from_iterable(('-p', each) for each in parameters)
    return [sys.executable, '-m', 'ik2d_ros.node', '--ros-args', *arguments]


def processor_time(process: int) -> float:
    """Return the processor time of a process in s."""
    fields = Path(f'/proc/{process}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def own_memory(process: int) -> float:
    """Return the memory that a process shares with no other, in MB."""
    lines = Path(f'/proc/{process}/smaps_rollup').read_text().splitlines()
    pages = [int(line.split()[1]) for line in lines if line.startswith('Private_')]
    return sum(pages) / 1000.0


def measure(kind: str, case: Case, seconds: float) -> dict[str, float]:
    """Measure one case for a while."""
    domain = str(200 + os.getpid() % 30)
    environment = {**os.environ, **ENVIRONMENT, 'ROS_DOMAIN_ID': domain}
    numbers = ('--arms', str(case.arms), '--cycle', str(case.cycle))
    duration = ('--rate', str(case.targets), '--seconds', str(seconds))
    with tempfile.TemporaryFile('w+') as log:
        arms = subprocess.Popen(command(kind, case), env=environment, stderr=log)
        try:
            client = subprocess.Popen(
                [sys.executable, str(HERE / 'fleet_client.py'), *numbers, *duration],
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
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
            arms.wait(30)


Results = dict[tuple[str, Case], dict[str, float]]


def measure_all(cases: Sequence[Case], rounds: int, seconds: float) -> Results:
    """Measure cases in turn, arms and bare nodes one after the other; medians over the rounds."""
    runs: dict[tuple[str, Case], list[dict[str, float]]] = {}
    for _ in range(rounds):
        for case in cases:
            for kind in (ARMS, BARE):
                runs.setdefault((kind, case), []).append(measure(kind, case, seconds))
    return {
        key: {name: statistics.median(each[name] for each in found) for name in found[0]}
        for key, found in runs.items()
    }


def in_cycles(report: Report, rounds: int, seconds: float) -> None:
    """Arms that move all the time, and get a target a second each."""
    results = measure_all(IN_CYCLES, rounds, seconds)
    rows = []
    for (kind, case), found in results.items():
        one = results[kind, Case(1, 50.0, 1.0)]
        further = (found['memory'] - one['memory']) / (case.arms - 1) if case.arms > 1 else None
        rows.append(
            (
                f'{case}, {kind}',
                *(number(found[name]) for name in ('median', 'p999', 'late', 'latest')),
                number(100.0 * found['cpu']),
                number(100.0 * found['cpu'] / case.arms),
                number(found['memory']),
                '' if further is None else number(further),
            )
        )
    report.tables.append(
        Table(
            'Arms that move',
            'Each arm moves all the time at its publish_rate, and gets one target a second. Time '
            'from a target to its status; how much later than due a cycle came; processor time of '
            'the process in percent of one core, of all arms and of each; memory that the process '
            'shares with no other, and what each further arm adds.',
            (
                'arms',
                *('median, ms', '99.9 %, ms', 'cycle late by, 99.9 %, ms', 'latest, ms'),
                *('CPU, %', 'each, %', 'memory, MB', 'further arm, MB'),
            ),
            rows,
        )
    )
    many, most = results[ARMS, Case(16, 100.0, 1.0)], results[ARMS, Case(64, 50.0, 1.0)]
    alone = results[ARMS, Case(1, 100.0, 1.0)]
    flat = 64.0 * results[ARMS, Case(1, 50.0, 1.0)]['cpu']
    further = (most['memory'] - results[ARMS, Case(1, 50.0, 1.0)]['memory']) / 63.0
    report.bars += [
        Bar('a further arm costs under 2 MB', f'{further:.2f} MB', further < 2.0),
        Bar(
            'sixteen arms at 100 Hz answer no later than one, in the median',
            f'{many["median"]:.2f} ms, one {alone["median"]:.2f} ms',
            many['median'] <= 1.05 * alone['median'],
        ),
        Bar(
            '64 at 50 Hz: no cycle later than 20 ms, 99.9 %',
            f'{most["late"]:.2f} ms, with {100.0 * most["cpu"]:.0f} % of a core',
            most['late'] <= 20.0,
        ),
        Bar(
            'each of 64 arms costs no more processor time than one alone',
            f'{most["cpu"] / flat:.2f} times',
            most['cpu'] <= 1.05 * flat,
        ),
    ]


def in_streams(report: Report, rounds: int, seconds: float) -> None:
    """Arms that get a stream of targets each."""
    results = measure_all(IN_STREAMS, rounds, seconds)
    rows = [
        (
            f'{case.arms}, {kind}',
            f'{case.arms * case.targets:g}',
            *(number(found[name]) for name in ('median', 'p99', 'p999')),
            f'{100.0 * found["answered"] / found["sent"]:.1f}',
            number(100.0 * found['cpu']),
        )
        for (kind, case), found in results.items()
    ]
    report.tables.append(
        Table(
            'Streams of targets',
            'Each arm gets 100 targets a second, moves, and publishes its joint states at 20 Hz. '
            'Of targets that come faster than they are answered, the latest wins.',
            ('arms', 'targets/s', 'median, ms', '99 %, ms', '99.9 %, ms', 'answered, %', 'CPU, %'),
            rows,
        )
    )


def main() -> int:
    """Run everything; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=float, default=20.0, help='for each case')
    parser.add_argument('--rounds', type=int, default=1, help='of all cases; medians count')
    parser.add_argument('--only', choices=(CYCLES, STREAM))
    parser.add_argument(
        '--write', type=page_with(MARK), metavar='FILE', help='write the tables there too'
    )
    options = parser.parse_args()
    report, parts = Report(), {CYCLES: in_cycles, STREAM: in_streams}
    chosen: list[Any] = [parts[options.only]] if options.only else [*parts.values()]
    verdicts = show(
        report,
        [lambda part=part: part(report, options.rounds, options.seconds) for part in chosen],
    )
    if options.write:
        about = f'Written by `make bench-fleet`. {machine()}.'
        write_end(options.write, MARK, about, [verdicts, *report.tables])
    return 0


if __name__ == '__main__':
    sys.exit(main())

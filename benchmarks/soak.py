"""Nodes in use for an hour: ``make soak``.

Four kinds of arms in real processes: targets, queries, parameters and measured states all the time,
clients that come and go or are killed, nodes that are ended in mid-motion. At the end memory has
not grown, no more cycles are missed than at the beginning, every target was answered, and no log
tells of an exception; or else the status is 1. A bare rclpy node runs beside them, for comparison.
"""

from __future__ import annotations

import argparse
import collections
import math
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import soak_record as record
from pages import page_with, write_end
from soak_schedule import Every
from soak_world import MORTAL, Processes, complaints
from tables import Bar, Report, Table, machine, show

ARMS = ('plane', 'turntable', 'left', 'right', 'mortal')
COUNTED = {'plane': 'plane', 'turntable': 'turntable', 'right': 'right', 'arm0': record.BARE}
RATE = 50.0  # Hz
WARM_UP, LONGEST_WARM_UP = 0.25, 300.0  # share of the time, s
SAMPLES = 120
SHORTEST = 30.0  # s
STARTING = 120.0  # s; machines are slow at times
LIFE = 15.0  # s of the mortal node
VISIT = 4.0  # s between visitors
ABSENCE = 4.0  # s of a robot that is switched off
BETWEEN_ABSENCES = 20.0  # s
MEASURED = 20.0  # Hz
MARK = '<!-- Everything below is written by `make soak WRITE=...`. -->'
DOMAIN = '230'  # none of those of the tests: they may run beside it


class Soak:
    """A run: the processes, their client, and the record."""

    def __init__(self, folder: Path, kills: bool) -> None:
        """Start everything.

        Args:
            folder: for the logs.
            kills: whether processes are ended by SIGKILL, too.
        """
        import rclpy
        from soak_client import Changes, Cycles, Line, Robot

        from ik2d_ros.ros.executors import AUTO, create_executor

        self.samples: list[record.Sample] = []
        self.failures: list[str] = []
        self.processes = Processes(folder, kills)
        rclpy.init(args=[])
        self._node = rclpy.create_node('soak', start_parameter_services=False)
        self._executor = create_executor(AUTO)
        self._executor.add_node(self._node)
        rng = self._rng = random.Random(1)
        self.lines = {arm: Line(self._node, arm, rng) for arm in ARMS}
        self.changes = Changes(self._node)
        self._cycles = {name: Cycles(self._node, arm, RATE) for arm, name in COUNTED.items()}
        self._robots = {arm: Robot(self._node, arm) for arm in ('turntable', 'mortal')}
        self._ends_at = self._back_at = self._born_at = 0.0
        self.in_motion = self.cut_off = 0
        self._steadily = [
            *(Every(1.0 / MEASURED, robot.measure) for robot in self._robots.values()),
            Every(0.2, self.processes.look),
        ]

    def wait(self) -> None:
        """Wait until all arms answer."""
        deadline = time.monotonic() + STARTING
        while not all(line.is_served for line in self.lines.values()):
            if time.monotonic() > deadline:
                silent = [line.arm for line in self.lines.values() if not line.is_served]
                raise TimeoutError(f'no answer from {", ".join(silent)} within {STARTING:g} s')
            self._turn(self._steadily)

    def run(self, seconds: float) -> None:
        """Run for a while."""
        began = time.monotonic()
        for cycles in self._cycles.values():
            cycles.take()
        every = [
            *self._steadily,
            Every(max(seconds / SAMPLES, 1.0), lambda: self._sample(began)),
            Every(LIFE, self._end_mortal),
            Every(VISIT, self._visit),
            Every(BETWEEN_ABSENCES, self._switch_off),
        ]
        while time.monotonic() < began + seconds:
            self._turn(every)
            self._after()

    def end(self) -> None:
        """End everything."""
        import rclpy

        self.processes.end()
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.try_shutdown()

    def _turn(self, every: Sequence[Every]) -> None:
        self._executor.spin_once(timeout_sec=0.005)
        now = time.monotonic()
        for each in every:
            each.look(now)
        for user in (*self.lines.values(), self.changes):
            wrong = user.go_on()
            if wrong:
                self.failures.append(wrong)
                print(f'FAILED: {wrong}', flush=True)

    def _after(self) -> None:
        """Do what had to wait."""
        now = time.monotonic()
        if self._back_at and now >= self._back_at:
            self._back_at = 0.0
            self._robots['turntable'].switch_on()
        robot = self._robots['mortal']
        # In mid-motion: once it moves, but it will not be there for a while.
        if self._ends_at and (robot.moved or now >= self._ends_at):
            self.in_motion += robot.moved
            self._restart_mortal()

    def _restart_mortal(self) -> None:
        self._ends_at, self._born_at = 0.0, time.monotonic()
        self.processes.end_mortal()
        self.lines['mortal'].restart()

    def _end_mortal(self) -> None:
        now = time.monotonic()
        if not self.lines['mortal'].is_served:
            if now - self._born_at > STARTING:
                self._give_up_mortal()
            return
        self._ends_at = now + 5.0
        self._robots['mortal'].moved = False
        side = self._rng.choice((-1.0, 1.0))
        self.lines['mortal'].send_far(0.1, 0.25 * side, 0.15)

    def _give_up_mortal(self) -> None:
        if self.processes.is_cut_off(MORTAL):
            self.cut_off += 1
            self._visit()  # takes the port, so that the next node gets another
        else:
            self.failures.append(f'mortal did not answer within {STARTING:g} s of its start')
        self._restart_mortal()

    def _visit(self) -> None:
        self.processes.visit(self._rng.uniform(2.0, 8.0))

    def _switch_off(self) -> None:
        self._robots['turntable'].switch_off()
        self._back_at = time.monotonic() + ABSENCE

    def _sample(self, began: float) -> None:
        taken = {name: cycles.take() for name, cycles in self._cycles.items()}
        self.samples.append(
            record.Sample(
                time.monotonic() - began,
                self.processes.memory(),
                {name: due for name, (due, _) in taken.items()},
                {name: missed for name, (_, missed) in taken.items()},
            )
        )


def soak(
    report: Report, seconds: float, folder: Path, kills: bool
) -> tuple[list[record.Sample], float]:
    """Run, and judge; return the record and the s of it that do not count.

    Args:
        report: gets tables, demands, and failures in words.
        seconds: how long.
        folder: for the logs.
        kills: whether processes are ended by SIGKILL, too.
    """
    run, warm_up = Soak(folder, kills), min(WARM_UP * seconds, LONGEST_WARM_UP)
    try:
        run.wait()
        run.run(seconds)
    except (RuntimeError, TimeoutError) as error:
        run.failures.append(str(error))
    finally:
        run.end()
    said = complaints(folder)
    report.failures += [*run.failures, *run.processes.failures, *said]
    report.tables.append(
        Table(
            'The run',
            f'{seconds / 60.0:.0f} minutes.' if seconds >= 120.0 else f'{seconds:.0f} s.',
            ('what', 'how many'),
            counts(run),
        )
    )
    try:
        report.bars += record.judge(run.samples, warm_up)
    except ValueError as error:
        report.bars.append(Bar('the run is long enough to judge', str(error), False))
    else:
        report.tables.append(
            Table(
                'First and last quarter',
                f'Medians after the first {warm_up:.0f} s, and the greatest value.',
                ('what', 'first', 'last', 'greatest'),
                record.rows(run.samples, warm_up),
            )
        )
    report.bars += [
        Bar(
            'every target, query and parameter is answered',
            f'{len(run.failures)} failures',
            not run.failures,
        ),
        run.processes.bar,
        Bar('no log tells of an exception', f'{len(said)} lines', not said),
    ]
    return run.samples, warm_up


def counts(run: Soak) -> list[tuple[str, str]]:
    """Return what happened in a run, and how many times."""
    codes = sum((line.codes for line in run.lines.values()), collections.Counter[str]())
    found = {
        'targets and queries answered': sum(line.answered for line in run.lines.values()),
        **{f'of them {code}': count for code, count in sorted(codes.items())},
        'parameters changed, or refused': run.changes.made,
        'clients that came and went': run.processes.visitors.count,
        'of them did not leave, and were killed': run.processes.visitors.stuck,
        'nodes ended and started again': run.processes.restarts,
        'of them cut off by Fast DDS': run.cut_off,
        'of them in mid-motion': run.in_motion,
    }
    return [(what, f'{count:,}') for what, count in found.items()]


def seconds_from(text: str) -> float:
    """Return a duration in s from the command line."""
    seconds = float(text)
    if not SHORTEST <= seconds < math.inf:
        raise argparse.ArgumentTypeError(f'it is {text}; it must be {SHORTEST:g} or more')
    return seconds


def main() -> int:
    """Run everything; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=seconds_from, default=3600.0)
    parser.add_argument(
        '--no-kill',
        action='store_true',
        help='use SIGTERM for SIGKILL, which can block others (docs/operations.md)',
    )
    parser.add_argument('--record', type=Path, metavar='FILE', help='write the record there (CSV)')
    parser.add_argument(
        '--write',
        type=page_with(MARK),
        metavar='FILE',
        help='write tables there, record and picture beside',
    )
    options = parser.parse_args()
    os.environ.setdefault('ROS_DOMAIN_ID', DOMAIN)
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    os.environ['PYTHONUNBUFFERED'] = os.environ['PYTHONFAULTHANDLER'] = '1'
    report, found = Report(), list[Any]()
    logs = Path(tempfile.mkdtemp(prefix='ik2d_soak_'))
    kills = not options.no_kill
    verdicts = show(report, [lambda: found.extend(soak(report, options.seconds, logs, kills))])
    samples, warm_up = found
    if options.record and samples:
        record.write(options.record, samples)
    if options.write and samples:
        page, about = options.write, f'Written by `make soak`. {machine()}.'
        write_end(page, MARK, about, [verdicts, *report.tables])
        record.write(page.with_suffix('.csv'), samples)
        record.draw(page.parent / 'images' / 'soak.png', samples, warm_up)
    broken = [bar for bar in report.bars if not bar.met]
    for bar in broken:
        print(f'BROKEN: {bar.demand}: {bar.measured}', file=sys.stderr)
    if broken:
        print(f'The logs are in {logs}.', file=sys.stderr)
    else:
        shutil.rmtree(logs)
    return 1 if broken else 0


if __name__ == '__main__':
    sys.exit(main())

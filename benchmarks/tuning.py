"""Which tuned numbers of the solvers matter: each halved and doubled, by itself.

    python benchmarks/tuning.py [--count 60] [--only NAME ...]

Prints for each number of ``ik2d_ros/kinematics/tuning.py`` what differs from the numbers as they
are: the targets reached, the sum of the errors of those that are not, the jumps along paths within
limits, and the processor time of each kind of task (interleaved with the usual numbers, the best of
several rounds). A number that changes none of them within a factor of two might as well be another.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAME = 'ik2d_ros.kinematics.tuning'
SHARES = ('DEVIOUS', 'ENOUGH', 'ENOUGH_AT_LAST', 'NEARLY_ENOUGH')  # What they leave of 1 changes.


def tuned(changes):
    """Load the numbers, changed, before anything that imports them; return all of them."""
    path = ROOT / 'ik2d_ros' / 'kinematics' / 'tuning.py'
    spec = importlib.util.spec_from_file_location(NAME, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, value in changes.items():
        setattr(module, name, value)
    sys.modules[NAME] = module
    return {name: value for name, value in vars(module).items() if name.isupper()}


def work(count):
    """Do each task that is named on the input, and print what came out."""
    sys.path.insert(0, str(ROOT))
    from tuning_tasks import all_tasks  # with the numbers as they are now

    tasks = all_tasks(count)
    print(json.dumps(list(tasks)), flush=True)
    for line in sys.stdin:
        began = time.process_time()
        found = tasks[line.strip()]()
        print(json.dumps([time.process_time() - began, found]), flush=True)


class Worker:
    """A process that solves with some numbers changed."""

    def __init__(self, changes, count):
        command = [sys.executable, __file__, '--work', json.dumps(changes), '--count', str(count)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.tasks = json.loads(self._process.stdout.readline())

    def do(self, task):
        """Seconds, and (reached, error, jumps)."""
        self._process.stdin.write(f'{task}\n')
        self._process.stdin.flush()
        took, found = json.loads(self._process.stdout.readline())
        return took, tuple(found)

    def end(self):
        self._process.stdin.close()
        self._process.wait()


def changed(name, value, factor):
    """Return half or double the value; of a share, what it leaves of 1."""
    if isinstance(value, tuple):
        return [changed(name, item, factor) for item in value]
    if name in SHARES:
        return max(0.0, 1.0 - (1.0 - value) * factor)
    return max(1, round(value * factor)) if isinstance(value, int) else value * factor


def compared(usual, other, rounds):
    """What differs, task by task."""
    found = []
    for task in usual.tasks:
        times = ([], [])
        for k in range(rounds):
            for way in ((0, 1), (1, 0))[k % 2]:
                took, result = (usual, other)[way].do(task)
                times[way].append(took)
                if way:
                    new = result
                else:
                    old = result
        ratio = min(times[1]) / min(times[0])
        parts = [f'{a} {what} for {b}' for a, b, what in (
            (new[0], old[0], 'reached'), (new[2], old[2], 'jumps'),
        ) if a != b]  # fmt: skip
        if abs(new[1] - old[1]) > 1e-6 * (1.0 + old[1]):
            parts.append(f'error {new[1]:.6g} for {old[1]:.6g}')
        if abs(ratio - 1.0) > 0.1:
            parts.append(f'{ratio:.2f} times the time')
        if parts:
            found.append(f'{task}: {", ".join(parts)}')
    return '; '.join(found) or 'nothing'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--count', type=int, default=60, help='targets of each chain')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--only', nargs='+', default=[], metavar='NAME')
    parser.add_argument('--work', help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work is not None:
        tuned(json.loads(arguments.work))
        work(arguments.count)
        return
    usual = Worker({}, arguments.count)
    print({task: usual.do(task) for task in usual.tasks})
    for name, value in tuned({}).items():
        if arguments.only and name not in arguments.only:
            continue
        for factor in (0.5, 2.0):
            new = changed(name, value, factor)
            other = Worker({name: new}, arguments.count)
            for task in other.tasks:
                other.do(task)  # Stocks and proofs are kept.
            print(
                f'{name} {value} -> {new}: {compared(usual, other, arguments.rounds)}', flush=True
            )
            other.end()
    usual.end()


if __name__ == '__main__':
    main()

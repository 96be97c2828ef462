"""Compares the kinematics with those of an earlier commit: verdicts, closest poses, and times.

    python benchmarks/against.py verdicts --against REF [--subject plane] [--targets 1000000]
    python benchmarks/against.py times --against REF

The earlier commit is installed from the repository's history into a scratch folder. Two processes,
one for each version, take turns to solve the same random problems.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from problems import PI, Case, FloatArray, ask, poses, random_case, random_joints

ROOT = Path(__file__).resolve().parent.parent
REACHED, JOINT_LIMIT, TIP_ANGLE = 0, 3, 5
EQUAL = 1e-8  # reaches, and rad: by less, two closest poses are equally close


class Answers(NamedTuple):
    """The fields of a `Batch`."""

    q: FloatArray
    error: FloatArray
    status: NDArray[np.int8]
    angle_error: FloatArray
    proven: NDArray[np.bool_]


# --- In the processes that solve.


def answers(case: Case) -> Answers:
    from ik2d_ros.kinematics import solve_batch

    batch = solve_batch(case.built(), case.targets, **case.asked())
    return Answers(*(getattr(batch, name) for name in Answers._fields))


def seconds(case: Case, alone: bool, least: float = 0.05) -> float:
    """Return the processor time of a target in s, without one-time preparation."""
    from ik2d_ros.kinematics import solve, solve_batch

    arm, asked, batch = case.built(), case.asked_singly(), case.asked()

    def run() -> None:
        if alone:
            for target, each in asked:
                solve(arm, target, **each)
        else:
            solve_batch(arm, case.targets, **batch)

    run()
    begun, runs = time.process_time(), 0
    while (spent := time.process_time() - begun) < least:
        run()
        runs += 1
    return spent / runs / len(case.targets)


def serve() -> None:
    """Answer requests, each a function's name and its arguments, until there are no more."""
    output = os.fdopen(os.dup(1), 'wb')
    os.dup2(2, 1)
    with contextlib.suppress(EOFError):
        while True:
            name, given = pickle.load(sys.stdin.buffer)
            pickle.dump(globals()[name](*given), output)
            output.flush()


class Side:
    """A process that solves with the package in a folder."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, 'PYTHONPATH': str(folder), 'OPENBLAS_NUM_THREADS': '1'}
        pipe = subprocess.PIPE
        command = [sys.executable, '-c', 'import against; against.serve()']
        self._process = subprocess.Popen(
            command, cwd=Path(__file__).parent, env=environment, stdin=pipe, stdout=pipe
        )

    def ask(self, name: str, *given: Any) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        pickle.dump((name, given), self._process.stdin)
        self._process.stdin.flush()
        return pickle.load(self._process.stdout)


@contextlib.contextmanager
def installed(reference: str) -> Iterator[Path]:
    """Yield a scratch folder with the package of a commit, or the folder that is named instead."""
    if Path(reference).is_dir():
        yield Path(reference).resolve()
        return
    with tempfile.TemporaryDirectory() as scratch:
        sources, packages = Path(scratch, 'sources'), Path(scratch, 'packages')
        sources.mkdir()
        archive = subprocess.run(
            ['git', 'archive', reference], cwd=ROOT, check=True, stdout=subprocess.PIPE
        )
        subprocess.run(['tar', 'x', '-C', str(sources)], input=archive.stdout, check=True)
        offline = ['--quiet', '--no-deps', '--no-index', '--no-build-isolation']
        pip = [sys.executable, '-m', 'pip', 'install', *offline, '--target', str(packages)]
        subprocess.run([*pip, str(sources)], check=True)
        yield packages


# --- Verdicts.


def faults(case: Case, given: Answers) -> dict[str, NDArray[np.bool_]]:
    """Return which answers are wrong, judged by their poses, by kind of fault."""
    limits, q = case.limits(), given.q
    outside = ~(np.isfinite(q) & (limits[:, 0] <= q) & (q <= limits[:, 1])).all(axis=1)
    tips, headings = case.forward(np.nan_to_num(q))
    error = np.linalg.norm(tips - case.targets, axis=1)
    slack = 1e-9 * case.reach
    false = np.abs(error - given.error) > slack
    false |= (given.status == REACHED) & (error > case.tolerance + slack)
    false |= np.isin(given.status, (1, 2, 3)) & (error <= case.tolerance - slack)
    if case.angles is not None:
        off = np.abs(np.remainder(headings - case.angles + PI, 2 * PI) - PI)
        false |= np.abs(off - given.angle_error) > EQUAL
        false |= (given.status == REACHED) & (off > case.tolerance / case.reach + EQUAL)
    return {'missed': case.known & (given.status != REACHED), 'outside': outside, 'false': false}


def differences(case: Case, old: Answers, new: Answers) -> list[tuple[int, str]]:
    """Return the targets whose answers differ, and which of the two is wrong."""
    found = []
    for k in np.flatnonzero((old.status != new.status) | (old.status != REACHED)):
        statuses = int(old.status[k]), int(new.status[k])
        gaps = [float(abs(each.error[k])) / case.reach for each in (old, new)]
        if statuses[0] == statuses[1] == TIP_ANGLE:
            gaps = [float(old.angle_error[k]), float(new.angle_error[k])]
        if statuses[0] == statuses[1] and abs(gaps[0] - gaps[1]) <= EQUAL:
            continue
        better = [status for status in (REACHED, TIP_ANGLE) if status in statuses]
        if better and statuses[0] != statuses[1]:
            wrong = ('earlier', 'this')[statuses[0] == better[0]]
        elif abs(gaps[0] - gaps[1]) > EQUAL:
            wrong = ('earlier', 'this')[gaps[0] < gaps[1]] + ' is farther'
        else:
            wrong = 'status alone'
        found.append((int(k), f'{wrong}: {statuses} {gaps[0]:.3e} {gaps[1]:.3e}'))
    return found


def verdicts(old: Side, new: Side, subject: str, total: int, seed: int, report: Path) -> None:
    """Compare the answers to so many targets of random arms."""
    counts: Counter[str] = Counter()
    shown = 0
    with report.open('a') as log:
        while counts['targets'] < total:
            seed += 1
            case = random_case(subject, seed, 500 if subject == 'plane' else 100)
            both = {'earlier': old.ask('answers', case), 'this': new.ask('answers', case)}
            counts['chains'] += 1
            counts['targets'] += len(case.targets)
            counts['known'] += int(case.known.sum())
            for name, given in both.items():
                for what, wrong in faults(case, given).items():
                    counts[f'{what}, {name}'] += int(wrong.sum())
                    for k in np.flatnonzero(wrong)[:3]:
                        log.write(f'{subject} seed {seed} target {k}: {what} by {name}\n')
                counts[f'proven, {name}'] += int(given.proven.sum())
            for k, text in differences(case, *both.values()):
                counts[f'differs, {text.partition(":")[0]}'] += 1
                log.write(f'{subject} seed {seed} target {k}: wrong is {text}\n')
            if counts['targets'] >= shown:
                shown += max(1000, total // 20)
                print(dict(counts), flush=True)
    print(subject, dict(counts))


# --- Times.


@dataclass(frozen=True)
class Row:
    """A row of times: numbers of joints, kinds of limits, reachable targets or forbidden ones."""

    name: str
    most: float  # allowed, times the earlier one
    counts: tuple[int, ...] = (3, 4, 6, 8, 10)
    kinds: tuple[str, ...] = ('120 deg', 'asymmetric', 'narrow')
    reachable: bool = True
    slides: float = 0.0
    subject: str = 'plane'

    @property
    def alone(self) -> bool:
        """Whether each target is solved by itself."""
        return self.name.startswith('solve')


FREE, SOME = ('free',), (2, 3, 4, 6)
WITH_SLIDES: dict[str, Any] = {'counts': (3, 4, 6, 8), 'slides': 0.3}
IN_SPACE: dict[str, Any] = {'counts': SOME, 'subject': 'space'}
ROWS = (
    Row('solve, 2 joints', 0.85, (2,), ('free', '120 deg', 'asymmetric')),
    Row('solve, no limits', 0.85, kinds=FREE),
    Row('solve, limits, reachable', 0.4),
    Row('solve, limits, forbidden', 0.3, reachable=False),
    Row('solve, tip angle, reachable', 0.5, kinds=('free', '120 deg', 'narrow'), subject='angle'),
    Row('solve, tip angle, forbidden', 0.5, reachable=False, subject='angle'),
    Row('solve, slides, reachable', 0.25, **WITH_SLIDES),
    Row('solve, slides, forbidden', 0.25, reachable=False, **WITH_SLIDES),
    Row('solve, in space, reachable', 0.6, **IN_SPACE),
    Row('solve, in space, forbidden', 0.1, reachable=False, **IN_SPACE),
    Row('batch, limits, reachable', 1.0),
    Row('batch, limits, forbidden', 1.0, (2, 3, 4, 6, 8), reachable=False),
    Row('batch, ten narrow, forbidden', 2.0, (10,), ('narrow',), reachable=False),
    Row('batch, two joints without limits', 1.0, (2,), FREE),
    Row('batch, no limits', 2.5, kinds=FREE),
    Row('batch, tip angle, reachable', 1.0, subject='angle'),
    Row('batch, slides, reachable', 1.0, **WITH_SLIDES),
    Row('batch, in space, reachable', 1.0, **IN_SPACE),
    Row('batch, in space, forbidden', 1.0, reachable=False, **IN_SPACE),
)
CHAINS = 3


def timed_case(row: Row, count: int, kind: str, number: int, old: Side) -> Case | None:
    """Return a random arm, and targets chosen by the earlier statuses; None if there are few."""
    rng = np.random.default_rng([number, count, len(kind), len(row.name)])
    joints = random_joints(rng, count, kind, row.slides)
    if row.slides and all(joint['type'] == 'revolute' for joint in joints):
        joints[1] |= {'type': 'prismatic', 'lower': 0.0, 'upper': 0.5}
    carrier = None
    if row.subject == 'space':
        carrier = {'lower': -2.0, 'upper': 2.0, 'beside': float(rng.choice([0.0, 0.1]))}
    wanted_count = 100 if row.alone else 2000
    known = 1.0 if row.reachable else 0.0
    case = ask(rng, joints, carrier, 4 * wanted_count, row.subject == 'angle', known)
    starts = poses(rng, case.limits(), 4 * wanted_count)
    if count == 2 and not row.alone and kind == 'free':
        starts = None  # The formula for these ignores starts.
    case = replace(case, tolerance=1e-6 * case.reach, starts=starts)
    statuses = old.ask('answers', case).status
    forbidden = TIP_ANGLE if row.subject == 'angle' else JOINT_LIMIT
    which = np.flatnonzero(statuses == (REACHED if row.reachable else forbidden))[:wanted_count]
    return case.first(which) if len(which) >= 0.3 * wanted_count else None


def timed(old: Side, new: Side, only: str) -> None:
    """Print the times of all rows, in microseconds a target: earlier, this, and the ratio."""
    for row in ROWS:
        if only not in row.name:
            continue
        ratios, text = [], []
        for count in row.counts:
            spent = np.zeros(2)
            for kind in row.kinds:
                for number in range(CHAINS):
                    case = timed_case(row, count, kind, number, old)
                    if case is not None:
                        rounds = [
                            [s.ask('seconds', case, row.alone) for s in (old, new)]
                            for _ in range(3)
                        ]
                        spent += np.min(rounds, axis=0)
            if spent.all():
                ratios.append(spent[1] / spent[0])
                each = 1e6 * spent / (len(row.kinds) * CHAINS)
                text.append(f'{count}: {each[0]:.3g} {each[1]:.3g} {ratios[-1]:.2f}')
        met = sum(ratio <= row.most for ratio in ratios)
        words = f'met by {met} of {len(ratios)}; ' + '; '.join(text)
        print(f'{row.name} (at most {row.most:g}): {words}', flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('task', choices=['verdicts', 'times'])
    parser.add_argument('--against', default='HEAD', help='a commit, or a folder with the package')
    parser.add_argument('--this', default=str(ROOT), help='the folder with the package to judge')
    parser.add_argument('--subject', default='plane', choices=['plane', 'angle', 'space'])
    parser.add_argument('--targets', type=int, default=10_000)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--only', default='', help='the rows with this in their name')
    parser.add_argument('--log', type=Path, default=Path('differences.txt'))
    given = parser.parse_args()
    with installed(given.against) as folder:
        old, new = Side(folder), Side(Path(given.this).resolve())
        if given.task == 'verdicts':
            verdicts(old, new, given.subject, given.targets, given.seed, given.log)
        else:
            timed(old, new, given.only)


if __name__ == '__main__':
    main()

"""Compares the kinematics with those of an earlier commit: verdicts, closest poses, and times.

    python benchmarks/against.py verdicts --against REF [--subject plane] [--targets 1000000]
    python benchmarks/against.py times --against REF

The earlier commit is installed from the repository's history into a scratch folder. Both solve the
same random problems, each in a process of its own, by turns.
"""

from __future__ import annotations

import argparse
import contextlib
import math
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
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
FloatArray = NDArray[np.float64]
REACHED, JOINT_LIMIT, TIP_ANGLE = 0, 3, 5
PI = math.pi
EQUAL = 1e-8  # reaches, and rad: by less, two closest poses are equally close


@dataclass(frozen=True)
class Case:
    """A chain or an arm, as plain numbers, and what it is asked for."""

    seed: int
    joints: list[dict[str, Any]]
    carrier: dict[str, Any] | None
    targets: FloatArray
    starts: FloatArray | None
    angles: FloatArray | None
    known: NDArray[np.bool_]  # Targets that a pose within the limits reaches, at the angle.
    reach: float
    tolerance: float

    def limits(self) -> FloatArray:
        """(m, 2) limits of all joints."""
        before = [] if self.carrier is None else [self.carrier]
        pairs = [(joint.get('lower'), joint.get('upper')) for joint in [*before, *self.joints]]
        return np.array([(-np.inf, np.inf) if low is None else (low, up) for low, up in pairs])

    def forward(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Tips (m, 2) or (m, 3) in m and headings (m,) of poses, not with the package's code."""
        tip, heading = np.zeros(len(q), dtype=complex), np.zeros(len(q))
        chain = q[:, len(q.T) - len(self.joints) :]
        for joint, position in zip(self.joints, chain.T, strict=True):
            link, slides = complex(*joint['link']), joint['type'] == 'prismatic'
            heading = heading + joint['offset'] + (0 if slides else joint['axis'] * position)
            unit = link / abs(link) if link else 1
            tip += (link + (joint['axis'] * position * unit if slides else 0)) * np.exp(
                1j * heading
            )
        if self.carrier is None:
            return np.stack([tip.real, tip.imag], axis=1), heading
        # The plane is upright, its x-axis outwards, so far beside the turntable's axis.
        beside, turn = self.carrier['beside'], q[:, 0]
        x, y = tip.real, np.full(len(q), beside)
        x, y = x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)
        return np.stack([x, y, tip.imag], axis=1), heading


@dataclass(frozen=True)
class Answers:
    """What `solve_batch`, or one `solve` after the other, answers."""

    q: FloatArray
    error: FloatArray
    status: NDArray[np.int8]
    angle_error: FloatArray
    proven: NDArray[np.bool_]


# --- In the processes that solve.


def built(case: Case) -> Any:
    from ik2d_ros.kinematics import Arm, Chain, Joint, Plane, Turntable

    chain = Chain([Joint(f'j{i}', **joint) for i, joint in enumerate(case.joints)])
    if case.carrier is None:
        return chain
    plane = Plane.from_pose((0.0, case.carrier['beside'], 0.0), (0.5 * PI, 0.0, 0.0))
    limits = {name: case.carrier[name] for name in ('lower', 'upper')}
    return Arm(chain, plane, Turntable(**limits))


def options_of(case: Case) -> dict[str, Any]:
    near = {'tolerance': case.tolerance}
    if case.angles is not None:
        near['angle_tolerance'] = case.tolerance / case.reach
    return near


def at_once(case: Case) -> Answers:
    from ik2d_ros.kinematics import solve_batch

    asked = {} if case.angles is None else {'angle': case.angles}
    batch = solve_batch(built(case), case.targets, start=case.starts, **asked, **options_of(case))
    return Answers(batch.q, batch.error, batch.status, batch.angle_error, batch.proven)


def arguments(case: Case) -> list[tuple[Any, dict[str, Any]]]:
    asked: list[tuple[Any, dict[str, Any]]] = []
    for k, target in enumerate(case.targets.tolist()):
        each: dict[str, Any] = {'start': None if case.starts is None else case.starts[k].tolist()}
        if case.angles is not None:
            each['angle'] = float(case.angles[k])
        asked.append((tuple(target), each | options_of(case)))
    return asked


def singly(case: Case) -> Answers:
    from ik2d_ros.kinematics import solve

    arm = built(case)
    answers = [solve(arm, target, **each) for target, each in arguments(case)]
    names = ('q', 'error', 'status', 'angle_error', 'proven')
    return Answers(*(np.array([getattr(a, name) for a in answers]) for name in names))


def seconds(case: Case, alone: bool, least: float = 0.05) -> float:
    """Processor time of a target, in s, without what is made only once."""
    from ik2d_ros.kinematics import solve, solve_batch

    arm, asked = built(case), arguments(case)
    batch = {'start': case.starts} | ({} if case.angles is None else {'angle': case.angles})
    batch |= options_of(case)

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


def first_seconds(case: Case) -> float:
    """Processor time of the first answer for a chain, with what is made only once, in s."""
    from ik2d_ros.kinematics import Chain, solve

    solve(Chain.from_lengths([1.0] * 3, [(-1.0, 1.0)] * 3), (0.1, 0.2))  # imports
    (target, each), *_ = arguments(case)
    begun = time.process_time()
    solve(built(case), target, **each)
    return time.process_time() - begun


def import_seconds() -> float:
    """Processor time of the import alone, NumPy's aside, in s."""
    code = (
        'import time, numpy; begun = time.process_time(); import ik2d_ros.kinematics; '
        'print(time.process_time() - begun)'
    )
    return float(
        subprocess.run([sys.executable, '-c', code], check=True, stdout=subprocess.PIPE).stdout
    )


def least_seconds(case: Case) -> float:
    """Processor time of an arctan2 and an arccos for each target, in s a target."""
    x, y = np.ascontiguousarray(case.targets.T)
    cosine = np.clip(x / case.reach, -1.0, 1.0)
    first, second = np.empty_like(x), np.empty_like(x)
    begun = time.process_time()
    for begin in range(0, len(x), 32768):
        part = slice(begin, begin + 32768)
        np.arctan2(y[part], x[part], out=first[part])
        np.arccos(cosine[part], out=second[part])
    return (time.process_time() - begun) / len(x)


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
        command = [sys.executable, str(Path(__file__).resolve()), 'serve']
        self._process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe)

    def ask(self, name: str, *given: Any) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        pickle.dump((name, given), self._process.stdin)
        self._process.stdin.flush()
        return pickle.load(self._process.stdout)


@contextlib.contextmanager
def installed(reference: str) -> Iterator[Path]:
    """A scratch folder with the package of a commit, or the folder that is named instead."""
    if Path(reference).is_dir():
        yield Path(reference)
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


# --- Random problems.


def _limits(rng: np.random.Generator, kind: str) -> tuple[float, float] | None:
    if kind == 'mixed':
        kind = str(rng.choice(['free', 'symmetric', 'narrow', 'elbow', 'half', 'point', 'wide']))
    middle, half = rng.uniform(-2.0, 2.0), rng.uniform(0.3, 2.0)
    narrow = rng.uniform(0.01, 0.4)
    return {
        'free': None,
        'symmetric': (-half, half),
        '120 deg': (-2 * PI / 3, 2 * PI / 3),
        'asymmetric': (middle - half, middle + half),
        'narrow': (middle - narrow, middle + narrow),
        'elbow': (0.0, half + 1.0),
        'half': (-PI, PI),
        'right': (-0.5 * PI, 0.5 * PI),
        'point': (middle, middle),
        'wide': (-half - 2.8, half + 2.8),
        'two turns': (-2 * PI, 2 * PI),
    }[kind]


KINDS = (
    *('free', 'symmetric', 'asymmetric', 'narrow', 'elbow', 'half', 'right', 'wide', 'two turns'),
    *('mixed', 'mixed', 'mixed'),
)


def random_joints(
    rng: np.random.Generator, count: int, kind: str, slides: float, plain: bool
) -> list[dict[str, Any]]:
    """Joints with limits of a kind; not plain: some of no length, or all of the same."""
    sizes = 10.0 ** rng.uniform(-1.0, 0.0, count)
    if not plain:
        sizes = np.full(count, 0.5) if rng.random() < 0.25 else sizes
        sizes = np.where(rng.random(count) < 0.3, 0.0, sizes) if rng.random() < 0.25 else sizes
    joints = []
    for size in sizes:
        direction = rng.choice([0.0, rng.uniform(-PI, PI)])
        link = (float(size * math.cos(direction)), float(size * math.sin(direction)))
        pair, sliding = _limits(rng, kind), rng.random() < slides
        if sliding:
            low = rng.uniform(-0.5, 0.3)
            pair = (low, low + rng.choice([0.0, rng.uniform(0.02, 0.8)], p=[0.05, 0.95]))
        lower, upper = (None, None) if pair is None else map(float, pair)
        joints.append(
            {
                'link': link,
                'lower': lower,
                'upper': upper,
                'offset': float(rng.choice([0.0, rng.uniform(-PI, PI)])),
                'axis': int(rng.choice([-1, 1])),
                'type': 'prismatic' if sliding else 'revolute',
            }
        )
    return joints


def _scaled(joints: list[dict[str, Any]], scale: float) -> list[dict[str, Any]]:
    return [
        joint
        | {'link': (joint['link'][0] * scale, joint['link'][1] * scale)}
        | (
            {'lower': joint['lower'] * scale, 'upper': joint['upper'] * scale}
            if joint['type'] == 'prismatic'
            else {}
        )
        for joint in joints
    ]


def poses(rng: np.random.Generator, limits: FloatArray, count: int) -> FloatArray:
    """Poses within limits, a fifth with most joints at one, within a turn where there is none."""
    lower, upper = np.where(np.isfinite(limits), limits, [-PI, PI]).T
    q = rng.uniform(lower, upper, (count, len(limits)))
    ends = np.where(rng.random(q.shape) < 0.5, lower, upper)
    cornered = (rng.random(count) < 0.2)[:, None] & (rng.random(q.shape) < 0.7)
    return np.where(cornered, ends, q)


def random_case(subject: str, seed: int, count: int) -> Case:
    """A chain of any kind, some targets that it can reach, and others."""
    rng = np.random.default_rng([seed, len(subject)])
    fewest, most = {'plane': (2, 12), 'angle': (3, 10), 'space': (2, 8)}[subject]
    size = int(rng.integers(fewest, most + 1))
    joints = random_joints(
        rng, size, str(rng.choice(KINDS)), 0.4 if rng.random() < 0.3 else 0.0, plain=False
    )
    scale = 10.0 ** rng.uniform(-3.0, 3.0)
    joints, carrier = _scaled(joints, scale), None
    if subject == 'space':
        pair = _limits(rng, str(rng.choice(['free', 'symmetric', 'wide', 'asymmetric'])))
        lower, upper = (None, None) if pair is None else map(float, pair)
        beside = float(rng.choice([0.0, rng.uniform(-0.3, 0.3) * scale]))
        carrier = {'lower': lower, 'upper': upper, 'beside': beside}
    if size > 10 and any(joint['lower'] is not None for joint in joints):
        count = max(1, count // 10)  # A search, which takes its time.
    return asked_of(rng, seed, joints, carrier, count, angled=subject == 'angle')


def asked_of(
    rng: np.random.Generator,
    seed: int,
    joints: list[dict[str, Any]],
    carrier: dict[str, Any] | None,
    count: int,
    angled: bool,
    known: float = 0.6,
) -> Case:
    """Ask an arm for targets: a share of them tips of poses, the others anywhere."""
    strokes = [
        max(abs(joint['lower']), abs(joint['upper'])) if joint['type'] == 'prismatic' else 0.0
        for joint in joints
    ]
    reach = sum(math.hypot(*j['link']) + s for j, s in zip(joints, strokes, strict=True)) or 1.0
    empty = np.empty((0, 2))
    case = Case(seed, joints, carrier, empty, None, None, np.empty(0, dtype=bool), reach, 0.0)
    limits = case.limits()
    targets, angles = case.forward(poses(rng, limits, count))
    is_known = rng.random(count) < known
    near = rng.random(count) < 0.3
    dimensions = targets.shape[1]
    anywhere = rng.normal(size=targets.shape)
    anywhere *= (rng.random(count) ** (1 / dimensions) / np.linalg.norm(anywhere, axis=1))[:, None]
    if carrier is not None:
        anywhere *= 1.1 * (1 + abs(carrier['beside']) / reach)
    moved = targets + 10.0 ** rng.uniform(-6, -1, (count, 1)) * reach * anywhere
    others = np.where(near[:, None], moved, 1.05 * reach * anywhere)
    if angled:
        others = np.where(rng.random(count)[:, None] < 0.7, targets, others)
        away = np.where(near, 10.0 ** rng.uniform(-6, 0, count), rng.uniform(-PI, PI, count))
        angles = np.where(is_known, angles, angles + away)
    return replace(
        case,
        targets=np.where(is_known[:, None], targets, others),
        starts=poses(rng, limits, count) if rng.random() < 0.6 else None,
        angles=np.remainder(angles + PI, 2 * PI) - PI if angled else None,
        known=is_known,
        tolerance=reach * 10.0 ** rng.uniform(-9.0, -4.0),
    )


# --- Verdicts.


@dataclass(frozen=True)
class Judged:
    """What is wrong about answers, by their own poses."""

    missed: NDArray[np.bool_]
    outside: NDArray[np.bool_]
    false: NDArray[np.bool_]


def judged(case: Case, answers: Answers) -> Judged:
    limits, q = case.limits(), answers.q
    outside = ~(np.isfinite(q) & (limits[:, 0] <= q) & (q <= limits[:, 1])).all(axis=1)
    tips, headings = case.forward(np.nan_to_num(q))
    error = np.linalg.norm(tips - case.targets, axis=1)
    slack = 1e-9 * case.reach
    false = np.abs(error - answers.error) > slack
    false |= (answers.status == REACHED) & (error > case.tolerance + slack)
    false |= np.isin(answers.status, (1, 2, 3)) & (error <= case.tolerance - slack)
    if case.angles is not None:
        off = np.abs(np.remainder(headings - case.angles + PI, 2 * PI) - PI)
        false |= np.abs(off - answers.angle_error) > EQUAL
        false |= (answers.status == REACHED) & (off > case.tolerance / case.reach + EQUAL)
    return Judged(case.known & (answers.status != REACHED), outside, false)


def differences(case: Case, old: Answers, new: Answers) -> list[tuple[int, str]]:
    """Targets of which the answers differ, and which of both is wrong."""
    found = []
    for k in np.flatnonzero((old.status != new.status) | (old.status != REACHED)):
        statuses = int(old.status[k]), int(new.status[k])
        gaps = [abs(old.error[k]) / case.reach, abs(new.error[k]) / case.reach]
        if statuses[0] == statuses[1] == TIP_ANGLE:
            gaps = [float(old.angle_error[k]), float(new.angle_error[k])]
        if statuses[0] == statuses[1] and abs(gaps[0] - gaps[1]) <= EQUAL:
            continue
        if REACHED in statuses:
            wrong = ('earlier', 'this')[statuses[0] == REACHED]
        elif TIP_ANGLE in statuses and statuses[0] != statuses[1]:
            wrong = ('earlier', 'this')[statuses[0] == TIP_ANGLE]
        elif abs(gaps[0] - gaps[1]) > EQUAL:
            wrong = ('earlier', 'this')[gaps[0] < gaps[1]] + ' is farther'
        else:
            wrong = 'status alone'
        found.append((int(k), f'{wrong}: {statuses} {gaps[0]:.3e} {gaps[1]:.3e}'))
    return found


def verdicts(old: Side, new: Side, subject: str, total: int, first: int, report: Path) -> None:
    """Compare the answers to so many targets of random arms."""
    counts: Counter[str] = Counter()
    seed, shown = first, 0
    with report.open('a') as log:
        while counts['targets'] < total:
            seed += 1
            case = random_case(subject, seed, 500 if subject == 'plane' else 100)
            answers = [side.ask('at_once', case) for side in (old, new)]
            some = slice(0, len(case.targets), 25)
            part = replace(
                case,
                targets=case.targets[some],
                starts=None if case.starts is None else case.starts[some],
                angles=None if case.angles is None else case.angles[some],
            )
            alone = new.ask('singly', part)
            counts['chains'] += 1
            counts['targets'] += len(case.targets)
            counts['known'] += int(case.known.sum())
            for name, answer in zip(('earlier', 'this'), answers, strict=True):
                wrong = judged(case, answer)
                for what in ('missed', 'outside', 'false'):
                    hits = np.flatnonzero(getattr(wrong, what))
                    counts[f'{what}, {name}'] += len(hits)
                    for k in hits[: 3 if name == 'this' else 1]:
                        log.write(f'{subject} seed {seed} target {k}: {what} by {name}\n')
                counts[f'proven, {name}'] += int(answer.proven.sum())
            for k, text in differences(case, *answers):
                counts[f'differs, {text.partition(":")[0]}'] += 1
                log.write(f'{subject} seed {seed} target {k}: wrong is {text}\n')
            unlike = alone.status != answers[1].status[some]
            unlike |= np.abs(alone.q - answers[1].q[some]).max(axis=1) > 1e-6
            counts['one by one differs'] += int(unlike.sum())
            for k in np.flatnonzero(unlike)[:3]:
                log.write(f'{subject} seed {seed} target {25 * k}: one by one differs\n')
            if counts['targets'] >= shown:
                shown += max(1000, total // 20)
                print(dict(counts), flush=True)
            log.flush()
    print(subject, dict(counts))


# --- Times.


@dataclass(frozen=True)
class Row:
    """What is timed: random arms of so many joints, and targets of a kind."""

    name: str
    most: float  # times the earlier one
    counts: tuple[int, ...] = (3, 4, 6, 8, 10)
    kinds: tuple[str, ...] = ('120 deg', 'asymmetric', 'narrow')
    alone: bool = True
    reachable: bool = True
    slides: float = 0.0
    subject: str = 'plane'


FREE = ('free',)
ROWS = (
    Row('solve, 2 joints', 0.85, (2,), ('free', '120 deg', 'asymmetric')),
    Row('solve, no limits', 0.85, kinds=FREE),
    Row('solve, limits, reachable', 0.4),
    Row('solve, limits, forbidden', 0.3, reachable=False),
    Row('solve, tip angle, reachable', 0.5, kinds=('free', '120 deg', 'narrow'), subject='angle'),
    Row('solve, tip angle, forbidden', 0.5, reachable=False, subject='angle'),
    Row('solve, slides, reachable', 0.25, (3, 4, 6, 8), slides=0.3),
    Row('solve, slides, forbidden', 0.25, (3, 4, 6, 8), slides=0.3, reachable=False),
    Row('solve, in space, reachable', 0.6, (2, 3, 4, 6), subject='space'),
    Row('solve, in space, forbidden', 0.1, (2, 3, 4, 6), subject='space', reachable=False),
    Row('batch, limits, reachable', 1.0, alone=False),
    Row('batch, limits, forbidden', 1.0, (2, 3, 4, 6, 8), alone=False, reachable=False),
    Row('batch, ten narrow, forbidden', 2.0, (10,), ('narrow',), alone=False, reachable=False),
    Row('batch, no limits', 2.5, kinds=FREE, alone=False),
    Row('batch, tip angle, reachable', 1.0, subject='angle', alone=False),
    Row('batch, slides, reachable', 1.0, (3, 4, 6, 8), slides=0.3, alone=False),
    Row('batch, in space, reachable', 1.0, (2, 3, 4, 6), subject='space', alone=False),
    Row(
        'batch, in space, forbidden',
        1.0,
        (2, 3, 4, 6),
        subject='space',
        alone=False,
        reachable=False,
    ),
)
CHAINS = 3


def timed_case(row: Row, count: int, kind: str, number: int, old: Side) -> Case | None:
    """A random arm and targets of a kind, by the earlier statuses; None where there are few."""
    rng = np.random.default_rng([number, count, len(kind), len(row.name)])
    joints = random_joints(rng, count, kind, row.slides, plain=True)
    if row.slides and all(joint['type'] == 'revolute' for joint in joints):
        joints[1] |= {'type': 'prismatic', 'lower': 0.0, 'upper': 0.5}
    carrier = None
    if row.subject == 'space':
        carrier = {'lower': -2.0, 'upper': 2.0, 'beside': float(rng.choice([0.0, 0.1]))}
    known = 1.0 if row.reachable else 0.0
    wanted_count = 100 if row.alone else 2000
    case = asked_of(rng, number, joints, carrier, 4 * wanted_count, row.subject == 'angle', known)
    starts = poses(rng, case.limits(), 4 * wanted_count)
    case = replace(case, tolerance=1e-6 * case.reach, starts=starts)
    statuses = old.ask('at_once', case).status
    wanted = statuses == REACHED
    if not row.reachable:
        wanted = statuses == (TIP_ANGLE if row.subject == 'angle' else JOINT_LIMIT)
    which = np.flatnonzero(wanted)[:wanted_count]
    if len(which) < 0.3 * wanted_count:
        return None
    angles = None if case.angles is None else case.angles[which]
    return replace(case, targets=case.targets[which], starts=case.starts[which], angles=angles)


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
        worst = max(ratios, default=math.nan)
        verdict = (
            'met'
            if worst <= row.most
            else f'met by {sum(r <= row.most for r in ratios)} of {len(ratios)}'
        )
        print(f'{row.name} (at most {row.most:g}): {verdict}; ' + '; '.join(text), flush=True)
    if not only:
        once(old, new)


def once(old: Side, new: Side) -> None:
    """Print what is not measured for a target."""
    imports = np.min(
        [[side.ask('import_seconds') for side in (old, new)] for _ in range(7)], axis=0
    )
    print(f'import, ms: {1e3 * imports[0]:.1f} {1e3 * imports[1]:.1f}')
    rng = np.random.default_rng(8)
    for kind in ('120 deg', 'narrow', 'asymmetric'):
        for count in (6, 8, 10):
            joints = random_joints(rng, count, kind, 0.0, plain=True)
            case = asked_of(rng, 0, joints, None, 1, angled=False)
            first = [1e3 * side.ask('first_seconds', case) for side in (old, new)]
            print(f'first answer, {count} joints, {kind}, ms: {first[0]:.1f} {first[1]:.1f}')
    joints = random_joints(rng, 2, 'free', 0.0, plain=True)
    case = replace(asked_of(rng, 0, joints, None, 1_000_000, angled=False, known=1.0), starts=None)
    case = replace(case, tolerance=1e-6)
    for name, side in (('earlier', old), ('this', new)):
        each = [
            (side.ask('seconds', case, False), side.ask('least_seconds', case)) for _ in range(5)
        ]
        spent, least = 1e9 * np.min(each, axis=0)
        print(f'a million targets, two joints, {name}: {spent:.1f} ns, {spent / least:.2f} times')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('task', choices=['verdicts', 'times', 'serve'])
    parser.add_argument('--against', default='HEAD', help='a commit, or a folder with the package')
    parser.add_argument('--this', default=str(ROOT), help='the folder with the package to judge')
    parser.add_argument('--subject', default='plane', choices=['plane', 'angle', 'space'])
    parser.add_argument('--targets', type=int, default=10_000)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--only', default='', help='the rows with this in their name')
    parser.add_argument('--log', type=Path, default=Path('differences.txt'))
    given = parser.parse_args()
    if given.task == 'serve':
        serve()
        return
    with installed(given.against) as folder:
        old, new = Side(folder), Side(Path(given.this))
        if given.task == 'verdicts':
            verdicts(old, new, given.subject, given.targets, given.seed, given.log)
        else:
            timed(old, new, given.only)


if __name__ == '__main__':
    main()

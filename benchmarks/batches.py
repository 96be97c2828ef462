"""Many targets in one call: time per target, memory, and success."""

from __future__ import annotations

import gc
import json
import math
import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from single import EXACT
from tables import Bar, Report, Table, number, share
from workload import Problems, equal_links, errors, inside, within_limits

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from ik2d_ros.kinematics import Chain, solve_batch

MEBI = 2**20
CACHED = 32768  # Elements; arrays of them stay in the cache.
TIMES_TWO_CALLS = 3.0
EXTRA_MEMORY = 64.0  # MiB
MICROSECONDS = 8.0


@dataclass(frozen=True)
class Spent:
    """Wall and processor time in s of one call, the medians over the repetitions."""

    wall: float
    processor: float


def interleaved(calls: dict[str, Callable[[], object]], repeats: int) -> dict[str, Spent]:
    """Call each in turn, so many times."""
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            gc.collect()
            wall, processor = time.perf_counter(), time.process_time()
            call()
            spent[name].append((time.perf_counter() - wall, time.process_time() - processor))
    return {name: Spent(*np.median(times, axis=0).tolist()) for name, times in spent.items()}


def two_bone(report: Report, quick: bool) -> None:
    """Measure a million targets for two links beside the two calls that no method can avoid."""
    count = 50_000 if quick else 1_000_000
    chain = Chain.from_lengths((0.6, 0.4))
    problems = inside((0.6, 0.4), count, seed=8)
    targets = problems.targets
    x, y = np.ascontiguousarray(targets.T)
    cosine = np.clip((x * x + y * y - 0.52) / 0.48, -1.0, 1.0)
    first, second = np.empty_like(x), np.empty_like(x)

    def in_cache() -> None:
        for begin in range(0, count, CACHED):
            part = slice(begin, begin + CACHED)
            np.arctan2(y[part], x[part], out=first[part])
            np.arccos(cosine[part], out=second[part])

    ours = '`solve_batch`'
    whole, cached = 'arctan2 + arccos, whole arrays', 'arctan2 + arccos, in cache, in place'
    calls: dict[str, Callable[[], object]] = {
        ours: lambda: solve_batch(chain, targets),
        cached: in_cache,
        whole: lambda: (np.arctan2(y, x), np.arccos(cosine)),
    }
    spent = interleaved(calls, 3 if quick else 15)
    answer = solve_batch(chain, targets)
    reached = int((errors(problems, answer.q) <= EXACT).sum())
    table = Table(
        f'Two links, {count:,} targets in one call',
        'Lengths 0.6 and 0.4 m, default keywords. Beside it one `np.arctan2` and one `np.arccos` '
        'for each target, in one thread, with what they need already computed: once on whole '
        'arrays, once in pieces that stay in the cache and without allocating, which is the '
        'least that any method can take. `solve_batch` uses two threads where it has two cores: '
        'the processor time is that of both.',
        ('what', 'ns a target', 'ratio', 'ns of processor', 'ratio', 'reached at 1e-9'),
    )
    for name, took in spent.items():
        table.rows.append(
            (
                name,
                number(1e9 * took.wall / count),
                number(took.wall / spent[cached].wall),
                number(1e9 * took.processor / count),
                number(took.processor / spent[cached].processor),
                share(reached, count) if name == ours else '',
            )
        )
    report.tables.append(table)
    if reached < count:
        report.failures.append(f'two links in one call: {count - reached} of {count} missed')
    ratio = spent[ours].wall / spent[cached].wall
    report.bars.append(
        Bar(
            f'two-bone batch at most {TIMES_TWO_CALLS:g} times one arctan2 and one arccos each',
            f'{number(ratio)} times',
            ratio <= TIMES_TWO_CALLS,
        )
    )


def memory(report: Report, quick: bool) -> None:
    """Peak memory of a call, in processes of their own."""
    table = Table(
        'Memory of one call',
        'In a fresh process: peak of all NumPy and Python memory (tracemalloc) above what was '
        'there before the call, and growth of the resident set, less the outputs in both. The '
        'inputs are there before.',
        ('call', 'outputs, MiB', 'extra, MiB', 'resident extra, MiB'),
    )
    cases = {'two links, `auto`': (2, 1_000_000), 'six links, `auto`': (6, 100_000)}
    for name, (links, count) in cases.items():
        amount = count // 20 if quick else count
        command = [sys.executable, str(Path(__file__).resolve()), str(links), str(amount)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        seen = json.loads(done.stdout)
        table.rows.append(
            (
                f'{name}, {amount:,} targets',
                *(number(seen[key] / MEBI) for key in ('outputs', 'extra', 'resident')),
            )
        )
        extra = max(seen['extra'], seen['resident']) / MEBI
        report.bars.append(
            Bar(
                f'{name}, {amount:,} targets: at most {EXTRA_MEMORY:g} MiB beside the outputs',
                f'{number(extra)} MiB',
                extra <= EXTRA_MEMORY,
            )
        )
    report.tables.append(table)


def _measure_memory(links: int, count: int) -> dict[str, int]:
    chain = Chain.from_lengths(equal_links(links))
    targets = inside(equal_links(links), count, seed=9).targets
    solve_batch(chain, targets[:100])  # What is made only once is no part of a call.

    def peak_resident() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    before = peak_resident()
    answer = solve_batch(chain, targets)
    outputs = answer.q.nbytes + answer.error.nbytes + answer.status.nbytes
    resident = peak_resident() - before - outputs
    del answer
    tracemalloc.start()
    solve_batch(chain, targets)
    extra = tracemalloc.get_traced_memory()[1] - outputs
    return {'outputs': outputs, 'extra': extra, 'resident': max(0, resident)}


def descents(report: Report, quick: bool) -> None:
    """Six links, many targets, from one start and from one each, with limits and without."""
    count = 2_000 if quick else 100_000
    lengths = equal_links(6)
    cases: dict[str, Problems] = {'no limits': inside(lengths, count, seed=10)}
    for kind in ('symmetric', 'one-sided elbow'):
        cases[f'limits {kind}'] = within_limits(lengths, count, kind, seed=11)
    calls: dict[str, Callable[[], object]] = {}
    answers: dict[str, NDArray[np.float64]] = {}
    given: dict[str, Problems] = {}
    for name, problems in cases.items():
        limits = None
        if problems.limits is not None:
            limits = [None if math.isinf(low) else (low, high) for low, high in problems.limits]
        chain = Chain.from_lengths(lengths, limits)
        for start in ('default start', 'random starts'):
            starts = problems.starts if start == 'random starts' else None
            for solver in ('hybrid', 'ccd'):
                label = f'`{solver}`, {name}, {start}'
                given[label] = problems

                def call(
                    chain: Chain = chain,
                    problems: Problems = problems,
                    solver: str = solver,
                    starts: NDArray[np.float64] | None = starts,
                    label: str = label,
                ) -> None:
                    answers[label] = solve_batch(
                        chain, problems.targets, solver, starts, tolerance=EXACT
                    ).q

                calls[label] = call
    spent = interleaved(calls, 1 if quick else 3)
    table = Table(
        f'Six links, {count:,} targets in one call',
        'To 1e-9 reaches. Targets over the whole disc, with limits the tips of random poses '
        'within them.',
        ('what', 'microseconds a target', 'of processor', 'reached'),
    )
    for name, took in spent.items():
        reached = int((errors(given[name], answers[name]) <= EXACT * (1.0 + 1e-6)).sum())
        if reached < count:
            report.failures.append(f'six links in one call, {name}: {count - reached} missed')
        each = 1e6 * took.wall / count
        table.rows.append(
            (name, number(each), number(1e6 * took.processor / count), share(reached, count))
        )
        report.bars.append(
            Bar(
                f'six links in one call, {name}: at most {MICROSECONDS:g} microseconds a target',
                f'{number(each)} microseconds',
                each <= MICROSECONDS,
            )
        )
    report.tables.append(table)


if __name__ == '__main__':
    print(json.dumps(_measure_memory(int(sys.argv[1]), int(sys.argv[2]))))

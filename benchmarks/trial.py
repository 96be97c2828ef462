"""The claims about success on trial, with as many targets as one likes: ``make trial``.

Arms have equal links or links of random lengths and directions, offsets, and axes of both signs.
Ends with status 1 where a claim does not hold, and prints what it takes to see that again.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import Pool

import numpy as np
from findings import CLOSEST, EXACT, RUNS, SHOWN, FloatArray, Found
from numpy.typing import NDArray
from random_arms import LIMITS, Limits, forward, random_arm, random_poses, slopes, within
from tables import Table
from trial_in_space import rows_in_space
from workload import STARTS, annulus_radii, equal_links, polar

from ik2d_ros.kinematics import Chain, Status, solve, solve_batch

ARMS = 10  # In each row.
SOLVERS = ('ccd', 'hybrid')
LINKS = (2, 3, 4, 6, 10, 20, 50)
MANY_LINKS = 50  # From here on a tenth of the targets will do.
LIMITED_LINKS = range(2, 11)


def _arm(limits: Limits, equal: bool, rng: np.random.Generator) -> Chain:
    if equal:
        return Chain.from_lengths(equal_links(len(limits)), limits)
    return random_arm(limits, rng)


def _annulus(chain: Chain, count: int, rng: np.random.Generator) -> FloatArray:
    """Return targets uniform over the annulus, a tenth of them on either edge."""
    inner, outer = chain.reach
    radii = annulus_radii(inner, outer, count, rng)
    radii[::10], radii[1::10] = inner, outer
    return polar(radii, rng.uniform(-math.pi, math.pi, count))


def _starts(chain: Chain, targets: FloatArray, kind: str, rng: np.random.Generator) -> FloatArray:
    if kind == 'random':
        return rng.uniform(-math.pi, math.pi, (len(targets), len(chain)))
    bends = np.zeros((len(targets), len(chain)))
    if kind == 'collinear':
        bends[:, 0] = np.arctan2(targets[:, 1], targets[:, 0])
        bends[:, 1:] = rng.choice([0.0, math.pi], (len(targets), len(chain) - 1))
    return (bends - chain.shifts) * chain.signs


Judge = Callable[[FloatArray, NDArray[np.int8]], tuple[FloatArray, NDArray[np.bool_]]]


def _both_ways(
    chain: Chain,
    targets: FloatArray,
    starts: FloatArray,
    tolerance: float,
    judge: Judge,
    solver: str,
) -> Found:
    """Solve one by one and at once, and judge positions and codes of either way."""
    options = {'solver': solver, 'tolerance': tolerance}
    answers = [
        solve(chain, target, start=start, **options)
        for target, start in zip(targets, starts, strict=True)
    ]
    batch = solve_batch(chain, targets, start=starts, **options)
    singly, wrong = judge(
        np.array([answer.q for answer in answers]), np.array([answer.status for answer in answers])
    )
    at_once, wrong_at_once = judge(batch.q, batch.status)
    failures = [
        f'{solver}, {chain!r}, target {targets[k].tolist()}, start {starts[k].tolist()}'
        for k in np.flatnonzero(wrong | wrong_at_once)[:SHOWN]
    ]
    worst = float(max(singly.max(), at_once.max()))
    return Found(len(targets), int(wrong.sum()), int(wrong_at_once.sum()), worst, failures)


def judged(chain: Chain, targets: FloatArray, starts: FloatArray, solver: str) -> Found:
    """Judge solves of which every target can be reached."""
    size = chain.reach.outer

    def judge(q: FloatArray, statuses: NDArray[np.int8]) -> tuple[FloatArray, NDArray[np.bool_]]:
        away = np.hypot(*(forward(chain, q) - targets).T) / size
        inside = ((q >= chain.lower) & (q <= chain.upper)).all(axis=1)
        return away, ~(inside & (away <= EXACT * (1.0 + 1e-6)) & (statuses == Status.REACHED))

    return _both_ways(chain, targets, starts, EXACT * size, judge, solver)


def free(solver: str, links: int, equal: bool, start: str, count: int, seed: int) -> Found:
    """Try targets in the annulus, without limits."""
    rng = np.random.default_rng([seed, links, equal, STARTS.index(start)])
    chain = _arm([None] * links, equal, rng)
    targets = _annulus(chain, count, rng)
    return judged(chain, targets, _starts(chain, targets, start, rng), solver)


def limited(solver: str, links: int, kind: int, count: int, seed: int) -> Found:
    """Try tips of poses within the limits; starts anywhere, some of them outside."""
    rng = np.random.default_rng([seed, links, kind, 5])
    chain = _arm(LIMITS[kind](links, rng), bool(seed % 2), rng)
    starts = rng.uniform(-math.pi, math.pi, (count, links))
    return judged(chain, forward(chain, random_poses(chain, count, rng)), starts, solver)


def outside(solver: str, links: int, count: int, seed: int) -> Found:
    """Try targets outside the annulus: the distance must be exact, and the status right."""
    rng = np.random.default_rng([seed, links, 6])
    chain = random_arm([None] * links, rng)
    inner, outer = chain.reach
    radii = outer * (1.0 + 10.0 ** rng.uniform(-8.0, 3.0, count))
    if inner > 0.0:
        radii[::2] = inner * (1.0 - 10.0 ** rng.uniform(-8.0, 0.0, len(radii[::2])))
    targets = polar(radii, rng.uniform(-math.pi, math.pi, count))
    starts = rng.uniform(-math.pi, math.pi, (count, links))
    exact = np.maximum(radii - outer, inner - radii)
    code = np.where(radii > outer, Status.TOO_FAR, Status.TOO_NEAR)

    def judge(q: FloatArray, statuses: NDArray[np.int8]) -> tuple[FloatArray, NDArray[np.bool_]]:
        excess = (np.hypot(*(forward(chain, q) - targets).T) - exact) / outer
        # Rounding of a distance a thousand reaches away is no shortcoming.
        wrong = np.abs(excess) > EXACT * np.maximum(1.0, 1e-3 * radii / outer)
        return excess, wrong | (statuses != code)

    return _both_ways(chain, targets, starts, 1e-12 * outer, judge, solver)


def forbidden(solver: str, links: int, kind: int, count: int, seed: int) -> Found:
    """Try targets that limits forbid: no optimiser comes closer, the status is JOINT_LIMIT."""
    rng = np.random.default_rng([seed, links, kind, 7])
    found = Found(0, 0, 0, 0.0, [])
    for _ in range(20 * count):
        if found.targets >= count:
            break
        chain = random_arm(LIMITS[kind](links, rng), rng)
        targets = _annulus(chain, 20, rng)
        batch = solve_batch(chain, targets, solver)
        for k in np.flatnonzero(batch.status != Status.REACHED)[:1]:
            found = _forbidden(solver, chain, targets[k], float(batch.error[k]), found, rng)
    return found


def _forbidden(
    solver: str,
    chain: Chain,
    target: FloatArray,
    at_once: float,
    before: Found,
    rng: np.random.Generator,
) -> Found:
    from scipy.optimize import least_squares  # here, for the rest does without SciPy

    size = chain.reach.outer
    starts = rng.uniform(*within(chain), (RUNS, len(chain)))
    best = min(
        least_squares(
            lambda q: (forward(chain, q[None])[0] - target) / size,
            start,
            lambda q: slopes(chain, q) / size,
            bounds=(chain.lower, chain.upper),
            xtol=1e-14,
            ftol=1e-14,
            gtol=1e-14,
        ).cost
        for start in starts
    )
    best = math.sqrt(2.0 * best)
    answer = solve(chain, target, solver)
    over = answer.error / size - best
    # What an optimiser leaves of a target on the edge of what can be reached is no proof.
    wrong = over > CLOSEST or (best > CLOSEST and answer.status is not Status.JOINT_LIMIT)
    wrong_at_once = at_once / size - best > CLOSEST
    failures = [
        f'{solver}, {chain!r}, target {target.tolist()}: {answer.status.name}, {over:.1e} more'
    ]
    return Found(
        before.targets + 1,
        before.missed + wrong,
        before.missed_at_once + wrong_at_once,
        max(before.worst, over),
        (before.failures + failures * (wrong or wrong_at_once))[:SHOWN],
    )


def _rows_of(solver: str, count: int) -> Iterator[tuple[str, list[Callable[[], Found]]]]:
    """Name and parts of each row of a solver."""
    each = max(1, count // ARMS)
    for links in LINKS:
        some = max(1, each // 10) if links >= MANY_LINKS else each
        for start in STARTS:
            yield (
                f'{solver}, {links} links, no limits, start {start}',
                [partial(free, solver, links, bool(s % 2), start, some, s) for s in range(ARMS)],
            )
        yield (
            f'{solver}, {links} links, outside the annulus',
            [partial(outside, solver, links, max(1, some // 10), s) for s in range(ARMS)],
        )
    for links in LIMITED_LINKS:
        for kind, limits in enumerate(LIMITS):
            name = limits.__name__.replace('_', '-')
            yield (
                f'{solver}, {links} links, {name} limits',
                [partial(limited, solver, links, kind, each, s) for s in range(ARMS)],
            )
    for links in LIMITED_LINKS:
        for kind, limits in enumerate(LIMITS[:-1]):
            name = limits.__name__.replace('_', '-')
            yield (
                f'{solver}, {links} links, forbidden by {name} limits',
                [
                    partial(forbidden, solver, links, kind, max(1, each // 5000), s)
                    for s in range(ARMS)
                ],
            )


def rows(count: int) -> Iterator[tuple[str, list[Callable[[], Found]]]]:
    """Name and parts of each row."""
    for solver in SOLVERS:
        yield from _rows_of(solver, count)
    yield from rows_in_space(count)


def _call(part: Callable[[], Found]) -> Found:
    return part()


def main() -> int:
    """Run everything; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        '--count', type=int, default=10_000, metavar='N', help='targets in a row (%(default)s)'
    )
    parser.add_argument('--only', default='', metavar='TEXT', help='rows with this in their names')
    options = parser.parse_args()
    if options.count < 1:
        parser.error(f'--count is {options.count}; it must be 1 or more')
    began = time.monotonic()
    table = Table(
        'Success on trial',
        'Targets that `solve` and `solve_batch` miss, of those that they must reach to 1e-9 of the '
        'reach; outside the annulus, whose distance or code is wrong; forbidden by limits, where '
        'an optimiser comes closer by more than 1e-6 of the reach, or the code is wrong; along '
        'circles, where the arm jumps.',
        ('row', 'targets', 'missed', 'missed at once', 'worst, reaches'),
    )
    failures: list[str] = []
    with Pool(len(os.sched_getaffinity(0))) as pool:
        for name, parts in rows(options.count):
            if options.only not in name:
                continue
            found = pool.map(_call, parts, chunksize=1)
            missed = sum(part.missed for part in found)
            at_once = sum(part.missed_at_once for part in found)
            row = (
                name,
                f'{sum(part.targets for part in found):,}',
                f'{missed:,}',
                f'{at_once:,}',
                f'{max(part.worst for part in found):.1e}',
            )
            table.rows.append(row)
            print(' | '.join(row), flush=True)
            failures += [failure for part in found for failure in part.failures]
    if not table.rows:
        parser.error(f'no row has {options.only!r} in its name')
    print(f'\n{table.markdown()}')
    for failure in failures[:SHOWN]:
        print(f'FAILED: {failure}')
    print(f'Took {time.monotonic() - began:.0f} s.')
    empty = [row[0] for row in table.rows if row[1] == '0']
    if empty:
        print(f'FAILED: no targets found in {", ".join(empty)}')
    missed_any = empty or any(row[2:4] != ('0', '0') for row in table.rows)
    return 1 if missed_any else 0


if __name__ == '__main__':
    sys.exit(main())

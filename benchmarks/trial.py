"""Whether the solvers reach every target that can be reached: ``make trial``.

Arms have random link vectors, offsets, and axes of both signs. A row counts the targets that
`solve` and `solve_batch` miss, of those that they must reach to 1e-9 of the reach; outside the
annulus, those whose distance or code is wrong; forbidden by limits, those where an optimiser comes
closer by more than 1e-6 of the reach, or the code is wrong. Ends with status 1 if there are any,
and prints the arms, targets and starts of the first failures.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'test'))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'test' / 'kinematics'))

import arms
from judge import closest
from space import TURNTABLES, closest_of_an_optimiser, random_arm, tip

from ik2d_ros.kinematics import Arm, Chain, Status, solve, solve_batch
from ik2d_ros.parameters.file import read_sections
from ik2d_ros.robot.from_urdf import load_arm

FloatArray = NDArray[np.float64]

EXACT = 1e-9  # Reaches, or rad; closer counts as reached.
CLOSEST = 1e-6  # Reaches; an optimiser may come closer by this.
SHOWN = 10  # Failures, at the most.
ARMS = 10  # In each row.
SOLVERS = ('ccd', 'hybrid')
LINKS = (2, 3, 4, 6, 10, 20, 50)
MANY_LINKS = 50  # From here on a tenth of the targets is enough.
LIMITED_LINKS = range(2, 11)
STARTS = ('random', 'straight', 'collinear')
SEVERAL = 30  # Arms with a turntable, and linkages.
MACHINES = Path(__file__).resolve().parents[1] / 'config' / 'machines'
COUNTS = ('targets', 'missed', 'missed_at_once')


@dataclass(frozen=True)
class Found:
    """The outcome of a part of a row: targets, misses alone and in a batch, and some failures."""

    targets: int
    missed: int
    missed_at_once: int
    worst: float
    failures: list[str]


Part = Callable[[], Found]
Judge = Callable[[FloatArray, NDArray[np.int8]], tuple[FloatArray, NDArray[np.bool_]]]


def random_chain(kind: str, links: int, rng: np.random.Generator) -> Chain:
    """Return a chain with limits of a kind, or a linkage; free joints have no limits."""
    if kind == 'linkage':
        return arms.random_linkage(rng, links)
    return arms.random_chain(links, rng, None if kind == 'free' else kind)


def both_ways(
    arm: Chain | Arm,
    targets: FloatArray,
    starts: FloatArray,
    judge: Judge,
    angles: FloatArray | None = None,
    **options: Any,
) -> Found:
    """Solve one by one and at once, and judge positions and codes of either way."""
    columns = {'start': starts} | ({} if angles is None else {'angle': angles})
    answers = [
        solve(arm, target, **{name: column[k] for name, column in columns.items()}, **options)
        for k, target in enumerate(targets)
    ]
    batch = solve_batch(arm, targets, **columns, **options)
    singly, wrong = judge(
        np.array([answer.q for answer in answers]), np.array([answer.status for answer in answers])
    )
    at_once, wrong_at_once = judge(batch.q, batch.status)
    failures = [
        f'{options}, {arm!r}, target {targets[k].tolist()}, '
        + ', '.join(f'{name} {column[k].tolist()}' for name, column in columns.items())
        for k in np.flatnonzero(wrong | wrong_at_once)[:SHOWN]
    ]
    worst = float(max(singly.max(), at_once.max()))
    return Found(len(targets), int(wrong.sum()), int(wrong_at_once.sum()), worst, failures)


def reached(
    arm: Chain | Arm,
    targets: FloatArray,
    starts: FloatArray,
    solver: str,
    angles: FloatArray | None = None,
) -> Found:
    """Judge solves of targets that can all be reached, at their tip angles if they have some."""
    size, chain = arm.size, getattr(arm, 'chain', arm)

    def judge(q: FloatArray, statuses: NDArray[np.int8]) -> tuple[FloatArray, NDArray[np.bool_]]:
        away = np.linalg.norm(tip(arm, q) - targets, axis=1) / size
        inside = ((q >= arm.lower) & (q <= arm.upper)).all(axis=1)
        own = q[:, -len(chain) :]
        if chain.has_bend_limits:
            inside &= [arms.bend_excess(chain, pose) <= EXACT for pose in own]
        if angles is not None:
            off = arms.headings(chain, own)[-1] - angles
            away = np.maximum(away, np.abs(np.remainder(off + np.pi, 2 * np.pi) - np.pi))
        return away, ~(inside & (away <= EXACT * (1.0 + 1e-6)) & (statuses == Status.REACHED))

    options = {'solver': solver, 'tolerance': EXACT * size, 'angle_tolerance': EXACT}
    return both_ways(arm, targets, starts, judge, angles, **options)


def at_radii(radii: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return (m, 2) targets in random directions, at distances from the base."""
    angles = rng.uniform(-np.pi, np.pi, len(radii))
    return radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def free(solver: str, links: int, start: str, count: int, seed: int) -> Found:
    """Try targets in the annulus, a tenth of them on either edge, without limits."""
    rng = np.random.default_rng([seed, links, STARTS.index(start)])
    chain = random_chain('free', links, rng)
    inner, outer = chain.reach
    radii = np.sqrt(rng.uniform(inner**2, outer**2, count))
    radii[::10], radii[1::10] = inner, outer
    targets = at_radii(radii, rng)
    bends = np.zeros((count, links))
    if start == 'collinear':
        bends = rng.choice([0.0, np.pi], (count, links))
        bends[:, 0] = np.arctan2(targets[:, 1], targets[:, 0])
    starts = (bends - chain.shifts) * chain.signs
    if start == 'random':
        starts = rng.uniform(-np.pi, np.pi, (count, links))
    return reached(chain, targets, starts, solver)


def limited(arm: Chain | Arm | tuple[str, int], solver: str, count: int, seed: int) -> Found:
    """Try tips of poses within the limits; half the parts from other such poses."""
    rng = np.random.default_rng([seed, 5])
    if isinstance(arm, tuple):
        arm = random_chain(*arm, rng)
    starts = np.tile(arm.middle, (count, 1))
    if seed % 2:
        starts = arms.random_poses(arm, count, rng)
    return reached(arm, tip(arm, arms.random_poses(arm, count, rng)), starts, solver)


def at_an_angle(kind: str, links: int, solver: str, count: int, seed: int) -> Found:
    """Try tips of poses within the limits, at the tip angles of the poses."""
    rng = np.random.default_rng([seed, links, 8])
    chain = random_chain(kind, links, rng)
    starts, q = arms.random_poses(chain, count, rng), arms.random_poses(chain, count, rng)
    return reached(chain, tip(chain, q), starts, solver, arms.headings(chain, q)[-1])


def outside(solver: str, links: int, count: int, seed: int) -> Found:
    """Try targets outside the annulus: the distance must be exact, and the status right."""
    rng = np.random.default_rng([seed, links, 6])
    chain = random_chain('free', links, rng)
    inner, outer = chain.reach
    radii = outer * (1.0 + 10.0 ** rng.uniform(-8.0, 3.0, count))
    if inner > 0.0:
        radii[::2] = inner * (1.0 - 10.0 ** rng.uniform(-8.0, 0.0, len(radii[::2])))
    targets = at_radii(radii, rng)
    exact = np.maximum(radii - outer, inner - radii)
    code = np.where(radii > outer, Status.TOO_FAR, Status.TOO_NEAR)

    def judge(q: FloatArray, statuses: NDArray[np.int8]) -> tuple[FloatArray, NDArray[np.bool_]]:
        excess = (np.linalg.norm(tip(chain, q) - targets, axis=1) - exact) / outer
        # Rounding of a distance a thousand reaches away is no shortcoming.
        wrong = np.abs(excess) > EXACT * np.maximum(1.0, 1e-3 * radii / outer)
        return excess, wrong | (statuses != code)

    starts = rng.uniform(-np.pi, np.pi, (count, links))
    return both_ways(chain, targets, starts, judge, solver=solver, tolerance=1e-12 * outer)


def forbidden(arm: Chain | Arm | tuple[str, int], solver: str, count: int, seed: int) -> Found:
    """Try targets that limits forbid: no optimiser comes closer, nor an enumeration of all poses.

    The latter judges linkages: it is exact, and the optimiser ignores limits of bends.
    """
    rng = np.random.default_rng([seed, 7])
    found = Found(0, 0, 0, 0.0, [])
    for _ in range(20 * count):
        each = random_chain(*arm, rng) if isinstance(arm, tuple) else arm
        middle = tip(each, arms.random_poses(each, 200, rng)).mean(axis=0)
        spread = rng.choice([0.1, 0.3, 0.6], (20, 1)) * rng.normal(size=(20, len(middle)))
        targets = middle + each.size * spread
        batch = solve_batch(each, targets, solver)
        for k in np.flatnonzero(batch.status == Status.JOINT_LIMIT)[:1]:
            answer = solve(each, targets[k], solver)
            if is_linkage := isinstance(each, Chain) and each.linked:
                best = closest(each, *targets[k])
            else:
                best = closest_of_an_optimiser(each, targets[k], rng, roll=answer.q[-1])
            over, at_once = ((error - best) / each.size for error in (answer.error, batch.error[k]))
            most = EXACT if is_linkage else CLOSEST
            wrong = over > most or answer.status is not Status.JOINT_LIMIT, at_once > most
            failure = f'{solver}, {each!r}, target {targets[k].tolist()}: {over:.1e} more'
            found = Found(
                found.targets + 1,
                found.missed + wrong[0],
                found.missed_at_once + wrong[1],
                max(found.worst, over, at_once),
                found.failures + [failure] * any(wrong),
            )
        if found.targets >= count:
            break
    return found


def arms_in_space() -> Iterator[tuple[str, Arm]]:
    """Random arms with a turntable, and the shipped machines."""
    rng = np.random.default_rng(11)
    for number, kind in zip(range(SEVERAL), itertools.cycle(arms.LIMITS)):
        turntable = rng.choice(TURNTABLES)
        yield f'random {number}', random_arm(int(rng.integers(2, 6)), kind, turntable, rng)
    for path in sorted(MACHINES.glob('*.yaml')):
        # The first leg of a robot: the others are mirrored.
        section = next(iter(read_sections(path)))
        arm = load_arm(path, section.replace('/**', 'ik2d')).kinematics
        if arm.turntable is not None or arm.lift is not None:
            yield path.stem, arm


def rows(count: int) -> Iterator[tuple[str, list[Part]]]:
    """Return name and parts of each row."""
    each = max(1, count // ARMS)
    few = max(1, each // 5000)  # Targets for which an optimiser takes seconds.

    def parts(function: Callable[..., Found], *given: object, arms: int = ARMS) -> list[Part]:
        return [partial(function, *given, seed) for seed in range(arms)]

    for solver in SOLVERS:
        for links in LINKS:
            some = max(1, each // 10) if links >= MANY_LINKS else each
            for start in STARTS:
                name = f'{solver}, {links} links, no limits, start {start}'
                yield name, parts(free, solver, links, start, some)
            name = f'{solver}, {links} links, outside the annulus'
            yield name, parts(outside, solver, links, max(1, some // 10))
        for links in LIMITED_LINKS:
            for kind in arms.LIMITS:
                name = f'{solver}, {links} links, {kind} limits'
                yield name, parts(limited, (kind, links), solver, each)
                if links > 2:
                    yield f'{name}, at a tip angle', parts(at_an_angle, kind, links, solver, each)
                if kind not in ('wide', 'mixed'):  # They forbid little.
                    name = f'{solver}, {links} links, forbidden by {kind} limits'
                    yield name, parts(forbidden, (kind, links), solver, few)
    linkages = 'linkage', 2
    yield 'linkages', parts(limited, linkages, 'auto', each, arms=SEVERAL)
    yield 'linkages, forbidden', parts(forbidden, linkages, 'auto', few, arms=SEVERAL)
    for name, arm in arms_in_space():
        yield f'in space, {name}', parts(limited, arm, 'auto', each)
        if not arm.chain.has_bend_limits:  # The enumeration has no turntables.
            yield f'in space, {name}, forbidden', parts(forbidden, arm, 'auto', few)


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
    print('| row | targets | missed | missed at once | worst, reaches |')
    print('| --- | ---: | ---: | ---: | ---: |')
    total, failures = Counter[str](), []
    with Pool(len(os.sched_getaffinity(0))) as pool:
        for name, parts in rows(options.count):
            if options.only not in name:
                continue
            found = [result.get() for result in [pool.apply_async(part) for part in parts]]
            counts = {what: sum(getattr(part, what) for part in found) for what in COUNTS}
            worst = max(part.worst for part in found)
            numbers = ' | '.join(f'{number:,}' for number in counts.values())
            print(f'| {name} | {numbers} | {worst:.1e} |', flush=True)
            total.update(counts)
            failures += [failure for part in found for failure in part.failures]
    if not total:
        parser.error(f'no row has {options.only!r} in its name')
    for failure in failures[:SHOWN]:
        print(f'FAILED: {failure}')
    print(f'{total["targets"]:,} targets took {time.monotonic() - began:.0f} s.')
    return int(total['missed'] + total['missed_at_once'] > 0)


if __name__ == '__main__':
    sys.exit(main())

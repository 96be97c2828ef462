"""How much longer a target in space takes than one for the same chain in its plane."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
from arms_in_space import poses, random_arm_in_space, tips
from findings import EXACT, FloatArray
from random_arms import forward, random_poses
from tables import Bar, Report, Table, number, share
from workload import annulus_radii, polar

from ik2d_ros.kinematics import Arm, Chain, Status, solve, solve_batch

MOST_TIMES = 2.5
LINKS = (2, 3, 4, 6)
ARMS = 6  # Of each kind.
MOST_TRIED = 20_000  # Targets, to find some that cannot be reached.


def ratios(report: Report, quick: bool) -> None:
    """Measure one solve and a batch beside the chain's, for what is reached and what is not."""
    arms, singly, at_once = (2, 40, 500) if quick else (ARMS, 200, 5000)
    table = Table(
        'In space: times the planar solve',
        'Arms with a turntable, their planes beside its axis; processor time of a solve in space '
        'over that of the same chain in its plane, random starts, the mean over '
        f'{arms} arms. Forbidden: in the annulus, but out of reach within the limits; without '
        'limits, outside the annulus. In brackets, microseconds for a target in space.',
        ('links', 'limits', 'targets', 'one solve', 'many at once', 'reached'),
    )
    for links in LINKS:
        for free in (False, True):
            for forbidden in (False, True):
                _row(table, report, links, free, forbidden, (arms, singly, at_once))
    report.tables.append(table)


def _row(
    table: Table,
    report: Report,
    links: int,
    free: bool,
    forbidden: bool,
    sizes: tuple[int, int, int],
) -> None:
    arms, singly, at_once = sizes
    if forbidden:
        at_once //= 10
    measured = []
    for k in range(4 * arms):
        arm = random_arm_in_space(k, links, free)
        rng = np.random.default_rng([k, links, 15])
        places, flat = _problems(arm, at_once, forbidden, rng)
        if min(len(places), len(flat)) >= singly:
            measured.append(_measured(arm, places, flat, singly, rng))
        if len(measured) == arms:
            break
    one, one_time, many, many_time, reached, tried = np.array(measured).T
    what = 'forbidden' if forbidden else 'reachable'
    times, times_at_once = float(one.mean()), float(many.mean())
    table.rows.append(
        (
            f'{links}',
            'none' if free else 'all joints',
            what,
            f'{number(times)} ({number(1e6 * float(one_time.mean()))})',
            f'{number(times_at_once)} ({number(1e6 * float(many_time.mean()))})',
            '' if forbidden else share(int(reached.sum()), int(tried.sum())),
        )
    )
    if not forbidden and reached.sum() < tried.sum():
        report.failures.append(f'in space, {links} links: a target that can be reached was not')
    limits = 'no limits' if free else 'limits on all joints'
    for way, value in (('one solve', times), ('a batch', times_at_once)):
        report.bars.append(
            Bar(
                f'in space, {links} links, {limits}, {what}: {way} at most {MOST_TIMES:g} times '
                'the planar one',
                f'{number(value)} times',
                value <= MOST_TIMES,
            )
        )


def _problems(
    arm: Arm, count: int, forbidden: bool, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return targets in space and in the plane, up to so many of each."""
    chain = arm.chain
    if not forbidden:
        return tips(arm, poses(arm, count, rng)), forward(chain, random_poses(chain, count, rng))
    places, flat = [], []
    for _ in range(0, MOST_TRIED, count):
        some = _around(chain, count, rng)
        turns = rng.uniform(-math.pi, math.pi, count)
        carried = np.array(
            [arm.carried_plane(turn).point(*place) for turn, place in zip(turns, some, strict=True)]
        )
        places.append(_missed(arm, carried))
        flat.append(_missed(chain, some))
        if min(sum(map(len, places)), sum(map(len, flat))) >= count:
            break
    return np.concatenate(places)[:count], np.concatenate(flat)[:count]


def _around(chain: Chain, count: int, rng: np.random.Generator) -> FloatArray:
    inner, outer = chain.reach
    if chain.limited:
        radii = annulus_radii(inner, outer, count, rng)
    else:
        radii = outer * rng.uniform(1.01, 2.0, count)
    return polar(radii, rng.uniform(-math.pi, math.pi, count))


def _missed(chain: Chain | Arm, targets: FloatArray) -> FloatArray:
    return targets[solve_batch(chain, targets).status != Status.REACHED]


def _measured(
    arm: Arm, places: FloatArray, flat: FloatArray, singly: int, rng: np.random.Generator
) -> tuple[float, float, float, float, int, int]:
    """Return ratio and time in s for one solve, the same at once, how many reached of how many."""
    starts = poses(arm, len(places), rng)
    options = {'tolerance': EXACT * arm.chain.reach.outer}
    space = plane = 0.0
    reached = 0
    for k in range(-1, singly):  # The first does not count: a stock of poses may have to be made.
        begun = time.thread_time()
        answer = solve(arm, places[k], start=starts[k], **options)
        between = time.thread_time()
        solve(arm.chain, flat[k], start=starts[k, 1:], **options)
        if k >= 0:
            space += between - begun
            plane += time.thread_time() - between
            reached += answer.status is Status.REACHED

    batches: dict[str, Callable[[], object]] = {
        'space': lambda: solve_batch(arm, places, **options),
        'plane': lambda: solve_batch(arm.chain, flat, **options),
    }
    spent = {name: [] for name in batches}
    for _ in range(5):
        for name, call in batches.items():
            begun = time.process_time()
            call()
            spent[name].append(time.process_time() - begun)
    at_once, at_once_flat = (
        float(np.median(spent[name])) / len(targets)
        for name, targets in (('space', places), ('plane', flat))
    )
    return space / plane, space / singly, at_once / at_once_flat, at_once, reached, singly

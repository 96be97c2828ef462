"""Targets at a tip angle: one solve beside others, and a batch beside one without angles."""

from __future__ import annotations

import math
import time

import numpy as np
from contest import Entry, Result, Team, race
from findings import FloatArray
from random_arms import LIMITS, Limits, forward, random_arm, random_poses
from single import CPP, EXACT, NAMES
from tables import Bar, Report, Table, number, share
from workload import at_angles, equal_links, inside

from ik2d_ros.kinematics import Chain, Status, solve_batch

LINKS = (3, 6, 10)
TIMES_TWO_BONE = 1.6
TIMES_WITHOUT = 2.0
LINKS_WITHOUT = 6
TIMES_A_BATCH = 2.5
BATCH_LINKS = (3, 4, 6, 8, 10)
MOST_TRIED = 20  # Times as many targets as wanted, to find some whose angle cannot be had.


def against_others(team: Team, report: Report, quick: bool) -> None:
    """Measure one solve at a tip angle beside the C++ of others with the same three constraints."""
    count = 100 if quick else 2000
    two = Entry(
        'two_bone', 'ours', inside((0.5, 0.5), count, seed=16), EXACT, {'solver': 'two_bone'}
    )
    table = Table(
        'One solve at a tip angle',
        'Equal links, no limits, random starts, point and angle of random poses; asked for to 1e-9 '
        'reaches and 1e-9 rad, and reached where they come to 1e-9 reaches and 1e-6 rad. The ratio '
        'is to this package at the angle.',
        ('links, solver', 'microseconds', 'ratio', 'reached', 'solves'),
    )
    for links in LINKS:
        problems = at_angles(equal_links(links), count, seed=17)
        free = inside(equal_links(links), count, seed=16)
        entries = [
            Entry('ours, at the angle', 'ours', problems, EXACT),
            Entry('ours, at any angle', 'ours', free, EXACT),
            *(Entry(NAMES[peer], peer, problems, EXACT) for peer in CPP if team.wanted(peer)),
            *([two] if links == 3 else []),
        ]
        results = race(team, entries, repeats=2 if quick else 5)
        table.rows += [_row(links, result, results[0].seconds) for result in results]
        _judge(report, links, results)
    report.tables.append(table)


def _row(links: int, result: Result, unit: float) -> tuple[str, ...]:
    label = f'{links}, {result.entry.label}'
    if result.entry.label == 'two_bone':
        label = '2, ours, `two_bone`, at any angle'
    if result.failure is not None:
        return label, f'not here: {result.failure}', '', '', ''
    count = len(result.entry.problems)
    return (
        label,
        number(1e6 * result.seconds),
        number(result.seconds / unit),
        share(result.reached(EXACT), count),
        str(count),
    )


def _judge(report: Report, links: int, results: list[Result]) -> None:
    mine, free, *others = results
    for result in (mine, free):
        if result.reached(EXACT) < len(result.errors):
            report.failures.append(f'tip angle, {links} links, {result.entry.label}: not all')
    demands = [(TIMES_WITHOUT, 'those at any angle', free)] if links == LINKS_WITHOUT else []
    demands += [
        (TIMES_TWO_BONE, 'a `two_bone` solve', other)
        if other.entry.label == 'two_bone'
        else (1.0, f'the time of {other.entry.label}', other)
        for other in others
        if other.failure is None
    ]
    for most, what, other in demands:
        ratio = mine.seconds / other.seconds
        demand = f'{links} links at a tip angle: one solve at most {most:g} times {what}'
        report.bars.append(Bar(demand, f'{number(ratio)} times', ratio <= most))


def batches(report: Report, quick: bool) -> None:
    """Measure batches with angles, those that can be had and those that cannot, beside without."""
    count = 60 if quick else 1000
    table = Table(
        'At a tip angle: times the batch without',
        'Processor time of `solve_batch` with angles over that of the same without, random starts; '
        'one random arm for each kind of limits that the trial has, or three without limits. '
        'In brackets, microseconds for a target at an angle.',
        ('links', 'limits', 'angles of poses', 'that cannot be had'),
    )
    for links in (3, 4) if quick else BATCH_LINKS:
        for name, kinds in _kinds(links).items():
            cells = []
            for forbidden in (False, True):
                ratio, seconds, missed = _ratio(links, kinds, count, forbidden)
                if math.isnan(ratio):
                    cells.append('')
                    continue
                cells.append(f'{number(ratio)} ({number(1e6 * seconds)})')
                what = 'angles that cannot be had' if forbidden else 'angles of poses'
                demand = f'{links} links, {name}, {what}: a batch at most {TIMES_A_BATCH:g} times'
                report.bars.append(
                    Bar(
                        f'{demand} that without angles',
                        f'{number(ratio)} times',
                        ratio <= TIMES_A_BATCH,
                    )
                )
                if missed:
                    report.failures.append(
                        f'tip angle, {links} links, {name}: {missed} not reached'
                    )
            table.rows.append((f'{links}', name, *cells))
    report.tables.append(table)


def _kinds(links: int) -> dict[str, list[Limits]]:
    rng = np.random.default_rng([links, 18])
    return {
        'no limits': [[None] * links] * 3,
        'limits of every kind': [kind(links, rng) for kind in LIMITS],
    }


def _ratio(
    links: int, kinds: list[Limits], count: int, forbidden: bool
) -> tuple[float, float, int]:
    """Return the times of the batch without, s for each target, and how many were missed."""
    spent, solved, missed = np.zeros(2), 0, 0
    for k, limits in enumerate(kinds):
        rng = np.random.default_rng([k, links, 19])
        chain = random_arm(limits, rng)
        points, angles = _asked(chain, count, forbidden, rng)
        if len(points) < count:
            continue
        starts = random_poses(chain, count, rng)
        options = {'start': starts, 'tolerance': EXACT * chain.reach.outer}
        times = []
        for _ in range(4):  # The first does not count: tables may have to be made.
            for asked in ({'angle': angles, 'angle_tolerance': EXACT}, {}):
                begun = time.process_time()
                solve_batch(chain, points, **asked, **options)
                times.append(time.process_time() - begun)
        spent += np.median(np.array(times[2:]).reshape(-1, 2), axis=0)
        solved += count
        if not forbidden:
            answer = solve_batch(chain, points, angle=angles, angle_tolerance=EXACT, **options)
            missed += int((answer.status != Status.REACHED).sum())
    if not solved:
        return math.nan, math.nan, 0
    return float(spent[0] / spent[1]), float(spent[0]) / solved, missed


def _asked(
    chain: Chain, count: int, forbidden: bool, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return points (k, 2) and angles (k,) in rad, k up to ``count``: had by poses, or by none."""
    if not forbidden:
        q = random_poses(chain, count, rng)
        turns = [joint.axis for joint in chain.joints]
        return forward(chain, q), q @ turns + sum(joint.offset for joint in chain.joints)
    points, angles = np.empty((0, 2)), np.empty(0)
    for _ in range(MOST_TRIED):
        some = forward(chain, random_poses(chain, count, rng))
        asked = rng.uniform(-math.pi, math.pi, count)
        missed = solve_batch(chain, some, angle=asked).status == Status.TIP_ANGLE
        points = np.concatenate([points, some[missed]])
        angles = np.concatenate([angles, asked[missed]])
        if len(points) >= count:
            break
    return points[:count], angles[:count]

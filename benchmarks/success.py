"""How many targets that can be reached are reached, and how smoothly paths are followed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from contest import Entry, Result, Team, race
from single import ARTICLE, COARSE, EXACT
from tables import Report, Table, number, share
from workload import (
    LIMITS,
    PATHS,
    STARTS,
    Limits,
    Problems,
    equal_links,
    least_moves,
    path,
    random_links,
    reachable,
    within_limits,
)

OURS = {'ours, `hybrid`': 'hybrid', 'ours, `ccd`': 'ccd'}

# Columns: who, to which distance, and how many of the problems at most in each cell.
Column = tuple[str, str, float, int]
FREE: tuple[Column, ...] = (
    *((head, 'ours', EXACT, 10**9) for head in OURS),
    ("article's CCD", 'article', ARTICLE, 150),
    ('roboticstoolbox', 'roboticstoolbox', EXACT, 300),
    ('KDL', 'kdl', EXACT, 300),
    ('ikpy', 'ikpy', COARSE, 20),
    ('tinyik', 'tinyik', COARSE, 10),
)
# KDL's solver takes no limits; tinyik has none.
LIMITED = (*FREE[:4], FREE[5])
SLOW_LINKS = {'ikpy': 6, 'tinyik': 3, 'roboticstoolbox': 20, 'kdl': 20}  # Not with more.


def without_limits(team: Team, report: Report, quick: bool) -> None:
    """Reached shares by number of links and kind of start."""
    table = _table(
        'Success without limits',
        'Targets over the whole annulus, a tenth of them on its edges; arms of equal and of random '
        'links.',
        'links, start',
        _wanted(team, FREE),
    )
    count = 40 if quick else 2000
    for links in (2, 3, 6, 20) if quick else (2, 3, 4, 6, 10, 20, 50):
        for start in STARTS:
            arms = (equal_links(links), random_links(links, seed=3))
            problems = [reachable(lengths, count, start, seed=4) for lengths in arms]
            _row(team, report, table, f'{links}, {start}', problems, _wanted(team, FREE))
    report.tables.append(table)


def with_limits(team: Team, report: Report, quick: bool) -> None:
    """Reached shares by number of links and kind of limits."""
    table = _table(
        'Success with limits',
        'Targets are the tips of random poses within the limits, starts are random poses too. An '
        'answer outside its limits counts as not reached.',
        'links, limits',
        _wanted(team, LIMITED),
    )
    count = 30 if quick else 1000
    for links in (2, 3, 6) if quick else (2, 3, 4, 6, 10):
        for kind in LIMITS:
            arms = (equal_links(links), random_links(links, seed=5))
            problems = [within_limits(lengths, count, kind, seed=6) for lengths in arms]
            _row(team, report, table, f'{links}, {kind}', problems, _wanted(team, LIMITED))
    report.tables.append(table)


def _wanted(team: Team, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    return tuple(column for column in columns if team.wanted(column[1]))


def _table(title: str, about: str, first: str, columns: tuple[Column, ...]) -> Table:
    heads = [f'{name} ({tolerance:.0e})' for name, _, tolerance, _ in columns]
    about += ' Distances that count as reached, in reaches, are at the head of the columns.'
    return Table(title, about, (first, *heads, *(f'{solver}, microseconds' for solver in OURS)))


def _row(
    team: Team,
    report: Report,
    table: Table,
    name: str,
    problems: list[Problems],
    columns: tuple[Column, ...],
) -> None:
    cells, times = [], dict.fromkeys(OURS, np.nan)
    for head, contender, tolerance, most in columns:
        if not team.has(contender):
            cells.append('not here')
            continue
        if len(problems[0].lengths) > SLOW_LINKS.get(contender, 1000):
            cells.append('not asked')
            continue
        options = {'solver': OURS[head]} if contender == 'ours' else {}
        entries = [
            Entry(head, contender, given.first(most), tolerance, options) for given in problems
        ]
        results = race(team, entries)
        broken = next((result.failure for result in results if result.failure), None)
        if broken:
            cells.append(broken[:40])
            continue
        part = sum(result.reached(tolerance) for result in results)
        whole = sum(len(result.errors) for result in results)
        cells.append(share(part, whole))
        if contender == 'ours':
            times[head] = float(np.mean([result.seconds for result in results]))
            if part < whole:
                report.failures.append(
                    f'{table.title}, {name}, {head}: {whole - part} of {whole} missed'
                )
    table.rows.append((name, *cells, *(number(1e6 * spent) for spent in times.values())))


WIDE: Limits = ((-2.6, 2.6),)


def paths(team: Team, report: Report, quick: bool) -> None:
    """Measure laps of closed smooth paths, each solve from the last answer."""
    table = Table(
        'Along paths',
        'One lap in 1000 steps by `hybrid`, to 1e-9 reaches. The largest joint move of a step in '
        'rad, beside that of the minimum-norm step (the pseudo-inverse of the Jacobian) at the '
        'same pose; and the number of steps that move a joint more than twice as far plus 0.01 '
        'rad. Two links on a line through the base may have to jump where the elbow is folded. '
        'With limits: 2.6 rad to either side at each joint.',
        (
            'path, links',
            'limits',
            'microseconds',
            'reached',
            'largest move',
            'minimum-norm',
            'beyond',
        ),
    )
    for name in PATHS:
        for links in (2, 3) if quick else (2, 3, 6, 10):
            lengths = equal_links(links)
            both = [path(lengths, name)]
            if name != 'line through the base':  # Not in the reach of every arm with limits.
                both.append(replace(both[0], limits=WIDE * links))
            entries = [Entry(f'{name}, {links}', 'ours', given, EXACT) for given in both]
            for result in race(team, entries, repeats=1 if quick else 3):
                _path_row(report, table, result)
    report.tables.append(table)


def _path_row(report: Report, table: Table, result: Result) -> None:
    problems, q = result.entry.problems, result.q
    moves = np.abs(np.diff(q, axis=0)).max(axis=1)
    least = least_moves(problems, q)
    count = len(result.errors)
    limits = 'no' if problems.limits is None else 'yes'
    if result.reached(EXACT) < count:
        report.failures.append(f'path {result.entry.label}, limits {limits}: not all reached')
    table.rows.append(
        (
            result.entry.label,
            limits,
            number(1e6 * result.seconds),
            share(result.reached(EXACT), count),
            f'{moves.max():.3f}',
            f'{least.max():.3f}',
            str(int((moves > 2.0 * least + 0.01).sum())),
        )
    )

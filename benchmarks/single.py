"""One solve at a time: how long it takes beside others, and how that grows with the chain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from contest import Entry, Result, Team, race
from tables import Bar, Report, Table, number, share
from workload import PATHS, Problems, equal_links, inside, path

EXACT, COARSE, ARTICLE = 1e-9, 1e-4, 1e-3  # m, which is reaches: every arm has a reach of 1 m.

CPP = ('roboticstoolbox', 'kdl')
NAMES = {
    'ikpy': 'ikpy',
    'tinyik': 'tinyik',
    'roboticstoolbox': 'roboticstoolbox, C++ `ik_LM`',
    'kdl': 'Orocos KDL, C++ LMA',
}
TIMES_FASTER_THAN_ARTICLE = {2: 3.0, 3: 4.0, 6: 6.0, 10: 8.0}
TIMES_FASTER_THAN_IKPY = 50.0
TIMES_THE_CPP = 2.0
LINKS_BESIDE_CPP = (2, 3, 6)


@dataclass(frozen=True)
class Size:
    """How many links, how many problems, and how many for the slow ones (0: not at all)."""

    links: int
    problems: int
    ikpy: int = 0
    tinyik: int = 0


SIZES = (
    Size(2, 3000, 100, 30),
    Size(3, 3000, 100, 30),
    Size(6, 3000, 60, 10),
    Size(10, 2000, 40),
    Size(20, 500),
    Size(50, 100),
)
QUICK_SIZES = (Size(2, 200), Size(3, 200), Size(6, 200), Size(10, 100), Size(20, 50))


def against_others(team: Team, report: Report, quick: bool) -> None:
    """Measure the mean time of a solve: random starts, no limits, the same problems for all."""
    for size in QUICK_SIZES if quick else SIZES:
        entries = [entry for entry in _entries(size) if team.wanted(entry.contender)]
        results = race(team, entries, repeats=2 if quick else 5)
        report.tables.append(_table(size.links, results))
        _judge(report, size.links, results)


def _entries(size: Size) -> list[Entry]:
    lengths = equal_links(size.links)
    problems = inside(lengths, size.problems, seed=1)
    solvers = ('hybrid', 'ccd', 'two_bone') if size.links == 2 else ('hybrid', 'ccd')
    walk = _walk(lengths)
    entries = [
        Entry(f'ours, `{solver}`{along}', 'ours', given, EXACT, {'solver': solver})
        for along, given in (('', problems), (', stepping along paths', walk))
        for solver in solvers
    ]
    entries.append(Entry("the article's CCD, cap 100", 'article', problems, ARTICLE))
    if size.links <= 10:
        entries += [
            Entry(NAMES[peer], peer, problems, tolerance)
            for peer in CPP
            for tolerance in (EXACT, COARSE)
        ]
    for peer, count in (('ikpy', size.ikpy), ('tinyik', size.tinyik)):
        if count:
            entries.append(Entry(NAMES[peer], peer, problems.first(count), COARSE))
    return entries


def _walk(lengths: tuple[float, ...]) -> Problems:
    """Follow all paths, one after the other."""
    walks = [path(lengths, name) for name in PATHS]
    targets = np.concatenate([walk.targets for walk in walks])
    return Problems(lengths, None, targets, np.concatenate([walk.starts for walk in walks]))


def _table(links: int, results: list[Result]) -> Table:
    table = Table(
        f'One solve, {links} links',
        'Equal links, no limits, random starts; the ratio is to `hybrid` of this package.'
        ' `auto` is `two_bone` for two links, else `hybrid`.',
        ('solver', 'to, in reaches', 'microseconds', 'ratio', 'reached', 'solves'),
    )
    unit = results[0].seconds
    for result in results:
        entry, count = result.entry, len(result.entry.problems)
        if result.failure is not None:
            row = [entry.label, f'{entry.tolerance:.0e}', f'not here: {result.failure}', '', '', '']
        else:
            row = [
                entry.label,
                f'{entry.tolerance:.0e}',
                number(1e6 * result.seconds),
                number(result.seconds / unit),
                share(result.reached(entry.tolerance), count),
                str(count),
            ]
        table.rows.append(row)
    return table


def _judge(report: Report, links: int, results: list[Result]) -> None:
    by_label: dict[str, Result] = {}
    for result in results:
        label = result.entry.label
        if label.startswith('ours') and result.reached(EXACT) < len(result.errors):
            report.failures.append(f'one solve, {links} links, {label}: not all reached')
        # The quicker run of a contender that ran at two tolerances.
        if not by_label.get(label, result).seconds < result.seconds:
            by_label[label] = result
    hybrid, ccd = by_label['ours, `hybrid`'], by_label['ours, `ccd`']
    article = by_label["the article's CCD, cap 100"]
    if links in TIMES_FASTER_THAN_ARTICLE:
        least = TIMES_FASTER_THAN_ARTICLE[links]
        for name, mine in (('ccd', ccd), ('hybrid', hybrid)):
            demand = (
                f"{links} links: `{name}` at least {least:g} times as fast as the article's CCD"
            )
            report.bars.append(_bar(demand, article.seconds / mine.seconds, least=least))
    ikpy = by_label.get(NAMES['ikpy'])
    if ikpy is not None:
        least = TIMES_FASTER_THAN_IKPY
        demand = f'{links} links: `hybrid` at least {least:g} times as fast as ikpy'
        report.bars.append(_bar(demand, ikpy.seconds / hybrid.seconds, least=least))
    walk = by_label['ours, `hybrid`, stepping along paths']
    for peer in CPP if links in LINKS_BESIDE_CPP else ():
        cold = by_label.get(NAMES[peer])
        if cold is None:
            continue
        demands = [(f'`hybrid` at most {TIMES_THE_CPP:g} times the time of', hybrid, TIMES_THE_CPP)]
        if links == 2:
            demands.append(('`two_bone` no slower than', by_label['ours, `two_bone`'], 1.0))
        demands.append(
            ('a step of `hybrid` along a path no slower than a cold solve of', walk, 1.0)
        )
        for words, mine, most in demands:
            demand = f'{links} links: {words} {NAMES[peer]}'
            report.bars.append(_bar(demand, mine.seconds / cold.seconds, most=most))


def _bar(demand: str, ratio: float, least: float = -np.inf, most: float = np.inf) -> Bar:
    if np.isnan(ratio):
        return Bar(demand, '', None)
    return Bar(demand, f'{number(ratio)} times', bool(least <= ratio <= most))


def growth(team: Team, report: Report, quick: bool) -> None:
    """Measure the time of one solve against the number of links."""
    counts = (3, 6, 12, 25) if quick else (3, 4, 6, 8, 10, 15, 20, 30, 40, 50)
    problems = [inside(equal_links(n), 60 if quick else 600, seed=2) for n in counts]
    entries = [
        Entry(f'{n}', 'ours', given, EXACT) for n, given in zip(counts, problems, strict=True)
    ]
    results = race(team, entries, repeats=2 if quick else 5)
    table = Table(
        'Growth',
        'Mean time of one solve (`hybrid`, to 1e-9 reaches, random starts, no limits). The '
        'exponent is that of a power law between a row and the one before; 1 is linear.',
        ('links', 'microseconds', 'per link', 'exponent', 'reached'),
    )
    for i, (n, result) in enumerate(zip(counts, results, strict=True)):
        exponent = ''
        if i:
            step = np.log(result.seconds / results[i - 1].seconds) / np.log(n / counts[i - 1])
            exponent = f'{step:.2f}'
        count = len(result.errors)
        if result.reached(EXACT) < count:
            report.failures.append(f'growth, {n} links: not all reached')
        table.rows.append(
            (
                str(n),
                number(1e6 * result.seconds),
                number(1e6 * result.seconds / n),
                exponent,
                share(result.reached(EXACT), count),
            )
        )
    report.tables.append(table)
    times = np.log([result.seconds for result in results])
    fitted = float(np.polyfit(np.log(counts), times, 1)[0])
    report.bars.append(
        Bar(
            f'time grows at most linearly from {counts[0]} to {counts[-1]} links',
            f'exponent {fitted:.2f}',
            fitted <= 1.0,
        )
    )

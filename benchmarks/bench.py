"""The solvers beside those of others: ``make bench``.

All get the same targets and starts, prepared beforehand in the form that each likes best, and solve
in turn, each in a process and an environment of its own. A time is the mean over the problems of
the median over the repetitions, in processor time. Whether a target was reached is judged by a
forward kinematics of the benchmark. Ends with status 1 where the package misses a target.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time

import numpy as np
from contest import Entry, Team, assemble, race
from tables import Table, machine, number, share
from workload import Problems, at_angles, equal_links, inside, within_limits

from ik2d_ros.kinematics import Chain, solve_batch

LINKS = (2, 3, 6, 10)
EXACT, COARSE = 1e-9, 1e-4  # m; every arm has a reach of 1 m.
IN_BATCH = 20_000

# Name, contender, tolerance, and how many targets of those that the package gets.
PEERS = (
    ('roboticstoolbox, C++ `ik_LM`', 'roboticstoolbox', EXACT, 1.0),
    ('Orocos KDL, C++ LMA', 'kdl', EXACT, 1.0),
    ('ikpy, to 1e-4', 'ikpy', COARSE, 0.03),
    ('tinyik, to 1e-4', 'tinyik', COARSE, 0.01),
    ("the article's CCD, to 1e-3", 'article', 1e-3, 0.3),
)


def entries(links: int, count: int) -> list[Entry]:
    """Return who solves what, with so many links."""
    lengths = equal_links(links)
    free = inside(lengths, count, seed=1)
    own = [
        Entry('`solve`', 'ours', free, EXACT),
        Entry('`solve`, `ccd`', 'ours', free, EXACT, {'solver': 'ccd'}),
        Entry('`solve`, limits', 'ours', within_limits(lengths, count, 'asymmetric', 1), EXACT),
    ]
    if links > 2:
        own.append(Entry('`solve`, tip angle', 'ours', at_angles(lengths, count, 1), EXACT))
    peers = [
        Entry(name, peer, free.first(max(5, int(share_ * count))), tolerance)
        for name, peer, tolerance, share_ in PEERS
        if peer != 'tinyik' or links < 10
    ]
    return own + peers


def batch_time(problems: Problems) -> tuple[float, int]:
    """Return the processor time of a target in s, and how many are reached."""
    limits = None
    if problems.limits is not None:
        limits = [(low, high) for low, high in problems.limits]
    chain = Chain.from_lengths(problems.lengths, limits)
    spent = []
    for _ in range(4):
        begun = time.process_time()
        batch = solve_batch(chain, problems.targets, start=problems.starts, tolerance=EXACT)
        spent.append(time.process_time() - begun)
    return float(np.median(spent[1:])) / len(problems), int((batch.status == 0).sum())


def measured(team: Team, quick: bool) -> tuple[Table, bool]:
    """Return the table, and whether the package has reached all."""
    cells: dict[str, list[str]] = {}
    all_reached = True
    for column, links in enumerate(LINKS):
        wanted = [e for e in entries(links, 30 if quick else 1500) if team.wanted(e.contender)]
        found = [
            (r.entry.label, r.entry.contender, r.seconds, r.reached(r.entry.tolerance), len(r.q))
            if r.failure is None
            else (r.entry.label, r.entry.contender, np.nan, 0, 1)
            for r in race(team, wanted, repeats=1 if quick else 5)
        ]
        size, lengths = IN_BATCH // (100 if quick else 1), equal_links(links)
        for label, problems in (
            ('`solve_batch`', inside(lengths, size, seed=2)),
            ('`solve_batch`, limits', within_limits(lengths, size, 'asymmetric', 2)),
        ):
            found.append((label, 'ours', *batch_time(problems), size))
        for label, contender, seconds, reached, count in found:
            row = cells.setdefault(label, [''] * len(LINKS))
            missed = '' if reached == count else f' ({share(reached, count)})'
            row[column] = f'{number(1e6 * seconds)}{missed}' if seconds > 0.0 else 'not here'
            all_reached &= contender != 'ours' or reached == count
    table = Table(
        'One target, in microseconds',
        'Equal links, random targets and starts, to 1e-9 of the reach unless said. In brackets the '
        f'share that was reached, where it is not all. {machine()}, Python '
        f'{platform.python_version()}, NumPy {np.__version__}.',
        ('', *(f'{links} links' for links in LINKS)),
        [
            (label, *row)
            for label, row in sorted(cells.items(), key=lambda item: '`' not in item[0])
        ],
    )
    return table, all_reached


def main() -> int:
    """Run everything; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--quick', action='store_true', help='few problems, no peers')
    options = parser.parse_args()
    with assemble(with_peers=not options.quick) as team:
        table, all_reached = measured(team, options.quick)
        print(table.markdown())
        for name, reason in team.missing.items():
            print(f'{name}: not here ({reason})')
    return 0 if all_reached else 1


if __name__ == '__main__':
    sys.exit(main())

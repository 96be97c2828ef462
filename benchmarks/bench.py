"""Times the solvers and those of others: ``make bench``.

All get the same targets and starts, prepared beforehand in the form that each likes best, in a
process each. The peers are installed in an environment of their own; one that cannot be installed
is "not here". A time is the median over repetitions, in processor time. The benchmark's own forward
kinematics decides whether a target was reached. Ends with status 1 if the package misses one.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from problems import Case, FloatArray
from tables import Table, machine, number, share

from ik2d_ros.kinematics import solve_batch

LINKS = (2, 3, 6, 10)
EXACT, COARSE = 1e-9, 1e-4  # m; every arm has a reach of 1 m.
RADIAN = 1e-3  # m that an error of a rad in the tip angle counts; others ignore smaller errors.
IN_BATCH = 20_000
REPEATS = 5
HERE = Path(__file__).resolve().parent
PEERS_PYTHON = HERE.parent / '.venv/peers/bin/python'

# Name, contender, tolerance, and the share of the targets that it gets.
PEERS = (
    ('roboticstoolbox, C++ `ik_LM`', 'roboticstoolbox', EXACT, 1.0),
    ('Orocos KDL, C++ LMA', 'kdl', EXACT, 1.0),
    ('ikpy, to 1e-4', 'ikpy', COARSE, 0.03),
    ('tinyik, to 1e-4', 'tinyik', COARSE, 0.01),
    ("the article's CCD, to 1e-3", 'article', 1e-3, 0.3),
)


class Entry(NamedTuple):
    """A contender with its problems.

    Attributes:
        label: the row of the table.
        contender: a function of ``worker.py``.
        case: equal links, their limits, targets, starts and tolerance.
        solver: of the package.
    """

    label: str
    contender: str
    case: Case
    solver: str = 'hybrid'

    def reached(self, q: FloatArray) -> int:
        """Count the answers that are within the tolerance, and within the limits."""
        tips, headings = self.case.forward(q)
        away = np.linalg.norm(tips - self.case.targets, axis=1)
        if self.case.angles is not None:
            off = np.remainder(headings - self.case.angles + np.pi, 2 * np.pi) - np.pi
            away = np.maximum(away, RADIAN * np.abs(off))
        lower, upper = self.case.limits().T
        is_inside = ((lower <= q) & (q <= upper)).all(axis=1)
        return int((is_inside & (away <= self.case.tolerance * (1.0 + 1e-6) + 1e-15)).sum())


def problems(label: str, links: int, count: int, kind: str) -> Entry:
    """Return tips of random poses, or points anywhere in reach, and random starts."""
    rng = np.random.default_rng([links, count])
    limits = [(None, None)] * links
    if kind == 'limits':
        limits = [(-0.5, 2.2) if i % 2 else (-1.8, 0.7) for i in range(links)]
    joints = [{'link': (1 / links, 0.0), 'lower': low, 'upper': up} for low, up in limits]
    known = np.ones(count, dtype=bool)
    case = Case(0, joints, None, np.empty((0, 2)), None, None, known, 1.0, EXACT)
    bounds = np.where(np.isfinite(case.limits()), case.limits(), [-np.pi, np.pi])
    poses, starts = rng.uniform(*bounds.T, (2, count, links))
    targets, angles = case.forward(poses)
    if kind == 'free':
        radii = np.sqrt(rng.uniform(0.0, 1.0, count))
        targets = (radii * [np.cos(poses[:, 0]), np.sin(poses[:, 0])]).T
    case = replace(case, targets=targets, starts=starts, angles=angles if kind == 'angle' else None)
    return Entry(label, 'ours', case)


def entries(links: int, count: int, with_peers: bool) -> list[Entry]:
    """Return the contenders with their problems, for a number of links."""
    free = problems('`solve`', links, count, 'free')
    found = [
        free,
        free._replace(label='`solve`, `ccd`', solver='ccd'),
        problems('`solve`, limits', links, count, 'limits'),
    ]
    if links > 2:
        found.append(problems('`solve`, tip angle', links, count, 'angle'))
    for label, contender, tolerance, part in PEERS:
        if contender == 'article' or (with_peers and (contender != 'tinyik' or links < 10)):
            some = replace(free.case.first(slice(max(5, int(part * count)))), tolerance=tolerance)
            found.append(Entry(label, contender, some))
    return found


class MissingError(Exception):
    """A contender is not here, or fails; the message says why."""


def solved(entry: Entry, repeats: int) -> tuple[float, FloatArray]:
    """Return the time of a target in s, and the answers (m, n), by a contender.

    Raises:
        MissingError: there is no answer.
    """
    is_peer = entry.contender not in ('ours', 'article')
    case, limits = entry.case, entry.case.limits()
    columns = [case.targets] if case.angles is None else [case.targets, case.angles]
    asked = {
        'contender': entry.contender,
        'lengths': [joint['link'][0] for joint in case.joints],
        'limits': limits.tolist() if np.isfinite(limits).all() else None,
        'targets': np.column_stack(columns).tolist(),
        'starts': case.starts.tolist(),
        'tolerance': case.tolerance,
        'solver': entry.solver,
        'repeats': repeats,
    }
    # One thread, so that its processor time is all of it.
    single = {f'{library}_NUM_THREADS': '1' for library in ('OMP', 'OPENBLAS', 'MKL')}
    done = subprocess.run(
        [PEERS_PYTHON if is_peer else sys.executable, HERE / 'worker.py'],
        input=json.dumps(asked),
        env={**os.environ, **single},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise MissingError((done.stderr.splitlines() or ['no reason given'])[-1])
    reply = json.loads(done.stdout)
    return reply['seconds'], np.array(reply['q'])


def solved_at_once(case: Case) -> tuple[float, FloatArray]:
    """Return the time of a target in s, and the answers (m, n), by `solve_batch`."""
    chain, spent = case.built(), []
    for _ in range(4):
        begun = time.process_time()
        batch = solve_batch(chain, case.targets, **case.asked())
        spent.append((time.process_time() - begun) / len(case.targets))
    return float(np.median(spent[1:])), batch.q


def main() -> int:
    """Measure everything and print the table; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--quick', action='store_true', help='few problems, no peers')
    quick = parser.parse_args().quick
    cells: dict[str, list[str]] = {}
    all_reached, missing = True, {}
    for column, links in enumerate(LINKS):
        wanted = entries(links, 30 if quick else 1500, with_peers=not quick)
        size = IN_BATCH // (100 if quick else 1)
        wanted += [
            problems('`solve_batch`', links, size, 'free'),
            problems('`solve_batch`, limits', links, size, 'limits'),
        ]
        for entry in wanted:
            row = cells.setdefault(entry.label, [''] * len(LINKS))
            try:
                if 'batch' in entry.label:
                    seconds, q = solved_at_once(entry.case)
                else:
                    seconds, q = solved(entry, 1 if quick else REPEATS)
            except MissingError as reason:
                row[column], missing[entry.contender] = 'not here', str(reason)
                continue
            reached, count = entry.reached(q), len(q)
            missed = '' if reached == count else f' ({share(reached, count)})'
            row[column] = f'{number(1e6 * seconds)}{missed}'
            all_reached &= entry.contender != 'ours' or reached == count
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
    print(table.markdown())
    for name, reason in missing.items():
        print(f'{name}: not here ({reason})')
    return 0 if all_reached else 1


if __name__ == '__main__':
    sys.exit(main())

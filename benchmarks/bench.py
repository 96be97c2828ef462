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
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tables import Table, machine, number, share

from ik2d_ros.kinematics import Chain, solve_batch

FloatArray = NDArray[np.float64]

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
    """A contender with its problems, of an arm of equal links.

    Attributes:
        label: the row of the table.
        limits: (n, 2) in rad, or None.
        targets: (m, 2) in m, or (m, 3) with tip angles in rad.
        starts: (m, n) positions.
        contender: a function of ``worker.py``.
        solver: of the package.
        tolerance: in m.
    """

    label: str
    limits: Any
    targets: FloatArray
    starts: FloatArray
    contender: str = 'ours'
    solver: str = 'hybrid'
    tolerance: float = EXACT

    def reached(self, q: FloatArray) -> int:
        """Count the answers that are within the tolerance, and within the limits."""
        off = forward(q)[:, : self.targets.shape[1]] - self.targets
        off[:, 2:] = RADIAN * (np.remainder(off[:, 2:] + np.pi, 2 * np.pi) - np.pi)
        away = np.maximum(np.hypot(*off[:, :2].T), np.abs(off[:, 2:]).max(axis=1, initial=0.0))
        is_near = away <= self.tolerance * (1.0 + 1e-6) + 1e-15
        lower, upper = (-np.inf, np.inf) if self.limits is None else np.transpose(self.limits)
        return int((is_near & ((lower <= q) & (q <= upper)).all(axis=1)).sum())


def forward(q: FloatArray) -> FloatArray:
    """Return (m, 3): tips in m and tip angles in rad of equal links."""
    headings = np.cumsum(q, axis=1)
    tips = np.exp(1j * headings).mean(axis=1)
    return np.stack([tips.real, tips.imag, np.angle(np.exp(1j * headings[:, -1]))], axis=1)


def problems(label: str, links: int, count: int, kind: str) -> Entry:
    """Return tips of random poses, or points anywhere in reach, and random starts."""
    rng = np.random.default_rng([links, count])
    limits = None
    if kind == 'limits':
        limits = [(-0.5, 2.2) if i % 2 else (-1.8, 0.7) for i in range(links)]
    lower, upper = np.transpose(limits or [(-np.pi, np.pi)] * links)
    poses, starts = rng.uniform(lower, upper, (2, count, links))
    targets = forward(poses)[:, : 3 if kind == 'angle' else 2]
    if kind == 'free':
        radii = np.sqrt(rng.uniform(0.0, 1.0, count))
        targets = (radii * [np.cos(poses[:, 0]), np.sin(poses[:, 0])]).T
    return Entry(label, limits, targets, starts)


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
            some = slice(max(5, int(part * count)))
            targets, starts = free.targets[some], free.starts[some]
            found.append(Entry(label, None, targets, starts, contender, tolerance=tolerance))
    return found


class MissingError(Exception):
    """A contender is not here, or fails; the message says why."""


def solved(entry: Entry, repeats: int) -> tuple[float, FloatArray]:
    """Return the time of a target in s, and the answers (m, n), by a contender.

    Raises:
        MissingError: there is no answer.
    """
    links = entry.starts.shape[1]
    asked = {
        'contender': entry.contender,
        'lengths': [1.0 / links] * links,
        'limits': entry.limits,
        'targets': entry.targets.tolist(),
        'starts': entry.starts.tolist(),
        'tolerance': entry.tolerance,
        'solver': entry.solver,
        'repeats': repeats,
    }
    is_peer = entry.contender not in ('ours', 'article')
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


def solved_at_once(entry: Entry) -> tuple[float, FloatArray]:
    """Return the time of a target in s, and the answers (m, n), by `solve_batch`."""
    links, spent = entry.starts.shape[1], []
    chain = Chain.from_lengths([1.0 / links] * links, entry.limits)
    for _ in range(4):
        begun = time.process_time()
        batch = solve_batch(chain, entry.targets, start=entry.starts, tolerance=entry.tolerance)
        spent.append((time.process_time() - begun) / len(entry.targets))
    return float(np.median(spent[1:])), batch.q


def main() -> int:
    """Measure everything and print the table; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--quick', action='store_true', help='few problems of few links, no peers')
    quick = parser.parse_args().quick
    cells: dict[str, list[str]] = {}
    all_reached, missing = True, {}
    for column, links in enumerate(LINKS[:2] if quick else LINKS):
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
                    seconds, q = solved_at_once(entry)
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

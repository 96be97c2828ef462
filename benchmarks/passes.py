"""What the passes of a solve are: sweeps over the joints, or exact steps."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from single import EXACT
from tables import Report, Table, share
from workload import Problems, equal_links, inside, path, within_limits

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from ik2d_ros.kinematics import Chain, solve
from ik2d_ros.kinematics.descent import ccd

DEFAULT = 1e-6  # m, the tolerance of a solve that names none.
SOLVERS = ('ccd', 'hybrid')


class Sweeps:
    """Counts the sweeps made while it is on: in a ``with`` statement."""

    def __enter__(self) -> Sweeps:
        self.made = 0
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _see(self, frame: FrameType, event: str, value: Any) -> None:
        if frame.f_code is ccd.sweep_on.__code__:
            if event == 'return' and value is not None:
                self.made += value[1]
        elif frame.f_code is ccd.sweep.__code__ and event == 'call':
            caller = frame.f_back
            if caller is None or caller.f_code is not ccd.sweep_on.__code__:
                self.made += 1


def passes(report: Report, quick: bool) -> None:
    """Count the sweeps and exact steps of both solvers on the problems of the other sections."""
    table = Table(
        'Passes',
        'Mean numbers for a solve. A pass is a sweep, a closure of the chain, or a Gauss-Newton '
        'step, of the search, too; the last three are exact steps. Equal links; without limits '
        'targets over the whole disc from random starts, with limits the tips of random poses '
        'within them, paths as above.',
        ('links, problems', 'solver', 'to, in reaches', 'sweeps', 'exact steps', 'sweeps alone'),
    )
    count = 30 if quick else 1000
    for name, problems in _problems(count, quick):
        for solver in SOLVERS:
            for tolerance in (EXACT, DEFAULT):
                made, exact, alone = _count(problems, solver, tolerance)
                each = len(problems)
                table.rows.append(
                    (
                        name,
                        f'`{solver}`',
                        f'{tolerance:.0e}',
                        f'{made / each:.1f}',
                        f'{exact / each:.1f}',
                        share(alone, each),
                    )
                )
    report.tables.append(table)


def _problems(count: int, quick: bool) -> Iterator[tuple[str, Problems]]:
    for links in (2, 3) if quick else (2, 3, 6, 10):
        yield f'{links}, no limits', inside(equal_links(links), count, seed=1)
    for links in (3,) if quick else (2, 3, 6, 10):
        limited = within_limits(equal_links(links), count, 'symmetric', seed=6)
        yield f'{links}, symmetric limits', limited
    for links in (3,) if quick else (3, 6):
        yield f'{links}, along a circle', path(equal_links(links), 'circle').first(count)


def _count(problems: Problems, solver: str, tolerance: float) -> tuple[int, int, int]:
    """Sweeps, exact steps, and how many solves needed sweeps and nothing else."""
    limits = None
    if problems.limits is not None:
        limits = [None if math.isinf(low) else (low, high) for low, high in problems.limits]
    chain = Chain.from_lengths(problems.lengths, limits)
    made = exact = alone = 0
    last = np.zeros(len(chain))
    for target, start in zip(problems.targets, problems.starts, strict=True):
        begin = last if np.isnan(start[0]) else start
        with Sweeps() as sweeps:
            answer = solve(chain, target, solver, begin, tolerance=tolerance)
        made += sweeps.made
        exact += answer.iterations - sweeps.made
        alone += 0 < answer.iterations == sweeps.made
        last = answer.q
    return made, exact, alone

"""Tables and verdicts of a run, as Markdown that also reads well in a terminal."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Table:
    """A table with a heading and a sentence about what it shows."""

    title: str
    about: str
    columns: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)

    def markdown(self) -> str:
        """Return the table; the first column is text, the others are flush right."""
        cells = [[str(cell) for cell in row] for row in (self.columns, *self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        lines = [self._line(row, widths) for row in cells]
        rule = [
            '-' * width if i == 0 else '-' * (width - 1) + ':' for i, width in enumerate(widths)
        ]
        lines.insert(1, self._line(rule, widths))
        return '\n'.join([f'## {self.title}', '', self.about, '', *lines, ''])

    @staticmethod
    def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
        padded = [
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f'| {" | ".join(padded)} |'


@dataclass(frozen=True)
class Bar:
    """A demand, the measured value, and whether it is met."""

    demand: str
    measured: str
    met: bool


def show(tables: Sequence[Table], bars: Sequence[Bar], failures: Sequence[str] = ()) -> int:
    """Print the results of a run; return the process status, 1 unless every demand is met."""
    verdicts = Table(
        'Demands',
        'Demands on the package, measured in this run.',
        ('demand', 'measured', 'met'),
        [(bar.demand, bar.measured, 'yes' if bar.met else '**no**') for bar in bars],
    )
    print(f'Machine: {machine()}\n')
    for table in (*tables, verdicts):
        print(table.markdown())
    for failure in failures:
        print(f'FAILED: {failure}')
    return 0 if all(bar.met for bar in bars) else 1


def machine() -> str:
    """Return the number of cores and the model of the processor, nothing else about the machine."""
    lines = Path('/proc/cpuinfo').read_text().splitlines()
    models = (line.split(':', 1)[1].strip() for line in lines if line.startswith('model name'))
    return f'{len(os.sched_getaffinity(0))} cores, {next(models, platform.machine())}'


def share(part: int, whole: int) -> str:
    """Format a share in percent; 100 only if it is all of them."""
    if part == whole:
        return '100 %'
    return f'{math.floor(10000.0 * part / whole) / 100.0:.2f} %'


def number(value: float) -> str:
    """Format a number with three digits."""
    if not math.isfinite(value):
        return '-'
    if value == 0.0:
        return '0'
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f'{value:.{digits}f}' if abs(value) >= 1e-4 else f'{value:.1e}'

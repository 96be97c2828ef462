"""What a soak has recorded, what it demands of that, and the picture of it."""

from __future__ import annotations

import csv
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tables import Bar, number

BARE = 'bare'
"""A bare rclpy node in the same run: what it suffers, the machine or the middleware does."""

MEMORY, CYCLES, MISSED = 'memory', 'cycles', 'missed'
GROWTH, SHORT_GROWTH = 1.0, 5.0  # MB from the first quarter to the last; in a short run
SHORT = 600.0  # s; nodes and middleware have hardly warmed up by then, and every moment counts
TREND, SHORT_TREND = 1.0, 10.0  # percent of the cycles; in a short run
CHANCE = 3.0  # standard errors
LEAST = 8  # samples after the warm-up


@dataclass(frozen=True)
class Sample:
    """What was seen at a time.

    Attributes:
        time: s since the beginning.
        memory: resident memory of the processes in MB.
        cycles: poses that were due since the sample before, by arm.
        missed: how many of them came late by more than a period, or not at all.
    """

    time: float
    memory: dict[str, float]
    cycles: dict[str, int]
    missed: dict[str, int]

    def missed_share(self, arm: str) -> float:
        """Return the share of an arm's cycles that were missed, in percent."""
        due = self.cycles[arm]
        return 100.0 * self.missed[arm] / due if due else 100.0


def change(values: Sequence[float]) -> float:
    """Return by how much the last quarter exceeds the first one, each by its median."""
    count = max(len(values) // 4, 1)
    return statistics.median(values[-count:]) - statistics.median(values[:count])


def chance(values: Sequence[float]) -> float:
    """Return the standard error of the difference between the last quarter and the first one."""
    count = max(len(values) // 4, 2)
    return math.sqrt(
        (statistics.variance(values[:count]) + statistics.variance(values[-count:])) / count
    )


def growth(samples: Sequence[Sample], process: str) -> float:
    """Return by how much the memory of a process has grown in MB."""
    return change([sample.memory[process] for sample in samples])


def trend(samples: Sequence[Sample], arm: str) -> tuple[float, float]:
    """Return by how much the missed cycles of an arm have grown, and how much chance explains.

    Both in percent of the cycles. Only what it misses more than the bare node counts: the machine
    may do other things, too.
    """
    shares = [each.missed_share(arm) - each.missed_share(BARE) for each in samples]
    return change(shares), CHANCE * chance(shares)


def judge(samples: Sequence[Sample], warm_up: float) -> list[Bar]:
    """Return the demands on memory and cycles, with what was measured.

    Args:
        samples: the record.
        warm_up: s at the beginning that do not count.

    Raises:
        ValueError: the run was too short to tell.
    """
    counted = [sample for sample in samples if sample.time >= warm_up]
    if len(counted) < LEAST:
        raise ValueError(f'{len(counted)} samples after {warm_up:g} s are too few to judge')
    is_short = counted[-1].time - counted[0].time < SHORT
    most, steepest = (SHORT_GROWTH, SHORT_TREND) if is_short else (GROWTH, TREND)
    bars = []
    for process in sorted({*counted[0].memory} - {BARE}):
        grown = growth(counted, process)
        bars.append(
            Bar(
                f'{process}: memory grows by at most {most:g} MB',
                f'{grown:+.2f} MB',
                grown <= most,
            )
        )
    for arm in sorted({*counted[0].cycles} - {BARE}):
        more, by_chance = trend(counted, arm)
        bars.append(
            Bar(
                f'{arm}: missed cycles grow by at most {steepest:g} % of the cycles, chance apart',
                f'{more:+.2f} %, chance {by_chance:.2f} %',
                more <= steepest + by_chance,
            )
        )
    return bars


def rows(samples: Sequence[Sample], warm_up: float) -> list[tuple[str, ...]]:
    """Return a row for each process and for each arm: the first and the last quarter."""
    counted = [sample for sample in samples if sample.time >= warm_up]
    count = max(len(counted) // 4, 1)
    ends = counted[:count], counted[-count:]
    found = [
        (
            f'memory of {process}, MB',
            *(f'{statistics.median(s.memory[process] for s in end):.2f}' for end in ends),
            f'{max(sample.memory[process] for sample in counted):.2f}',
        )
        for process in sorted(counted[0].memory)
    ]
    found += [
        (
            f'cycles missed by {arm}, %',
            *(number(statistics.median(s.missed_share(arm) for s in end)) for end in ends),
            number(max(sample.missed_share(arm) for sample in counted)),
        )
        for arm in sorted(counted[0].cycles)
    ]
    return found


def write(file: Path, samples: Sequence[Sample]) -> None:
    """Write the record as CSV."""
    first = samples[0]
    columns = [
        (kind, name)
        for kind, names in ((MEMORY, first.memory), (CYCLES, first.cycles), (MISSED, first.missed))
        for name in names
    ]
    with file.open('w', encoding='utf-8', newline='') as stream:
        writer = csv.writer(stream, lineterminator='\n')
        writer.writerow(['time', *(f'{kind} {name}' for kind, name in columns)])
        for sample in samples:
            values = [getattr(sample, kind)[name] for kind, name in columns]
            writer.writerow([f'{sample.time:.1f}', *(f'{value:.8g}' for value in values)])


def read(file: Path) -> list[Sample]:
    """Return the record in a file."""
    samples = []
    with file.open(encoding='utf-8', newline='') as stream:
        for row in csv.DictReader(stream):
            values: dict[str, dict[str, str]] = {MEMORY: {}, CYCLES: {}, MISSED: {}}
            for column, value in row.items():
                kind, _, name = column.partition(' ')
                if name:
                    values[kind][name] = value
            samples.append(
                Sample(
                    float(row['time']),
                    {name: float(value) for name, value in values[MEMORY].items()},
                    {name: int(value) for name, value in values[CYCLES].items()},
                    {name: int(value) for name, value in values[MISSED].items()},
                )
            )
    return samples


def draw(file: Path, samples: Sequence[Sample], warm_up: float) -> None:
    """Draw memory and missed cycles over the time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 5.6), layout='constrained')
    above, below = figure.subplots(2, 1, sharex=True)
    minutes = [sample.time / 60.0 for sample in samples]
    counted = [sample for sample in samples if sample.time >= warm_up]
    for process in samples[0].memory:
        level = statistics.median(sample.memory[process] for sample in counted)
        label = f'{process} ({level:.0f} MB)'
        values = [sample.memory[process] - level for sample in samples]
        above.plot(minutes, values, **style(process), label=label)
    above.set(ylabel='memory above its median, MB', ylim=(-2.5, 2.5))
    for arm in samples[0].cycles:
        values = [sample.missed_share(arm) for sample in samples]
        below.plot(minutes, values, **style(arm), label=arm)
    below.set(ylabel='missed cycles, %', xlabel='time, min', xlim=(0.0, minutes[-1]))
    below.margins(y=0.15)  # room for the legend
    for axes in (above, below):
        axes.axvspan(0.0, warm_up / 60.0, color='0.93')
        axes.grid(alpha=0.3)
        axes.spines[['top', 'right']].set_visible(False)
        axes.legend(loc='upper right', fontsize=8, ncols=len(samples[0].cycles), frameon=False)
    figure.savefig(file, dpi=110)


def style(name: str) -> dict[str, object]:
    """Return how the line of a process or an arm looks."""
    colours = {BARE: '0.55', 'plane': '#1f6fb2', 'turntable': '#d1495b'}
    return {'color': colours.get(name, '#2e8b57'), 'linewidth': 1.2}
